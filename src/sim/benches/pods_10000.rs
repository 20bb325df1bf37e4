//! A large cluster with pods: a thousand nodes, and ten thousand pods that come and go over six virtual hours.
//!
//! The run must come out as it should, take no longer and no more memory than it may, or there is no figure. The last
//! line tells pods, time on the processor and, on Linux, the most memory.

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

const NAME: &str = "pods-10000";
const PODS: u64 = 9_500;
const NODES: u64 = 900;

/// The most time on the processor, of a build as it is released.
const TIME_MAX: Duration = Duration::from_secs(10);
/// How many times that another build may take: a number.
const TIMES: &str = "LKESIM_BENCH_TIMES";
/// The most memory, in KiB.
const MEMORY_MAX_KIB: u64 = 1_000_000_000 / 1_024;

fn main() {
    let text = include_bytes!("pods_10000.yaml");
    let text = std::str::from_utf8(text).expect("it is text");
    let scenario = lkesim_scenario::load(NAME, text, &[], &Names::default()).expect("the scenario is valid");
    let request = Request {
        plan: Rc::new(Plan::new(&scenario)),
        name: NAME.into(),
        design: scenario.design.as_deref().and_then(lkesim_lke::design).expect("the scenario names a design"),
        seed: Seed(1),
        order: Order::Fifo,
        as_written: true,
    };
    let start = clock::thread_time();
    let outcome = Simulator::new().run(&request, None).expect("it runs").outcome;
    let time = clock::thread_time() - start;
    let pods = outcome.pods.expect("there are pods");
    let nodes = outcome.nodes.expect("there are pods").total_peak;
    assert!(pods.ended >= PODS && pods.pending_at_end == 0, "pods wait or were not run: {pods:?}");
    assert!(nodes >= NODES, "only {nodes} nodes were there: the work has grown thin");
    let broken: Vec<_> = outcome.invariants.iter().filter(|one| !one.held).map(|one| &one.name).collect();
    assert!(broken.is_empty(), "the run is not one of a design that works: {broken:?}");
    let peak = memory_peak_kib();
    let memory = peak.map_or_else(String::new, |peak| format!(", {peak} KiB at most"));
    println!(
        "{NAME}: {} pods on {nodes} nodes, {} steps, {time:.2?} on the processor{memory}",
        pods.created, outcome.events
    );
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
