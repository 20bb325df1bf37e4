//! The kernel beside its peers: tokio's paused clock, turmoil, madsim and simcore, on the same tasks.
//!
//! Each measurement is a process of its own, pinned to a core where `taskset` exists, warm, and interleaved with
//! those of the peers, so that a slow moment of the machine falls on all. The figure is the median of nine processes;
//! events and checksum must be equal. The kernel runs with what a simulation uses: random order, recorded deviations
//! and hash. `tokio` is a `LocalSet`, on which the same provider code runs: its futures stay on their thread, as ours
//! do. `tokio spawn` is tokio without one, for tasks that could go to other threads.
//!
//! Peers are packages of their own in `peers/`, built here. `LKESIM_BENCH_QUICK=1` or `--quick` takes under a minute
//! once they are built.

mod peers;
mod planted;
mod planted_bugs;

use lkesim_kernel::{Kernel, Schedule, Stop};
use lkesim_runtime::{Elapsed, Runtime, Seed, Sleep, Time, Timeout};
use peers::{Process, Sample};
use std::future::Future;
use std::time::Duration;
use workload::{FairLock, Limits, Lock, Shape, Shared, TokioMutex, Totals, World, limited_task, task};

#[path = "../../peers/workload.rs"]
mod workload;

#[derive(Clone)]
struct Ours(Runtime);

impl World for Ours {
    type Sleep = Sleep;
    fn sleep(&self, millis: u64) -> Sleep {
        self.0.sleep(Duration::from_millis(millis))
    }
}

impl Limits for Ours {
    type Elapsed = Elapsed;
    type Timeout<F: Future> = Timeout<F>;
    fn timeout<F: Future>(&self, millis: u64, future: F) -> Timeout<F> {
        self.0.timeout(Duration::from_millis(millis), future)
    }
}

/// One run on `kernel`, from an empty one.
fn run(kernel: &Kernel, shape: Shape) -> Totals {
    if shape.tokio_mutex { run_with::<TokioMutex>(kernel, shape) } else { run_with::<FairLock>(kernel, shape) }
}

fn run_with<L: Lock>(kernel: &Kernel, shape: Shape) -> Totals {
    let shared = Shared::<L>::new(shape);
    let runtime = kernel.runtime();
    for number in 0..shape.tasks {
        let (world, shared) = (Ours(runtime.clone()), shared.clone());
        match shape.timeouts {
            true => runtime.spawn("task", limited_task(world, shared, number, shape)),
            false => runtime.spawn("task", task(world, shared, number, shape)),
        }
    }
    assert_eq!(kernel.run_until(Time::MAX), Ok(Stop::Idle));
    shared.totals()
}

/// This process is the kernel's: everything from nothing, or in a kernel that is used again.
fn child(variant: &str, runs: u32, order: &str) {
    let schedule = || match order {
        "fifo" => Schedule::fifo(),
        _ => Schedule::random(Seed(1)),
    };
    if order == "reused" {
        let mut kernel = Kernel::with(schedule());
        workload::measure(variant, runs, |shape| {
            kernel.reset(schedule());
            run(&kernel, shape)
        });
    } else {
        workload::measure(variant, runs, |shape| run(&Kernel::with(schedule()), shape));
    }
}

/// Who runs which variant, and how often in one process.
const ROWS: &[(&str, u32, &[&str])] = &[
    ("main", 15, &["kernel", "kernel fifo", "tokio", "tokio spawn", "simcore", "madsim", "turmoil"]),
    ("main-tokio-mutex", 5, &["kernel", "tokio", "tokio spawn", "simcore", "madsim", "turmoil"]),
    ("timeouts", 15, &["kernel", "tokio", "tokio spawn"]),
    ("100k", 2, &["kernel", "tokio", "tokio spawn"]),
    ("small", 2_000, &["kernel", "kernel reused", "tokio", "tokio spawn", "simcore"]),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, variant, runs, order] = &arguments[..]
        && flag == "--child"
    {
        return child(variant, runs.parse().expect("a number of runs"), order);
    }
    let quick = arguments.iter().any(|argument| argument == "--quick")
        || std::env::var_os("LKESIM_BENCH_QUICK").is_some_and(|value| value != "0");
    let built = peers::build(&["tokio", "simcore", "madsim", "turmoil"]);
    let mut ratios = Vec::new();
    for &(variant, runs, who) in ROWS {
        let processes: Vec<Process> = who
            .iter()
            .filter_map(|name| built.process(name, variant, if quick { runs.div_ceil(5) } else { runs }))
            .collect();
        let samples = peers::interleave(&processes, if quick { 3 } else { 9 });
        report(variant, &samples, &mut ratios);
    }
    planted::report();
    println!();
    for (variant, peer, ratio) in ratios {
        println!("ratio {variant}/{peer} {ratio:.2}");
    }
}

/// Prints a variant's figures, and keeps how often the kernel does what each peer does once.
fn report(variant: &'static str, samples: &[(String, Sample)], ratios: &mut Vec<(&'static str, String, f64)>) {
    let (_, kernel) = &samples[0];
    println!("\n{variant}: {} events a run", kernel.events);
    for (name, sample) in samples {
        assert_eq!((sample.events, sample.checksum), (kernel.events, kernel.checksum), "{name} did other work");
        let per_event = sample.nanos / sample.events as f64;
        let per_second = 1e9 / sample.nanos;
        println!("  {name:14} {per_event:9.1} ns an event {per_second:12.1} runs a second");
        let shown_only = name.starts_with("kernel") || (variant == "small" && name == "simcore");
        if !shown_only {
            ratios.push((variant, name.replace(' ', "-"), sample.nanos / kernel.nanos));
        }
    }
}
