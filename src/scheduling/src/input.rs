//! What the scheduling simulation sees.

use crate::instance_type::InstanceType;
use crate::requirements::WellKnownLabels;
use crate::taints::is_ephemeral;
use crate::volumes::PodVolumes;
use lkesim_kube::object::node_claim::NodeClassRef;
use lkesim_kube::object::{
    Node, NodeClaim, Pod, PodSpec, Requirement as Selector, ResourceList, StringMap, Taint, Uid, labels,
};
use std::collections::BTreeMap;
use std::rc::Rc;

/// All that one pass sees.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// The NodePools that may be used: dynamic, ready and not being deleted, in any order.
    pub node_pools: Vec<NodePool>,
    /// The instance types of each NodePool, in the provider's order.
    pub instance_types: BTreeMap<Rc<str>, Rc<[Rc<InstanceType>]>>,
    /// Nodes, and NodeClaims that are to become nodes, with the pods that are bound to them.
    pub nodes: Vec<StateNode>,
    /// The pods that need a place. If they are bound, they count as if they were not.
    pub pods: Vec<Rc<Pod>>,
    /// What the volumes of pods ask for, bound pods included; those without volumes may be left out.
    pub volumes: BTreeMap<Uid, PodVolumes>,
    /// A pod of each DaemonSet, with the template's own required node affinity.
    pub daemon_set_pods: Vec<DaemonSetPod>,
    /// The labels of namespaces.
    pub namespaces: BTreeMap<Rc<str>, StringMap>,
}

/// What a DaemonSet will run on a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DaemonSetPod {
    /// What it needs.
    pub spec: Rc<PodSpec>,
    /// Whether the DaemonSet has no pod yet, so that its template stands for one. Upstream keeps the ports of pods by
    /// their names, and templates have none, so that only the last template's ports are taken.
    pub is_template: bool,
}

/// The template of NodeClaims.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodePool {
    /// Its name.
    pub name: Rc<str>,
    /// The one with the highest is tried first; of equal ones, the last by name.
    pub weight: u32,
    /// Labels of its NodeClaims.
    pub labels: StringMap,
    /// Annotations of its NodeClaims.
    pub annotations: StringMap,
    /// What its nodes are like.
    pub requirements: Vec<Selector>,
    /// Taints of its nodes.
    pub taints: Vec<Taint>,
    /// Taints of its nodes until others take them away.
    pub startup_taints: Vec<Taint>,
    /// What its nodes may have in sum, resource by resource; `nodes` counts them.
    pub limits: ResourceList,
    /// The NodeClass.
    pub node_class_ref: Option<NodeClassRef>,
}

impl From<&lkesim_kube::object::NodePool> for NodePool {
    fn from(from: &lkesim_kube::object::NodePool) -> NodePool {
        let spec = &from.spec;
        NodePool {
            name: from.name().clone(),
            weight: spec.weight,
            labels: spec.labels.clone(),
            annotations: spec.annotations.clone(),
            requirements: spec.requirements.clone(),
            taints: spec.taints.clone(),
            startup_taints: spec.startup_taints.clone(),
            limits: spec.limits.as_ref().map_or(ResourceList::EMPTY, ResourceList::from),
            node_class_ref: spec.node_class_ref.clone(),
        }
    }
}

/// A node, or a NodeClaim that is to become one, or both.
#[derive(Clone, Debug, Default)]
pub struct StateNode {
    /// The Node, once it joined.
    pub node: Option<NodeView>,
    /// The NodeClaim, if Karpenter manages it.
    pub node_claim: Option<NodeClaimView>,
    /// The pods that are bound to it and have not ended, those of DaemonSets included.
    pub pods: Vec<Rc<Pod>>,
    /// How many volumes of each driver it may hold.
    pub volume_limits: BTreeMap<Rc<str>, usize>,
    /// Whether it is on its way out: no capacity to count on.
    pub is_marked_for_deletion: bool,
}

/// What counts of a Node.
#[derive(Clone, Debug, Default)]
pub struct NodeView {
    /// Its name.
    pub name: Rc<str>,
    /// Its labels.
    pub labels: StringMap,
    /// Its taints.
    pub taints: Vec<Taint>,
    /// All that it has.
    pub capacity: ResourceList,
    /// What pods can use of it.
    pub allocatable: ResourceList,
}

/// What counts of a NodeClaim.
#[derive(Clone, Debug, Default)]
pub struct NodeClaimView {
    /// Its name.
    pub name: Rc<str>,
    /// Its labels.
    pub labels: StringMap,
    /// Taints that the node keeps.
    pub taints: Vec<Taint>,
    /// Taints that others take away.
    pub startup_taints: Vec<Taint>,
    /// All that the machine has.
    pub capacity: ResourceList,
    /// What pods can use of it.
    pub allocatable: ResourceList,
}

impl From<&Node> for NodeView {
    fn from(node: &Node) -> NodeView {
        NodeView {
            name: node.name().clone(),
            labels: node.metadata.labels.clone(),
            taints: node.spec.taints.to_vec(),
            capacity: (&node.status.capacity).into(),
            allocatable: (&node.status.allocatable).into(),
        }
    }
}

impl From<&NodeClaim> for NodeClaimView {
    fn from(claim: &NodeClaim) -> NodeClaimView {
        NodeClaimView {
            name: claim.name().clone(),
            labels: claim.metadata.labels.clone(),
            taints: claim.spec.taints.clone(),
            startup_taints: claim.spec.startup_taints.clone(),
            capacity: (&claim.status.capacity).into(),
            allocatable: (&claim.status.allocatable).into(),
        }
    }
}

