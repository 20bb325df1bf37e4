//! The provider's collection of Linodes without a NodeClaim.

use super::calls::LIST_POOLS;
use super::delete::{DELETE_POOL, reread};
use super::lab::{ALL, Lab, Setup, TIERS, each};
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
            wanted.push(DELETE_POOL.into());
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
            wanted.push(DELETE_POOL.into());
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
            let mut wanted = until_deletion(design, tier);
            wanted.push(lab.delete_node(ids[1]));
            assert_eq!(lab.calls_of(NAME), wanted, "{design} {tier:?}");
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

/// The age that a Linode must have: 30 s for the shipped providers, 5 min for the document. The pass that spares a young
/// one deletes an old one beside it.
#[test]
fn a_young_linode_is_kept() {
    for (design, age) in each(300, 30, 30) {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            let young = Duration::from_secs(age - 15);
            let (_, young) = lab.place_aged(&[SEEN], young);
            lab.place_aged(&[SEEN], OLD);
            let pass = |lke_pool: u64| -> Vec<String> {
                let reread = reread(design).map(|read| read.replace("101", &lke_pool.to_string()));
                let deletion = format!("DELETE /lke/clusters/1/pools/{lke_pool}");
                let start = [list(design, tier), LIST_POOLS.to_owned()];
                start.into_iter().chain(reread).chain([deletion]).collect()
            };
            collect(&lab);
            assert_eq!(lab.calls_of(NAME), pass(102), "{design} {tier:?}");
            assert_eq!(lab.live(), young, "{design} {tier:?}");
            collect(&lab);
            assert_eq!(lab.calls_of(NAME), pass(101), "{design} {tier:?}: now it is old enough");
            assert!(lab.live().is_empty(), "{design} {tier:?}");
        }
    }
}

#[test]
fn a_pass_over_young_linodes_alone_is_one_list() {
    for (design, age) in each(300, 30, 30) {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            let (_, ids) = lab.place_aged(&[SEEN, SEEN], Duration::from_secs(age - 15));
            collect(&lab);
            assert_eq!(lab.calls_of(NAME), [list(design, tier)], "{design} {tier:?}");
            assert_eq!(lab.live(), ids, "{design} {tier:?}");
        }
    }
}

/// Without latency each sees what those before it left: the last one takes the pool.
#[test]
fn a_hundred_go_in_one_pass() {
    let nodes: Vec<&[&str]> = vec![SEEN; 100];
    for design in ALL {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            let (_, ids) = lab.place_aged(&nodes, OLD);
            collect(&lab);
            let others = &ids[..99];
            let look = || [LIST_POOLS.to_owned()].into_iter().chain(reread(design));
            let mut wanted = vec![list(design, tier)];
            others.iter().for_each(|id| wanted.extend(look().chain([lab.delete_node(*id)])));
            wanted.extend(look().chain([DELETE_POOL.to_owned()]));
            assert_eq!(lab.calls_of(NAME), wanted, "{design} {tier:?}");
            assert!(lab.live().is_empty(), "{design} {tier:?}");
        }
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
    for (design, kept) in each(true, false, false) {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            let (_, ids) = lab.place_aged(&[tagged, SEEN], OLD);
            lab.store_claim("claim-1", None, None);
            collect(&lab);
            assert_eq!(lab.live(), ids[..usize::from(kept)], "{design} {tier:?}");
            let wanted = match kept {
                true => until_deletion(design, tier).into_iter().chain([lab.delete_node(ids[1])]).collect(),
                false => [list(design, tier), LIST_POOLS.to_owned(), lab.delete_node(ids[0]), LIST_POOLS.to_owned()]
                    .into_iter()
                    .chain([DELETE_POOL.to_owned()])
                    .collect::<Vec<_>>(),
            };
            assert_eq!(lab.calls_of(NAME), wanted, "{design} {tier:?}");
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
        // 5, 10 and 20 ms later the faults are used up. The lab has forgotten the first pass, which came with its start.
        lab.wait(Duration::from_secs(1));
        assert_eq!(lab.calls_of(NAME), vec![list(design, Tier::Standard); 3], "{design}");
    }
}
