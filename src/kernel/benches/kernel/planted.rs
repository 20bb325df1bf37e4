//! How soon the random order finds two planted bugs, each beside ten tasks that sleep random times.
//!
//! *Order*: six tasks yield once and append their number; the bug shows only if the order is exactly reversed, one in
//! 720. *Starve*: a task yields fourteen times and sets a flag; the bug shows only if another, ready from the start,
//! comes after all of that.

use lkesim_kernel::{Kernel, Schedule};
use lkesim_runtime::{Entity, Runtime, Seed, Time};
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

/// How often a bug is searched for, each time with other seeds.
const SEARCHES: u64 = 21;

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

fn order_fails(kernel: &mut Kernel, seed: u64) -> bool {
    kernel.reset(Schedule::random(Seed(seed)));
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

fn starve_fails(kernel: &mut Kernel, seed: u64) -> bool {
    kernel.reset(Schedule::random(Seed(seed)));
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

/// The median time until a bug is found.
#[allow(clippy::disallowed_methods)] // The real clock is what a benchmark reads.
fn search(fails: fn(&mut Kernel, u64) -> bool) -> Duration {
    let mut kernel = Kernel::new();
    let mut times: Vec<Duration> = (1..=SEARCHES)
        .map(|search| {
            let start = std::time::Instant::now();
            let found = (search << 32..).find(|&seed| fails(&mut kernel, seed));
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
