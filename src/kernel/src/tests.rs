mod cancellation;
mod planted;
mod replay;
mod running;
mod strategies;
mod sync;
mod verbs;

use crate::{Kernel, Schedule};
use lkesim_runtime::{Runtime, Seed};
use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

/// What tasks write down, in order.
type Log<T> = Rc<RefCell<Vec<T>>>;

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Lets every task that is ready now go first, under first-in-first-out.
#[derive(Default)]
struct Yield {
    yielded: bool,
}

impl Future for Yield {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.yielded {
            return Poll::Ready(());
        }
        self.yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

fn yield_now() -> Yield {
    Yield::default()
}

/// A small system with ties, locks, spawns and a stopped process: all that a schedule can turn around.
fn busy_system(runtime: &Runtime, tasks: u64) {
    let lock = Rc::new(tokio::sync::Mutex::new(0u64));
    let (inside, process) = runtime.process("controller");
    for number in 0..tasks {
        let (runtime, lock) = (inside.clone(), lock.clone());
        inside.spawn("worker", async move {
            for step in 0..4 {
                runtime.sleep(millis((number * 7 + step) % 3)).await;
                let mut count = lock.lock().await;
                *count += 1;
                runtime.sleep(millis(*count % 2)).await;
                drop(count);
                runtime.spawn("child", async { yield_now().await });
            }
        });
    }
    let outside = runtime.clone();
    runtime.spawn("stopper", async move {
        outside.sleep(millis(9)).await;
        process.stop();
    });
}

/// A finished run of [`busy_system`].
fn busy_run(kernel: &mut Kernel, schedule: Schedule) -> u64 {
    kernel.reset(schedule);
    busy_system(&kernel.runtime(), 8);
    kernel.run_until(lkesim_runtime::Time::MAX).unwrap();
    kernel.hash()
}

fn random(seed: u64) -> Schedule {
    Schedule::random(Seed(seed))
}
