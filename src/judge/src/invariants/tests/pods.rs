use super::{breaches, pending};
use crate::event::{PodChange, PodKind, What};
use crate::invariants::stream::{OURS, Stream, THEIRS};
use lkesim_linode_api::Operation;

#[test]
fn who_binds_past_the_scheduler_is_named() {
    let found = breaches("only-the-scheduler-binds", |stream| {
        stream.pod(1, PodKind::Usual);
        stream.bound(1, "workload");
    });
    assert_eq!(found, ["pod/pod-1 was bound to node/node by workload"]);
}

#[test]
fn the_scheduler_a_kubelet_and_the_start_bind() {
    let found = breaches("only-the-scheduler-binds", |stream| {
        stream.pod(1, PodKind::Usual);
        stream.bound(1, "kube-scheduler");
        stream.pod(2, PodKind::Static);
        stream.bound(2, "kubelet");
        stream.pod(3, PodKind::DaemonSet);
        stream.bound(3, "start");
    });
    assert!(found.is_empty());
}

#[test]
fn a_pass_that_deletes_is_found() {
    let found = breaches("provisioner-only-adds", |stream| {
        stream.claim(1, "a");
        stream.deleting(1, "provisioner");
        stream.push(What::NodeDeletionAsked { node: "one".into(), by: "provisioner" });
        stream.pod(1, PodKind::Usual);
        stream.pod_changes(1, PodChange::Deleting { by: "provisioner" });
        stream.begin(Operation::Delete, "provisioner", None, Some(5));
    });
    let expected = ["nodeclaim/a", "node/one", "pod/pod-1", "linode/5"];
    assert_eq!(found, expected.map(|object| format!("a pass of provisioning deleted {object}")));
}

#[test]
fn what_others_delete_is_not_provisionings() {
    let found = breaches("provisioner-only-adds", |stream| {
        stream.claim(1, "a");
        stream.deleting(1, "nodeclaim.lifecycle");
        stream.push(What::NodeDeletionAsked { node: "one".into(), by: "nodeclaim.lifecycle" });
        stream.begin(Operation::Create, "provisioner", Some(1), None);
    });
    assert!(found.is_empty());
}

#[test]
fn each_claim_that_leaves_too_much_is_found() {
    let found = breaches("nodepool-limits-hold", |stream| {
        stream.cores_allowed(OURS, "np", 4);
        for uid in 1..=4 {
            stream.claim(uid, NAMES[uid as usize - 1]);
            stream.has_cores(uid, 2);
        }
    });
    let expected = [
        "with nodeclaim/c, nodepool/np has 6 of cpu where 4 are allowed",
        "with nodeclaim/d, nodepool/np has 8 of cpu where 4 are allowed",
    ];
    assert_eq!(found, expected);
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

#[test]
fn claims_that_go_and_those_of_others_do_not_count() {
    let found = breaches("nodepool-limits-hold", |stream| {
        stream.cores_allowed(OURS, "np", 4);
        stream.claim(1, "a");
        stream.has_cores(1, 4);
        stream.deleting(1, "workload");
        stream.claim(2, "b");
        stream.has_cores(2, 4);
        stream.claim_of(3, "c", OURS, "other", &[]);
        stream.has_cores(3, 4);
        stream.claim_of(4, "d", THEIRS, "np", &[]);
        stream.has_cores(4, 4);
        stream.cores_allowed(OURS, "np", 2);
    });
    assert!(found.is_empty());
}

#[test]
fn a_limit_that_was_lowered_binds_claims_that_are_made_a_minute_later() {
    let found = breaches("nodepool-limits-hold", |stream| {
        stream.cores_allowed(OURS, "np", 4);
        stream.claim(1, "a");
        stream.cores_allowed(OURS, "np", 1);
        stream.claim(2, "b");
        stream.has_cores(1, 2);
        stream.has_cores(2, 2);
        stream.later(60_000);
        stream.claim(3, "c");
        stream.has_cores(3, 2);
    });
    assert_eq!(found, ["with nodeclaim/c, nodepool/np has 6 of cpu where 1 are allowed"]);
}

#[test]
fn a_pod_that_waits_for_what_does_not_come_pends() {
    let found = pending(|stream| {
        stream.pod(1, PodKind::Usual);
        stream.unschedulable(1);
        stream.should_go(1);
        stream.pod(2, PodKind::Usual);
        stream.unschedulable(2);
        stream.pod(3, PodKind::DaemonSet);
    });
    let expected = [
        "pod/pod-1 is not bound: it should go to nodeclaim/np-1",
        "pod/pod-2 is not bound, and Karpenter has said nothing: 0/1 nodes are available: 1 Insufficient cpu.",
        "pod/pod-3 is not bound: the scheduler has not said why",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_pod_is_settled_when_it_is_bound_or_goes_or_the_reason_is_told() {
    let found = pending(|stream: &mut Stream| {
        for uid in 1..=4 {
            stream.pod(uid, PodKind::Usual);
        }
        stream.bound(1, "kube-scheduler");
        stream.pod_changes(2, PodChange::Deleting { by: "workload" });
        stream.unschedulable(3);
        stream.should_go(3);
        stream.has_no_room(3);
        stream.pod_changes(4, PodChange::Gone);
        stream.pod(5, PodKind::Gated);
        stream.pod(6, PodKind::NotOnKarpenter);
        stream.unschedulable(6);
    });
    assert!(found.is_empty(), "{found:?}");
}
