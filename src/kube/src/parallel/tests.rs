use super::*;
use lkesim_kernel::{Kernel, Schedule};
use lkesim_runtime::{Seed, Time};
use std::time::Duration;

/// Runs nine items of 1 s each over so many workers, and returns the end in seconds.
fn run(workers: usize) -> u64 {
    let kernel = Kernel::with(Schedule::random(Seed(workers as u64)));
    let runtime = kernel.runtime();
    kernel.runtime().spawn("test", async move {
        let clock = runtime.clone();
        let work = move |item: u64| {
            let clock = clock.clone();
            async move {
                clock.sleep(Duration::from_secs(1)).await;
                item * item
            }
        };
        let squares = map(&runtime, "worker", workers, (0..9).collect(), work).await;
        assert_eq!(squares, [0, 1, 4, 9, 16, 25, 36, 49, 64]);
    });
    kernel.run_until(Time::MAX).unwrap();
    kernel.now().as_secs()
}

#[test]
fn results_come_in_order_and_workers_share_the_time() {
    assert_eq!([1, 2, 4, 9, 100].map(run), [9, 5, 3, 1, 1]);
}
