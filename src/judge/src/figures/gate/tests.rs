use super::*;
use crate::event::ClaimRef;
use lkesim_linode_api::InstanceId;

fn claim(uid: u64) -> ClaimRef {
    ClaimRef { uid, name: format!("claim-{uid}").into() }
}

fn created(uid: u64, cluster: u64) -> What {
    let (node_pool, plans) = ("np".into(), Vec::new().into());
    What::ClaimCreated { claim: claim(uid), cluster: ClusterId(cluster), node_pool, plans }
}

fn stored(uid: u64) -> What {
    What::ClaimProviderId { claim: claim(uid), before: None, after: Some(InstanceId(uid)) }
}

/// How long the gates were shut by these events at these seconds, and how often for long.
fn shut(events: Vec<(u64, What)>, end: u64) -> (u64, u64) {
    let (mut gates, mut cases) = (Gates::default(), HardCases::default());
    events.iter().for_each(|(at, what)| gates.apply(Time::from_secs(*at), what, &mut cases));
    (gates.finish(Time::from_secs(end), &mut cases).as_secs(), cases.of(HardCase::GateShut))
}

#[test]
fn it_is_shut_while_any_claim_of_the_cluster_has_no_provider_id() {
    let events = vec![
        (10, created(1, 1)),
        (15, created(2, 1)),
        (20, stored(1)),
        (30, stored(2)),
        (40, created(3, 1)),
        (41, stored(3)),
    ];
    assert_eq!(shut(events, 100), (21, 0));
}

#[test]
fn a_claim_that_goes_without_one_opens_it_and_a_minute_is_long() {
    assert_eq!(shut(vec![(0, created(1, 1)), (60, What::ClaimGone { claim: claim(1) })], 100), (60, 1));
    assert_eq!(shut(vec![(0, created(1, 1)), (59, What::ClaimGone { claim: claim(1) })], 100), (59, 0));
}

#[test]
fn each_cluster_has_a_gate_of_its_own_and_the_end_of_the_run_ends_all() {
    assert_eq!(shut(vec![(0, created(1, 1)), (10, created(2, 2)), (20, stored(1))], 50), (20 + 40, 0));
}

#[test]
fn a_provider_id_that_changes_or_is_kept_to_the_end_counts_once() {
    let events = vec![(0, created(1, 1)), (5, stored(1)), (9, stored(1)), (20, What::ClaimGone { claim: claim(1) })];
    assert_eq!(shut(events, 50), (5, 0));
}
