//! The controllers that tag Linodes: names of node and cluster, and changed tags of the NodeClass.

use super::lab::{ALL, Lab, Setup, claim, get, put};
use lkesim_kube::object::{NodeClaim, NodeClass, ProviderId};
use lkesim_kube::store::{Lock, Part, Write};
use lkesim_linode_api::Tier;
use std::time::Duration;

const NAME: &str = "nodeclaim.tagging";
const INPLACE: &str = "nodeclass.inplaceupdate";

fn settle(lab: &Lab) {
    lab.wait(Duration::from_secs(1));
}

/// Never overwrites, and adds what is missing: for each of the tags that are there before.
#[test]
fn what_is_missing_is_added_and_nothing_is_overwritten() {
    let name = "Name=node-1";
    let cluster = "lke-cluster-name=cluster-1";
    for design in ALL {
        for (present, added) in [
            (&[][..], &[name, cluster][..]),
            (&["Name=mine"], &[cluster]),
            (&["lke-cluster-name=mine"], &[name]),
            (&["Name=mine", "lke-cluster-name=mine"], &[]),
            (&["karpenter.sh/nodeclaim=other", "Name="], &[name, cluster]),
        ] {
            let lab = Lab::new(design, Tier::Standard);
            let (_, ids) = lab.place(&[present]);
            lab.store_claim("claim-1", Some(ids[0]), Some("node-1"));
            settle(&lab);
            let mut wanted: Vec<String> = present.iter().chain(added).map(ToString::to_string).collect();
            wanted.sort();
            assert_eq!(lab.tags(ids[0]), wanted, "{design} {present:?}");
            let calls = lab.calls_of(NAME);
            let first = match added.is_empty() {
                true => vec![get(ids[0])],
                false => vec![get(ids[0]), get(ids[0]), put(ids[0], &wanted)],
            };
            assert_eq!(calls[..first.len()], first, "{design} {present:?}");
            // Its own annotation is an event, which asks once more; so is that of the in-place updates.
            let events = if design == "shipped" { 2 } else { 1 };
            assert_eq!(calls[first.len()..], vec![get(ids[0]); events], "{design} {present:?}");
        }
    }
}

#[test]
fn without_a_node_nothing_is_tagged() {
    for design in ALL {
        let lab = Lab::new(design, Tier::Standard);
        let (_, ids) = lab.place(&[&[]]);
        lab.store_claim("claim-1", Some(ids[0]), None);
        settle(&lab);
        assert!(lab.calls_of(NAME).is_empty(), "{design}");
    }
}

#[test]
fn a_node_claim_that_is_being_deleted_is_not_tagged() {
    for design in ALL {
        let lab = Lab::new(design, Tier::Standard);
        let (_, ids) = lab.place(&[&[]]);
        let mut stored = claim("claim-1");
        stored.metadata.add_finalizer("karpenter.sh/termination");
        stored.status.provider_id = Some(ProviderId::linode(ids[0]));
        let write = Write { at: lab.now(), by: "test" };
        lab.store.create(write, stored).expect("the name is free");
        lab.store.delete::<NodeClaim>(write, "claim-1").expect("it is there");
        let base = lab.stored("claim-1");
        let mut joined = base.clone();
        joined.status.node_name = Some("node-1".into());
        lab.store.patch(write, &base, &joined, Part::Status, Lock::None).expect("the write is good");
        settle(&lab);
        assert!(lab.calls_of(NAME).is_empty() && lab.tags(ids[0]).is_empty(), "{design}");
    }
}

/// It goes between the event and the look.
#[test]
fn a_node_claim_that_is_gone_is_let_be() {
    for design in ALL {
        let lab = Lab::new(design, Tier::Standard);
        let (_, ids) = lab.place(&[&[]]);
        let write = Write { at: lab.now(), by: "test" };
        let mut stored = claim("claim-1");
        stored.status.provider_id = Some(ProviderId::linode(ids[0]));
        stored.status.node_name = Some("node-1".into());
        lab.store.create(write, stored).expect("the name is free");
        lab.store.delete::<NodeClaim>(write, "claim-1").expect("it is there");
        settle(&lab);
        assert!(lab.calls_of(NAME).is_empty() && lab.tags(ids[0]).is_empty(), "{design}");
    }
}

