//! Two planted bugs: how soon the random schedule finds them, and that it leaves their noise out of account.

use super::{Log, random, yield_now};
use crate::Kernel;
use lkesim_runtime::{Entity, Runtime, Seed, Time};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

/// Ten tasks that sleep random times.
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

/// Six tasks await once and append their number; the bug is that the order is exactly reversed.
fn order_fails(kernel: &mut Kernel, seed: u64) -> bool {
    kernel.reset(random(seed));
    let runtime = kernel.runtime();
    noise(&runtime, seed);
    let order = Log::default();
    for number in 0..6 {
        let order = order.clone();
        runtime.spawn("append", async move {
            yield_now().await;
            order.borrow_mut().push(number);
        });
    }
    kernel.run_until(Time::MAX).unwrap();
    order.take() == [5, 4, 3, 2, 1, 0]
}

/// A yields fourteen times and sets a flag; the bug is that B, ready from the start, sees it.
fn starve_fails(kernel: &mut Kernel, seed: u64) -> bool {
    kernel.reset(random(seed));
    let runtime = kernel.runtime();
    noise(&runtime, seed);
    let (flag, seen) = (Rc::new(Cell::new(false)), Rc::new(Cell::new(false)));
    let set = flag.clone();
    runtime.spawn("a", async move {
        for _ in 0..14 {
            yield_now().await;
        }
        set.set(true);
    });
    let see = seen.clone();
    runtime.spawn("b", async move { see.set(flag.get()) });
    kernel.run_until(Time::MAX).unwrap();
    seen.get()
}

#[test]
fn the_order_of_one_in_720_is_found() {
    let mut kernel = Kernel::new();
    let found = (0..14_400).filter(|&seed| order_fails(&mut kernel, seed)).count();
    // Twenty are expected; five standard deviations are allowed.
    assert!((1..=42).contains(&found), "{found}");
}

#[test]
fn the_starved_task_is_found() {
    let mut kernel = Kernel::new();
    let found = (0..1_500).filter(|&seed| starve_fails(&mut kernel, seed)).count();
    // One in fifteen or sixteen: B's rank must be below all of A's.
    assert!((50..=150).contains(&found), "{found}");
}

#[test]
fn all_orders_of_four_are_about_as_likely() {
    let mut kernel = Kernel::new();
    let mut counts = std::collections::BTreeMap::<Vec<u32>, u32>::new();
    for seed in 0..4_800 {
        kernel.reset(random(seed));
        let order = Log::default();
        for number in 0..4 {
            let order = order.clone();
            kernel.runtime().spawn("append", async move { order.borrow_mut().push(number) });
        }
        kernel.run_until(Time::MAX).unwrap();
        *counts.entry(order.take()).or_default() += 1;
    }
    assert_eq!(counts.len(), 24);
    assert!(counts.values().all(|count| (120..=280).contains(count)), "{counts:?}");
}

/// In a large set too, any task can come first.
#[test]
fn each_of_many_tasks_comes_first_under_some_seed() {
    let mut kernel = Kernel::new();
    let firsts: std::collections::BTreeSet<u32> = (0..2_000)
        .map(|seed| {
            kernel.reset(random(seed));
            let order = Log::default();
            for number in 0..100 {
                let order = order.clone();
                kernel.runtime().spawn("append", async move { order.borrow_mut().push(number) });
            }
            kernel.run_until(Time::MAX).unwrap();
            order.take()[0]
        })
        .collect();
    assert_eq!(firsts.len(), 100);
}
