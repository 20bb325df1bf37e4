//! The limiter: fixed windows, each opened by the first call that it admits.
//!
//! Source: the limits of the design document; that windows are fixed and anchored at the first request was seen in
//! recordings (linodego 676b9dbe, `TestReservedIPAddresses_ExceedLimit`). A refused call does not count.

use crate::saved::saved;
use crate::settings::{Limit, LimitScope, Limits, TokenId};
use lkesim_linode_api::{Endpoint, Headers, RateClass};
use lkesim_runtime::Time;
use std::time::Duration;

/// Windows of every token.
pub(crate) struct RateLimiter {
    limits: Limits,
    windows: Vec<Window>,
    per_token: usize,
}

#[derive(Clone, Copy, Default)]
struct Window {
    /// When it ends; a window that has ended is none.
    end: Time,
    used: u32,
}

/// The limiter's word.
pub(crate) struct Judged {
    pub admitted: bool,
    pub headers: Headers,
}

impl RateLimiter {
    pub fn new(limits: Limits, tokens: usize) -> RateLimiter {
        let per_token = match limits.scope {
            LimitScope::Token => RateClass::ALL.len(),
            LimitScope::Endpoint => Endpoint::ALL.len(),
        };
        RateLimiter { windows: vec![Window::default(); tokens * per_token], limits, per_token }
    }

    fn class(&self, endpoint: Endpoint) -> RateClass {
        match endpoint {
            Endpoint::CreatePool => self.limits.create_lke_pool,
            other => other.class(),
        }
    }

    /// Counts a call, or refuses it.
    #[inline]
    pub fn judge(&mut self, token: TokenId, endpoint: Endpoint, now: Time) -> Judged {
        let class = self.class(endpoint);
        let place = match self.limits.scope {
            LimitScope::Token => class as usize,
            LimitScope::Endpoint => endpoint as usize,
        };
        let limit = self.limits.of(class);
        self.windows[usize::from(token.0) * self.per_token + place].judge(limit, now)
    }
}

impl RateLimiter {
    /// Counts a request without an endpoint of its own, or refuses it. Where windows are kept for endpoints it has
    /// none, and is admitted, as is one of a token that the settings do not have.
    pub fn judge_class(&mut self, token: TokenId, class: RateClass, now: Time) -> Judged {
        let limit = self.limits.of(class);
        let place = usize::from(token.0) * self.per_token + class as usize;
        match self.windows.get_mut(place) {
            Some(window) if self.limits.scope == LimitScope::Token => window.judge(limit, now),
            _ => Window::default().judge(limit, now),
        }
    }
}

impl Window {
    fn judge(&mut self, limit: &Limit, now: Time) -> Judged {
        if now >= self.end {
            *self = Window { end: now + limit.window, used: 0 };
        }
        let admitted = self.used < limit.count;
        self.used += u32::from(admitted);
        let headers = Headers {
            limit: limit.header,
            remaining: limit.header.saturating_sub(self.used),
            retry_after_secs: whole_seconds(self.end - now),
        };
        Judged { admitted, headers }
    }
}

/// Rounded up, so that who waits them out meets the next window.
fn whole_seconds(length: Duration) -> u32 {
    u32::try_from(length.as_nanos().div_ceil(1_000_000_000)).unwrap_or(u32::MAX)
}

impl RateLimiter {
    /// The limits that it judges by, which a saved one has not. False where its windows are not those of so many
    /// tokens.
    pub fn set_limits(&mut self, limits: Limits, tokens: usize) -> bool {
        let fresh = RateLimiter::new(limits, tokens);
        let fits = (fresh.windows.len(), fresh.per_token) == (self.windows.len(), self.per_token);
        self.limits = fresh.limits;
        fits
    }
}

saved!(RateLimiter { windows, per_token } with { limits: Limits::documented() });
saved!(Window { end, used });

#[cfg(test)]
mod tests;
