//! In the end, every Linode that Karpenter manages is held by a live NodeClaim, or gone.
//!
//! # Why it matters
//!
//! A Linode that nobody holds is paid for nothing. Some orphans are part of the bargain; none may stay for ever.
//!
//! # How it is judged
//!
//! In the calm, when faults and the workload have stopped: each live Linode of a managed LKE pool, or without a LKE
//! pool and with the tag of a Karpenter NodePool from its creation on, must have a live NodeClaim that holds it by
//! providerID or by its Create's return. A nodeclaim tag alone does not do.

use super::{Invariant, Pending, Topics, words};
use crate::truth::Truth;
use lkesim_linode_api::InstanceId;

#[derive(Default)]
pub struct OrphansCollected;

impl Invariant for OrphansCollected {
    fn follows(&self) -> Topics {
        Topics::CLOUD.and(Topics::INSTANCE_DELETED).and(Topics::HOLDING).and(Topics::CLAIM_DELETING)
    }

    fn holds(&self, truth: &Truth) -> bool {
        truth.unheld().is_empty()
    }

    fn waits_for(&self, truth: &Truth) -> Vec<Pending> {
        truth.unheld().iter().map(|id| describe(truth, *id)).collect()
    }
}

fn describe(truth: &Truth, id: InstanceId) -> Pending {
    let linode = truth.linode(id).expect("what is unheld is known");
    let prefix = truth.design_of(linode).claim_tag_prefix;
    let waits = match linode.tags.iter().find(|tag| tag.starts_with(prefix)) {
        Some(tag) => {
            format!("it bears {tag} and waits for that NodeClaim or for garbage collection")
        }
        None => "it waits for a NodeClaim or for garbage collection".into(),
    };
    let (name, lke_pool) = (words::linode(id), linode.lke_pool.map(words::lke_pool));
    let place = lke_pool.as_ref().map_or(String::new(), |lke_pool| format!(" in {lke_pool}"));
    let text = format!("{name}{place}, made at {} ms, has no live holder: {waits}", linode.created.as_millis());
    Pending { text, objects: [name].into_iter().chain(lke_pool).collect() }
}
