//! Two planted bugs: how soon the random schedule finds them, and that it leaves their noise out of account.

use super::{Log, random};
use crate::{Kernel, Schedule};
use lkesim_runtime::Time;
use planted_bugs::{order_fails, starve_fails};

#[path = "../../benches/kernel/planted_bugs.rs"]
mod planted_bugs;

#[test]
fn the_order_of_one_in_720_is_found() {
    let mut kernel = Kernel::new();
    let found = (0..14_400).filter(|&seed| order_fails(&mut kernel, random(seed), seed)).count();
    // Twenty are expected; five standard deviations are allowed.
    assert!((1..=42).contains(&found), "{found}");
}

#[test]
fn the_starved_task_is_found() {
    let mut kernel = Kernel::new();
    let found = (0..1_500).filter(|&seed| starve_fails(&mut kernel, random(seed), seed)).count();
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
