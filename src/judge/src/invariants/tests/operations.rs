use super::breaches;
use crate::event::{Returned, Seen};
use crate::invariants::stream::{OURS, Stream, THEIRS, delete_node, get_pool, list_instances};
use lkesim_linode_api::{CallNumber, InstanceId, Operation};

const SPARES: &str = "gc-spares-the-claimed";
const FINALIZER: &str = "finalizer-after-instance";
const ABSENCE: &str = "an-error-is-not-absence";
const COLLECTOR: &str = "instance.garbagecollection";
const CORE_COLLECTOR: &str = "nodeclaim.garbagecollection";

/// Claim a, and Linode 5 in pool 9.
fn a_claim(stream: &mut Stream) {
    stream.pool(9, 1, None);
    stream.linode(5, 9);
    stream.claim(1, "a");
}

/// Garbage collection asks to remove Linode 5.
fn collects(stream: &mut Stream) -> Option<CallNumber> {
    let run = stream.begin(Operation::Delete, COLLECTOR, None, Some(5));
    Some(stream.call(run, delete_node(9)))
}

#[test]
fn garbage_collection_of_a_held_linode_is_found() {
    let found = breaches(SPARES, |stream| {
        a_claim(stream);
        let call = collects(stream);
        stream.create(1, 5);
        stream.linode_gone(5, call);
    });
    let expected = "garbage collection removed linode/5, which nodeclaim/a holds, by DELETE /lke/clusters/{id}/nodes/{id} \
                    (request 1, Delete, asked by instance.garbagecollection)";
    assert_eq!(found, [expected]);
}

#[test]
fn garbage_collection_of_what_a_running_create_then_returns_is_found() {
    let found = breaches(SPARES, |stream| {
        a_claim(stream);
        let create = stream.begin_create(1);
        let call = collects(stream);
        stream.linode_gone(5, call);
        stream.returns(create, Returned::Instance(InstanceId(5)));
    });
    assert_eq!(found.len(), 1);
}

#[test]
fn garbage_collection_before_the_create_began_or_by_another_hand_is_none() {
    let found = breaches(SPARES, |stream| {
        a_claim(stream);
        stream.linode(6, 9);
        let call = collects(stream);
        stream.linode_gone(5, call);
        stream.create(1, 5);
        stream.store(1, Some(6));
        stream.linode_gone(6, None);
    });
    assert!(found.is_empty());
}

#[test]
fn a_finalizer_that_goes_before_the_linode_is_found() {
    let found = breaches(FINALIZER, |stream| {
        a_claim(stream);
        stream.linode(6, 9);
        stream.store(1, Some(5));
        stream.tag_for(6, "a");
        stream.deleting(1, "workload");
        stream.claim_gone(1);
    });
    assert_eq!(found, ["nodeclaim/a is gone, and its Linode lives: linode/5 and linode/6"]);
}

#[test]
fn a_finalizer_that_goes_after_the_linode_is_none() {
    let found = breaches(FINALIZER, |stream| {
        a_claim(stream);
        stream.store(1, Some(5));
        stream.tag_for(5, "a");
        stream.deleting(1, "workload");
        stream.linode_gone(5, None);
        stream.claim_gone(1);
    });
    assert!(found.is_empty());
}

#[test]
fn a_linode_that_another_claim_of_the_same_tag_holds_is_not_left_behind() {
    let found = breaches(FINALIZER, |stream| {
        a_claim(stream);
        stream.claim(2, "step-scale-1");
        stream.claim(3, "step-scale-2");
        stream.tag_for(5, "step-scale-1");
        stream.store(2, Some(5));
        stream.deleting(3, "workload");
        stream.claim_gone(3);
    });
    assert!(found.is_empty());
}

/// A design without LKE pools may tag what it makes, and a Linode of no cluster is whose tag it bears.
#[test]
fn a_tagged_linode_of_no_cluster_is_left_behind_and_one_of_another_cluster_is_not() {
    let found = breaches(FINALIZER, |stream| {
        stream.claim(1, "a");
        stream.direct_linode(7, None, &["karpenter.sh/nodeclaim=a"]);
        stream.direct_linode(8, Some(THEIRS), &["karpenter.sh/nodeclaim=a"]);
        stream.deleting(1, "workload");
        stream.claim_gone(1);
    });
    assert_eq!(found, ["nodeclaim/a is gone, and its Linode lives: linode/7"]);
}

