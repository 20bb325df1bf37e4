//! The end of a Node: its claim, its pods, its machine, its finalizer.
//!
//! Core v1.9.0 `node/termination/controller.go`. There are no pods and volumes here, so draining ends at once.

use crate::Context;
use crate::context::ignore_not_found;
use async_trait::async_trait;
use lkesim_kube::controller::{Next, ReconcileError, Reconciler};
use lkesim_kube::object::{ConditionType, Node, NodeClaim, Taint, TaintEffect, labels};
use lkesim_kube::store::Lock;
use std::rc::Rc;

/// The controller's name.
pub const NAME: &str = "node.termination";

/// The reconciler of `node.termination`.
pub struct Termination(Context);

impl Termination {
    /// A termination with nothing to remember.
    pub fn new(context: &Context) -> Termination {
        Termination(context.of(NAME))
    }

    async fn finalize(&self, node: &Node) -> Result<Next, ReconcileError> {
        let node_claim = self.claim_of(node);
        if let Some(node_claim) = node_claim.as_ref().filter(|claim| claim.is_live()) {
            self.0.delete(&**node_claim).await?;
        }
        if !node.is_ready() && self.is_machine_gone(node).await? {
            return self.remove_finalizer(node).await;
        }
        match self.taint(node).await {
            Err(ReconcileError::Api(error)) if error.is_conflict() => return Ok(Next::Again),
            result => result?,
        }
        let Some(node_claim) = node_claim else {
            // Nobody knows the machine: the Node goes, the machine stays.
            return self.remove_finalizer(node).await;
        };
        self.end_machine(node, &node_claim).await
    }

    /// Asks for the machine's end, writes the claim's conditions, and lets the Node go once the machine is not found.
    /// The write is based on the claim as the cache showed it, so the deletion of the claim in the same pass makes it
    /// conflict.
    async fn end_machine(&self, node: &Node, node_claim: &NodeClaim) -> Result<Next, ReconcileError> {
        let mut changed = node_claim.clone();
        let conditions = &mut changed.status.conditions;
        conditions.set_true(self.0.runtime.now(), ConditionType::Drained);
        conditions.set_true(self.0.runtime.now(), ConditionType::VolumesDetached);
        let deleted = match self.0.cloud.delete(self.0.caller, node_claim).await {
            Ok(()) => Ok(false),
            Err(error) if error.is_not_found() => Ok(true),
            Err(error) => Err(ReconcileError::Failed(error.to_string())),
        };
        if deleted.is_ok() {
            let now = self.0.runtime.now();
            changed.status.conditions.set_true(now, ConditionType::InstanceTerminating);
        }
        if changed != *node_claim {
            let patched = self.0.client.patch_status(node_claim, &changed, Lock::Optimistic).await;
            match ignore_not_found(patched.map(drop)) {
                Err(error) if error.is_conflict() => return Ok(Next::Again),
                result => result?,
            }
        }
        match deleted? {
            true => self.remove_finalizer(node).await,
            false => Ok(Next::After(self.0.settings.termination_period)),
        }
    }

    /// The Node's claim, if the cache knows exactly one: of two, neither counts.
    fn claim_of(&self, node: &Node) -> Option<Rc<NodeClaim>> {
        let id = node.spec.provider_id.as_ref()?;
        match &self.0.informers.node_claims.by_provider_id(id)[..] {
            [node_claim] => Some(node_claim.clone()),
            _ => None,
        }
    }

    async fn is_machine_gone(&self, node: &Node) -> Result<bool, ReconcileError> {
        let Some(id) = &node.spec.provider_id else {
            return Err(ReconcileError::Failed("the Node has no providerID".into()));
        };
        match self.0.cloud.get(self.0.caller, id).await {
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
            self.0.client.patch(node, &changed, Lock::Optimistic).await?;
        }
        Ok(())
    }

    async fn remove_finalizer(&self, node: &Node) -> Result<Next, ReconcileError> {
        let mut changed = node.clone();
        changed.metadata.remove_finalizer(labels::TERMINATION_FINALIZER);
        let patched = self.0.client.patch(node, &changed, Lock::None).await;
        ignore_not_found(patched.map(drop))?;
        Ok(Next::Done)
    }
}

#[async_trait(?Send)]
impl Reconciler for Termination {
    async fn reconcile(&self, key: Rc<str>) -> Result<Next, ReconcileError> {
        match self.0.informers.nodes.get(&key) {
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
