//! Two bugs that only some orders show, each beside ten tasks that sleep random times. What includes this file names the
//! kernel: the benchmark and the tests of searching and of shrinking have the same ones.
//!
//! *Order*: six tasks yield once and append their number; the bug shows only if the order is exactly reversed, one in
//! 720. *Starve*: a task yields fourteen times and sets a flag; the bug shows only if another, ready from the start,
//! comes after all of that.

use super::{Kernel, Schedule};
use lkesim_runtime::{Entity, Runtime, Seed, Time};
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

async fn yield_now() {
    let mut yielded = false;
    poll_fn(|context| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

fn noise(runtime: &Runtime, seed: u64) {
    let key = Seed(seed).key("noise");
    for number in 0..10 {
        let inner = runtime.clone();
        runtime.spawn("noise", async move {
            for step in 0..5 {
                let nanos = key.draw(Entity::numbered(number), step).below(1_000_000_000);
                inner.sleep(Duration::from_nanos(nanos)).await;
            }
        });
    }
}

/// Whether *order* shows.
pub fn order_fails(kernel: &mut Kernel, schedule: Schedule, seed: u64) -> bool {
    kernel.reset(schedule);
    let runtime = kernel.runtime();
    noise(&runtime, seed);
    let order = Rc::new(RefCell::new(Vec::new()));
    for number in 0..6 {
        let order = order.clone();
        runtime.spawn("append", async move {
            yield_now().await;
            order.borrow_mut().push(number);
        });
    }
    kernel.run_until(Time::MAX).expect("no panic");
    order.take() == [5, 4, 3, 2, 1, 0]
}

/// Whether *starve* shows.
pub fn starve_fails(kernel: &mut Kernel, schedule: Schedule, seed: u64) -> bool {
    kernel.reset(schedule);
    let runtime = kernel.runtime();
    noise(&runtime, seed);
    let (flag, seen) = (Rc::new(Cell::new(false)), Rc::new(Cell::new(false)));
    let (set, see) = (flag.clone(), seen.clone());
    runtime.spawn("a", async move {
        for _ in 0..14 {
            yield_now().await;
        }
        set.set(true);
    });
    runtime.spawn("b", async move { see.set(flag.get()) });
    kernel.run_until(Time::MAX).expect("no panic");
    seen.get()
}
