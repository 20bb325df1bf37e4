//! The provider's collection of Linodes without a NodeClaim.

use super::delete::reread;
use super::lab::{ALL, LIST_POOLS, Lab, Setup, TIERS};
use super::reading::list;
use lkesim_kube::object::{Node, ProviderId};
use lkesim_kube::store::Write;
use lkesim_linode_api::{Endpoint, Tier};
use std::time::Duration;

const NAME: &str = "instance.garbagecollection";

/// Old enough for every design.
const OLD: Duration = Duration::from_secs(6 * 60);

/// A Linode that List shows on both tiers.
const SEEN: &[&str] = &["karpenter.k8s.linode/lke-managed=true"];

/// The calls of a pass that deletes one Linode, up to its deletion.
fn until_deletion(design: &str, tier: Tier) -> Vec<String> {
    [list(design, tier), LIST_POOLS.to_owned()].into_iter().chain(reread(design)).collect()
}

/// Lets one collection pass. The first came before the test placed anything.
fn collect(lab: &Lab) {
    lab.wait(Duration::from_secs(10));
}

#[test]
fn a_single_orphan_goes_with_its_pool() {
    for design in ALL {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            lab.place_aged(&[SEEN], OLD);
            collect(&lab);
            assert!(lab.live().is_empty(), "{design} {tier:?}");
            let mut wanted = until_deletion(design, tier);
            wanted.push("DELETE /lke/clusters/1/pools/101".into());
            assert_eq!(lab.calls_of(NAME), wanted, "{design} {tier:?}");
        }
    }
}

#[test]
fn the_node_of_an_orphan_goes_with_it() {
    for design in ALL {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            let (_, ids) = lab.place_aged(&[SEEN], OLD);
            for (name, instance) in [("orphan", ids[0]), ("other", 9_999)] {
                let node = Node::new(name, Some(ProviderId::linode(instance)));
                let write = Write { at: lab.now(), by: "test" };
                lab.store.create(write, node).expect("names are distinct");
            }
            collect(&lab);
            let mut wanted = until_deletion(design, tier);
            wanted.push("DELETE /lke/clusters/1/pools/101".into());
            assert_eq!(lab.calls_of(NAME), wanted, "{design} {tier:?}");
            let left: Vec<_> = lab.store.list::<Node>().iter().map(|node| node.name().to_string()).collect();
            assert_eq!(left, ["other"], "{design} {tier:?}");
        }
    }
}

#[test]
fn one_orphan_of_two_nodes_goes_alone() {
    for design in ALL {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            let (_, ids) = lab.place_aged(&[SEEN, SEEN], OLD);
            lab.store_claim("claim-1", Some(ids[0]), None);
            collect(&lab);
            assert_eq!(lab.live(), [ids[0]], "{design} {tier:?}");
            let calls = lab.calls_of(NAME);
            let (deletion, before) = calls.split_last().expect("calls were made");
            assert_eq!(before, until_deletion(design, tier), "{design} {tier:?}");
            assert!(deletion.starts_with("DELETE /lke/clusters/1/nodes/101-"), "{deletion}");
        }
    }
}

#[test]
fn nothing_goes_where_all_have_claims() {
    for design in ALL {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            let (_, ids) = lab.place_aged(&[SEEN, SEEN, SEEN], OLD);
            for (n, id) in ids.iter().enumerate() {
                lab.store_claim(&format!("claim-{n}"), Some(*id), None);
            }
            lab.wait(Duration::from_secs(60));
            assert_eq!(lab.live(), ids, "{design} {tier:?}");
            assert_eq!(lab.calls_of(NAME), vec![list(design, tier); 6], "{design} {tier:?}: nobody is looked up");
        }
    }
}

/// The age that a Linode must have: 30 s for the shipped providers, 5 min for the document.
#[test]
fn a_young_linode_is_kept() {
    for (design, age) in [("documented", 300), ("v0.1.3", 30), ("shipped", 30)] {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            let young = Duration::from_secs(age - 15);
            let (_, ids) = lab.place_aged(&[SEEN, SEEN], young);
            collect(&lab);
            assert_eq!(lab.live(), ids, "{design} {tier:?}");
            assert_eq!(lab.calls_of(NAME), [list(design, tier)], "{design} {tier:?}");
            collect(&lab);
            assert!(lab.live().is_empty(), "{design} {tier:?}");
        }
    }
}

