//! How soon the random order finds the two planted bugs.

use super::planted_bugs::{order_fails, starve_fails};
use lkesim_kernel::{Kernel, Schedule};
use lkesim_runtime::{Seed, Time};
use std::time::Duration;

/// How often a bug is searched for, each time with other seeds.
const SEARCHES: u64 = 21;

/// The median time until a bug is found.
#[allow(clippy::disallowed_methods)] // The real clock is what a benchmark reads.
fn search(fails: fn(&mut Kernel, Schedule, u64) -> bool) -> Duration {
    let mut kernel = Kernel::new();
    let mut times: Vec<Duration> = (1..=SEARCHES)
        .map(|search| {
            let start = std::time::Instant::now();
            let found = (search << 32..).find(|&seed| fails(&mut kernel, Schedule::random(Seed(seed)), seed));
            found.expect("it is there");
            start.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

/// How long a day takes in which one task sleeps.
#[allow(clippy::disallowed_methods)] // As above.
fn idle_day() -> Duration {
    let start = std::time::Instant::now();
    let kernel = Kernel::new();
    let runtime = kernel.runtime();
    runtime.clone().spawn("sleeper", async move {
        runtime.sleep(Duration::from_secs(86_400)).await;
    });
    kernel.run_until(Time::MAX).expect("no panic");
    drop(kernel);
    start.elapsed()
}

/// Prints all three.
pub fn report() {
    let mut days: Vec<Duration> = (0..SEARCHES).map(|_| idle_day()).collect();
    days.sort();
    println!(
        "\nplanted bugs, median time of {SEARCHES} searches: order {:?}, starve {:?}",
        search(order_fails),
        search(starve_fails)
    );
    println!("a day with one sleep: {:?}", days[days.len() / 2]);
}
