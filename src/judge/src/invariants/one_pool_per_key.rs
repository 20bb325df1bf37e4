//! There is at most one managed LKE pool for each key: cluster, Karpenter NodePool and instance type.
//!
//! # Why it matters
//!
//! The design finds a key's LKE pool by listing and takes the first match. A second pool is invisible to it: its
//! Linodes are claimed by nobody, and its orphans cost money until garbage collection finds them. It comes of two
//! Creates that each saw no pool.
//!
//! # How it is judged
//!
//! When a managed LKE pool is made while another of the same key lives, whoever made it, and at the start too. Managed
//! is a pool that was made with a Karpenter NodePool's tag; a later edit of its tags does not change that.

use super::{Findings, Invariant, Moment, Topics, words};
use crate::event::What;

#[derive(Default)]
pub struct OnePoolPerKey;

impl Invariant for OnePoolPerKey {
    fn follows(&self) -> Topics {
        Topics::POOL_CREATED
    }

    fn on(&mut self, moment: &Moment<'_>, found: &mut Findings) {
        let truth = moment.truth;
        let What::PoolCreated { lke_pool, call, .. } = moment.what() else {
            return;
        };
        let Some(key) = truth.lke_pool(*lke_pool).and_then(|lke_pool| lke_pool.key) else {
            return;
        };
        let same = truth.pools_of_key(key);
        if same.len() > 1 {
            found.breach(moment.at(), || {
                let objects: Vec<String> = same.iter().map(|id| words::lke_pool(*id)).collect();
                let (all, parts, doer) = (words::list(&objects), truth.key(key), words::doer(truth, *call));
                let text = format!(
                    "{all} all serve NodePool {} with {} in cluster {}; the last was made by {doer}",
                    parts.node_pool, parts.plan, parts.cluster
                );
                (text, objects)
            });
        }
    }
}
