//! A large cluster with pods: a thousand nodes, and ten thousand pods that come and go over six virtual hours.
//!
//! The run must come out as it should, or there is no figure. The last line tells pods, time on the processor and, on
//! Linux, the most memory.

use lkesim_runtime::Seed;
use lkesim_scenario::Names;
use lkesim_sim::{Order, Plan, Request, Simulator};
use std::rc::Rc;

#[path = "clock/thread_time.rs"]
mod clock;

/// The program's own allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const NAME: &str = "pods-10000";
const PODS: u64 = 9_500;
const NODES: u64 = 900;

fn main() {
    let text = include_bytes!("pods_10000.yaml");
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
    let pods = outcome.pods.expect("there are pods");
    let nodes = outcome.nodes.expect("there are pods").total_peak;
    assert!(pods.ended >= PODS && pods.pending_at_end == 0, "pods wait or were not run: {pods:?}");
    assert!(nodes >= NODES, "only {nodes} nodes were there: the work has grown thin");
    let memory = memory_peak().map_or_else(String::new, |peak| format!(", {peak} at most"));
    println!(
        "{NAME}: {} pods on {nodes} nodes, {} steps, {time:.2?} on the processor{memory}",
        pods.created, outcome.events
    );
}

/// The most memory that this process ever had, in the system's own words.
fn memory_peak() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().to_owned())
}
