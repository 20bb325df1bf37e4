//! Registration: the machine's Node joined, and is made the claim's.

use crate::Context;
use lkesim_kube::ApiError;
use lkesim_kube::controller::{Next, ReconcileError};
use lkesim_kube::object::{ConditionStatus, ConditionType, Kind, Node, NodeClaim, OwnerReference, Taint, labels};
use lkesim_kube::store::Lock;
use std::rc::Rc;

/// The second step. Two Nodes of one machine end the claim's hope: Registered becomes False and stays so.
pub(super) struct Registration(pub(super) Rc<Context>);

impl Registration {
    pub(super) async fn reconcile(&self, node_claim: &mut NodeClaim) -> Result<Next, ReconcileError> {
        const REGISTERED: ConditionType = ConditionType::Registered;
        if !node_claim.status.conditions.is_unknown(REGISTERED) {
            return Ok(Next::Done);
        }
        let nodes = self.0.nodes_of(node_claim);
        let now = self.0.runtime.wall_clock();
        let conditions = &mut node_claim.status.conditions;
        let [node] = &nodes[..] else {
            let (status, reason, message) = match nodes.len() {
                0 => (ConditionStatus::Unknown, "NodeNotFound", "Node not registered with cluster"),
                _ => (ConditionStatus::False, "MultipleNodesFound", "Several Nodes have this providerID"),
            };
            conditions.set(now, REGISTERED, status, reason, Some(message));
            return Ok(Next::Done);
        };
        match self.sync(node_claim, node).await {
            Err(error) if error.is_conflict() => return Ok(Next::Again),
            result => result?,
        }
        let now = self.0.runtime.wall_clock();
        node_claim.status.conditions.set_true(now, REGISTERED);
        node_claim.status.node_name = Some(node.name().clone());
        Ok(Next::Done)
    }

    /// Makes the Node the claim's: finalizer, owner, labels, annotations, taints. A node that joined without the
    /// unregistered taint may have pods already; upstream logs that and goes on.
    async fn sync(&self, node_claim: &NodeClaim, node: &Node) -> Result<(), ApiError> {
        let mut changed = node.clone();
        let metadata = &mut changed.metadata;
        metadata.add_finalizer(labels::TERMINATION_FINALIZER);
        let uid = node_claim.metadata.uid;
        if !metadata.owner_references.iter().any(|owner| owner.uid == uid) {
            metadata.owner_references.push(OwnerReference {
                kind: Kind::NodeClaim,
                name: node_claim.name().clone(),
                uid,
            });
        }
        metadata.annotations.extend(&node_claim.metadata.annotations);
        if !metadata.labels.has(labels::NODE_DO_NOT_SYNC_TAINTS, "true") {
            add_taints(&mut changed, &node_claim.spec.taints);
            add_taints(&mut changed, &node_claim.spec.startup_taints);
        }
        // Upstream knows the effect NoExecute alone; another one is a counterfactual, which is to differ in nothing else.
        changed.spec.taints.retain(|taint| *taint.key != *labels::UNREGISTERED_TAINT);
        changed.metadata.labels.extend(&node_claim.metadata.labels);
        changed.metadata.labels.insert(labels::NODE_REGISTERED, "true");
        if changed != *node {
            self.0.client.patch(node, &changed, Lock::Optimistic).await?;
        }
        Ok(())
    }
}

fn add_taints(node: &mut Node, taints: &[Taint]) {
    for taint in taints {
        if !node.has_taint(&taint.key, taint.effect) {
            node.spec.taints.push(taint.clone());
        }
    }
}
