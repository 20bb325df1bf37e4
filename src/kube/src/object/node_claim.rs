//! NodeClaim: a request for one machine, and what became of it.

use super::{
    ConditionType, Conditions, Kind, List, Object, ObjectMeta, ProviderId, Requirement, Resources, Taint, labels, merge,
};
use crate::store::{Change, ObjectChange, Table, Tables};
use lkesim_runtime::Time;
use std::rc::Rc;
use std::time::Duration;

/// `karpenter.sh/v1` NodeClaim. A clone copies handles alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeClaim {
    /// Name, versions, labels.
    pub metadata: ObjectMeta,
    /// What is wanted; upstream makes it immutable.
    pub spec: Rc<NodeClaimSpec>,
    /// What became of it.
    pub status: NodeClaimStatus,
}

/// What a NodeClaim wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeClaimSpec {
    /// What the node must be like.
    pub requirements: Vec<Requirement>,
    /// The NodeClass with the provider's settings.
    pub node_class_ref: Option<NodeClassRef>,
    /// What the pods that the claim was made for need in sum.
    pub resources_requests: Resources,
    /// Taints that the node keeps.
    pub taints: Vec<Taint>,
    /// Taints that others take away once the node works.
    pub startup_taints: Vec<Taint>,
    /// How long its node may be drained; `None` is as long as it takes.
    pub termination_grace_period: Option<Duration>,
}

/// Which NodeClass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeClassRef {
    /// Its API group.
    pub group: Rc<str>,
    /// Its kind.
    pub kind: Rc<str>,
    /// Its name.
    pub name: Rc<str>,
}

impl NodeClassRef {
    /// A LinodeNodeClass.
    pub fn linode(name: impl Into<Rc<str>>) -> NodeClassRef {
        NodeClassRef { group: "karpenter.k8s.linode".into(), kind: "LinodeNodeClass".into(), name: name.into() }
    }
}

/// What became of a NodeClaim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeClaimStatus {
    /// The machine, once launched; it never changes after.
    pub provider_id: Option<ProviderId>,
    /// The Node, once registered.
    pub node_name: Option<Rc<str>>,
    /// All that the machine has.
    pub capacity: Resources,
    /// What of it pods can use.
    pub allocatable: Resources,
    /// Launched, Registered, Initialized and others.
    pub conditions: Conditions,
    /// When a pod last came to its node, ended or began to end there, in whole seconds.
    pub last_pod_event: Option<Time>,
}

/// The conditions that a NodeClaim is ready by. They exist from its creation, as Unknown.
pub const LIFE_CONDITIONS: [ConditionType; 3] =
    [ConditionType::Launched, ConditionType::Registered, ConditionType::Initialized];

impl NodeClaim {
    /// A new NodeClaim with this name.
    pub fn new(name: impl Into<Rc<str>>, spec: NodeClaimSpec) -> NodeClaim {
        NodeClaim { metadata: ObjectMeta::named(name), spec: Rc::new(spec), status: NodeClaimStatus::default() }
    }

    /// Its name.
    pub fn name(&self) -> &Rc<str> {
        &self.metadata.name
    }

    /// The NodePool that its label names.
    pub fn node_pool(&self) -> Option<&Rc<str>> {
        self.metadata.labels.get(labels::NODE_POOL)
    }

    /// The requirement on this label, if there is one.
    pub fn requirement(&self, key: &str) -> Option<&Requirement> {
        self.spec.requirements.iter().find(|one| *one.key == *key)
    }

    /// The instance types that it names, if it names some.
    pub fn instance_types(&self) -> Option<&List<Rc<str>>> {
        self.requirement(labels::INSTANCE_TYPE).map(|one| &one.values)
    }

    /// Whether the object exists and its deletion was not asked for.
    pub fn is_live(&self) -> bool {
        !self.metadata.is_deleting()
    }

    /// Whether the provider made its machine.
    pub fn is_launched(&self) -> bool {
        self.status.conditions.is_true(ConditionType::Launched)
    }

    /// Whether its Node joined and was synced.
    pub fn is_registered(&self) -> bool {
        self.status.conditions.is_true(ConditionType::Registered)
    }

    /// Whether its Node is ready for pods.
    pub fn is_initialized(&self) -> bool {
        self.status.conditions.is_true(ConditionType::Initialized)
    }
}

impl Object for NodeClaim {
    const KIND: Kind = Kind::NodeClaim;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }

    fn merge_spec(&mut self, base: &NodeClaim, changed: &NodeClaim) {
        if !Rc::ptr_eq(&base.spec, &changed.spec) {
            merge(&mut self.spec, &base.spec, &changed.spec);
        }
    }

    fn merge_status(&mut self, base: &NodeClaim, changed: &NodeClaim) {
        let (status, base, changed) = (&mut self.status, &base.status, &changed.status);
        merge(&mut status.provider_id, &base.provider_id, &changed.provider_id);
        merge(&mut status.node_name, &base.node_name, &changed.node_name);
        merge(&mut status.capacity, &base.capacity, &changed.capacity);
        merge(&mut status.allocatable, &base.allocatable, &changed.allocatable);
        merge(&mut status.conditions, &base.conditions, &changed.conditions);
        merge(&mut status.last_pod_event, &base.last_pod_event, &changed.last_pod_event);
    }

    fn provider_id(&self) -> Option<&ProviderId> {
        self.status.provider_id.as_ref()
    }

    fn to_change(change: Change<NodeClaim>) -> ObjectChange {
        ObjectChange::NodeClaim(change)
    }

    fn table(tables: &Tables) -> &Table<NodeClaim> {
        &tables.node_claims
    }
}
