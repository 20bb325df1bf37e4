//! NodePool: the template of NodeClaims, with its limits.

use super::node_claim::NodeClassRef;
use super::pod_disruption_budget::Share;
use super::{Conditions, Kind, Object, ObjectMeta, Requirement, Resources, StringMap, Taint, merge};
use crate::store::{Change, ObjectChange, Table, Tables};
use std::rc::Rc;
use std::time::Duration;

/// `karpenter.sh/v1` NodePool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodePool {
    /// Name, versions, labels.
    pub metadata: ObjectMeta,
    /// What its NodeClaims are like, and how many there may be.
    pub spec: Rc<NodePoolSpec>,
    /// How it is.
    pub status: NodePoolStatus,
}

/// What the NodeClaims of a NodePool are like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodePoolSpec {
    /// Labels of its NodeClaims.
    pub labels: StringMap,
    /// Annotations of its NodeClaims.
    pub annotations: StringMap,
    /// What its nodes must be like.
    pub requirements: Vec<Requirement>,
    /// The NodeClass of its NodeClaims.
    pub node_class_ref: Option<NodeClassRef>,
    /// Taints of its nodes.
    pub taints: Vec<Taint>,
    /// Taints of its nodes until others take them away.
    pub startup_taints: Vec<Taint>,
    /// What all its nodes may have in sum.
    pub limits: Option<Resources>,
    /// How many nodes it may have; core v1.9.0 looks at it only before it makes a NodeClaim (`Provisioner.Create`).
    pub node_limit: Option<u64>,
    /// The NodePool with the highest weight is tried first.
    pub weight: u32,
    /// How long a node may be drained; `None` is as long as it takes.
    pub termination_grace_period: Option<Duration>,
    /// How long a node must be without pod changes before it may be disrupted; `None` is never.
    pub consolidate_after: Option<Duration>,
    /// How many of its nodes may be disrupted at once: of all, the tightest holds. None is no bound; the API server gives
    /// one of 10 % to a NodePool that names none.
    pub budgets: Vec<DisruptionBudget>,
}

/// How many nodes of a NodePool may be disrupted at once. That a budget holds at some times alone is not modelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisruptionBudget {
    /// So many; a share is of its initialized nodes, rounded up.
    pub nodes: Share,
    /// The reasons that it is about; `None` is all.
    pub reasons: Option<Vec<DisruptionReason>>,
}

/// Why Karpenter disrupts a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DisruptionReason {
    /// Nothing runs on it but pods of DaemonSets and static ones.
    Empty,
    /// What runs on it would fit elsewhere, or on something cheaper.
    Underutilized,
    /// It is no longer as its NodePool and NodeClass want it.
    Drifted,
}

impl DisruptionReason {
    /// As upstream writes it.
    pub const fn name(self) -> &'static str {
        match self {
            DisruptionReason::Empty => "Empty",
            DisruptionReason::Underutilized => "Underutilized",
            DisruptionReason::Drifted => "Drifted",
        }
    }
}

impl DisruptionBudget {
    /// What the API server gives to a NodePool that names no budget.
    pub const DEFAULT: DisruptionBudget = DisruptionBudget { nodes: Share::Percent(10), reasons: None };
}

/// How a NodePool is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodePoolStatus {
    /// What its nodes have in sum.
    pub resources: Resources,
    /// How many nodes it has.
    pub nodes: u64,
    /// Ready.
    pub conditions: Conditions,
}

impl NodePool {
    /// A new NodePool.
    pub fn new(name: impl Into<Rc<str>>, spec: NodePoolSpec) -> NodePool {
        NodePool { metadata: ObjectMeta::named(name), spec: Rc::new(spec), status: NodePoolStatus::default() }
    }

    /// Its name.
    pub fn name(&self) -> &Rc<str> {
        &self.metadata.name
    }
}

impl Object for NodePool {
    const KIND: Kind = Kind::NodePool;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }

    fn merge_spec(&mut self, base: &NodePool, changed: &NodePool) {
        merge(&mut self.spec, &base.spec, &changed.spec);
    }

    fn merge_status(&mut self, base: &NodePool, changed: &NodePool) {
        let (status, base, changed) = (&mut self.status, &base.status, &changed.status);
        merge(&mut status.resources, &base.resources, &changed.resources);
        merge(&mut status.nodes, &base.nodes, &changed.nodes);
        merge(&mut status.conditions, &base.conditions, &changed.conditions);
    }

    fn to_change(change: Change<NodePool>) -> ObjectChange {
        ObjectChange::NodePool(change)
    }

    fn table(tables: &Tables) -> &Table<NodePool> {
        &tables.node_pools
    }
}
