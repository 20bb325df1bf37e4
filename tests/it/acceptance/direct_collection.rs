//! The collection of Linodes without a NodeClaim in the provider's instance mode, call by call.
//!
//! Source: provider e1c5200, `suite_test.go` of pkg/controllers/nodeclaim/garbagecollection, whose first cases are of
//! this mode.

use super::calls::get;
use super::direct::{LIST, TAGS, delete};
use super::lab::{DIRECT, Lab, Setup};
use lkesim_kube::object::{Node, ProviderId};
use lkesim_kube::store::Write;
use lkesim_linode_api::{Endpoint, Tier};
use std::time::Duration;

const NAME: &str = "instance.garbagecollection";

/// Twice as old as it must be.
const OLD: Duration = Duration::from_secs(60);

fn lab() -> Lab {
    Lab::new(DIRECT, Tier::Standard)
}

/// So many Linodes of Karpenter's.
fn place(lab: &Lab, many: usize, age: Duration) -> Vec<u64> {
    (0..many).map(|n| lab.place_alone(&format!("karpenter-{n}"), &TAGS, age)).collect()
}

/// Lets one collection pass. The first came before the test placed anything.
fn collect(lab: &Lab) -> Vec<String> {
    lab.wait(Duration::from_secs(10));
    lab.calls_of(NAME)
}

#[test]
fn an_orphan_goes_and_its_node_with_it() {
    let lab = lab();
    let orphan = place(&lab, 1, OLD)[0];
    for (name, instance) in [("orphan", orphan), ("other", 9_999)] {
        let write = Write { at: lab.now(), by: "test" };
        lab.store.create(write, Node::new(name, Some(ProviderId::linode(instance)))).expect("names are distinct");
    }
    assert_eq!(collect(&lab), [LIST.to_owned(), get(orphan), delete(orphan)]);
    assert!(lab.live().is_empty());
    let left: Vec<_> = lab.store.list::<Node>().iter().map(|node| node.name().to_string()).collect();
    assert_eq!(left, ["other"]);
}

/// What bears one of the two tags alone is not Karpenter's.
#[test]
fn collection_deletes_what_karpenter_made_and_no_other_linode() {
    let lab = lab();
    let ids = place(&lab, 2, OLD);
    let web = lab.place_alone("web", &["web", "karpenter.sh/nodepool=default"], OLD);
    let mail = lab.place_alone("mail", &["mail"], OLD);
    lab.store_claim("claim-1", Some(ids[1]), None);
    assert_eq!(collect(&lab), [LIST.to_owned(), get(ids[0]), delete(ids[0])]);
    assert_eq!(lab.live(), [ids[1], web, mail]);
}

/// Each is read and then deleted. In the laboratory a call takes no time, so that none overtakes another.
#[test]
fn a_hundred_go_in_one_pass() {
    let lab = lab();
    let ids = place(&lab, 100, OLD);
    let mut wanted = vec![LIST.to_owned()];
    ids.iter().for_each(|id| wanted.extend([get(*id), delete(*id)]));
    assert_eq!(collect(&lab), wanted);
    assert!(lab.live().is_empty());
}

#[test]
fn nothing_goes_where_all_have_claims() {
    let lab = lab();
    let ids = place(&lab, 100, OLD);
    for (n, id) in ids.iter().enumerate() {
        lab.store_claim(&format!("claim-{n}"), Some(*id), None);
    }
    for _ in 0..6 {
        assert_eq!(collect(&lab), [LIST]);
    }
    assert_eq!(lab.live(), ids);
}

#[test]
fn a_young_linode_is_kept_until_it_is_old() {
    let lab = lab();
    let young = place(&lab, 1, Duration::from_secs(15))[0];
    assert_eq!(collect(&lab), [LIST]);
    assert_eq!(lab.live(), [young]);
    assert_eq!(collect(&lab), [LIST.to_owned(), get(young), delete(young)], "it is 35 s old");
    assert!(lab.live().is_empty());
}

/// The list is the one that NodeClaims are compared with; where it fails, nothing is known and nothing is deleted.
#[test]
fn a_failed_list_is_asked_again_and_deletes_nothing() {
    let lab = Setup::new(DIRECT, Tier::Standard).refuse(Endpoint::ListInstances, 500, 2, u64::MAX).build();
    let ids = place(&lab, 2, OLD);
    lab.wait(Duration::from_millis(9_999));
    let calls = collect(&lab);
    // The queue waits 5 ms, and twice as long each time: the eleventh comes before 10 s.
    assert_eq!(calls, [LIST; 11]);
    assert_eq!(lab.live(), ids);
}
