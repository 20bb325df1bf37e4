//! How concurrency and rate limits grow with the CPUs of the controller (core v1.9.0 `utils/controller`).

use lkesim_kube::controller::Bucket;

/// Reconciles at once: from `min` at 1 CPU in a straight line to `max` at 60.
pub fn concurrency(cpus: u32, min: u32, max: u32) -> u32 {
    let grown = u64::from(max - min) * u64::from(cpus.saturating_sub(1)) / 59 + u64::from(min);
    u32::try_from(grown).unwrap_or(max).clamp(min, max)
}

/// The token bucket for this concurrency: `min_qps` at the least, the burst ten times as much.
pub fn bucket(min_qps: u32, min: u32, concurrency: u32) -> Bucket {
    let qps = (concurrency * min_qps).div_ceil(min);
    Bucket { qps, burst: 10 * qps }
}
