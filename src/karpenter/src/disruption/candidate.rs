//! Whether one node may be disrupted as empty (core v1.9.0 `disruption/types.go` NewCandidate, `state/statenode.go`
//! ValidateNodeDisruptable and ValidatePodsDisruptable, `disruption/emptiness.go` ShouldDisrupt).

use crate::node::drain::is_evictable;
use lkesim_kube::object::{ConditionType, Node, NodeClaim, NodePool, Pod, labels};
use std::rc::Rc;

/// What is known of a machine that has a NodeClaim.
pub struct Look<'a> {
    /// The NodeClaim.
    pub claim: &'a NodeClaim,
    /// The Node, once it joined.
    pub node: Option<&'a Node>,
    /// All pods that are bound to the Node, those that ended included.
    pub pods: &'a [Rc<Pod>],
    /// Whether a command about it is under way.
    pub is_queued: bool,
    /// Whether it is on its way out.
    pub is_leaving: bool,
    /// Whether a pass of provisioning placed a pod on it a short time ago.
    pub is_nominated: bool,
    /// The NodePool that its Node's label names, if it is there and has instance types.
    pub node_pool: Option<&'a NodePool>,
    /// Whether the budgets of a pod let it be evicted.
    pub may_evict: &'a dyn Fn(&Pod) -> bool,
}

/// Why it may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocked {
    /// It is being disrupted.
    Queued,
    /// Its Node has not joined, or is not ready for pods.
    NotInitialized,
    /// It is on its way out.
    Leaving,
    /// A pending pod is to go there.
    Nominated,
    /// Its Node, or a pod that runs on it, says that it is to be left alone.
    DoNotDisrupt,
    /// Its NodePool is not there.
    NoNodePool,
    /// A budget of pods keeps one on it.
    PodBudget,
    /// Its NodePool is never consolidated.
    Never,
    /// A pod on it would need another place.
    NotEmpty,
    /// Pods came or went a short time ago.
    NotConsolidatable,
}

/// Why the machine may not be disrupted as empty, if it may not.
pub fn blocked(look: &Look<'_>) -> Option<Blocked> {
    if look.is_queued {
        return Some(Blocked::Queued);
    }
    let Some(node) = look.node.filter(|node| node.metadata.labels.has(labels::NODE_INITIALIZED, "true")) else {
        return Some(Blocked::NotInitialized);
    };
    if look.is_leaving {
        return Some(Blocked::Leaving);
    }
    if look.is_nominated {
        return Some(Blocked::Nominated);
    }
    if node.metadata.annotations.has(labels::DO_NOT_DISRUPT, "true") {
        return Some(Blocked::DoNotDisrupt);
    }
    let Some(node_pool) = look.node_pool else { return Some(Blocked::NoNodePool) };
    of_pods(look).or_else(|| of_emptiness(look, node_pool))
}

/// What pods keep, those of DaemonSets too: all of them must be such that they can be evicted.
fn of_pods(look: &Look<'_>) -> Option<Blocked> {
    if look.pods.iter().any(|pod| pod.is_active() && pod.has_do_not_disrupt()) {
        return Some(Blocked::DoNotDisrupt);
    }
    let is_kept = |pod: &Rc<Pod>| is_evictable(pod) && !(look.may_evict)(pod);
    look.pods.iter().any(is_kept).then_some(Blocked::PodBudget)
}

fn of_emptiness(look: &Look<'_>, node_pool: &NodePool) -> Option<Blocked> {
    if node_pool.spec.consolidate_after.is_none() {
        return Some(Blocked::Never);
    }
    if look.pods.iter().any(|pod| pod.is_reschedulable()) {
        return Some(Blocked::NotEmpty);
    }
    let is_consolidatable = look.claim.status.conditions.is_true(ConditionType::Consolidatable);
    (!is_consolidatable).then_some(Blocked::NotConsolidatable)
}

/// What disrupting the pods of a node costs, in 2^27ths of a usual pod: one for each, more for high priority and for a deletion
/// cost, within ten times as much (core v1.9.0 `pkg/utils/disruption/disruption.go` ReschedulingCost; no node expires here).
pub fn cost(pods: &[Rc<Pod>]) -> i64 {
    const POD: i64 = 1 << 27;
    let of_pod = |pod: &Rc<Pod>| {
        let deletion = pod.metadata.annotations.get(labels::POD_DELETION_COST);
        let deletion: i32 = deletion.and_then(|cost| cost.parse().ok()).unwrap_or_default();
        (POD + i64::from(deletion) + 4 * i64::from(pod.spec.priority)).clamp(-10 * POD, 10 * POD)
    };
    pods.iter().map(of_pod).sum()
}

#[cfg(test)]
mod tests;
