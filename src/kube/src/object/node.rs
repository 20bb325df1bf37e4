//! Node: a machine that joined the cluster.

use super::{
    ConditionStatus, ConditionType, Conditions, Kind, List, Object, ObjectMeta, ProviderId, Resources, Taint,
    TaintEffect, labels, merge,
};
use crate::store::{Change, ObjectChange, Table, Tables};
use std::rc::Rc;

/// `v1` Node. A clone copies handles alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Name, versions, labels.
    pub metadata: ObjectMeta,
    /// What it is.
    pub spec: NodeSpec,
    /// How it is.
    pub status: NodeStatus,
}

/// What a Node is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeSpec {
    /// The machine behind it.
    pub provider_id: Option<ProviderId>,
    /// What keeps pods off.
    pub taints: List<Taint>,
}

/// How a Node is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeStatus {
    /// All that the machine has.
    pub capacity: Resources,
    /// What of it pods can use.
    pub allocatable: Resources,
    /// Ready; Unknown once the kubelet is silent.
    pub conditions: Conditions,
}

impl Node {
    /// A new Node that nothing is known of.
    pub fn new(name: impl Into<Rc<str>>, provider_id: Option<ProviderId>) -> Node {
        Node {
            metadata: ObjectMeta::named(name),
            spec: NodeSpec { provider_id, taints: List::EMPTY },
            status: NodeStatus::default(),
        }
    }

    /// Its name.
    pub fn name(&self) -> &Rc<str> {
        &self.metadata.name
    }

    /// The NodePool that its label names.
    pub fn node_pool(&self) -> Option<&Rc<str>> {
        self.metadata.labels.get(labels::NODE_POOL)
    }

    /// Whether its kubelet reports that it works.
    pub fn is_ready(&self) -> bool {
        self.status.conditions.get(ConditionType::Ready).is_some_and(|ready| ready.status == ConditionStatus::True)
    }

    /// Whether it has this taint, by key and effect.
    pub fn has_taint(&self, key: &str, effect: TaintEffect) -> bool {
        self.spec.taints.iter().any(|taint| taint.matches(key, effect))
    }
}

impl Object for Node {
    const KIND: Kind = Kind::Node;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }

    fn merge_spec(&mut self, base: &Node, changed: &Node) {
        let (spec, base, changed) = (&mut self.spec, &base.spec, &changed.spec);
        merge(&mut spec.provider_id, &base.provider_id, &changed.provider_id);
        merge(&mut spec.taints, &base.taints, &changed.taints);
    }

    fn merge_status(&mut self, base: &Node, changed: &Node) {
        let (status, base, changed) = (&mut self.status, &base.status, &changed.status);
        merge(&mut status.capacity, &base.capacity, &changed.capacity);
        merge(&mut status.allocatable, &base.allocatable, &changed.allocatable);
        merge(&mut status.conditions, &base.conditions, &changed.conditions);
    }

    fn provider_id(&self) -> Option<&ProviderId> {
        self.spec.provider_id.as_ref()
    }

    fn to_change(change: Change<Node>) -> ObjectChange {
        ObjectChange::Node(change)
    }

    fn table(tables: &Tables) -> &Table<Node> {
        &tables.nodes
    }
}
