//! Quantiles by the nearest rank: always a time that occurred, and no float.

use super::lasted::Reached;
use crate::outcome::Times;

/// The quantiles of times, those that never came so far among them.
///
/// The p-th percentile of n times is the one of rank ceil(p n / 100). Of no times, all are 0.
pub fn times(reached: &Reached) -> Times {
    let of = reached.all_ms.len();
    let rank = |percent: usize| {
        let index = (percent * of).div_ceil(100).max(1) - 1;
        reached.all_ms.get(index).copied().unwrap_or(0)
    };
    Times {
        n: reached.finished,
        of: of as u64,
        p50_ms: rank(50),
        p90_ms: rank(90),
        p99_ms: rank(99),
        max_ms: rank(100),
    }
}

#[cfg(test)]
mod tests;
