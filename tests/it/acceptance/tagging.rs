//! The controllers that tag Linodes: names of node and cluster, and changed tags of the NodeClass.

use super::calls::{get, put};
use super::lab::{DIRECT, EVERY, Lab, Setup, claim};
use lkesim_kube::object::{NodeClaim, NodeClass, ProviderId};
use lkesim_kube::store::{Lock, Part, Write};
use lkesim_linode_api::Tier;
use std::time::Duration;

const NAME: &str = "nodeclaim.tagging";
const INPLACE: &str = "nodeclass.inplaceupdate";

/// Long enough for the instance mode, which waits for a second before each tag.
fn settle(lab: &Lab) {
    lab.wait(Duration::from_secs(5));
}

/// A Linode with these tags, as the design has them: of a LKE pool, or by itself.
fn linode(lab: &Lab, design: &str, tags: &[&str]) -> u64 {
    match design {
        DIRECT => lab.place_alone("linode", tags, Duration::ZERO),
        _ => lab.place(&[tags]).1[0],
    }
}

/// The calls that add tags to a Linode, which then has all of these: it is read again and written once, or each tag is a
/// call of its own.
fn adding(design: &str, id: u64, added: &[&str], all: &[String]) -> Vec<String> {
    match design {
        _ if added.is_empty() => Vec::new(),
        DIRECT => added.iter().map(|tag| format!(r#"POST /tags {{"label":"{tag}","linodes":[{id}]}}"#)).collect(),
        _ => vec![get(id), put(id, all)],
    }
}

/// Never overwrites, and adds what is missing: for each of the tags that are there before.
#[test]
fn what_is_missing_is_added_and_nothing_is_overwritten() {
    let name = "Name=node-1";
    let cluster = "lke-cluster-name=cluster-1";
    for design in EVERY {
        for (present, added) in [
            (&[][..], &[name, cluster][..]),
            (&["Name=mine"], &[cluster]),
            (&["lke-cluster-name=mine"], &[name]),
            (&["Name=mine", "lke-cluster-name=mine"], &[]),
            (&["karpenter.sh/nodeclaim=other", "Name="], &[name, cluster]),
        ] {
            let lab = Lab::new(design, Tier::Standard);
            let id = linode(&lab, design, present);
            lab.store_claim("claim-1", Some(id), Some("node-1"));
            settle(&lab);
            let mut wanted: Vec<String> = present.iter().chain(added).map(ToString::to_string).collect();
            wanted.sort();
            assert_eq!(lab.tags(id), wanted, "{design} {present:?}");
            let adding = adding(design, id, added, &wanted);
            let mut calls = lab.calls_of(NAME);
            if design == DIRECT {
                // Of two tags, luck says which is written first.
                calls[1..=adding.len()].sort();
            }
            // Its own annotation is an event, which asks once more; so is that of the in-place updates.
            let events = if matches!(design, "shipped" | DIRECT) { 2 } else { 1 };
            let again = vec![get(id); events];
            let all: Vec<String> = [get(id)].into_iter().chain(adding).chain(again).collect();
            assert_eq!(calls, all, "{design} {present:?}");
        }
    }
}

/// CreateTags takes a number. Who has a providerID without one is the controllers, which ask nothing.
#[test]
fn an_id_that_is_no_number_is_neither_read_nor_tagged() {
    for design in EVERY {
        let lab = Setup::new(design, Tier::Standard).user_tags(&["team=a"]).build();
        let id = linode(&lab, design, &[]);
        let mut stored = claim("claim-1");
        stored.status.provider_id = Some(ProviderId::new("linode://bad-id"));
        stored.status.node_name = Some("node-1".into());
        lab.store.create(Write { at: lab.now(), by: "test" }, stored).expect("the name is free");
        settle(&lab);
        assert_eq!([lab.calls_of(NAME), lab.calls_of(INPLACE)], [[""; 0], [""; 0]], "{design}");
        assert!(lab.tags(id).is_empty(), "{design}");
    }
}

#[test]
fn without_a_node_nothing_is_tagged() {
    for design in EVERY {
        let lab = Lab::new(design, Tier::Standard);
        let id = linode(&lab, design, &[]);
        lab.store_claim("claim-1", Some(id), None);
        settle(&lab);
        assert!(lab.calls_of(NAME).is_empty(), "{design}");
    }
}

#[test]
fn a_node_claim_that_is_being_deleted_is_not_tagged() {
    for design in EVERY {
        let lab = Lab::new(design, Tier::Standard);
        let id = linode(&lab, design, &[]);
        let mut stored = claim("claim-1");
        stored.metadata.add_finalizer("karpenter.sh/termination");
        stored.status.provider_id = Some(ProviderId::linode(id));
        let write = Write { at: lab.now(), by: "test" };
        lab.store.create(write, stored).expect("the name is free");
        lab.store.delete::<NodeClaim>(write, "claim-1").expect("it is there");
        let base = lab.stored("claim-1");
        let mut joined = base.clone();
        joined.status.node_name = Some("node-1".into());
        lab.store.patch(write, &base, &joined, Part::Status, Lock::None).expect("the write is good");
        settle(&lab);
        assert!(lab.calls_of(NAME).is_empty() && lab.tags(id).is_empty(), "{design}");
    }
}

/// It goes between the event and the look.
#[test]
fn a_node_claim_that_is_gone_is_let_be() {
    for design in EVERY {
        let lab = Lab::new(design, Tier::Standard);
        let id = linode(&lab, design, &[]);
        let write = Write { at: lab.now(), by: "test" };
        let mut stored = claim("claim-1");
        stored.status.provider_id = Some(ProviderId::linode(id));
        stored.status.node_name = Some("node-1".into());
        lab.store.create(write, stored).expect("the name is free");
        lab.store.delete::<NodeClaim>(write, "claim-1").expect("it is there");
        settle(&lab);
        assert!(lab.calls_of(NAME).is_empty() && lab.tags(id).is_empty(), "{design}");
    }
}

#[test]
fn a_linode_that_is_gone_is_let_be() {
    for design in EVERY {
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

/// The designs that bring changed tags to Linodes.
const IN_PLACE: [&str; 2] = ["shipped", DIRECT];

#[test]
fn changed_tags_of_the_node_class_reach_the_linode() {
    for design in IN_PLACE {
        let lab = Setup::new(design, Tier::Standard).user_tags(&["team=a", "billed"]).build();
        let id = linode(&lab, design, &["foreign", "team=b", "other=1"]);
        lab.store_claim("claim-1", Some(id), None);
        // The NodeClass's tags, then those that the Linode has from then on: what was written before goes, and what is
        // foreign stays.
        for (of_class, left) in [
            (None, &["billed", "foreign", "other=1", "team=a"][..]),
            (Some(&["env=prod"][..]), &["env=prod", "foreign", "other=1"]),
            (Some(&[]), &["foreign", "other=1"]),
        ] {
            of_class.into_iter().for_each(|tags| set_user_tags(&lab, tags));
            settle(&lab);
            let left: Vec<String> = left.iter().map(ToString::to_string).collect();
            assert_eq!(lab.tags(id), left, "{design}");
            // The annotation that records it is an event, which reads once more.
            assert_eq!(lab.calls_of(INPLACE), [get(id), put(id, &left), get(id)], "{design}");
        }
    }
}

#[test]
fn another_order_of_the_same_tags_is_no_change() {
    for design in IN_PLACE {
        let lab = Setup::new(design, Tier::Standard).user_tags(&["a=1", "b=2"]).build();
        let id = linode(&lab, design, &[]);
        lab.store_claim("claim-1", Some(id), None);
        settle(&lab);
        lab.forget();
        set_user_tags(&lab, &["b=2", "a=1"]);
        settle(&lab);
        assert_eq!(lab.calls_of(INPLACE), [""; 0], "{design}");
    }
}

#[test]
fn without_a_provider_id_nothing_is_updated() {
    for design in IN_PLACE {
        let lab = Setup::new(design, Tier::Standard).user_tags(&["a=1"]).build();
        lab.store_claim("claim-1", None, None);
        settle(&lab);
        assert_eq!(lab.calls_of(INPLACE), [""; 0], "{design}");
    }
}

#[test]
fn a_linode_that_is_gone_is_not_updated() {
    for design in IN_PLACE {
        let lab = Setup::new(design, Tier::Standard).user_tags(&["a=1"]).build();
        lab.store_claim("claim-1", Some(9_999), None);
        settle(&lab);
        assert_eq!(lab.calls_of(INPLACE), [get(9_999)], "{design}");
    }
}

#[test]
fn other_designs_update_nothing_in_place() {
    for design in ["documented", "documented-strict", "v0.1.3"] {
        let lab = Setup::new(design, Tier::Standard).user_tags(&["a=1"]).build();
        let (_, ids) = lab.place(&[&[]]);
        lab.store_claim("claim-1", Some(ids[0]), None);
        set_user_tags(&lab, &["b=1"]);
        settle(&lab);
        assert!(lab.calls_of(INPLACE).is_empty() && lab.tags(ids[0]).is_empty(), "{design}");
    }
}
