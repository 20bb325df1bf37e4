//! What the scheduling simulation decides.

use crate::instance_type::{InstanceType, capacity_type, order_by_price};
use crate::requirement::Requirement;
use crate::requirements::{Requirements, WellKnownLabels};
use lkesim_kube::object::node_claim::NodeClassRef;
use lkesim_kube::object::{Pod, Requirement as Selector, ResourceList, StringMap, Taint, labels};
use std::rc::Rc;

/// The outcome of a pass.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// NodeClaims to be made.
    pub new_node_claims: Vec<NewNodeClaim>,
    /// The nodes that pods were placed on, by their name, with the pods.
    pub existing_nodes: Vec<(Rc<str>, Vec<Rc<Pod>>)>,
    /// Pods that fit nowhere.
    pub pod_errors: Vec<PodError>,
    /// How each pod was tried, if asked for.
    pub steps: Vec<Step>,
}

/// A pod that fits nowhere.
#[derive(Clone, Debug)]
pub struct PodError {
    /// The pod.
    pub pod: Rc<Pod>,
    /// Why.
    pub message: String,
    /// Whether it waits for reserved capacity, which is no failure.
    pub is_reserved_offering: bool,
}

/// A NodeClaim to be made.
#[derive(Clone, Debug)]
pub struct NewNodeClaim {
    /// Its NodePool.
    pub node_pool: Rc<str>,
    /// Its labels, those that its requirements leave one value for included.
    pub labels: StringMap,
    /// Its annotations.
    pub annotations: StringMap,
    /// Its NodeClass.
    pub node_class_ref: Option<NodeClassRef>,
    /// What its node is like.
    pub requirements: Requirements,
    /// The types that it may become, the cheapest first.
    pub instance_types: Vec<Rc<InstanceType>>,
    /// What its pods and DaemonSets ask for.
    pub requests: ResourceList,
    /// Taints that the node keeps.
    pub taints: Vec<Taint>,
    /// Taints that others take away.
    pub startup_taints: Vec<Taint>,
    /// The pods that it is for.
    pub pods: Vec<Rc<Pod>>,
}

impl NewNodeClaim {
    /// Its requirements as the NodeClaim's spec has them: with the types, and the capacity types that their offerings
    /// have (core v1.9.0 `nodeclaimtemplate.go` ToNodeClaim). Sorted by label, where upstream's order is random.
    pub fn spec_requirements(&self, well_known: &WellKnownLabels) -> Vec<Selector> {
        self.resolved(well_known).iter().flat_map(|requirement| requirement.to_selectors()).collect()
    }

    /// Its labels with one for each requirement on a label that is not well known: upstream takes any value that the
    /// requirement allows, here the first.
    pub fn resolved_labels(&self, well_known: &WellKnownLabels) -> StringMap {
        let mut all = self.labels.clone();
        let resolved = self.resolved(well_known);
        let custom = resolved.iter().filter(|one| !well_known.has(&one.key) && *one.key != *labels::HOSTNAME);
        for (key, value) in custom.filter_map(|one| Some((&one.key, one.any()?))) {
            all.insert(key.clone(), value);
        }
        all
    }

    fn resolved(&self, well_known: &WellKnownLabels) -> Requirements {
        let mut found = self.requirements.clone();
        let min_values = found.get(labels::INSTANCE_TYPE).and_then(|one| one.min_values);
        let names = self.instance_types.iter().map(|one| one.name.clone());
        found.add(Requirement::any_of(labels::INSTANCE_TYPE, names).with_min_values(min_values));
        let offerings = self.instance_types.iter().flat_map(|one| one.available(&found, well_known));
        let types: Vec<Rc<str>> = offerings.map(|one| one.capacity_type().into()).collect();
        if !types.is_empty() {
            found.add(Requirement::any_of(labels::CAPACITY_TYPE, types));
        }
        found
    }

    /// Tightens a claim that holds reservations to these.
    pub(crate) fn reserve(&mut self, id_label: &Rc<str>, ids: Vec<Rc<str>>) {
        let reserved = Requirement::any_of(labels::CAPACITY_TYPE, [Rc::from(capacity_type::RESERVED)]);
        self.requirements.replace(reserved);
        self.requirements.add(Requirement::any_of(id_label.clone(), ids));
    }

    /// Sorts its types by price and cuts the dearest off.
    pub(crate) fn truncate(&mut self, well_known: &WellKnownLabels, most: usize) {
        order_by_price(&mut self.instance_types, &self.requirements, well_known);
        self.instance_types.truncate(most);
    }
}

/// Where a pod was tried.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bin {
    /// A node, or a NodeClaim of an earlier pass.
    Node(Rc<str>),
    /// A NodeClaim of this pass, by its number in the order in which they were opened.
    Claim(usize),
    /// A new NodeClaim of a NodePool.
    NodePool(Rc<str>),
}

/// How one pod was tried.
#[derive(Clone, Debug)]
pub struct Step {
    /// The pod.
    pub pod: Rc<Pod>,
    /// What it gave up before.
    pub relaxed: Vec<crate::preferences::Relaxation>,
    /// Bins that refused it, in the order of asking, with the reasons.
    pub refused: Vec<(Bin, String)>,
    /// The bin that took it. A new NodeClaim is named by its number.
    pub placed: Option<Bin>,
    /// The NodePool, if the pod opened a NodeClaim.
    pub opened: Option<Rc<str>>,
    /// What the bin's requirements gained, as text.
    pub requirements_added: Vec<String>,
    /// The types that are left to the NodeClaim, in the provider's order.
    pub types_left: Vec<Rc<str>>,
}
