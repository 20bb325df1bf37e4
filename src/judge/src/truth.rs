//! What really is: one incremental index over cloud, store and operations.
//!
//! [`Truth::apply`] takes each event once and keeps answers ready, so that an invariant that follows a change looks up
//! and never scans. The slow, obvious reading of the same events stands beside the invariants' tests and must agree.
//!
//! *Holding*, in the words of the judged rules: a NodeClaim holds the Linode in its stored providerID, and the one that
//! its latest Create returned, until the process that ran that Create dies. A tag alone is not holding.
//!
//! *The key that a Create resolved to*: the key of the last LKE pool that it asked for by id, by GET or by PUT, or the
//! claim's cluster and NodePool with the plan of the LKE pool (or Linode) that it asked to be made. Where the claim allows
//! one plan, only a write tells another key than that plan's: who looks for its pool may read others. A Create that has
//! asked for neither leaves the key of the claim's Create before it. A call that several Creates share is asked for by each
//! of them.

mod by_id;
mod calls;
mod claim;
mod design;
mod holdings;
mod keys;
mod limits;
mod linode;
mod lke_pool;
mod names;
mod pod;

pub use calls::{RunningOperation, Write};
pub use claim::{Claim, ClaimLife};
pub use design::{ClusterFacts, DesignFacts, Owned};
pub use keys::{Key, KeyId};
pub use limits::Exceeded;
pub use linode::{Linode, LinodeLife};
pub use lke_pool::LkePool;
pub use pod::Pod;

use crate::event::{Event, What};
use by_id::ById;
use calls::Calls;
use keys::Keys;
use lkesim_linode_api::{CallNumber, ClusterId, InstanceId, LkePoolId, Operation, Request};
use lkesim_runtime::Time;
use names::Names;
use std::collections::BTreeSet;

/// What an event changed beyond its own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// A NodeClaim began to hold a Linode.
    Held {
        /// The NodeClaim's uid.
        claim: u64,
        /// The Linode.
        instance: InstanceId,
    },
    /// A NodeClaim holds a Linode no more.
    Released {
        /// The NodeClaim's uid.
        claim: u64,
        /// The Linode.
        instance: InstanceId,
    },
    /// A PUT of a count above the one that its operation had read was accepted, and changed no count.
    ScaleLost {
        /// The request.
        call: CallNumber,
    },
}

/// What really is.
#[derive(Debug)]
pub struct Truth {
    clusters: Vec<ClusterFacts>,
    lke_pools: ById<LkePool>,
    linodes: ById<Linode>,
    claims: ById<Claim>,
    keys: Keys,
    names: Names,
    calls: Calls,
    unheld: BTreeSet<InstanceId>,
    unsettled: BTreeSet<u64>,
    pods: pod::Pods,
    limits: limits::Limits,
    facts: Vec<Fact>,
}

impl Truth {
    /// Nothing yet, of these clusters. What is in no cluster named here is judged by the first.
    pub fn new(clusters: Vec<ClusterFacts>) -> Truth {
        assert!(!clusters.is_empty(), "a run has a cluster");
        Truth {
            clusters,
            lke_pools: ById::new(),
            linodes: ById::new(),
            claims: ById::new(),
            keys: Keys::default(),
            names: Names::default(),
            calls: Calls::default(),
            unheld: BTreeSet::new(),
            unsettled: BTreeSet::new(),
            pods: Default::default(),
            limits: Default::default(),
            facts: Vec::new(),
        }
    }

    /// Takes one event; [`Truth::facts`] then tells what else it changed.
    #[inline]
    pub fn apply(&mut self, event: &Event) {
        self.facts.clear();
        match &event.what {
            What::Called { call, sent } => {
                self.calls.called(*call, sent);
                if sent.purpose.operation == Operation::Create {
                    self.resolve(sent.purpose.invocation, &sent.request);
                    for run in sent.purpose.joined.runs() {
                        self.resolve(*run, &sent.request);
                    }
                }
            }
            What::Answered { call, ending, .. } => {
                if self.calls.answered(*call, ending) {
                    self.facts.push(Fact::ScaleLost { call: *call });
                }
            }
            other => self.apply_change(event.at, other),
        }
    }

