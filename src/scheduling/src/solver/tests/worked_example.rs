//! The example that the article on pending pods walks through, twice: as the algorithm has it, and in the order in
//! which it is printed.
//!
//! What is printed contradicts the algorithm, which the article states just before, at four places:
//!
//! 1. *Order.* The pods are walked through as `pod-a`, `pod-b`, `pod-c`; sorted by CPU, `pod-c` comes first.
//! 2. *Room.* `pod-c` is said not to fit beside the others on a type of 48 cores, as "the pool sizes claims as packed".
//!    A claim is not sized at all before it is launched: it takes whatever fits into one of the types that are left,
//!    and 4 + 4 + 24 of 48 cores do. Nothing but a DaemonSet's share, a limit or another offering would keep it out.
//! 3. *Types.* The claim that `pod-c` opens is printed with `m5.2xlarge` left, which has 8 cores for a pod of 24.
//! 4. *Requirements.* A GPU is a resource. It narrows the types of a claim, and adds no requirement to it.
//!
//! The first two steps hold as printed, but for the requirement.

use crate::instance_type::{InstanceType, Offering, Price, capacity_type};
use crate::requirement::Requirement;
use crate::results::{Bin, Results};
use crate::solver::Solver;
use crate::testing::*;
use crate::{Options, Problem, solve};
use lkesim_kube::object::{Operator, Requirement as Selector, labels};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Prices of spot capacity are not printed but for one; they are a third of on-demand here.
fn sold(name: &str, has: &str, cents: u64) -> InstanceType {
    let mut one = instance_type(name, has, 0);
    let types = [capacity_type::ON_DEMAND, capacity_type::SPOT];
    one.requirements.replace(Requirement::any_of(labels::CAPACITY_TYPE, types.map(Rc::from)));
    one.requirements.replace(Requirement::any_of(labels::ZONE, ["a", "b"].map(Rc::from)));
    let price = |kind| Price::from_micro_dollars(cents * if kind == capacity_type::SPOT { 3_300 } else { 10_000 });
    let of_zone = |zone| types.map(|kind| Offering::new(zone, kind, price(kind), true));
    one.offerings = ["a", "b"].into_iter().flat_map(of_zone).collect();
    one
}

fn example() -> Problem {
    let types = vec![
        sold("m5.2xlarge", "cpu=8", 38),
        sold("g5.2xlarge", "cpu=8 nvidia.com/gpu=1", 121),
        sold("g5.12xlarge", "cpu=48 nvidia.com/gpu=4", 567),
    ];
    let names: Vec<Rc<str>> = types.iter().map(|one| one.name.clone()).collect();
    let pods = [pod("pod-a", "cpu=4"), pod("pod-b", "cpu=4 nvidia.com/gpu=1"), pod("pod-c", "cpu=24")];
    let mut example = problem(types, pods);
    example.node_pools[0].requirements = vec![
        Selector::new(labels::CAPACITY_TYPE, Operator::In, ["spot", "on-demand"]),
        Selector::new(labels::INSTANCE_TYPE, Operator::In, names),
    ];
    example
}

#[test]
fn by_the_algorithm_the_largest_pod_comes_first_and_all_three_share_a_node() {
    let results = solve(&example(), &Options::default(), true).expect("a sound problem");
    let steps: Vec<(&str, Vec<&str>)> = results
        .steps
        .iter()
        .map(|step| (&**step.pod.name(), step.types_left.iter().map(|name| &**name).collect()))
        .collect();
    let expected = [("pod-c", vec!["g5.12xlarge"]), ("pod-a", vec!["g5.12xlarge"]), ("pod-b", vec!["g5.12xlarge"])];
    assert_eq!(steps, expected);
    assert!(results.steps.iter().all(|step| step.placed == Some(Bin::Claim(0)) && step.refused.is_empty()));
    assert_eq!(claims(&results), ["pod-c pod-a pod-b: g5.12xlarge"]);
    let requests = results.new_node_claims[0].requests.to_string();
    assert_eq!(requests, r#"{"cpu":"32","nvidia.com/gpu":"1","pods":"3"}"#);
}

#[test]
fn in_the_printed_order_two_steps_are_as_printed_and_the_third_is_not() {
    let (example, options) = (example(), Options::default());
    let mut solver = Solver::new(&example, &options, true);
    for pod in 0..3 {
        assert!(solver.try_schedule(pod).is_ok());
    }
    let results = solver.finish(BTreeMap::new());
    let [a, b, c] = [0, 1, 2].map(|place| &results.steps[place]);
    let left = |place: usize| results.steps[place].types_left.join(" ");

    // 1. Opens claim-1, which may become any type. 2. Joins it; m5.2xlarge has no GPU.
    assert_eq!((&a.placed, left(0).as_str()), (&Some(Bin::Claim(0)), "m5.2xlarge g5.2xlarge g5.12xlarge"));
    assert_eq!((&b.placed, left(1).as_str()), (&Some(Bin::Claim(0)), "g5.2xlarge g5.12xlarge"));
    // Printed: "gpu requirement realized on the claim". No requirement changes.
    assert_eq!(b.requirements_added, [""; 0]);

    // 3. Printed: does not fit, and opens claim-2 with m5.2xlarge and g5.12xlarge. It fits, and claim-1 takes it.
    assert_eq!((&c.placed, left(2).as_str()), (&Some(Bin::Claim(0)), "g5.12xlarge"));
    assert_eq!(results.new_node_claims.len(), 1);
}

#[test]
fn a_claim_that_has_no_room_leads_to_a_second_with_only_the_types_that_hold_the_pod() {
    // What the third step means to show: with 8 cores taken of 28, a pod of 24 needs a claim of its own.
    let mut tight = example();
    let types = vec![
        sold("m5.2xlarge", "cpu=8", 38),
        sold("g5.2xlarge", "cpu=8 nvidia.com/gpu=1", 121),
        sold("g5.12xlarge", "cpu=28 nvidia.com/gpu=4", 567),
    ];
    tight.instance_types.insert("default".into(), types.into_iter().map(Rc::new).collect());
    let results: Results = solve(&tight, &Options::default(), true).expect("a sound problem");
    assert_eq!(claims(&results), ["pod-c pod-a: g5.12xlarge", "pod-b: g5.2xlarge g5.12xlarge"]);
    let refused = &results.steps[2].refused;
    assert_eq!(refused.len(), 1);
    assert!(refused[0].1.starts_with("no instance type has enough resources"), "{}", refused[0].1);
}
