//! From the Kubernetes store to the judge: what each committed write changed.

use crate::cluster::Cluster;
use crate::pods::{PodChanges, StartupTaints};
use crate::world::World;
use lkesim_judge::event::{ClaimRef, Condition, NodeChange, What};
use lkesim_karpenter::disruption;
use lkesim_kube::object::{
    ConditionStatus, ConditionType, Kind, Node, NodeClaim, ProviderId, Taint, TaintEffect, labels,
};
use lkesim_kube::store::{Change, ObjectChange, StoreChange, StoreObserver};
use lkesim_linode_api::InstanceId;
use lkesim_scenario::workload::is_reserved;
use std::rc::{Rc, Weak};

/// Tells the judge of each write. The store holds it, so it holds the world weakly.
pub(crate) struct ClusterEvents {
    world: Weak<World>,
    /// The cluster's place.
    place: usize,
}

impl ClusterEvents {
    pub fn new(world: &Rc<World>, cluster: &Cluster) -> ClusterEvents {
        ClusterEvents { world: Rc::downgrade(world), place: cluster.place }
    }
}

impl StoreObserver for ClusterEvents {
    fn on_change(&self, change: &StoreChange) {
        let Some(world) = self.world.upgrade() else {
            return;
        };
        match &change.object {
            ObjectChange::NodeClaim(claim) => self.claim_changed(&world, change.by, claim),
            ObjectChange::Node(node) => node_changed(&world, &world.clusters[self.place], change.by, node),
            _ => {}
        }
        if world.plan.has_pods {
            self.tell_pods(&world, change);
        }
    }
}

impl ClusterEvents {
    /// What only runs with pods tell.
    fn tell_pods(&self, world: &Rc<World>, change: &StoreChange) {
        let cluster = &world.clusters[self.place];
        let changes = PodChanges { world, cluster, by: change.by };
        match &change.object {
            ObjectChange::Pod(pod) => changes.pod(pod),
            ObjectChange::NodeClaim(claim) => changes.claim(claim),
            ObjectChange::NodePool(node_pool) => changes.node_pool(node_pool),
            ObjectChange::Node(node) => {
                changes.node(node);
                StartupTaints::node_changed(world, cluster, node);
            }
            _ => {}
        }
    }

    fn claim_changed(&self, world: &World, by: &'static str, change: &Change<NodeClaim>) {
        let cluster = &world.clusters[self.place];
        let claim = cluster.claim_ref(change.latest());
        let (before, after) = (change.before.as_deref(), change.after.as_deref());
        if let (None, Some(made)) = (before, after) {
            let node_pool = made.node_pool().cloned().unwrap_or_default();
            let plans = made.instance_types().map(|types| types.iter().cloned().collect()).unwrap_or_default();
            world.record(What::ClaimCreated { claim: claim.clone(), cluster: cluster.id, node_pool, plans });
        }
        let id = |claim: Option<&NodeClaim>| claim.and_then(|claim| instance(claim.status.provider_id.as_ref()));
        if after.is_some() && id(before) != id(after) {
            world.record(What::ClaimProviderId { claim: claim.clone(), before: id(before), after: id(after) });
        }
        if let Some(after) = after {
            tell_conditions(world, &claim, before, after);
            if !after.is_live() && before.is_none_or(NodeClaim::is_live) {
                world.record(What::ClaimDeleting { claim: claim.clone(), by });
            }
        }
        if let (Some(before), None) = (before, after) {
            // An object without a finalizer goes in the write that deletes it.
            if before.is_live() {
                world.record(What::ClaimDeleting { claim: claim.clone(), by });
            }
            world.record(What::ClaimGone { claim });
            if let Some(catalogue) = &world.catalogue {
                catalogue.claim_gone(self.place, before.metadata.uid);
            }
        }
    }
}

/// Who taints nodes that are to be taken away. What termination taints goes already.
const DISRUPTION: [&str; 2] = [disruption::NAME, disruption::QUEUE];

const CONDITIONS: [(ConditionType, Condition); 5] = [
    (ConditionType::Launched, Condition::Launched),
    (ConditionType::Registered, Condition::Registered),
    (ConditionType::Initialized, Condition::Initialized),
    (ConditionType::InstanceTerminating, Condition::InstanceTerminating),
    (ConditionType::DisruptionReason, Condition::DisruptionReason),
];