/// A Delete for claim a, whose one request ends with this status, says that Linode 5 is not found.
fn deletes(stream: &mut Stream, status: u16) {
    a_claim(stream);
    stream.store(1, Some(5));
    stream.deleting(1, "workload");
    let run = stream.begin(Operation::Delete, "nodeclaim.lifecycle", Some(1), None);
    let call = stream.call(run, get_pool(9));
    stream.fails(call, status);
    stream.returns(run, Returned::NotFound("gone".into()));
}

#[test]
fn an_error_reported_as_absence_is_found() {
    let found = breaches(ABSENCE, |stream| deletes(stream, 500));
    let expected = "Delete, asked by nodeclaim.lifecycle, reported linode/5 as not found, though it lives: 1 of its requests \
                    failed";
    assert_eq!(found, [expected]);
}

#[test]
fn a_404_reported_as_absence_is_none() {
    assert!(breaches(ABSENCE, |stream| deletes(stream, 404)).is_empty());
}

#[test]
fn an_error_before_the_linode_went_is_none() {
    let found = breaches(ABSENCE, |stream| {
        a_claim(stream);
        stream.store(1, Some(5));
        let run = stream.begin(Operation::Delete, "nodeclaim.lifecycle", Some(1), None);
        let call = stream.call(run, get_pool(9));
        stream.fails(call, 500);
        stream.linode_gone(5, None);
        stream.returns(run, Returned::NotFound("gone".into()));
    });
    assert!(found.is_empty());
}

/// The core's garbage collection reads one of two pages, and then the other if told so, and deletes claim a.
fn lists(stream: &mut Stream, both: bool) {
    a_claim(stream);
    stream.store(1, Some(5));
    let run = stream.begin(Operation::List, CORE_COLLECTOR, None, None);
    for page in if both { 1..=2 } else { 1..=1 } {
        let call = stream.call(run, list_instances(page));
        stream.ok(call, Seen { pages: 2, ..Seen::default() });
    }
    stream.returns(run, Returned::Instances([].into()));
    stream.deleting(1, CORE_COLLECTOR);
}

#[test]
fn a_claim_deleted_for_a_page_that_was_not_read_is_found() {
    let found = breaches(ABSENCE, |stream| lists(stream, false));
    let expected = "nodeclaim.garbagecollection deleted nodeclaim/a, though its linode/5 lives: an error or a page not read \
                    left it out of a list";
    assert_eq!(found, [expected]);
}

#[test]
fn a_claim_deleted_after_a_whole_list_is_none() {
    assert!(breaches(ABSENCE, |stream| lists(stream, true)).is_empty());
}

#[test]
fn a_claim_that_the_workload_deletes_after_a_cut_list_is_none() {
    let found = breaches(ABSENCE, |stream| {
        a_claim(stream);
        stream.store(1, Some(5));
        let run = stream.begin(Operation::List, CORE_COLLECTOR, None, None);
        let call = stream.call(run, list_instances(1));
        stream.ok(call, Seen { pages: 1, truncated: true, ..Seen::default() });
        stream.returns(run, Returned::Instances([].into()));
        stream.deleting(1, "workload");
    });
    assert!(found.is_empty());
}

/// The same pass in another cluster, or in a process that died since, heard something else.
#[test]
fn a_claim_deleted_after_a_cut_list_of_another_cluster_or_of_a_dead_process_is_none() {
    for dies in [false, true] {
        let found = breaches(ABSENCE, |stream| {
            a_claim(stream);
            stream.store(1, Some(5));
            let cluster = if dies { OURS } else { THEIRS };
            let run = stream.begin_in(cluster, Operation::List, CORE_COLLECTOR, None, None);
            let call = stream.call(run, list_instances(1));
            stream.ok(call, Seen { pages: 1, truncated: true, ..Seen::default() });
            stream.returns(run, Returned::Instances([].into()));
            if dies {
                stream.process_dies();
            }
            stream.deleting(1, CORE_COLLECTOR);
        });
        assert!(found.is_empty(), "{dies}");
    }
}
