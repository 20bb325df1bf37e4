use super::*;
use crate::event::NodeChange;

const HORIZON_MS: u64 = 3_600_000;

#[test]
fn a_claim_counts_at_each_milestone_once() {
    let mut story = Story::new();
    let one = story.claim_created(1);
    story.at(3).launched(&one, 101);
    story.at(60).condition(&one, Condition::Registered).condition(&one, Condition::Registered);
    story.at(70).condition(&one, Condition::Initialized);
    story.at(80).condition(&one, Condition::Initialized);
    let measured = story.finish(100);
    let claims = measured.claims;
    assert_eq!((claims.requested, claims.launched, claims.registered, claims.initialized), (1, 1, 1, 1));
    assert_eq!(measured.time_to.launch.p50_ms, 3_000);
    assert_eq!(measured.time_to.register.p50_ms, 60_000);
    assert_eq!(measured.time_to.ready.max_ms, 70_000);
}

#[test]
fn what_karpenter_gave_up_failed_and_waits_to_the_horizon() {
    let mut story = Story::new();
    let one = story.claim_created(1);
    story.at(900).deleting(&one, "nodeclaim.lifecycle");
    let measured = story.finish(1_000);
    assert_eq!((measured.claims.failed, measured.claims.deleted), (1, 0));
    assert_eq!((measured.time_to.ready.n, measured.time_to.ready.of), (0, 1));
    assert_eq!(measured.time_to.ready.max_ms, HORIZON_MS);
    assert_eq!(measured.sometimes["claim_timed_out"], 1);
}

#[test]
fn what_the_workload_deletes_short_of_a_milestone_is_left_out_of_it() {
    let mut story = Story::new();
    let one = story.claim_created(1);
    story.at(2).launched(&one, 101);
    story.at(5).deleting(&one, "workload");
    let measured = story.finish(1_000);
    assert_eq!((measured.claims.failed, measured.claims.deleted), (0, 1));
    assert_eq!((measured.time_to.launch.n, measured.time_to.launch.of), (1, 1));
    assert_eq!((measured.time_to.ready.n, measured.time_to.ready.of), (0, 0));
}

#[test]
fn an_initialized_claim_that_karpenter_deletes_has_not_failed() {
    let mut story = Story::new();
    let one = story.claim_created(1);
    story.condition(&one, Condition::Initialized).deleting(&one, "disruption");
    assert_eq!(story.finish(1_000).claims.failed, 0);
}

#[test]
fn a_claim_without_capacity_failed_and_did_not_time_out() {
    let mut story = Story::new();
    let one = story.claim_created(1);
    let create = story.started(Operation::Create, Some(&one));
    story.returned(&create, Returned::InsufficientCapacity("sold out".into()));
    story.deleting(&one, "nodeclaim.lifecycle");
    let measured = story.finish(1_000);
    assert_eq!(measured.claims.failed, 1);
    assert_eq!(measured.sometimes["capacity_missing"], 1);
    assert_eq!(measured.sometimes["claim_timed_out"], 0);
}

#[test]
fn taints_count_nodes_that_joined_beside_those_whose_taint_went() {
    let mut story = Story::new();
    story.lke_pool(1, Some("general")).lke_pool(2, None);
    story.linode(101, 1, Some(1)).linode(102, 1, Some(2)).linode(103, 2, None);
    let mut happens = |id: u64, change| {
        let (node, instance) = (format!("lke-{id}").into(), Some(InstanceId(id)));
        story.happens(What::Node { node, instance, change });
    };
    for id in [101, 102, 103] {
        happens(id, NodeChange::Joined);
    }
    happens(101, NodeChange::TaintRemoved);
    happens(102, NodeChange::Disrupted);
    happens(102, NodeChange::Spared);
    let taints = story.finish(100).taints;
    assert_eq!(taints.len(), 1);
    assert_eq!((taints["general"].nodes_launched, taints["general"].taint_removed), (2, 1));
    assert_eq!(taints["general"].nodes_disrupted, 1);
}

#[test]
fn nodes_that_bear_other_labels_than_their_nodeclaim_are_hard_cases() {
    let mut story = Story::new();
    story.lke_pool(1, Some("general")).linode(101, 1, Some(1)).linode(102, 1, Some(2));
    for (id, change) in
        [(101, NodeChange::LabelsMissing), (102, NodeChange::LabelsMissing), (102, NodeChange::LabelsForeign)]
    {
        let (node, instance) = (format!("lke-{id}").into(), Some(InstanceId(id)));
        story.happens(What::Node { node, instance, change });
    }
    let sometimes = story.finish(100).sometimes;
    assert_eq!((sometimes["node_labels_missing"], sometimes["node_labels_foreign"]), (2, 1));
}
