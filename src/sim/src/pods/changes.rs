//! From the store to the judge: what a write changed of pods, of what bounds them, and of the machines that they get.

use crate::cluster::Cluster;
use crate::world::World;
use lkesim_judge::event::{Amount, PodChange, PodKind, What};
use lkesim_kube::object::{Node, NodeClaim, NodePool, Pod, PodOwner, PodPhase, ResourceList, Resources, labels};
use lkesim_kube::store::Change;
use lkesim_scheduling::Requirements;
use std::rc::Rc;

/// Tells what befell pods, in the words of the judge.
pub(crate) struct PodChanges<'a> {
    pub world: &'a World,
    pub cluster: &'a Cluster,
    /// Who wrote.
    pub by: &'static str,
}

impl PodChanges<'_> {
    /// A pod changed.
    pub fn pod(&self, change: &Change<Pod>) {
        let pod = self.cluster.pod_ref(change.latest());
        let tell = |change| self.world.record(What::Pod { pod: pod.clone(), change });
        let (before, after) = (change.before.as_deref(), change.after.as_deref());
        if let (None, Some(made)) = (before, after) {
            tell(PodChange::Created { kind: kind(made) });
        }
        if let Some(after) = after {
            self.tell_placement(before, after, &tell);
            tell_life(before, after, &tell);
        }
        let is_deleting = |pod: Option<&Pod>| pod.is_some_and(Pod::is_terminating);
        if !is_deleting(before) && (is_deleting(after) || after.is_none()) {
            tell(PodChange::Deleting { by: self.by });
        }
        if after.is_none() {
            tell(PodChange::Gone);
        }
    }

    fn tell_placement(&self, before: Option<&Pod>, after: &Pod, tell: &impl Fn(PodChange)) {
        let changed = |of: fn(&Pod) -> &Option<Rc<str>>| {
            let was = before.and_then(|before| of(before).as_ref());
            of(after).clone().filter(|is| was != Some(is))
        };
        if let Some(text) = changed(|pod| &pod.status.unschedulable) {
            tell(PodChange::Unschedulable { text });
        }
        if let Some(node) = changed(|pod| &pod.status.nominated_node_name) {
            tell(PodChange::Preempts { node });
        }
        if let Some(node) = changed(|pod| &pod.node_name) {
            tell(PodChange::Bound { node, by: self.by });
        }
    }

    /// A Node's deletion was asked for, or it went without finalizers to wait for.
    pub fn node(&self, change: &Change<Node>) {
        let is_deleting = |node: Option<&Node>| node.is_some_and(|node| node.metadata.is_deleting());
        let (before, after) = (change.before.as_deref(), change.after.as_deref());
        if !is_deleting(before) && (is_deleting(after) || after.is_none()) {
            let node = change.latest().name().clone();
            self.world.record(What::NodeDeletionAsked { node, by: self.by });
        }
    }

    /// A NodeClaim's machine became known.
    pub fn claim(&self, change: &Change<NodeClaim>) {
        let of = |claim: &Option<Rc<NodeClaim>>| claim.as_ref().map_or(Resources::NONE, |claim| claim.status.capacity);
        let (was, is) = (of(&change.before), of(&change.after));
        if was != is && is != Resources::NONE {
            let mut capacity = amounts(&ResourceList::from(&is));
            capacity.push(("nodes".into(), 1_000));
            let claim = self.cluster.claim_ref(change.latest());
            self.world.record(What::ClaimCapacity { claim, capacity: capacity.into() });
        }
    }

    /// A NodePool was made, or its limits changed.
    pub fn node_pool(&self, change: &Change<NodePool>) {
        let Some(after) = &change.after else {
            return;
        };
        let limits = |node_pool: &NodePool| {
            let mut limits = node_pool.spec.limits.as_ref().map(limit_amounts).unwrap_or_default();
            limits.extend(node_pool.spec.node_limit.map(|nodes| ("nodes".into(), nodes.saturating_mul(1_000))));
            limits
        };
        let was = change.before.as_ref().map(|before| limits(before)).unwrap_or_default();
        let is = limits(after);
        let tell = |limits: Vec<Amount>| {
            let (cluster, node_pool) = (self.cluster.id, after.name().clone());
            self.world.record(What::NodePoolLimits { cluster, node_pool, limits: limits.into() });
        };
        if was != is {
            // Up to here it had none: what was made before is none of theirs.
            if was.is_empty() && change.before.is_some() {
                tell(Vec::new());
            }
            tell(is);
        }
    }
}

fn limit_amounts(limits: &Resources) -> Vec<Amount> {
    amounts(&ResourceList::from(limits))
}

fn amounts(list: &ResourceList) -> Vec<Amount> {
    let amount = |(name, quantity): &(Rc<str>, lkesim_kube::object::Quantity)| {
        (name.clone(), u64::try_from(quantity.milli()).unwrap_or(0))
    };
    list.iter().map(amount).collect()
}

fn tell_life(before: Option<&Pod>, after: &Pod, tell: &impl Fn(PodChange)) {
    let phase = |pod: Option<&Pod>| pod.map_or(PodPhase::Pending, |pod| pod.status.phase);
    let is_ready = |pod: Option<&Pod>| pod.is_some_and(|pod| pod.status.is_ready);
    let (was, is) = (phase(before), after.status.phase);
    if was != is && is == PodPhase::Running {
        tell(PodChange::Running);
    }
    match (is_ready(before), is_ready(Some(after))) {
        (false, true) => tell(PodChange::Ready),
        (true, false) => tell(PodChange::NotReady),
        _ => {}
    }
    if was != is && after.is_terminal() {
        tell(PodChange::Ended { well: is == PodPhase::Succeeded });
    }
}

/// Whom a new pod waits for.
fn kind(pod: &Pod) -> PodKind {
    match pod.owner {
        PodOwner::Node => PodKind::Static,
        PodOwner::DaemonSet => PodKind::DaemonSet,
        _ if !pod.spec.scheduling_gates.is_empty() => PodKind::Gated,
        _ if keeps_off(pod) => PodKind::NotOnKarpenter,
        _ => PodKind::Usual,
    }
}

/// Whether what it requires of a node leaves no NodePool (core v1.9.0 `Provisioner.Validate`).
fn keeps_off(pod: &Pod) -> bool {
    let spec = &pod.spec;
    if spec.node_selector.is_empty() && spec.node_affinity.is_none() {
        return false;
    }
    Requirements::of_pod(spec, false).get(labels::NODE_POOL).is_some_and(|wanted| wanted.is_empty())
}
