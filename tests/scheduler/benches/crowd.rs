//! How many pods a second of processor time one pass decides on: `cargo bench -p lkesim-scheduler-tests`.
//!
//! Prints `rate scheduling/plain` and `rate scheduling/mixed`, the best of several rounds. With `KARPENTER_SCHEDULER` set to
//! the driver that `tests/conformance/karpenter-scheduler/run` builds (`…/plain/driver`), it solves the same problems with
//! Karpenter's scheduler and prints `ratio scheduling/karpenter …`: how many times as long that one takes.

#[path = "../../../src/sim/benches/clock/thread_time.rs"]
mod thread_time;

use lkesim_scheduler_tests::decode;
use lkesim_scheduler_tests::generate::{Crowd, crowd};
use serde_json::Value;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;
use thread_time::thread_time;

const ROUNDS: usize = 5;

fn main() {
    let driver = std::env::var_os("KARPENTER_SCHEDULER");
    let cases = [("plain", Crowd::Plain, 20_000), ("mixed", Crowd::Mixed, 20_000), ("mixed-2000", Crowd::Mixed, 2_000)];
    for (name, kind, count) in cases {
        let text = crowd(kind, count);
        let (problem, options) = decode::problem(&text);
        let mut best = Duration::MAX;
        let mut claims = 0;
        for _ in 0..ROUNDS {
            let before = thread_time();
            let results = lkesim_scheduling::solve(&problem, &options, false).expect("the problem is sound");
            best = best.min(thread_time() - before);
            claims = results.new_node_claims.len();
            assert!(results.pod_errors.is_empty(), "every pod fits");
        }
        let rate = u128::from(count) * 1_000_000_000 / best.as_nanos().max(1);
        println!("rate scheduling/{name} {rate} pods a second of processor time ({count} pods, {claims} NodeClaims)");
        if let Some(theirs) = driver.as_ref().and_then(|driver| karpenter(driver, &text)) {
            let ratio = theirs.as_nanos() * 10 / best.as_nanos().max(1);
            println!("ratio scheduling/karpenter {name} {}.{}", ratio / 10, ratio % 10);
        }
    }
}

/// The processor time that Karpenter's scheduler takes, told in thousandths of a millisecond.
fn karpenter(driver: &std::ffi::OsStr, problem: &Value) -> Option<Duration> {
    let mut child = Command::new(driver).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    let mut input = child.stdin.take()?;
    writeln!(input, "{problem}").ok()?;
    drop(input);
    let told = child.wait_with_output().ok()?;
    let line: Value = serde_json::from_slice(&told.stdout).ok()?;
    let millis = line["solveCpuMillis"].as_f64()?;
    Some(Duration::from_secs_f64(millis / 1000.0))
}