    /// What is no call: rarer, and each worth more.
    fn apply_change(&mut self, at: Time, what: &What) {
        match what {
            What::ProcessStopped { cluster, start } => self.forget_returned(*cluster, *start),
            What::PoolCreated { lke_pool, cluster, plan, count, node_pool, .. } => {
                self.pool_created(*lke_pool, *cluster, plan, *count, node_pool.as_ref());
            }
            What::PoolCountChanged { lke_pool, to, call, .. } => {
                if let Some(lke_pool) = self.lke_pools.get_mut(lke_pool.0) {
                    lke_pool.count = *to;
                }
                self.calls.counted(*call);
            }
            What::PoolDeleted { lke_pool, .. } => self.pool_deleted(*lke_pool),
            What::InstanceCreated { instance, lke_pool, cluster, plan, tags, .. } => {
                self.linode_created(at, *instance, *lke_pool, *cluster, plan, tags);
            }
            What::InstanceTagged { instance, before, after, .. } => self.linode_tagged(*instance, before, after),
            What::InstanceDeleted { instance, .. } => self.linode_deleted(*instance),
            What::ClaimCreated { claim, cluster, node_pool, plans } => {
                self.claim_created(at, claim, *cluster, node_pool, plans);
            }
            What::ClaimDeleting { claim, by } => self.claim_deleting(claim.uid, by),
            What::ClaimGone { claim } => self.claim_gone(claim.uid),
            What::ClaimProviderId { claim, after, .. } => self.stored(claim.uid, *after),
            What::ClaimCondition { claim, condition, status, reason } => {
                self.condition(claim.uid, *condition, *status, reason);
            }
            What::OperationStarted { run, cluster, process, operation, caller, claim, instance } => {
                let by = (*cluster, *process, *caller);
                self.calls.started(at, *run, *operation, by, claim.as_ref(), *instance);
                if let (Operation::Create, Some(claim)) = (operation, claim) {
                    self.resolve_to_only_plan(claim.uid);
                }
            }
            What::OperationReturned { run, result } => self.operation_returned(*run, result),
            What::Pod { pod, change } => self.pods.apply(at, pod, change),
            What::NodePoolLimits { cluster, node_pool, limits } => self.limits_set(at, *cluster, node_pool, limits),
            What::ClaimCapacity { claim, capacity } => self.capacity_told(claim.uid, capacity),
            What::Pass { .. }
            | What::NodeDeletionAsked { .. }
            | What::ProcessStarted { .. }
            | What::ProcessTurned { .. }
            | What::StartedWith { .. }
            | What::CalmBegan
            | What::PoolTagged { .. }
            | What::InstanceBooted { .. }
            | What::Node { .. }
            | What::Called { .. }
            | What::Answered { .. } => {}
        }
    }

