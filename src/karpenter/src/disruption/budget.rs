//! How many nodes of each NodePool may be disrupted now (core v1.9.0 `disruption/helpers.go` BuildDisruptionBudgetMapping,
//! `pkg/apis/v1/nodepool.go` GetAllowedDisruptionsByReason).

use crate::Context;
use crate::provisioning::snapshot;
use lkesim_kube::object::node_pool::DisruptionReason;
use lkesim_kube::object::{ConditionType, NodePool, labels};
use std::collections::BTreeMap;
use std::rc::Rc;

/// How many nodes may be disrupted for a reason, of so many: as many as the tightest budget about it says, the nodes that are
/// being disrupted included.
pub fn allowed(node_pool: &NodePool, nodes: u32, reason: DisruptionReason) -> u32 {
    let budgets = node_pool.spec.budgets.iter();
    let about = budgets.filter(|budget| budget.reasons.as_ref().is_none_or(|reasons| reasons.contains(&reason)));
    about.map(|budget| budget.nodes.of(nodes)).min().unwrap_or(u32::MAX)
}

/// What is left of the budgets, by NodePool.
#[derive(Debug, Default)]
pub struct Left(BTreeMap<Rc<str>, u32>);

impl Left {
    /// What the budgets leave besides nodes that are not ready or on their way out. Nodes that are not initialized count
    /// for nothing, nor do those whose machine's deletion was asked for.
    pub fn of(context: &Context, reason: DisruptionReason) -> Left {
        let (mut nodes, mut disrupting) = (BTreeMap::<Rc<str>, u32>::new(), BTreeMap::<Rc<str>, u32>::new());
        for claim in context.informers.node_claims.list() {
            let Some(node) = context.nodes_of(&claim).pop() else { continue };
            let is_counted = node.metadata.labels.has(labels::NODE_INITIALIZED, "true")
                && !claim.status.conditions.is_true(ConditionType::InstanceTerminating);
            let Some(node_pool) = node.node_pool().filter(|_| is_counted) else { continue };
            *nodes.entry(node_pool.clone()).or_default() += 1;
            if !node.is_ready() || snapshot::is_leaving(context, &claim) {
                *disrupting.entry(node_pool.clone()).or_default() += 1;
            }
        }
        let of = |counted: &BTreeMap<Rc<str>, u32>, name: &str| counted.get(name).copied().unwrap_or_default();
        let left = |node_pool: Rc<NodePool>| {
            let name = node_pool.name();
            let allowed = allowed(&node_pool, of(&nodes, name), reason);
            (name.clone(), allowed.saturating_sub(of(&disrupting, name)))
        };
        Left(context.informers.node_pools.list().into_iter().map(left).collect())
    }

    /// Takes one off. Whether there was one.
    pub fn take(&mut self, node_pool: &str) -> bool {
        match self.0.get_mut(node_pool) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        }
    }
}
