use super::breaches;
use crate::event::{Condition, Returned};
use crate::invariants::stream::{OURS, Stream, THEIRS};
use lkesim_linode_api::Operation;

const ONE_CLAIM: &str = "one-claim-per-instance";
const ONE_INSTANCE: &str = "one-instance-per-claim";
const OWN_POOL: &str = "claim-in-own-pool";
const LIVING: &str = "create-returns-a-living-linode";
const LAUNCHED: &str = "launched-has-provider-id";

/// Claims a and b, and Linode 5 in pool 9.
fn two_claims(stream: &mut Stream) {
    stream.pool(9, 2, None);
    stream.linode(5, 9);
    stream.claim(1, "a");
    stream.claim(2, "b");
}

#[test]
fn two_creates_that_return_one_linode_are_a_double_claim() {
    let found = breaches(ONE_CLAIM, |stream| {
        two_claims(stream);
        stream.create(1, 5);
        stream.create(2, 5);
        stream.store(1, Some(5));
        stream.store(2, Some(5));
    });
    assert_eq!(found, ["linode/5 is held by nodeclaim/a and nodeclaim/b"]);
}

#[test]
fn a_second_linode_of_no_cluster_that_is_made_with_the_claims_tag_is_found() {
    let found = breaches(ONE_INSTANCE, |stream| {
        two_claims(stream);
        stream.store(1, Some(5));
        stream.direct_linode(7, None, &["karpenter.sh/nodeclaim=a"]);
    });
    assert_eq!(found, ["nodeclaim/a has linode/5 (held) and linode/7 (by its tag alone)"]);
}

#[test]
fn a_linode_passed_on_from_a_claim_that_is_being_deleted_has_one_live_holder() {
    let found = breaches(ONE_CLAIM, |stream| {
        two_claims(stream);
        stream.store(1, Some(5));
        stream.deleting(1, "workload");
        stream.create(2, 5);
    });
    assert!(found.is_empty());
}

#[test]
fn what_a_dead_process_returned_and_did_not_store_is_not_held() {
    let found = breaches(ONE_CLAIM, |stream| {
        two_claims(stream);
        stream.create(1, 5);
        stream.process_dies();
        stream.create(2, 5);
    });
    assert!(found.is_empty());
}

#[test]
fn a_tag_alone_is_not_holding() {
    let found = breaches(ONE_CLAIM, |stream| {
        two_claims(stream);
        stream.tag_for(5, "a");
        stream.create(2, 5);
    });
    assert!(found.is_empty());
}

#[test]
fn a_claim_that_holds_one_linode_and_is_named_by_another_has_two() {
    let found = breaches(ONE_INSTANCE, |stream| {
        two_claims(stream);
        stream.linode(6, 9);
        stream.create(1, 5);
        stream.tag_for(6, "a");
        stream.store(1, Some(5));
    });
    assert_eq!(found, ["nodeclaim/a has linode/5 (held) and linode/6 (by its tag alone)"]);
}

#[test]
fn two_names_that_are_cut_to_one_tag_share_a_linode() {
    let found = breaches(ONE_INSTANCE, |stream| {
        two_claims(stream);
        stream.linode(6, 9);
        stream.claim(3, "step-scale-1");
        stream.tag_for(5, "step-scale-1");
        stream.create(3, 5);
        stream.claim(4, "step-scale-2");
        stream.create(4, 6);
    });
    assert_eq!(found.len(), 1);
}

#[test]
fn holding_and_being_named_by_one_linode_is_one() {
    let found = breaches(ONE_INSTANCE, |stream| {
        two_claims(stream);
        stream.linode(6, 9);
        stream.tag_for(5, "a");
        stream.create(1, 5);
        stream.linode_gone(5, None);
        stream.tag_for(6, "a");
    });
    assert!(found.is_empty());
}

#[test]
fn a_claim_that_holds_what_is_not_its_own_is_told_why() {
    let found = breaches(OWN_POOL, |stream| {
        stream.pool_of(1, THEIRS, Some("np"), "small", 1, None);
        stream.pool_of(2, OURS, Some("other"), "small", 1, None);
        stream.pool_of(3, OURS, None, "small", 1, None);
        stream.pool_of(4, OURS, Some("np"), "large", 1, None);
        for id in 1..=4 {
            stream.linode(id, id);
            stream.claim_of(id, "c", OURS, "np", &["small"]);
            stream.create(id, id);
            stream.store(id, Some(id));
        }
    });
    let expected = [
        "nodeclaim/c holds linode/1, which is of cluster 2 and not of 1",
        "nodeclaim/c holds linode/2, which serves NodePool other and not np",
        "nodeclaim/c holds linode/3, which serves no NodePool and not np",
        "nodeclaim/c holds linode/4, whose type large its requirements do not allow",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_claim_without_a_list_of_types_allows_any() {
    let found = breaches(OWN_POOL, |stream| {
        stream.pool_of(4, OURS, Some("np"), "large", 1, None);
        stream.linode(1, 4);
        stream.claim(1, "a");
        stream.claim_of(2, "b", OURS, "np", &["small", "large"]);
        stream.create(1, 1);
        stream.create(2, 1);
    });
    assert!(found.is_empty());
}

#[test]
fn a_create_that_returns_a_deleted_linode_is_found() {
    let found = breaches(LIVING, |stream| {
        two_claims(stream);
        stream.linode_gone(5, None);
        stream.create(1, 5);
    });
    assert_eq!(found, ["Create for nodeclaim/a returned linode/5, which is gone"]);
}

#[test]
fn a_get_may_return_what_is_gone_and_a_create_what_goes_after() {
    let found = breaches(LIVING, |stream| {
        two_claims(stream);
        stream.create(1, 5);
        stream.linode_gone(5, None);
        let run = stream.begin(Operation::Get, "node.termination", Some(1), None);
        stream.returns(run, Returned::Instance(lkesim_linode_api::InstanceId(5)));
    });
    assert!(found.is_empty());
}

#[test]
fn launched_without_a_provider_id_is_found_once() {
    let found = breaches(LAUNCHED, |stream| {
        two_claims(stream);
        stream.condition(1, Condition::Launched, Some(true));
        stream.condition(1, Condition::Launched, Some(true));
    });
    assert_eq!(found, ["nodeclaim/a is launched without a providerID"]);
}

#[test]
fn a_provider_id_that_changes_after_launch_is_found() {
    let found = breaches(LAUNCHED, |stream| {
        two_claims(stream);
        stream.store(1, Some(5));
        stream.condition(1, Condition::Launched, Some(true));
        stream.store(1, Some(6));
    });
    assert_eq!(found, ["nodeclaim/a was launched with linode/5 and its providerID became linode/6"]);
}

#[test]
fn a_provider_id_may_change_before_launch() {
    let found = breaches(LAUNCHED, |stream| {
        two_claims(stream);
        stream.store(1, Some(5));
        stream.store(1, Some(6));
        stream.condition(1, Condition::Launched, None);
        stream.condition(1, Condition::Launched, Some(true));
    });
    assert!(found.is_empty());
}