    /// What the last event changed beyond its own words, in order.
    pub fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// The facts of the design that serves a Linode's cluster.
    pub fn design_of(&self, linode: &Linode) -> &'static DesignFacts {
        self.design_at(linode.cluster)
    }

    fn design_at(&self, cluster: Option<ClusterId>) -> &'static DesignFacts {
        cluster.map_or(&self.clusters[0], |cluster| self.cluster(cluster)).design
    }

    /// The cluster's tier and its design's facts.
    pub fn cluster(&self, cluster: ClusterId) -> &ClusterFacts {
        let own = self.clusters.iter().find(|facts| facts.cluster == cluster);
        own.unwrap_or(&self.clusters[0])
    }

    /// All clusters.
    pub fn clusters(&self) -> &[ClusterFacts] {
        &self.clusters
    }

    /// A NodeClaim, though it be gone.
    pub fn claim(&self, uid: u64) -> Option<&Claim> {
        self.claims.get(uid)
    }

    /// Every NodeClaim that ever was, by uid.
    pub fn claims(&self) -> impl Iterator<Item = &Claim> {
        self.claims.values()
    }

    /// A Linode, though it be gone.
    pub fn linode(&self, instance: InstanceId) -> Option<&Linode> {
        self.linodes.get(instance.0)
    }

    /// Every Linode that ever was or was spoken of, by id.
    pub fn linodes(&self) -> impl Iterator<Item = (InstanceId, &Linode)> {
        self.linodes.iter().map(|(id, linode)| (InstanceId(id), linode))
    }

    /// Whether the Linode exists and no deletion of it was accepted.
    pub fn is_live(&self, instance: InstanceId) -> bool {
        self.linode(instance).is_some_and(Linode::is_live)
    }

    /// A LKE pool, though it be gone.
    pub fn lke_pool(&self, lke_pool: LkePoolId) -> Option<&LkePool> {
        self.lke_pools.get(lke_pool.0)
    }

    /// Every LKE pool that ever was, by id.
    pub fn lke_pools(&self) -> impl Iterator<Item = (LkePoolId, &LkePool)> {
        self.lke_pools.iter().map(|(id, lke_pool)| (LkePoolId(id), lke_pool))
    }

    /// A key's parts.
    pub fn key(&self, key: KeyId) -> &Key {
        self.keys.key(key)
    }

    /// The live managed LKE pools of a key, in order of creation.
    pub fn pools_of_key(&self, key: KeyId) -> &[LkePoolId] {
        self.keys.lke_pools(key)
    }

    /// Live NodeClaims without a holding whose last Create resolved to the key.
    pub fn waiting_for(&self, key: KeyId) -> u32 {
        self.keys.waiting(key)
    }

    /// The live NodeClaims that hold the Linode, by uid in the order in which they began.
    pub fn live_holders(&self, instance: InstanceId) -> impl Iterator<Item = &Claim> {
        let holders = self.linode(instance).map_or(&[][..], |linode| &linode.holders);
        holders.iter().filter_map(|uid| self.claim(*uid)).filter(|claim| claim.is_live())
    }

    /// The live Linodes that bear the claim's nodeclaim tag and can be its own: those of its cluster, and those of
    /// none.
    pub fn bearers(&self, claim: &Claim) -> impl Iterator<Item = InstanceId> {
        let cluster = claim.cluster;
        let all = self.names.linodes(&claim.tag).iter().copied();
        all.filter(move |id| self.linode(*id).is_some_and(|linode| linode.can_serve(cluster)))
    }

    /// The NodeClaims that exist and whose nodeclaim tag this is.
    pub fn named_by(&self, tag: &str) -> impl Iterator<Item = &Claim> {
        self.names.claims(tag).iter().filter_map(|uid| self.claim(*uid))
    }

    /// The live Linodes that Karpenter manages and no live NodeClaim holds.
    pub fn unheld(&self) -> &BTreeSet<InstanceId> {
        &self.unheld
    }

    /// The uids of NodeClaims that are neither gone, nor live and initialized.
    pub fn unsettled(&self) -> &BTreeSet<u64> {
        &self.unsettled
    }

    /// An operation that runs, or the one that the last event ended.
    pub fn operation(&self, run: u64) -> Option<&RunningOperation> {
        self.calls.operation(run)
    }

    /// The highest number of an operation so far: operations are numbered as they start.
    pub fn last_run(&self) -> u64 {
        self.calls.last_run()
    }

    /// A request that may change something, by its number.
    pub fn write(&self, call: Option<CallNumber>) -> Option<&Write> {
        self.calls.write(call?)
    }

    /// The key that a Create's request shows, if it shows one.
    fn resolve(&mut self, run: u64, request: &Request) {
        let (plan, lke_pool) = match request {
            Request::CreatePool { body, .. } => (Some(&body.plan), None),
            Request::CreateInstance { body } => (Some(&body.plan), None),
            Request::GetPool { lke_pool, .. }
            | Request::UpdatePool { lke_pool, .. }
            | Request::ListMembers { lke_pool, .. }
            | Request::ClaimNode { lke_pool, .. } => (None, Some(lke_pool)),
            _ => return,
        };
        let Some(uid) = self.calls.operation(run).and_then(|operation| operation.claim) else {
            return;
        };
        let Some(claim) = self.claims.get_mut(uid) else {
            return;
        };
        let is_reading = matches!(request, Request::GetPool { .. } | Request::ListMembers { .. });
        if is_reading && claim.plans.len() == 1 {
            return;
        }
        let key = match plan {
            Some(plan) => Some(self.keys.intern(claim.cluster, &claim.node_pool, plan)),
            None => lke_pool.and_then(|id| self.lke_pools.get(id.0)?.key),
        };
        if let Some(key) = key {
            let before = claim.waits_at();
            claim.resolved = Some(key);
            self.keys.moved(before, claim.waits_at());
        }
    }

    /// A Create for a claim that allows one plan has resolved to its key before it asks for anything.
    fn resolve_to_only_plan(&mut self, uid: u64) {
        let Some(claim) = self.claims.get_mut(uid) else {
            return;
        };
        if let [plan] = &claim.plans[..] {
            let before = claim.waits_at();
            claim.resolved = Some(self.keys.intern(claim.cluster, &claim.node_pool, plan));
            self.keys.moved(before, claim.waits_at());
        }
    }
}

#[cfg(test)]
mod tests;