#[test]
fn a_linode_that_is_gone_is_let_be() {
    for design in ALL {
        let lab = Lab::new(design, Tier::Standard);
        lab.store_claim("claim-1", Some(9_999), Some("node-1"));
        settle(&lab);
        assert_eq!(lab.calls_of(NAME), [get(9_999)], "{design}");
    }
}

fn set_user_tags(lab: &Lab, tags: &[&str]) {
    let base = lab.store.get::<NodeClass>("default").expect("it is there");
    let mut changed = (*base).clone();
    let mut spec = (*changed.spec).clone();
    spec.tags = tags.iter().map(|tag| (*tag).into()).collect();
    changed.spec = spec.into();
    let write = Write { at: lab.now(), by: "test" };
    lab.store.patch(write, &*base, &changed, Part::Object, Lock::None).expect("the write is good");
}

#[test]
fn changed_tags_of_the_node_class_reach_the_linode() {
    let lab = Setup::new("shipped", Tier::Standard).user_tags(&["team=a", "billed"]).build();
    let (_, ids) = lab.place(&[&["foreign", "team=b", "other=1"]]);
    lab.store_claim("claim-1", Some(ids[0]), None);
    settle(&lab);
    assert_eq!(lab.tags(ids[0]), ["billed", "foreign", "other=1", "team=a"]);
    let tags = ["billed", "foreign", "other=1", "team=a"].map(str::to_owned);
    assert_eq!(lab.calls_of(INPLACE), [get(ids[0]), put(ids[0], &tags), get(ids[0])]);

    set_user_tags(&lab, &["env=prod"]);
    settle(&lab);
    assert_eq!(lab.tags(ids[0]), ["env=prod", "foreign", "other=1"]);
    set_user_tags(&lab, &[]);
    settle(&lab);
    assert_eq!(lab.tags(ids[0]), ["foreign", "other=1"]);
}

#[test]
fn another_order_of_the_same_tags_is_no_change() {
    let lab = Setup::new("shipped", Tier::Standard).user_tags(&["a=1", "b=2"]).build();
    let (_, ids) = lab.place(&[&[]]);
    lab.store_claim("claim-1", Some(ids[0]), None);
    settle(&lab);
    lab.forget();
    set_user_tags(&lab, &["b=2", "a=1"]);
    settle(&lab);
    assert!(lab.calls_of(INPLACE).is_empty());
}

#[test]
fn without_a_provider_id_nothing_is_updated() {
    let lab = Setup::new("shipped", Tier::Standard).user_tags(&["a=1"]).build();
    lab.store_claim("claim-1", None, None);
    settle(&lab);
    assert!(lab.calls_of(INPLACE).is_empty());
}

#[test]
fn a_linode_that_is_gone_is_not_updated() {
    let lab = Setup::new("shipped", Tier::Standard).user_tags(&["a=1"]).build();
    lab.store_claim("claim-1", Some(9_999), None);
    settle(&lab);
    assert_eq!(lab.calls_of(INPLACE), [get(9_999)]);
}

#[test]
fn other_designs_update_nothing_in_place() {
    for design in ["documented", "v0.1.3"] {
        let lab = Setup::new(design, Tier::Standard).user_tags(&["a=1"]).build();
        let (_, ids) = lab.place(&[&[]]);
        lab.store_claim("claim-1", Some(ids[0]), None);
        set_user_tags(&lab, &["b=1"]);
        settle(&lab);
        assert!(lab.calls_of(INPLACE).is_empty() && lab.tags(ids[0]).is_empty(), "{design}");
    }
}
