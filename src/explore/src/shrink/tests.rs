//! Failures of the kernel's planted bugs, and of a design, made small.

use super::{Target, schedule, shrink};
use crate::portfolio;
use crate::trial::{Case, Trier};
use lkesim_kernel::{Deviations, Kernel, Schedule, Verb};
use lkesim_runtime::Seed;
use lkesim_scenario::{Names, Scenario, load, to_yaml};
use lkesim_sim::Order;
use planted_bugs::{order_fails, starve_fails};

#[path = "../../../kernel/benches/kernel/planted_bugs.rs"]
mod planted_bugs;

type Fails = fn(&mut Kernel, Schedule, u64) -> bool;

/// The first seed of the portfolio that fails, made small: the seeds and runs that it took, and the list.
fn found_and_shrunk(fails: Fails, from: u64) -> (u64, u64, Deviations) {
    let mut kernel = Kernel::new();
    let found =
        (from..).find(|&seed| fails(&mut kernel, portfolio::order(seed).schedule(), seed)).expect("it is there");
    let recorded = kernel.deviations();
    let mut runs = 0;
    let small = schedule(&recorded, &mut |list| {
        runs += 1;
        fails(&mut kernel, Schedule::replay(list), found).then(|| kernel.deviations())
    });
    assert!(fails(&mut kernel, Schedule::replay(&small), found), "what is small fails");
    assert_eq!(kernel.unmatched(), [], "and has no line too many");
    (found - from + 1, runs, small)
}

/// The sizes of the lists of 21 searches, in order.
fn sizes(fails: Fails) -> Vec<usize> {
    let mut sizes: Vec<usize> = (1..=21)
        .map(|search| {
            let (_, runs, small) = found_and_shrunk(fails, search << 32);
            assert!(runs < 2_000, "{runs} runs\n{small}");
            small.list.len()
        })
        .collect();
    sizes.sort_unstable();
    sizes
}

#[test]
fn planted_bugs_are_found_by_the_portfolio_and_shrink_to_a_few_lines() {
    let (order, starve) = (sizes(order_fails), sizes(starve_fails));
    assert!(starve.iter().all(|size| *size <= 2), "{starve:?}");
    assert!(order[10] <= 5 && order[20] <= 12, "{order:?}");
}

#[test]
fn a_task_that_starves_is_one_line() {
    let lasts = (1..=21).map(|search| found_and_shrunk(starve_fails, search << 32).2);
    let lasts = lasts.filter(|small| matches!(&small.list[..], [only] if only.verb == Verb::Last)).count();
    assert!(lasts >= 15, "{lasts}");
}

/// A scenario in which a lost answer makes `documented` forget a Linode, among much that has nothing to do with it.
fn crowded() -> Scenario {
    let text = "
about: Much at once.
duration: 8m
cloud:
  tier: standard
  list_order: newest
  lags: {tag_to_list: 3s, deletion: 20s}
  latency: {get: 90ms}
karpenter: {controller_cpus: 4}
workload:
  - create: {claims: 3, every: 1300ms, type: g6-standard-4}
  - create: {claims: 2, at: 31s, type: g6-standard-2}
  - delete: {claims: 1, at: 95s}
faults:
  - double: {call: ListInstances, nth: 7}
  - delay: {call: ListLKENodePools, by: 15s, from: 90s, until: 200s}
  - lose: {call: UpdateInstance, nth: 40}
clients:
  - {name: other, rate: 30/1m}
";
    load("crowded", text, &[], &Names::default()).unwrap_or_else(|mistakes| panic!("{}", mistakes.render(false)))
}

#[test]
fn a_crowded_failure_becomes_a_scenario_of_what_it_needs() {
    let design = lkesim_lke::design("documented").expect("it is a design");
    let case = Case { name: "crowded".into(), scenario: crowded(), design, seed: 3, order: Order::Random(Seed(3)) };
    let mut trier = Trier::new();
    let trial = trier.run(&case);
    let breach = trial.breaches.first().expect("it breaks something").clone();
    let target = Target { invariant: breach.invariant.clone(), mechanism: breach.mechanism.clone() };
    let small = shrink(&case, &trier.deviations(), &target, &|| false).expect("it breaks again");
    let text = to_yaml(&small.scenario);
    assert_eq!(small.breach.invariant, breach.invariant);
    assert!(small.deviations.list.len() <= 2, "{}", small.deviations);
    assert!(small.scenario.clients.is_empty() && small.scenario.faults.len() <= 1, "{text}");
    assert!(text.lines().count() <= 20, "{text}");
}
