//! Reads whose answers never change, which a server makes by itself: limit and fault are the cloud's all the same.

use crate::fault::{Asked, Cut, Effect, alone, slip};
use crate::{ChangeKind, Cloud, TokenId};
use lkesim_linode_api::{ApiError, CallError, CallNumber, Endpoint, Headers, Page, Purpose};
use lkesim_runtime::{Time, Word};
use std::sync::Arc;
use std::time::Duration;

/// What the cloud says of such a read.
pub struct Still {
    /// The limits.
    pub headers: Headers,
    /// What is answered in place of the answer.
    pub instead: Option<CallError>,
    /// How much later than usual the answer comes.
    pub extra_delay: Duration,
    /// Whether it never comes.
    pub lost: bool,
    /// The fault that hit the call.
    pub fault: Option<Arc<str>>,
    list: Option<List>,
}

/// What a fault does to a list.
enum List {
    Cut(Cut, Word),
    Doubled,
}

impl Still {
    fn new(headers: Headers) -> Still {
        Still { headers, instead: None, extra_delay: Duration::ZERO, lost: false, fault: None, list: None }
    }

    /// Does to a list what the fault says. `before` gives the page before, of a page that is not the first.
    pub fn spoil<T: Clone>(&self, page: &mut Page<T>, before: impl FnOnce() -> Option<Page<T>>) {
        match &self.list {
            None => {}
            Some(List::Cut(cut, word)) => {
                cut.cut(page, *word);
            }
            Some(List::Doubled) => match before() {
                Some(before) => slip(page, &before),
                None => alone(page),
            },
        }
    }
}

impl Cloud {
    /// Judges a read that the server answers, as [`Cloud::handle`] judges a call: limit, then fault. To be carried out
    /// twice, or as of long ago, changes nothing of it.
    pub fn judge_still(
        &mut self,
        now: Time,
        token: TokenId,
        number: CallNumber,
        purpose: &Purpose,
        endpoint: Endpoint,
    ) -> Still {
        self.world.advance(now);
        self.world.call = Some(number);
        if usize::from(token.0) >= self.world.settings.tokens.len() {
            let refused = CallError::Api(ApiError::new(401, "Invalid Token"));
            return Still { instead: Some(refused), ..Still::new(Headers::default()) };
        }
        let judged = self.limiter.judge(token, endpoint, now);
        let headers = judged.headers;
        if !judged.admitted {
            self.world.record(ChangeKind::Throttled { token, endpoint });
            let mut error = ApiError::new(429, "Too many requests");
            error.retry_after_secs = Some(headers.retry_after_secs).filter(|&secs| secs > 0);
            return Still { instead: Some(CallError::Api(error)), ..Still::new(headers) };
        }
        let Some(hit) = self.faults.judge(&self.world.luck, now, Asked { token, endpoint, purpose, headers }) else {
            return Still::new(headers);
        };
        self.world.record(ChangeKind::Faulted { fault: hit.name.clone(), endpoint });
        let still = Still { fault: Some(hit.name), ..Still::new(headers) };
        match hit.effect {
            Effect::Instead(answer) => Still { instead: answer.result.err(), headers: answer.headers, ..still },
            Effect::Unreadable(what) => Still { instead: Some(CallError::Unreadable(what)), ..still },
            Effect::Late(extra_delay) => Still { extra_delay, ..still },
            Effect::Lost => Still { lost: true, ..still },
            Effect::Cut(cut, word) => Still { list: Some(List::Cut(cut, word)), ..still },
            Effect::Doubled => Still { list: Some(List::Doubled), ..still },
            Effect::Twice | Effect::AsOf(_) => Still { fault: None, ..still },
        }
    }
}
