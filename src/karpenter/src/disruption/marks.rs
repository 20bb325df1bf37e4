//! What disruption writes on a node before it takes it away, and takes back where it does not: the taint
//! `karpenter.sh/disrupted:NoSchedule` on the Node, the condition DisruptionReason on the NodeClaim (core v1.9.0
//! `state/statenode.go` RequireNoScheduleTaint and ClearNodeClaimsCondition, `disruption/queue.go` markDisrupted).

use super::retry::persist;
use crate::Context;
use crate::context::ignore_not_found;
use lkesim_kube::ApiError;
use lkesim_kube::object::node_pool::DisruptionReason;
use lkesim_kube::object::{ConditionStatus, ConditionType, Node, NodeClaim, Taint, TaintEffect, labels};
use lkesim_kube::store::Lock;

const REASON: ConditionType = ConditionType::DisruptionReason;

/// Whether a Node has the taint.
pub fn is_tainted(node: &Node) -> bool {
    node.has_taint(labels::DISRUPTED_TAINT, TaintEffect::NoSchedule)
}

/// Whether a NodeClaim has the condition.
pub fn has_reason(claim: &NodeClaim) -> bool {
    claim.status.conditions.get(REASON).is_some()
}

/// Sets or removes the taint, on the Node as the cache shows it. Of one that is being deleted termination keeps the taint.
pub async fn require_taint(context: &Context, name: &str, wanted: bool) -> Result<(), ApiError> {
    let attempt = async || {
        let Some(node) = context.informers.nodes.get(name) else { return Ok(()) };
        let is_tainted = is_tainted(&node);
        if is_tainted == wanted || (is_tainted && node.metadata.is_deleting()) {
            return Ok(());
        }
        let mut changed = Node::clone(&node);
        match wanted {
            true => changed.spec.taints.push(Taint::new(labels::DISRUPTED_TAINT, TaintEffect::NoSchedule)),
            false => {
                changed.spec.taints.retain(|taint| !taint.matches(labels::DISRUPTED_TAINT, TaintEffect::NoSchedule));
            }
        }
        context.client.patch(&*node, &changed, Lock::Optimistic).await.map(drop)
    };
    ignore_not_found(persist(&context.runtime, attempt).await)
}

/// Sets the condition, with the reason, without a lock.
pub async fn set_reason(context: &Context, name: &str, reason: DisruptionReason) -> Result<(), ApiError> {
    let change = |claim: &mut NodeClaim| {
        let (now, word) = (context.runtime.wall_clock(), reason.name());
        claim.status.conditions.set(now, REASON, ConditionStatus::True, word, Some(word));
    };
    write_status(context, name, change, Lock::None).await
}

/// Takes the condition away, with a lock.
pub async fn clear_reason(context: &Context, name: &str) -> Result<(), ApiError> {
    write_status(context, name, |claim| _ = claim.status.conditions.clear(REASON), Lock::Optimistic).await
}

async fn write_status(
    context: &Context,
    name: &str,
    change: impl Fn(&mut NodeClaim),
    lock: Lock,
) -> Result<(), ApiError> {
    let attempt = async || {
        let Some(claim) = context.informers.node_claims.get(name) else { return Ok(()) };
        let mut changed = NodeClaim::clone(&claim);
        change(&mut changed);
        if changed == *claim {
            return Ok(());
        }
        context.client.patch_status(&*claim, &changed, lock).await.map(drop)
    };
    ignore_not_found(persist(&context.runtime, attempt).await)
}
