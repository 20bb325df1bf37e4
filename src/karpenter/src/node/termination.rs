//! The end of a Node: its claim, its pods, its machine, its finalizer.
//!
//! Core v1.9.0 `node/termination/controller.go`. Where the cluster has no pods, draining ends at once. Left out: waiting
//! until volumes are detached.

use super::drain::Drain;
use crate::Context;
use crate::context::ignore_not_found;
use async_trait::async_trait;
use lkesim_kube::controller::{Next, ReconcileError, Reconciler};
use lkesim_kube::object::{ConditionStatus, ConditionType, Node, NodeClaim, Taint, TaintEffect, labels};
use lkesim_kube::store::Lock;
use std::rc::Rc;
use std::time::Duration;

/// The controller's name.
pub const NAME: &str = "node.termination";

/// How soon a drain is looked at again.
const DRAIN_PERIOD: Duration = Duration::from_secs(1);

/// The reconciler of `node.termination`.
pub struct Termination {
    context: Context,
    drain: Option<Drain>,
}

impl Termination {
    /// A termination with nothing to remember. Without a `drain` nodes have no pods.
    pub fn new(context: &Context, drain: Option<Drain>) -> Termination {
        Termination { context: context.of(NAME), drain }
    }

    async fn finalize(&self, node: &Node) -> Result<Next, ReconcileError> {
        let node_claim = self.claim_of(node);
        if let Some(node_claim) = node_claim.as_ref().filter(|claim| claim.is_live()) {
            self.context.delete(&**node_claim).await?;
        }
        if !node.is_ready() && self.is_machine_gone(node).await? {
            return self.remove_finalizer(node).await;
        }
        match self.taint(node).await {
            Err(ReconcileError::Api(error)) if error.is_conflict() => return Ok(Next::Again),
            result => result?,
        }
        let is_drained = match &self.drain {
            None => true,
            Some(drain) => drain.drain(node, node_claim.as_deref()).await?,
        };
        let Some(node_claim) = node_claim else {
            // Nobody knows the machine: the Node goes, the machine stays.
            return if is_drained { self.remove_finalizer(node).await } else { Ok(Next::After(DRAIN_PERIOD)) };
        };
        if is_drained { self.end_machine(node, &node_claim).await } else { self.say_draining(&node_claim).await }
    }

    async fn say_draining(&self, node_claim: &NodeClaim) -> Result<Next, ReconcileError> {
        let mut changed = node_claim.clone();
        let (now, conditions) = (self.context.runtime.wall_clock(), &mut changed.status.conditions);
        conditions.set(now, ConditionType::Drained, ConditionStatus::Unknown, "Draining", Some("Draining"));
        match self.write_conditions(node_claim, &changed).await? {
            true => Ok(Next::After(DRAIN_PERIOD)),
            false => Ok(Next::Again),
        }
    }

    /// Writes the claim's conditions with a lock. Whether that held; a claim that is gone needs no write.
    async fn write_conditions(&self, node_claim: &NodeClaim, changed: &NodeClaim) -> Result<bool, ReconcileError> {
        if changed == node_claim {
            return Ok(true);
        }
        let patched = self.context.client.patch_status(node_claim, changed, Lock::Optimistic).await;
        match ignore_not_found(patched.map(drop)) {
            Err(error) if error.is_conflict() => Ok(false),
            result => Ok(result.map(|()| true)?),
        }
    }

    /// Asks for the machine's end, writes the claim's conditions, and lets the Node go once the machine is not found.
    /// The write is based on the claim as the cache showed it, so the deletion of the claim in the same pass makes it
    /// conflict.
    async fn end_machine(&self, node: &Node, node_claim: &NodeClaim) -> Result<Next, ReconcileError> {
        let mut changed = node_claim.clone();
        let conditions = &mut changed.status.conditions;
        conditions.set_true(self.context.runtime.wall_clock(), ConditionType::Drained);
        conditions.set_true(self.context.runtime.wall_clock(), ConditionType::VolumesDetached);
        let deleted = match self.context.cloud.delete(self.context.caller, node_claim).await {
            Ok(()) => Ok(false),
            Err(error) if error.is_not_found() => Ok(true),
            Err(error) => Err(ReconcileError::Failed(error.to_string())),
        };
        if deleted.is_ok() {
            let now = self.context.runtime.wall_clock();
            changed.status.conditions.set_true(now, ConditionType::InstanceTerminating);
        }
        if !self.write_conditions(node_claim, &changed).await? {
            return Ok(Next::Again);
        }
        match deleted? {
            true => self.remove_finalizer(node).await,
            false => Ok(Next::After(self.context.settings.termination_period)),
        }
    }

    /// The Node's claim, if the cache knows exactly one: of two, neither counts.
    fn claim_of(&self, node: &Node) -> Option<Rc<NodeClaim>> {
        let id = node.spec.provider_id.as_ref()?;
        match &self.context.informers.node_claims.by_provider_id(id)[..] {
            [node_claim] => Some(node_claim.clone()),
            _ => None,
        }
    }

    async fn is_machine_gone(&self, node: &Node) -> Result<bool, ReconcileError> {
        let Some(id) = &node.spec.provider_id else {
            return Err(ReconcileError::Failed("the Node has no providerID".into()));
        };
        match self.context.cloud.get(self.context.caller, id).await {
            Ok(_) => Ok(false),
            Err(error) if error.is_not_found() => Ok(true),
            Err(error) => Err(ReconcileError::Failed(error.to_string())),
        }
    }

    async fn taint(&self, node: &Node) -> Result<(), ReconcileError> {
        let mut changed = node.clone();
        if !node.has_taint(labels::DISRUPTED_TAINT, TaintEffect::NoSchedule) {
            let taints = &mut changed.spec.taints;
            taints.retain(|taint| *taint.key != *labels::DISRUPTED_TAINT);
            taints.push(Taint::new(labels::DISRUPTED_TAINT, TaintEffect::NoSchedule));
        }
        changed.metadata.labels.insert(labels::EXCLUDE_BALANCERS, "karpenter");
        if changed != *node {
            self.context.client.patch(node, &changed, Lock::Optimistic).await?;
        }
        Ok(())
    }

    async fn remove_finalizer(&self, node: &Node) -> Result<Next, ReconcileError> {
        let mut changed = node.clone();
        changed.metadata.remove_finalizer(labels::TERMINATION_FINALIZER);
        let patched = self.context.client.patch(node, &changed, Lock::None).await;
        ignore_not_found(patched.map(drop))?;
        Ok(Next::Done)
    }
}

#[async_trait(?Send)]
impl Reconciler for Termination {
    async fn reconcile(&self, key: Rc<str>) -> Result<Next, ReconcileError> {
        match self.context.informers.nodes.get(&key) {
            Some(node) if is_terminating(&node) => self.finalize(&node).await,
            _ => Ok(Next::Done),
        }
    }
}

/// Whether the controller has anything to do for this Node.
pub fn is_terminating(node: &Node) -> bool {
    node.metadata.is_deleting() && node.metadata.has_finalizer(labels::TERMINATION_FINALIZER)
}

#[cfg(test)]
mod tests;
