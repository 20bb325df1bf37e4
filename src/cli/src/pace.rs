//! How long work has gone on, and when to tell of it: the real clock, which is no part of a result.

use std::time::{Duration, Instant};

/// How often progress is told.
const EVERY: Duration = Duration::from_secs(5);

/// The time of one piece of long work.
#[derive(Clone, Copy)]
pub struct Pace {
    start: Instant,
    told: Instant,
}

impl Pace {
    /// It begins.
    pub fn start() -> Pace {
        let start = now();
        Pace { start, told: start }
    }

    /// Whether it has gone on for so long.
    pub fn has_lasted(&self, time: Duration) -> bool {
        self.start.elapsed() >= time
    }

    /// Whether it is time to tell of it; if so, not again for a while.
    pub fn is_due(&mut self) -> bool {
        let is_due = self.told.elapsed() >= EVERY;
        if is_due {
            self.told = now();
        }
        is_due
    }

    /// So many since the start, in each second.
    pub fn per_second(&self, count: u64) -> u128 {
        u128::from(count) * 1_000 / self.start.elapsed().as_millis().max(1)
    }
}

#[allow(clippy::disallowed_methods, reason = "the real clock: how long work takes is no part of what it finds")]
fn now() -> Instant {
    Instant::now()
}