/// Without latency each sees what those before it left: the last one takes the pool.
#[test]
fn a_hundred_go_in_one_pass() {
    let nodes: Vec<&[&str]> = vec![SEEN; 100];
    for design in ["v0.1.3", "shipped"] {
        let lab = Lab::new(design, Tier::Enterprise);
        lab.place_aged(&nodes, OLD);
        collect(&lab);
        let calls = lab.calls_of(NAME);
        let count = |start: &str| calls.iter().filter(|call| call.starts_with(start)).count();
        assert_eq!(count("GET /linode/instances"), 1, "{design}: one pass");
        assert_eq!(count(LIST_POOLS), 100, "{design}: each looks up its pool");
        assert_eq!(count("DELETE /lke/clusters/1/nodes/101-"), 99, "{design}");
        assert_eq!(count("DELETE /lke/clusters/1/pools/101"), 1, "{design}");
        assert!(lab.live().is_empty(), "{design}");
    }
}

/// A worker takes a Linode's age as it reaches it: one that is young when the pass begins, and waits for the hundred
/// before it, goes in the same pass.
#[test]
fn a_linode_that_grows_old_while_it_waits_for_a_worker_goes_in_the_same_pass() {
    let nodes: Vec<&[&str]> = vec![SEEN; 100];
    for design in ["v0.1.3", "shipped"] {
        let round_trip = Duration::from_secs(8);
        let lab = Setup { round_trip, ..Setup::new(design, Tier::Enterprise) }.build();
        lab.place_aged(&nodes, OLD);
        lab.wait(Duration::from_secs(10));
        let (_, young) = lab.place_aged(&[SEEN], Duration::ZERO);
        // The second pass lists at 18 s and hears the last page at 34 s; its workers are free again at 50 s, and another
        // deletion is sent at 58 s. A third pass would list at 60 s.
        lab.wait(Duration::from_secs(49));
        let calls = lab.calls_of(NAME);
        let passes = calls.iter().filter(|call| call.starts_with("GET /linode/instances?1")).count();
        assert_eq!(passes, 1, "{design}");
        assert!(!lab.live().contains(&young[0]), "{design}");
    }
}

/// Who has the nodeclaim tag of a NodeClaim that lives, and no providerID yet: the document spares it, the others do
/// not.
#[test]
fn an_owner_by_tag_counts_for_the_document_alone() {
    let tagged: &[&str] = &["karpenter.k8s.linode/lke-managed=true", "karpenter.sh/nodeclaim=claim-1"];
    for (design, kept) in [("documented", true), ("v0.1.3", false), ("shipped", false)] {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            lab.place_aged(&[tagged, SEEN], OLD);
            lab.store_claim("claim-1", None, None);
            collect(&lab);
            assert_eq!(lab.live().len(), usize::from(kept), "{design} {tier:?}");
            let calls = lab.calls_of(NAME);
            let deletions = calls.iter().filter(|call| call.starts_with("DELETE")).count();
            assert_eq!(deletions, if kept { 1 } else { 2 }, "{design} {tier:?}");
            if kept {
                let (deletion, before) = calls.split_last().expect("calls were made");
                assert_eq!(before, until_deletion(design, tier), "{design} {tier:?}");
                assert!(deletion.starts_with("DELETE /lke/clusters/1/nodes/101-"), "{deletion}");
            }
        }
    }
}

/// Ten seconds for the first twenty passes, then two minutes.
#[test]
fn passes_become_rare() {
    for design in ALL {
        let lab = Lab::new(design, Tier::Standard);
        let passes = |lab: &Lab, seconds| {
            lab.wait(Duration::from_secs(seconds));
            lab.calls_of(NAME).len()
        };
        // The first pass was made when the process started, the twentieth at 190 s; one more comes 10 s later, then one
        // at 320 s.
        assert_eq!([195, 10, 110, 10].map(|seconds| passes(&lab, seconds)), [19, 1, 0, 1], "{design}");
    }
}

#[test]
fn a_failed_list_is_asked_again_at_once() {
    for design in ALL {
        let lab = Setup::new(design, Tier::Standard).refuse(Endpoint::ListInstances, 500, 1, 3).build();
        lab.wait(Duration::from_secs(1));
        assert_eq!(lab.list().map(|all| all.len()), Ok(0), "{design}: 5, 10 and 20 ms later the faults are used up");
    }
}
