//! How fast whole runs are: `bench-20`, judged by every invariant and with all figures, without a trace.
//!
//! Runs of many seeds on one core, in several rounds, of which the median counts. Time is that of this thread on the
//! processor, as far as the system tells it; other work on the machine then matters little. The last two lines are the
//! rates: runs and API calls for each second. `LKESIM_BENCH_QUICK=1` makes a short one.

use lkesim_runtime::Seed;
use lkesim_scenario::{Names, builtin};
use lkesim_sim::{Order, Plan, Request, Simulator};
use std::rc::Rc;
use std::time::Duration;

#[path = "clock/thread_time.rs"]
mod clock;

use clock::thread_time;

/// The program's own allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const NAME: &str = "bench-20";

/// What a round came to.
struct Round {
    runs: u64,
    calls: u64,
    /// Polls of tasks: of controllers, requests on their way, caches.
    steps: u64,
    time: Duration,
}

fn main() {
    let quick = std::env::var_os("LKESIM_BENCH_QUICK").is_some_and(|set| set == "1");
    let (rounds, runs) = if quick { (3, 50) } else { (9, 400) };
    let text = builtin::find(NAME).expect("it is built in").text;
    let scenario = lkesim_scenario::load(NAME, text, &[], &Names::default()).expect("the scenario is valid");
    let request = Request {
        plan: Rc::new(Plan::new(&scenario)),
        name: NAME.into(),
        design: lkesim_lke::DESIGNS[0],
        seed: Seed(0),
        order: Order::Fifo,
        as_written: false,
    };
    let mut simulator = Simulator::new();
    // A first round fills caches and the allocator.
    round(&mut simulator, &request, 20);
    let mut rounds: Vec<Round> = (0..rounds).map(|_| round(&mut simulator, &request, runs)).collect();
    rounds.sort_by_key(|round| round.time);
    let median = &rounds[rounds.len() / 2];
    let (calls, steps) = (median.calls / median.runs, median.steps / median.runs);
    let (a_run, a_step) = (median.time / median.runs as u32, median.time.as_nanos() / u128::from(median.steps.max(1)));
    println!("{NAME}: {calls} calls and {steps} steps a run, {a_run:?} a run, {a_step} ns a step");
    println!("rate {NAME}/runs {}", per_second(median.runs, median.time));
    println!("rate {NAME}/calls {}", per_second(median.calls, median.time));
}

/// Runs the seeds from 1 on.
fn round(simulator: &mut Simulator, request: &Request, runs: u64) -> Round {
    let start = thread_time();
    let (mut calls, mut steps) = (0, 0);
    for seed in 1..=runs {
        let request = Request { seed: Seed(seed), ..request.clone() };
        let ran = simulator.run(&request, None).expect("it runs");
        calls += ran.outcome.api.calls;
        steps += ran.outcome.events;
    }
    let time = thread_time() - start;
    Round { runs, calls, steps, time }
}

fn per_second(count: u64, time: Duration) -> u128 {
    u128::from(count) * 1_000_000_000 / time.as_nanos().max(1)
}
