//! Initialization: the Node is ready for pods.

use crate::Context;
use lkesim_kube::controller::{Next, ReconcileError};
use lkesim_kube::object::{ConditionStatus, ConditionType, Node, NodeClaim, TaintEffect, labels};
use lkesim_kube::store::Lock;
use std::rc::Rc;

/// Taints that every node loses while it starts; until then it is not initialized (core v1.9.0 `scheduling/taints.go`).
const EPHEMERAL_TAINTS: [(&str, TaintEffect); 5] = [
    (labels::NOT_READY_TAINT, TaintEffect::NoSchedule),
    (labels::NOT_READY_TAINT, TaintEffect::NoExecute),
    (labels::UNREACHABLE_TAINT, TaintEffect::NoSchedule),
    (labels::EXTERNAL_CLOUD_PROVIDER_TAINT, TaintEffect::NoSchedule),
    (labels::UNREGISTERED_TAINT, TaintEffect::NoExecute),
];

/// The third step: Node Ready, startup taints and passing taints gone, requested resources there.
pub(super) struct Initialization(pub(super) Rc<Context>);

impl Initialization {
    pub(super) async fn reconcile(&self, node_claim: &mut NodeClaim) -> Result<Next, ReconcileError> {
        const INITIALIZED: ConditionType = ConditionType::Initialized;
        let conditions = &node_claim.status.conditions;
        if !conditions.is_unknown(INITIALIZED) || !conditions.is_true(ConditionType::Registered) {
            return Ok(Next::Done);
        }
        let nodes = self.0.nodes_of(node_claim);
        let obstacle = match &nodes[..] {
            [node] => obstacle(node, node_claim),
            _ => Some(("NodeNotFound", "Node not registered with cluster")),
        };
        if let Some((reason, message)) = obstacle {
            let now = self.0.runtime.wall_clock();
            let conditions = &mut node_claim.status.conditions;
            conditions.set(now, INITIALIZED, ConditionStatus::Unknown, reason, Some(message));
            return Ok(Next::Done);
        }
        let node = &*nodes[0];
        if !node.metadata.labels.has(labels::NODE_INITIALIZED, "true") {
            let mut changed = node.clone();
            changed.metadata.labels.insert(labels::NODE_INITIALIZED, "true");
            self.0.client.patch(node, &changed, Lock::None).await?;
        }
        node_claim.status.conditions.set_true(self.0.runtime.wall_clock(), INITIALIZED);
        Ok(Next::Done)
    }
}

/// What keeps the Node from taking pods, as reason and message.
fn obstacle(node: &Node, node_claim: &NodeClaim) -> Option<(&'static str, &'static str)> {
    if !node.is_ready() {
        return Some(("NodeNotReady", "Node status is NotReady"));
    }
    if node_claim.spec.startup_taints.iter().any(|taint| node.has_taint(&taint.key, taint.effect)) {
        return Some(("StartupTaintsExist", "A startup taint is still there"));
    }
    if EPHEMERAL_TAINTS.iter().any(|&(key, effect)| node.has_taint(key, effect)) {
        return Some(("KnownEphemeralTaintsExist", "A taint of a starting node is still there"));
    }
    let missing = node.status.allocatable.missing(&node_claim.spec.resources_requests);
    missing.map(|name| ("ResourceNotRegistered", name))
}
