//! When linodego asks again, and how long it waits first.
//!
//! Source: linodego v2.3.0 `retries.go`. The wait neither grows nor varies, and it ignores the caller's deadline.

use crate::error::CallError;
use std::time::Duration;

/// linodego's retry settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How many requests a call makes at the most.
    pub tries: u32,
    /// The wait where `Retry-After` is absent, and the least there is.
    pub wait_min: Duration,
    /// The longest wait; a longer `Retry-After` is cut, so that a client asks before its window ends.
    pub wait_max: Duration,
    /// How long the HTTP client waits for one answer.
    pub request_timeout: Duration,
}

impl RetryPolicy {
    /// linodego v2.3.0 as the provider sets it up.
    pub const LINODEGO: RetryPolicy = RetryPolicy {
        tries: 1_000,
        wait_min: Duration::from_secs(3),
        wait_max: Duration::from_secs(30),
        request_timeout: Duration::from_secs(10),
    };

    /// How long to wait before asking again after `error`; `None` where the SDK gives up.
    pub fn wait_after(&self, error: &CallError) -> Option<Duration> {
        let CallError::Api(error) = error else {
            return None;
        };
        let again = match error.status {
            408 | 429 => true,
            503 => !error.maintenance,
            400 => error.text() == "Linode busy.",
            _ => false,
        };
        let asked = error.retry_after_secs.filter(|&secs| secs > 0).map(|secs| Duration::from_secs(secs.into()));
        again.then(|| asked.unwrap_or(self.wait_min).clamp(self.wait_min, self.wait_max))
    }
}

#[cfg(test)]
mod tests;
