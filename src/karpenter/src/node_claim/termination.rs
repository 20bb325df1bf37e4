//! The end of a NodeClaim: its Nodes, then its machine, then its finalizer.
//!
//! Part of `nodeclaim.lifecycle` upstream (core v1.9.0 `nodeclaim/lifecycle/controller.go`).

use crate::Context;
use crate::context::ignore_not_found;
use crate::node::drain::termination_timestamp;
use lkesim_kube::ApiError;
use lkesim_kube::controller::{Next, ReconcileError};
use lkesim_kube::object::{ConditionType, NodeClaim, labels};
use lkesim_kube::store::Lock;
use std::rc::Rc;
use std::time::Duration;

/// One pass over a claim that is being deleted. A claim that has no providerID, whatever its Create is doing, goes
/// without a word to the cloud.
pub(super) async fn finalize(context: &Context, node_claim: Rc<NodeClaim>) -> Result<Next, ReconcileError> {
    if !node_claim.metadata.has_finalizer(labels::TERMINATION_FINALIZER) {
        return Ok(Next::Done);
    }
    let mut node_claim = node_claim;
    if let Some(grace) = node_claim.spec.termination_grace_period
        && !node_claim.metadata.annotations.contains_key(labels::TERMINATION_TIMESTAMP)
    {
        match annotate(context, &node_claim, grace).await {
            Ok(stored) => node_claim = stored,
            Err(error) if error.is_not_found() => {}
            Err(error) if error.is_conflict() => return Ok(Next::Again),
            Err(error) => return Err(error.into()),
        }
    }
    if node_claim.is_registered() && delete_nodes(context, &node_claim).await? {
        // The event of the last Node's end brings the claim back.
        return Ok(Next::Done);
    }
    if node_claim.status.provider_id.is_some() {
        let deleted = context.cloud.delete(context.caller, &node_claim).await;
        let is_gone = match &deleted {
            Ok(()) => false,
            Err(error) if error.is_not_found() => true,
            Err(error) => return Err(ReconcileError::Failed(error.to_string())),
        };
        let mut changed = NodeClaim::clone(&node_claim);
        let now = context.runtime.wall_clock();
        if changed.status.conditions.set_true(now, ConditionType::InstanceTerminating) {
            match context.client.patch_status(&*node_claim, &changed, Lock::Optimistic).await {
                Ok(stored) => node_claim = stored,
                Err(error) if error.is_not_found() => return Ok(Next::Done),
                Err(error) if error.is_conflict() => return Ok(Next::Again),
                Err(error) => return Err(error.into()),
            }
        }
        if !is_gone {
            return Ok(Next::After(context.settings.termination_period));
        }
    }
    remove_finalizer(context, &node_claim).await
}

/// Writes when the claim's node must be gone.
async fn annotate(context: &Context, node_claim: &Rc<NodeClaim>, grace: Duration) -> Result<Rc<NodeClaim>, ApiError> {
    let Some(deleted) = node_claim.metadata.deletion_timestamp else { return Ok(node_claim.clone()) };
    let mut changed = NodeClaim::clone(node_claim);
    changed.metadata.annotations.insert(labels::TERMINATION_TIMESTAMP, termination_timestamp(deleted, grace));
    context.client.patch(&**node_claim, &changed, Lock::Optimistic).await
}

/// Asks for the deletion of the claim's Nodes. Reports whether there are any.
async fn delete_nodes(context: &Context, node_claim: &NodeClaim) -> Result<bool, ReconcileError> {
    let nodes = context.nodes_of(node_claim);
    for node in &nodes {
        if !node.metadata.is_deleting() {
            context.delete(&**node).await?;
        }
    }
    Ok(!nodes.is_empty())
}

async fn remove_finalizer(context: &Context, node_claim: &NodeClaim) -> Result<Next, ReconcileError> {
    let mut changed = node_claim.clone();
    changed.metadata.remove_finalizer(labels::TERMINATION_FINALIZER);
    match context.client.patch(node_claim, &changed, Lock::Optimistic).await {
        Err(error) if error.is_conflict() => Ok(Next::Again),
        result => {
            ignore_not_found(result.map(drop))?;
            Ok(Next::Done)
        }
    }
}

#[cfg(test)]
mod tests;
