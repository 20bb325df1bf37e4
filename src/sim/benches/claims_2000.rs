//! How a run grows: two thousand NodeClaims of one key on Standard, where each attempt to launch one reads every Linode
//! of the LKE pool, so that calls go with the square of the pool.
//!
//! The run must come out as it should, take no longer and no more memory than it may, or there is no figure. The last
//! line tells calls, time on the processor and, on Linux, the most memory.

use lkesim_runtime::Seed;
use lkesim_scenario::Names;
use lkesim_sim::{Order, Plan, Request, Simulator};
use std::rc::Rc;
use std::time::Duration;

#[path = "clock/thread_time.rs"]
mod clock;

/// The program's own allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const NAME: &str = "claims-2000";
const CLAIMS: u64 = 2_000;
/// The n-th NodeClaim to be launched reads the n - 1 Linodes before its own.
const READS_MIN: u64 = CLAIMS * CLAIMS / 2;

/// The most time on the processor, of a build as it is released.
const TIME_MAX: Duration = Duration::from_secs(5);
/// How many times that another build may take: a number.
const TIMES: &str = "LKESIM_BENCH_TIMES";
/// The most memory, in KiB.
const MEMORY_MAX_KIB: u64 = 500_000_000 / 1_024;

fn main() {
    let text = include_bytes!("claims_2000.yaml");
    let text = std::str::from_utf8(text).expect("it is text");
    let scenario = lkesim_scenario::load(NAME, text, &[], &Names::default()).expect("the scenario is valid");
    let request = Request {
        plan: Rc::new(Plan::new(&scenario)),
        name: NAME.into(),
        design: lkesim_lke::DESIGNS[0],
        seed: Seed(1),
        order: Order::Fifo,
        as_written: true,
    };
    let start = clock::thread_time();
    let outcome = Simulator::new().run(&request, None).expect("it runs").outcome;
    let time = clock::thread_time() - start;
    let reads = outcome.api.by_endpoint["GetInstance"].calls;
    assert_eq!(outcome.claims.launched, CLAIMS, "a NodeClaim was not launched");
    assert!(reads >= READS_MIN, "only {reads} Linodes were read: the work has grown thin");
    let peak = memory_peak_kib();
    let memory = peak.map_or_else(String::new, |peak| format!(", {peak} KiB at most"));
    println!("{NAME}: {reads} GetInstance calls, {time:.2?} on the processor{memory}");
    let times = std::env::var(TIMES).ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    let most = TIME_MAX * times;
    assert!(time <= most, "it took {time:.2?} on the processor, and may take {most:?}");
    assert!(peak.is_none_or(|peak| peak <= MEMORY_MAX_KIB), "it took more memory than {MEMORY_MAX_KIB} KiB");
}

/// The most memory that this process ever had, where the system tells it.
fn memory_peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