const NO_LABELS: &StringMap = &StringMap::EMPTY;

/// Core v1.9.0 `pkg/controllers/state/statenode.go`.
impl StateNode {
    /// Whether the Node joined and was synced; one that Karpenter does not manage always is.
    pub fn is_registered(&self) -> bool {
        self.has_label(labels::NODE_REGISTERED)
    }

    /// Whether the Node is ready for pods; one that Karpenter does not manage always is.
    pub fn is_initialized(&self) -> bool {
        self.has_label(labels::NODE_INITIALIZED)
    }

    fn has_label(&self, key: &str) -> bool {
        self.node_claim.is_none() || self.node.as_ref().is_some_and(|node| node.labels.has(key, "true"))
    }

    /// The Node's name once it is registered, the NodeClaim's before.
    pub fn name(&self) -> Rc<str> {
        match (&self.node, &self.node_claim) {
            (Some(node), None) => node.name.clone(),
            (Some(node), Some(_)) if self.is_registered() => node.name.clone(),
            (_, Some(claim)) => claim.name.clone(),
            (None, None) => "".into(),
        }
    }

    /// The Node's labels once it is registered, the NodeClaim's before.
    pub fn labels(&self) -> &StringMap {
        match (&self.node, &self.node_claim) {
            (Some(node), None) => &node.labels,
            (Some(node), Some(_)) if self.is_registered() => &node.labels,
            (_, Some(claim)) => &claim.labels,
            (None, None) => NO_LABELS,
        }
    }

    /// The value of the host name's label, or the name.
    pub fn host_name(&self) -> Rc<str> {
        self.labels().get(labels::HOSTNAME).filter(|name| !name.is_empty()).cloned().unwrap_or_else(|| self.name())
    }

    /// The taints that count: until it is initialized, those that it will lose do not.
    pub fn taints(&self) -> Vec<Taint> {
        let Some(claim) = &self.node_claim else {
            return self.node.as_ref().map_or_else(Vec::new, |node| node.taints.clone());
        };
        let of_node = self.node.as_ref().filter(|_| self.is_registered()).map(|node| &node.taints);
        let mut taints = of_node.unwrap_or(&claim.taints).clone();
        if !self.is_initialized() {
            let starts = |taint: &Taint| claim.startup_taints.iter().any(|one| one.matches(&taint.key, taint.effect));
            taints.retain(|taint| !is_ephemeral(taint) && !starts(taint));
        }
        taints
    }

    /// All that it has; until it is initialized, what the Node does not tell is as the NodeClaim says.
    pub fn capacity(&self) -> ResourceList {
        self.told(|node| &node.capacity, |claim| &claim.capacity)
    }

    /// What pods can use of it, likewise.
    pub fn allocatable(&self) -> ResourceList {
        self.told(|node| &node.allocatable, |claim| &claim.allocatable)
    }

    fn told(
        &self,
        of_node: impl Fn(&NodeView) -> &ResourceList,
        of_claim: impl Fn(&NodeClaimView) -> &ResourceList,
    ) -> ResourceList {
        let mut told = self.node.as_ref().map_or(ResourceList::EMPTY, |node| of_node(node).clone());
        if let Some(claim) = self.node_claim.as_ref().filter(|_| !self.is_initialized()) {
            for (name, quantity) in of_claim(claim).iter() {
                if told.amount(name).is_zero() {
                    told.set(name.clone(), *quantity);
                }
            }
        }
        told
    }
}

/// What happens where capacity that is reserved is short.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReservedOfferingMode {
    /// A pod that could have had reserved capacity waits for a later pass: the provisioner's mode.
    #[default]
    Strict,
    /// A pod takes other capacity.
    Fallback,
}

/// Whether preferences are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PreferencePolicy {
    /// They are requirements at first, and are given up one by one.
    #[default]
    Respect,
    /// They are not.
    Ignore,
}

/// What happens where instance types have too few values for `minValues`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MinValuesPolicy {
    /// The NodePool can't be used.
    #[default]
    Strict,
    /// As many values as there are do.
    BestEffort,
}

/// How the scheduling simulation is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What happens where capacity that is reserved is short.
    pub reserved_offering_mode: ReservedOfferingMode,
    /// Whether preferences are looked at.
    pub preference_policy: PreferencePolicy,
    /// What happens where instance types have too few values for `minValues`.
    pub min_values_policy: MinValuesPolicy,
    /// The feature gate `ReservedCapacity`.
    pub reserved_capacity: bool,
    /// Pods with ResourceClaims are left alone: core v1.9.0 `IGNORE_DRA_REQUESTS`, which is on.
    pub ignore_dra_requests: bool,
    /// Labels that a pod may ask for though no NodePool defines them; the provider adds its own.
    pub well_known_labels: WellKnownLabels,
    /// The provider's label of reservations.
    pub reservation_id_label: Rc<str>,
    /// How many instance types a NodeClaim names at most.
    pub max_instance_types: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            reserved_offering_mode: ReservedOfferingMode::Strict,
            preference_policy: PreferencePolicy::Respect,
            min_values_policy: MinValuesPolicy::Strict,
            reserved_capacity: true,
            ignore_dra_requests: true,
            well_known_labels: WellKnownLabels::default(),
            reservation_id_label: labels::RESERVATION_ID.into(),
            max_instance_types: 600,
        }
    }
}
