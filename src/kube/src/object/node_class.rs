//! NodeClass: the provider's settings for a machine.

use super::{ConditionType, Conditions, Kind, List, Object, ObjectMeta, merge};
use crate::store::{Change, ObjectChange, Table, Tables};
use std::rc::Rc;

/// `karpenter.k8s.linode` LinodeNodeClass, reduced to what the pool-based designs read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeClass {
    /// Name, versions, labels.
    pub metadata: ObjectMeta,
    /// The settings.
    pub spec: Rc<NodeClassSpec>,
    /// How it is.
    pub status: NodeClassStatus,
}

/// The settings of a NodeClass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeClassSpec {
    /// Tags for the machine.
    pub tags: List<Rc<str>>,
    /// The Kubernetes version of an Enterprise pool.
    pub lke_k8s_version: Option<Rc<str>>,
    /// The firewall of the machine.
    pub firewall_id: Option<u64>,
    /// Labels of new pools' nodes. Provider v0.1.3 has them, e1c5200 no more.
    pub labels: List<(Rc<str>, Rc<str>)>,
    /// When nodes of an Enterprise pool take a change of it. Provider v0.1.3 has it, e1c5200 no more.
    pub lke_update_strategy: Option<Rc<str>>,
}

/// How a NodeClass is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeClassStatus {
    /// Ready.
    pub conditions: Conditions,
}

impl NodeClass {
    /// A new NodeClass.
    pub fn new(name: impl Into<Rc<str>>, spec: NodeClassSpec) -> NodeClass {
        NodeClass { metadata: ObjectMeta::named(name), spec: Rc::new(spec), status: NodeClassStatus::default() }
    }

    /// Its name.
    pub fn name(&self) -> &Rc<str> {
        &self.metadata.name
    }

    /// Whether the provider found its settings good.
    pub fn is_ready(&self) -> bool {
        self.status.conditions.is_true(ConditionType::Ready)
    }
}

impl Object for NodeClass {
    const KIND: Kind = Kind::NodeClass;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }

    fn merge_spec(&mut self, base: &NodeClass, changed: &NodeClass) {
        merge(&mut self.spec, &base.spec, &changed.spec);
    }

    fn merge_status(&mut self, base: &NodeClass, changed: &NodeClass) {
        merge(&mut self.status, &base.status, &changed.status);
    }

    fn to_change(change: Change<NodeClass>) -> ObjectChange {
        ObjectChange::NodeClass(change)
    }

    fn table(tables: &Tables) -> &Table<NodeClass> {
        &tables.node_classes
    }
}
