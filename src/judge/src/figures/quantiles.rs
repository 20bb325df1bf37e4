//! Quantiles by the nearest rank: always a time that occurred, and no float.

use crate::outcome::Times;
use std::time::Duration;

/// The quantiles of `finished` times and of `unfinished` ones, which count as `horizon` each.
///
/// The p-th percentile of n times is the one of rank ceil(p n / 100). Of no times, all are 0.
pub fn times(mut finished: Vec<Duration>, unfinished: usize, horizon: Duration) -> Times {
    let n = finished.len();
    finished.resize(n + unfinished, horizon);
    finished.sort_unstable();
    let of = finished.len();
    let rank = |percent: usize| {
        let index = (percent * of).div_ceil(100).max(1) - 1;
        finished.get(index).map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    };
    Times { n: n as u64, of: of as u64, p50_ms: rank(50), p90_ms: rank(90), p99_ms: rank(99), max_ms: rank(100) }
}

#[cfg(test)]
mod tests;
