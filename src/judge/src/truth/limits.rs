//! What the machines of each NodePool have in sum, beside its limits.

use super::{Claim, ClaimLife, Truth};
use crate::event::Amount;
use lkesim_linode_api::ClusterId;
use lkesim_runtime::Time;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

/// How old what a pass goes by may be: caches lag, a pass takes its time, and who lowers a limit meanwhile is not seen.
pub(crate) const SEEN_WITHIN: Duration = Duration::from_secs(60);

/// One NodePool of one cluster.
#[derive(Debug, Default)]
struct OfNodePool {
    /// None before it has any.
    limits: Option<Rc<[Amount]>>,
    /// Those before, each with when the next ones took its place.
    earlier: Vec<(Time, Rc<[Amount]>)>,
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

impl OfNodePool {
    /// The most of a resource that was allowed at some time from `since` on; none where it was not limited.
    fn most(&self, resource: &Rc<str>, since: Time) -> Option<u64> {
        let earlier = self.earlier.iter().filter(|(until, _)| *until >= since).map(|(_, limits)| limits);
        let limit = |limits: &Rc<[Amount]>| limits.iter().find(|(name, _)| name == resource).map(|(_, limit)| *limit);
        earlier.chain([self.limits.as_ref()?]).map(limit).try_fold(0, |most, limit| Some(most.max(limit?)))
    }
}

impl Truth {
    /// What the live machines of a NodeClaim's NodePool have too much of, by the limits that it may have been made under.
    pub fn exceeded<'a>(&'a self, claim: &'a Claim) -> impl Iterator<Item = Exceeded> + 'a {
        let of = self.limits.node_pools.get(&(claim.cluster, claim.node_pool.clone()));
        let since = Time::from_nanos(claim.created.as_nanos().saturating_sub(SEEN_WITHIN.as_nanos() as u64));
        let all = of.into_iter().flat_map(|of| of.used.iter().map(move |used| (of, used)));
        all.filter_map(move |(of, (resource, used))| {
            let limit = of.most(resource, since)?;
            (*used > limit).then(|| Exceeded { resource: resource.clone(), used: *used, limit })
        })
    }

    pub(super) fn limits_set(&mut self, at: Time, cluster: ClusterId, node_pool: &Rc<str>, limits: &Rc<[Amount]>) {
        let of = self.limits.node_pools.entry((cluster, node_pool.clone())).or_default();
        of.earlier.extend(of.limits.replace(limits.clone()).map(|before| (at, before)));
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
