//! What the machines of each NodePool have in sum, beside its limits.

use super::{ClaimLife, Truth};
use crate::event::Amount;
use lkesim_linode_api::ClusterId;
use std::collections::BTreeMap;
use std::rc::Rc;

/// One NodePool of one cluster.
#[derive(Debug, Default)]
struct OfNodePool {
    limits: Rc<[Amount]>,
    /// What the machines of live NodeClaims have in sum.
    used: BTreeMap<Rc<str>, u64>,
}

/// All NodePools that a run with pods has.
#[derive(Debug, Default)]
pub(super) struct Limits {
    node_pools: BTreeMap<(ClusterId, Rc<str>), OfNodePool>,
    /// What counts: the machines of live NodeClaims, by uid.
    counted: BTreeMap<u64, Rc<[Amount]>>,
}

/// A resource of which a NodePool's machines have more than its limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// The resource.
    pub resource: Rc<str>,
    /// What the machines have in sum, in thousandths.
    pub used: u64,
    /// The limit, in thousandths.
    pub limit: u64,
}

impl Truth {
    /// What a NodePool's live machines have too much of.
    pub fn exceeded(&self, cluster: ClusterId, node_pool: &Rc<str>) -> impl Iterator<Item = Exceeded> {
        let of = self.limits.node_pools.get(&(cluster, node_pool.clone()));
        let all = of.into_iter().flat_map(|of| of.limits.iter().map(move |limit| (of, limit)));
        all.filter_map(|(of, (resource, limit))| {
            let used = of.used.get(resource).copied().unwrap_or(0);
            (used > *limit).then(|| Exceeded { resource: resource.clone(), used, limit: *limit })
        })
    }

    pub(super) fn limits_set(&mut self, cluster: ClusterId, node_pool: &Rc<str>, limits: &Rc<[Amount]>) {
        self.limits.node_pools.entry((cluster, node_pool.clone())).or_default().limits = limits.clone();
    }

    pub(super) fn capacity_told(&mut self, uid: u64, capacity: &Rc<[Amount]>) {
        self.uncount_capacity(uid);
        let Some(claim) = self.claims.get(uid).filter(|claim| claim.life == ClaimLife::Live) else {
            return;
        };
        let of = self.limits.node_pools.entry((claim.cluster, claim.node_pool.clone())).or_default();
        for (resource, amount) in capacity.iter() {
            *of.used.entry(resource.clone()).or_default() += amount;
        }
        self.limits.counted.insert(uid, capacity.clone());
    }

    /// A NodeClaim is live no more.
    pub(super) fn uncount_capacity(&mut self, uid: u64) {
        let Some(capacity) = self.limits.counted.remove(&uid) else {
            return;
        };
        let claim = self.claims.get(uid).expect("what was counted is known");
        let of = self.limits.node_pools.entry((claim.cluster, claim.node_pool.clone())).or_default();
        for (resource, amount) in capacity.iter() {
            *of.used.entry(resource.clone()).or_default() -= amount;
        }
    }
}
