//! What is there when the run begins is judged, billed and counted as what was there before.

use crate::support::{Run, broken, design, figure, invariant};
use lkesim_judge::trace::TraceEvent;

const HEAD: &str = "about: x\ncloud: {tier: standard}\n";

#[test]
fn what_runs_already_is_left_in_peace_and_counts_as_older() {
    let start = "start: {lke_pools: [{claims: 5, age: 30m}]}\nworkload: []\n";
    let outcome = Run::yaml("start.yaml", &format!("{HEAD}{start}")).outcome();
    assert!(broken(&outcome).is_empty(), "{:?}", broken(&outcome));
    let figures = ["claims.requested", "claims.deleted", "claims.failed", "instances.created", "time_to.launch.of"];
    assert!(figures.iter().all(|path| figure(&outcome, path) == 0), "{:?} {:?}", outcome.claims, outcome.instances);
    assert_eq!(figure(&outcome, "instances.peak"), 5);
    assert_eq!(figure(&outcome, "taints.default.nodes_launched"), 0);
    assert!(!outcome.api.by_endpoint.contains_key("UpdateInstance"), "{:?}", outcome.api.by_endpoint);
}

/// Half an hour old, a Linode has paid its first hour; twenty minutes later no hour has begun.
#[test]
fn hours_that_began_before_the_run_are_not_billed() {
    let cost = |age: &str| {
        let start = format!("start: {{lke_pools: [{{claims: 1, age: {age}}}]}}\nworkload: []\n");
        Run::yaml("start.yaml", &format!("{HEAD}{start}")).outcome().cost.total_usd
    };
    assert_eq!(cost("30m").0, 0);
    assert_eq!(cost("50m"), cost("0s"));
    assert!(cost("50m").0 > 0);
}

#[test]
fn a_claim_whose_write_was_lost_finds_the_linode_that_bears_its_tag() {
    let start = "start:\n  lke_pools: [linodes: [{claim_tag: lost}]]\n  claims: [{name: lost}]\nworkload: []\n";
    let outcome = Run::yaml("start.yaml", &format!("{HEAD}{start}")).outcome();
    assert!(broken(&outcome).is_empty(), "{:?}", broken(&outcome));
    assert_eq!((figure(&outcome, "claims.initialized"), figure(&outcome, "instances.created")), (1, 0));
}

#[test]
fn two_claims_that_begin_on_one_linode_are_a_breach_at_once() {
    let start =
        "start:\n  lke_pools: [linodes: [name: a]]\n  claims: [{name: one, linode: a}, {name: two, linode: a}]\n";
    let outcome = Run::yaml("start.yaml", &format!("{HEAD}{start}workload: []\n")).outcome();
    let breach = &invariant(&outcome, "one-claim-per-instance").violations[0];
    assert_eq!((breach.at_ms, breach.objects.len()), (0, 3), "{breach:?}");
}

#[test]
fn a_claim_that_is_only_launched_waits_for_its_node() {
    let start = "start:\n  lke_pools: [linodes: [name: a]]\n  claims: [{name: one, linode: a, state: launched}]\n";
    let outcome = Run::yaml("start.yaml", &format!("{HEAD}{start}workload: []\n")).outcome();
    assert!(broken(&outcome).is_empty(), "{:?}", broken(&outcome));
    assert_eq!(figure(&outcome, "taints.default.nodes_launched"), 1);
}

/// The Linode goes on its own; its Node falls silent, and Karpenter gives the NodeClaim up.
#[test]
fn a_linode_that_dies_as_the_run_begins_takes_its_claim_along() {
    let start = "start:\n  lke_pools: [linodes: [{name: a, dying: true}]]\n  claims: [{name: one, linode: a}]\n";
    let outcome = Run::yaml("start.yaml", &format!("{HEAD}{start}workload: []\n")).outcome();
    assert!(broken(&outcome).is_empty(), "{:?}", broken(&outcome));
    assert!(outcome.ending.settled);
}

#[test]
fn linodes_outside_of_lke_are_held_by_the_instance_mode_that_makes_such() {
    let start = "start: {lke_pools: [{outside_lke: true, claims: 2, orphans: 1}]}\nworkload: []\n";
    let run = Run::yaml("start.yaml", &format!("{HEAD}{start}")).design(design("direct-instances"));
    let (outcome, trace) = run.traced();
    assert!(broken(&outcome).is_empty(), "{:?}", broken(&outcome));
    assert_eq!(figure(&outcome, "instances.unclaimed_at_end"), 0, "the orphan is collected");
    assert_eq!(figure(&outcome, "api.by_endpoint.DeleteInstance.calls"), 1);
    let in_pools = trace.events.iter().filter(|line| matches!(line.what, TraceEvent::LkePoolCreated { .. }));
    assert_eq!(in_pools.count(), 1, "the base pool alone");
}
