//! NodeClass: the provider's settings for a machine.

use super::{Condition, ConditionStatus, ConditionType, Conditions, Kind, List, Object, ObjectMeta, merge};
use crate::store::{Change, ObjectChange, Table, Tables};
use lkesim_runtime::Time;
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
    /// What only machines without a pool are made with.
    pub instance: Rc<InstanceSpec>,
}

/// What the settings of a NodeClass say of machines that are made one by one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstanceSpec {
    /// The image; the provider's own where it is empty.
    pub image: Option<Rc<str>>,
    /// The keys that may log in.
    pub authorized_keys: Vec<Rc<str>>,
    /// The users whose keys may log in.
    pub authorized_users: Vec<Rc<str>>,
    /// Whether the machine gets backups.
    pub backups: bool,
    /// Whether its disks are encrypted.
    pub disk_encryption: Option<bool>,
    /// The size of its swap disk in MiB.
    pub swap_size: Option<u64>,
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

    /// Whether the provider found its settings good, as they are.
    pub fn is_ready(&self) -> bool {
        let ready = self.status.conditions.get(ConditionType::Ready);
        ready.is_some_and(|ready| ready.status == ConditionStatus::True && self.is_observed(ready))
    }

    /// Whether a condition is said of the settings as they are, and not of former ones.
    pub fn is_observed(&self, condition: &Condition) -> bool {
        condition.observed_generation == self.metadata.generation
    }

    /// Sets Ready, as said of the present settings. Reports whether anything changed.
    pub fn set_ready(
        &mut self,
        at: Time,
        status: ConditionStatus,
        reason: &'static str,
        message: Option<&str>,
    ) -> bool {
        self.status.conditions.put(Condition {
            kind: ConditionType::Ready,
            status,
            reason,
            message: message.map(Rc::from),
            observed_generation: self.metadata.generation,
            last_transition_time: at,
        })
    }

    /// As one that the provider found good before it is stored.
    pub fn found_good(mut self, at: Time) -> NodeClass {
        self.metadata.generation = 1;
        self.set_ready(at, ConditionStatus::True, "", None);
        self
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

    fn has_spec_of(&self, other: &NodeClass) -> bool {
        self.spec == other.spec
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
