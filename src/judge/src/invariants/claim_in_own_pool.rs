//! What a NodeClaim holds is of its own cluster and NodePool, and of a type that its requirements allow.
//!
//! # Why it matters
//!
//! A Linode of another cluster never joins as this claim's node, one of another NodePool has the wrong labels and
//! taints, and one of another type has not the capacity that the pods were packed for. Substring filters on tags (pool
//! 12 also matches 123) and look-ups over the whole account are how it happens.
//!
//! # How it is judged
//!
//! When a NodeClaim begins to hold a Linode that exists or existed: its cluster, its NodePool (that of its LKE pool, or
//! of its own tags where it has none), and its plan are laid beside the claim's. A claim without a list of types allows
//! any. Found once for each claim and Linode.

use super::{Findings, Invariant, Moment, Topics, words};
use crate::truth::{Claim, Fact, Linode, LinodeLife};
use lkesim_linode_api::InstanceId;
use std::collections::BTreeSet;

#[derive(Default)]
pub struct ClaimInOwnPool {
    found: BTreeSet<(u64, InstanceId)>,
}

impl Invariant for ClaimInOwnPool {
    fn follows(&self) -> Topics {
        Topics::HOLDING
    }

    fn on(&mut self, moment: &Moment<'_>, found: &mut Findings) {
        let truth = moment.truth;
        for fact in truth.facts() {
            let Fact::Held { claim: uid, instance } = *fact else {
                continue;
            };
            let (Some(claim), Some(linode)) = (truth.claim(uid), truth.linode(instance)) else {
                continue;
            };
            if linode.life == LinodeLife::Unknown {
                continue;
            }
            let Some(wrong) = mismatch(claim, linode) else {
                continue;
            };
            if self.found.insert((uid, instance)) {
                let objects = [claim.to_string(), words::linode(instance)];
                let objects = objects.into_iter().chain(linode.lke_pool.map(words::lke_pool)).collect();
                found.breach(moment.at(), || (format!("{claim} holds {}, {wrong}", words::linode(instance)), objects));
            }
        }
    }
}

fn mismatch(claim: &Claim, linode: &Linode) -> Option<String> {
    if linode.cluster != Some(claim.cluster) {
        let theirs = linode.cluster.map_or("no cluster".into(), |cluster| format!("cluster {cluster}"));
        return Some(format!("which is of {theirs} and not of {}", claim.cluster));
    }
    let node_pool = linode.node_pool.as_deref();
    if node_pool != Some(&*claim.node_pool) {
        let theirs = node_pool.map_or("no NodePool".into(), |name| format!("NodePool {name}"));
        return Some(format!("which serves {theirs} and not {}", claim.node_pool));
    }
    let allowed = claim.plans.is_empty() || claim.plans.iter().any(|plan| **plan == *linode.plan);
    (!allowed).then(|| format!("whose type {} its requirements do not allow", linode.plan))
}
