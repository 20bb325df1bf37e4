//! When linodego asks again, and how long it waits first.
//!
//! Source: linodego v2.3.0 `retries.go`, `client.go:560-625` and `errors.go:51-100`; v1.62.0 of the same,
//! `client.go:168, 619`, over go-resty v2.17.0 `retry.go:88-230` and `middleware.go:402`. Both ask again for the same
//! answers, whatever the method, and differ in the rest:
//!
//! | | v1.62.0 | v2.3.0 |
//! |---|---|---|
//! | tries | 1001 | 1000, and a wait after the last |
//! | wait without `Retry-After` | doubles from 3 s to 30 s, a random share of the upper half, at least 3 s | 3 s |
//! | `Retry-After` | kept between 3 s and 30 s | the same |
//! | an error without reasons | asked again, if its status is, 1000 times; else a success without a value | a success without a value |
//! | an error that can't be read | the same, as its HTTP client logs what it can't decode | asked again, if its status is; else an error |
//! | the caller's deadline | ends the wait | is seen after the wait |
//!
//! No design here sets a deadline of its own around a call, so the last row makes no difference. The limit for one
//! answer counts for each try anew. Both would ask again after a HTTP/2 GOAWAY, which the provider never meets: it gives
//! its HTTP transport a TLS configuration (e1c5200 `pkg/linode/sdk.go:76`, v0.1.3 alike), by which Go's `net/http`
//! speaks HTTP/1.1 alone unless `ForceAttemptHTTP2` is set.

use crate::error::{ApiError, CallError, ErrorBody};
use lkesim_runtime::Word;
use std::time::Duration;

/// A release line of linodego, which differ in how they ask again and in how they name errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sdk {
    /// v1.62.0, over go-resty: provider v0.1.3.
    Linodego1_62,
    /// v2.3.0: provider e1c5200.
    Linodego2_3,
}

impl Sdk {
    /// How it asks again, as the provider sets it up.
    pub const fn policy(self) -> RetryPolicy {
        match self {
            Sdk::Linodego1_62 => RetryPolicy::LINODEGO_1_62,
            Sdk::Linodego2_3 => RetryPolicy::LINODEGO,
        }
    }
}

/// linodego's retry settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The release line.
    pub sdk: Sdk,
    /// How many requests a call makes at the most.
    pub tries: u32,
    /// The wait where `Retry-After` is absent, and the least there is.
    pub wait_min: Duration,
    /// The longest wait; a longer `Retry-After` is cut, so that a client asks before its window ends.
    pub wait_max: Duration,
    /// How long the HTTP client waits for one answer.
    pub request_timeout: Duration,
}

/// What the SDK does about an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Takes it for a success without a value.
    Nothing,
    /// Asks again after this time.
    Again(Duration),
    /// Returns this error.
    Fail(CallError),
}

impl RetryPolicy {
    /// linodego v2.3.0 as the provider sets it up.
    pub const LINODEGO: RetryPolicy = RetryPolicy {
        sdk: Sdk::Linodego2_3,
        tries: 1_000,
        wait_min: Duration::from_secs(3),
        wait_max: Duration::from_secs(30),
        request_timeout: Duration::from_secs(10),
    };

    /// linodego v1.62.0 as the provider sets it up: one try, and a thousand retries.
    pub const LINODEGO_1_62: RetryPolicy =
        RetryPolicy { sdk: Sdk::Linodego1_62, tries: 1_001, ..RetryPolicy::LINODEGO };

    /// What the SDK does about the error of its n-th try, counted from 0. `luck` decides a random wait.
    pub fn judge(&self, error: CallError, attempt: u32, luck: Word) -> Verdict {
        let CallError::Api(refusal) = &error else {
            return Verdict::Fail(error);
        };
        let is_last = attempt + 1 >= self.tries;
        let (says_nothing, asks_again) = match self.sdk {
            // The reasons are looked at once the answers have come to an end, of which the last one is not waited for.
            Sdk::Linodego1_62 => {
                (refusal.lists_nothing() || refusal.body == ErrorBody::Garbled, is_asked_again(refusal) && !is_last)
            }
            // The reasons are looked at first.
            Sdk::Linodego2_3 => (refusal.lists_nothing(), is_asked_again(refusal) && !refusal.lists_nothing()),
        };
        if !asks_again {
            return if says_nothing { Verdict::Nothing } else { Verdict::Fail(error) };
        }
        if let Some(text) = &refusal.retry_after_text {
            return Verdict::Fail(CallError::RetryAfter(text.clone()));
        }
        let asked = refusal.retry_after_secs.filter(|&secs| secs > 0).map(|secs| Duration::from_secs(secs.into()));
        let wait = asked.unwrap_or_else(|| self.unasked_wait(attempt, luck));
        Verdict::Again(wait.clamp(self.wait_min, self.wait_max))
    }

    /// The wait where no `Retry-After` asks for one.
    fn unasked_wait(&self, attempt: u32, luck: Word) -> Duration {
        match self.sdk {
            Sdk::Linodego2_3 => self.wait_min,
            Sdk::Linodego1_62 => {
                let doubled = self.wait_min.saturating_mul(1u32.checked_shl(attempt).unwrap_or(u32::MAX));
                let half = doubled.min(self.wait_max) / 2;
                half + Duration::from_nanos(luck.below(u64::try_from(half.as_nanos()).unwrap_or(u64::MAX)))
            }
        }
    }
}

/// The answers that both lines ask again: throttles, timeouts, overload outside of maintenance, busy Linodes, and the
/// page of a nginx that found nobody behind it.
fn is_asked_again(error: &ApiError) -> bool {
    match error.status {
        408 | 429 => true,
        503 => !error.maintenance,
        400 => match error.body {
            ErrorBody::Reasons => error.text() == "Linode busy.",
            ErrorBody::NginxPage => true,
            ErrorBody::Garbled => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests;
