//! When a key comes back: client-go's rate limiters in integers.

use lkesim_runtime::Time;
use std::time::Duration;

/// Exponential delays per key: `base` after the first failure, twice as long after each further one, at most `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exponential {
    /// The delay after the first failure.
    pub base: Duration,
    /// The longest delay.
    pub max: Duration,
}

impl Exponential {
    /// The delay after this many earlier failures.
    pub fn delay(&self, failures: u32) -> Duration {
        let factor = 1u32.checked_shl(failures).unwrap_or(u32::MAX);
        self.base.saturating_mul(factor).min(self.max)
    }
}

/// A bucket of tokens shared by all keys of a controller: `burst` at once, then `qps` a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// Tokens that come back per second; 0 counts as 1.
    pub qps: u32,
    /// Tokens of a full bucket.
    pub burst: u32,
}

/// The delay of a failed key: the longer one of its own exponential delay and the bucket's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// Per key.
    pub item: Exponential,
    /// Shared.
    pub bucket: Bucket,
}

impl RateLimit {
    /// client-go's default, which controller-runtime v0.22 uses: 5 ms to 1000 s, 10 a second after 100 at once.
    pub const DEFAULT: RateLimit =
        RateLimit::new(Duration::from_millis(5), Duration::from_secs(1000), Bucket { qps: 10, burst: 100 });

    /// The provider's and operatorpkg's `reasonable` limiter: 100 ms to 1 min, 10 a second after 100 at once.
    pub const REASONABLE: RateLimit =
        RateLimit::new(Duration::from_millis(100), Duration::from_secs(60), Bucket { qps: 10, burst: 100 });

    /// The limiter with these parts.
    pub const fn new(base: Duration, max: Duration, bucket: Bucket) -> RateLimit {
        RateLimit { item: Exponential { base, max }, bucket }
    }
}

/// The state of a [`RateLimit`]'s bucket; the failures of a key are kept with the key.
#[derive(Clone, Debug)]
pub struct Limiter {
    limit: RateLimit,
    /// When the bucket is or was empty, in nanoseconds times qps, so that a token is a whole number of units. `None`
    /// while it was never used: full.
    empty_at: Option<i128>,
}

impl Limiter {
    /// A limiter with a full bucket.
    pub fn new(limit: RateLimit) -> Limiter {
        Limiter { limit, empty_at: None }
    }

    /// Takes a token and says how long to wait. The token is spent whichever of the two delays is the longer, as in
    /// client-go.
    pub fn delay(&mut self, now: Time, failures: u32) -> Duration {
        let bucket = self.reserve(now);
        self.limit.item.delay(failures).max(bucket)
    }

    fn reserve(&mut self, now: Time) -> Duration {
        const TOKEN: i128 = 1_000_000_000;
        let qps = i128::from(self.limit.bucket.qps.max(1));
        let now = i128::from(now.as_nanos()) * qps;
        let full = now - i128::from(self.limit.bucket.burst) * TOKEN;
        let empty_at = self.empty_at.unwrap_or(full).max(full) + TOKEN;
        self.empty_at = Some(empty_at);
        let wait = (empty_at - now).max(0);
        let nanos = (wait + qps - 1) / qps;
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}