fn tell_conditions(world: &World, claim: &ClaimRef, before: Option<&NodeClaim>, after: &NodeClaim) {
    for (kind, condition) in CONDITIONS {
        let is = after.status.conditions.get(kind);
        let was = before.and_then(|before| before.status.conditions.get(kind));
        let Some(is) = is.filter(|is| was.is_none_or(|was| was.status != is.status)) else {
            continue;
        };
        // Every NodeClaim begins with all conditions Unknown.
        if was.is_none() && is.status == ConditionStatus::Unknown {
            continue;
        }
        let status = match is.status {
            ConditionStatus::True => Some(true),
            ConditionStatus::False => Some(false),
            ConditionStatus::Unknown => None,
        };
        world.record(What::ClaimCondition { claim: claim.clone(), condition, status, reason: is.reason.into() });
    }
}

fn node_changed(world: &World, cluster: &Cluster, by: &'static str, change: &Change<Node>) {
    let node = change.latest();
    let tell = |change| {
        world.record(What::Node {
            node: node.metadata.name.clone(),
            instance: instance(node.spec.provider_id.as_ref()),
            change,
        });
    };
    let (before, after) = (change.before.as_deref(), change.after.as_deref());
    let ready = |node: Option<&Node>| node.is_some_and(Node::is_ready);
    if before.is_none() {
        tell(NodeChange::Joined);
    }
    let id = |node: Option<&Node>| node.and_then(|node| node.spec.provider_id.clone());
    if before.is_some() && id(before).is_none() && id(after).is_some() {
        tell(NodeChange::Identified);
    }
    match (ready(before), ready(after)) {
        (false, true) => tell(NodeChange::Ready),
        (true, false) if after.is_some() => tell(NodeChange::NotReady),
        _ => {}
    }
    let unregistered = |node: Option<&Node>| {
        node.is_some_and(|node| node.spec.taints.iter().any(|taint| *taint.key == *labels::UNREGISTERED_TAINT))
    };
    if unregistered(before) && after.is_some() && !unregistered(after) {
        tell(NodeChange::TaintRemoved);
    }
    if let Some(after) = after.filter(|_| DISRUPTION.contains(&by)) {
        let disrupted = |node: &Node| node.has_taint(labels::DISRUPTED_TAINT, TaintEffect::NoSchedule);
        match (before.is_some_and(disrupted), disrupted(after)) {
            (false, true) => tell(NodeChange::Disrupted),
            (true, false) => tell(NodeChange::Spared),
            _ => {}
        }
    }
    let deleting = |node: Option<&Node>| node.is_some_and(|node| node.metadata.is_deleting());
    if !deleting(before) && deleting(after) {
        tell(NodeChange::Deleting);
    }
    if after.is_none() {
        tell(NodeChange::Gone);
    }
    let registered = |node: &Node| node.metadata.labels.contains_key(labels::NODE_REGISTERED);
    if let (Some(before), Some(after)) = (before, after)
        && registered(after)
        && !registered(before)
        && let Some(claim) = claim_of(cluster, after)
    {
        if lacks(before, &claim) {
            tell(NodeChange::LabelsMissing);
        }
        if keeps_others(after, &claim) {
            tell(NodeChange::LabelsForeign);
        }
    }
}

/// The NodeClaim that registered a Node.
fn claim_of(cluster: &Cluster, node: &Node) -> Option<Rc<NodeClaim>> {
    let owner = node.metadata.owner_references.iter().find(|owner| owner.kind == Kind::NodeClaim)?;
    cluster.store.get(&owner.name)
}

fn taints_of(claim: &NodeClaim) -> impl Iterator<Item = &Taint> {
    claim.spec.taints.iter().chain(&claim.spec.startup_taints)
}

/// Whether a Node that was not registered yet lacked a label or taint that the scenario gives its NodeClaim.
fn lacks(node: &Node, claim: &NodeClaim) -> bool {
    let mut labels = claim.metadata.labels.iter().filter(|(key, _)| !is_reserved(key));
    let is_tainted = |taint: &Taint| node.spec.taints.iter().any(|of_node| of_node == taint);
    labels.any(|(key, value)| !node.metadata.labels.has(key, value)) || !taints_of(claim).all(is_tainted)
}

/// Whether a registered Node has a label or taint that the scenario gives, but not to its NodeClaim.
fn keeps_others(node: &Node, claim: &NodeClaim) -> bool {
    let mut labels = node.metadata.labels.iter().filter(|(key, _)| !is_reserved(key));
    let mut taints = node.spec.taints.iter().filter(|taint| !is_reserved(&taint.key));
    labels.any(|(key, value)| !claim.metadata.labels.has(key, value))
        || taints.any(|taint| taints_of(claim).all(|wanted| wanted != taint))
}

pub(crate) fn instance(id: Option<&ProviderId>) -> Option<InstanceId> {
    id.and_then(ProviderId::id).map(InstanceId)
}
