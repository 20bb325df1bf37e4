//! Zones, capacity types, prices and reservations.

use crate::instance_type::{InstanceType, Offering, Price, capacity_type};
use crate::requirement::Requirement;
use crate::testing::*;
use crate::{Options, Problem, ReservedOfferingMode, WellKnownLabels, solve};
use lkesim_kube::object::{Operator, Requirement as Selector, labels};
use std::rc::Rc;

const ID: &str = "karpenter.sh/reservation-id";

fn dollars(cents: u64) -> Price {
    Price::from_micro_dollars(cents * 10_000)
}

/// A type that is offered so, whose requirements say no more than its offerings do.
fn offered(name: &str, has: &str, offerings: Vec<Offering>) -> InstanceType {
    let mut one = instance_type(name, has, 0);
    for key in [labels::ZONE, labels::CAPACITY_TYPE, ID] {
        let of = |offering: &Offering| offering.requirements.get(key).map(|one| one.values().to_vec());
        let values: Vec<Rc<str>> = offerings.iter().filter_map(of).flatten().collect();
        if key == ID && values.is_empty() {
            continue;
        }
        one.requirements.replace(Requirement::any_of(key, values));
    }
    one.offerings = offerings;
    one
}

fn on_demand(zone: &str, cents: u64) -> Offering {
    Offering::new(zone, capacity_type::ON_DEMAND, dollars(cents), true)
}

fn spot(zone: &str, cents: u64, available: bool) -> Offering {
    Offering::new(zone, capacity_type::SPOT, dollars(cents), available)
}

#[test]
fn the_cheapest_offering_of_the_zone_decides_the_order() {
    let types = || {
        vec![
            offered("dear-in-b", "cpu=4", vec![on_demand("a", 10), on_demand("b", 90)]),
            offered("dear-in-a", "cpu=4", vec![on_demand("a", 50), on_demand("b", 20)]),
        ]
    };
    for (zone, expected) in [("a", "p-1: dear-in-b dear-in-a"), ("b", "p-1: dear-in-a dear-in-b")] {
        let asking = with(pod("p-1", "cpu=1"), |spec| spec.node_selector.insert(labels::ZONE, zone));
        assert_eq!(claims(&solved(&problem(types(), [asking]))), [expected]);
    }
}

#[test]
fn an_offering_that_is_marked_unavailable_counts_for_nothing() {
    let types = vec![offered("t", "cpu=4", vec![spot("a", 5, true), spot("b", 4, false), on_demand("b", 9)])];
    let asking = with(pod("p-1", "cpu=1"), |spec| {
        spec.node_selector.insert(labels::ZONE, "b");
        spec.node_selector.insert(labels::CAPACITY_TYPE, capacity_type::SPOT);
    });
    let results = solved(&problem(types, [asking]));
    let message = &results.pod_errors[0].message;
    assert!(message.starts_with("no instance type has the required offering"), "{message}");
}

#[test]
fn a_claim_names_the_capacity_types_that_the_offerings_of_its_types_have() {
    let both = offered("both", "cpu=2", vec![spot("a", 1, true), on_demand("a", 3)]);
    let demand_only = offered("demand", "cpu=8", vec![on_demand("a", 9)]);
    for (cpu, expected) in [("1", "In [on-demand spot]"), ("4", "In [on-demand]")] {
        let asking = pod("p-1", &format!("cpu={cpu}"));
        let mut pool = problem(vec![both.clone(), demand_only.clone()], [asking]);
        let all = Selector::new(labels::CAPACITY_TYPE, Operator::In, ["spot", "on-demand"]);
        pool.node_pools[0].requirements = vec![all];
        let results = solved(&pool);
        let spec = results.new_node_claims[0].spec_requirements(&Options::default().well_known_labels);
        let named = spec.iter().find(|one| *one.key == *labels::CAPACITY_TYPE).expect("capacity types");
        assert_eq!(format!("{:?} [{}]", named.operator, named.values.join(" ")), expected);
    }
}

#[test]
fn labels_that_are_not_well_known_become_values() {
    let mut pool = problem(three_sizes(), [pod("p-1", "cpu=1")]);
    pool.node_pools[0].requirements = vec![Selector::new("example.com/team", Operator::In, ["red", "blue"])];
    let results = solved(&pool);
    let labels = results.new_node_claims[0].resolved_labels(&Options::default().well_known_labels);
    assert_eq!(labels.get("example.com/team").map(|value| &**value), Some("blue"));
}

#[test]
fn a_claim_names_no_more_types_than_the_cap_and_the_cheapest_of_them() {
    let name = |number: u64| format!("t-{number:03}");
    let types = (0..700).rev().map(|number| instance_type(&name(number), "cpu=4", number + 1)).collect();
    let results = solved(&problem(types, [pod("p-1", "cpu=1")]));
    let names: Vec<String> = results.new_node_claims[0].instance_types.iter().map(|one| one.name.to_string()).collect();
    assert_eq!(names, (0..600).map(name).collect::<Vec<_>>());
}

/// A provider makes the label of its reservations known.
fn options(mode: ReservedOfferingMode) -> Options {
    let well_known_labels = WellKnownLabels::default().with([ID]);
    Options { reserved_offering_mode: mode, well_known_labels, ..Options::default() }
}

fn reserving(left: u32, count: usize) -> Problem {
    let reserved = Offering::reserved("a", ID, "r-1", dollars(121), left);
    let types = vec![
        offered("plain", "cpu=8", vec![on_demand("a", 38)]),
        offered("held", "cpu=8", vec![on_demand("a", 121), reserved]),
    ];
    let apart = pods("p", count, "cpu=5", |_| {});
    problem(types, apart)
}

#[test]
fn reserved_capacity_costs_next_to_nothing_and_comes_first() {
    let results = solve(&reserving(2, 1), &options(ReservedOfferingMode::Strict), false).expect("a sound problem");
    let claim = &results.new_node_claims[0];
    assert_eq!(
        claim.requirements.get(labels::CAPACITY_TYPE).expect("one").to_string(),
        "karpenter.sh/capacity-type In [reserved]"
    );
    assert_eq!(claim.requirements.get(ID).expect("one").to_string(), "karpenter.sh/reservation-id In [r-1]");
    assert_eq!(&*claim.instance_types[0].name, "held");
}

#[test]
fn a_reservation_is_never_promised_twice() {
    for left in 0..4 {
        let strict = options(ReservedOfferingMode::Strict);
        let waiting = solve(&reserving(left, 4), &strict, false).expect("a sound problem");
        assert_eq!(waiting.new_node_claims.len(), left as usize, "strict: pods wait for what is taken");
        assert_eq!(waiting.pod_errors.iter().filter(|one| one.is_reserved_offering).count(), 4 - left as usize);
        let fallback = options(ReservedOfferingMode::Fallback);
        let falling = solve(&reserving(left, 4), &fallback, false).expect("a sound problem");
        let reserved = |one: &&crate::NewNodeClaim| one.requirements.get(ID).is_some();
        assert_eq!(falling.new_node_claims.len(), 4, "fallback: pods take other capacity");
        assert_eq!(falling.new_node_claims.iter().filter(reserved).count(), left as usize);
    }
}
