//! From the cloud to the cluster and the judge: what changed is told, and what booted joins.

use crate::world::{Place, World};
use fake_linode::{Change, ChangeKind, Label};
use lkesim_judge::event::What;
use lkesim_kube::kubelet::{Joining, Kubelet, Late, Silence};
use lkesim_kube::object::{Node, NodeClaim, ProviderId, Resources, StringMap, Taint, TaintEffect, labels};
use lkesim_linode_api::{ClusterId, InstanceId, LkePoolId, Tags};
use lkesim_lke::tags;
use lkesim_runtime::{Entity, Key, Seed};
use lkesim_scenario::kubernetes::{JoinLabels, JoinTaint};
use std::cell::RefCell;
use std::rc::Rc;

/// Lets the cloud's time pass and tells what happens in it, for ever.
pub(crate) async fn run(world: Rc<World>) {
    loop {
        let next = world.cloud.borrow().next_event();
        let moved = world.cloud_moved.heard();
        let Some(next) = next else {
            moved.await;
            continue;
        };
        let wait = next.since(world.runtime.now());
        if world.runtime.timeout(wait, moved).await.is_err() {
            world.cloud.borrow_mut().advance(world.runtime.now());
            tell_changes(&world);
        }
    }
}

/// Tells what the cloud changed.
pub(crate) fn tell_changes(world: &Rc<World>) {
    if !world.cloud.borrow().has_changes() {
        return;
    }
    let mut changes = world.take_changes();
    for change in changes.drain(..) {
        tell(world, change);
    }
    world.return_changes(changes);
    world.cloud_moved.ring();
}

/// Tells what the cloud has from the start. No node joins because of it, and none goes.
pub(crate) fn tell_placed(world: &World) {
    let mut changes = world.take_changes();
    changes.drain(..).filter_map(|change| translated(world, change)).for_each(|what| world.record(what));
    world.return_changes(changes);
}

fn tell(world: &Rc<World>, change: Change) {
    let Some(what) = translated(world, change) else {
        return;
    };
    let (booted, deleted) = match &what {
        What::InstanceBooted { instance } => (Some(*instance), None),
        What::InstanceDeleted { instance, .. } => (None, Some(*instance)),
        _ => (None, None),
    };
    world.record(what);
    let Some(nodes) = booted.or(deleted).and_then(|instance| world.nodes_of(instance)) else {
        return;
    };
    if let Some(instance) = booted {
        nodes.join(world, instance);
    }
    if let Some(instance) = deleted {
        nodes.gone(world, instance);
    }
}

/// A change in the judge's words, if it is one that it hears of. Where a new Linode is, is remembered.
fn translated(world: &World, change: Change) -> Option<What> {
    let call = change.call;
    Some(match change.kind {
        ChangeKind::LkePoolCreated { cluster, lke_pool, plan, tags, count } => {
            let node_pool = tags.value(tags::NODE_POOL).filter(|_| tags.value(tags::MANAGED).is_some()).map(Into::into);
            What::PoolCreated { lke_pool, cluster, plan, count, node_pool, tags, call }
        }
        ChangeKind::LkePoolCountChanged { lke_pool, from, to, by_node } => {
            What::PoolCountChanged { lke_pool, from, to, call, by_count: !by_node }
        }
        ChangeKind::LkePoolTagged { lke_pool, before, after } => What::PoolTagged { lke_pool, before, after, call },
        ChangeKind::LkePoolDeleted { lke_pool, .. } => What::PoolDeleted { lke_pool, call },
        ChangeKind::InstanceCreated { instance, cluster, node, plan, label, tags } => {
            let cluster = cluster.or_else(|| world.cluster_named_by(&tags));
            let lke_pool = node.map(|node| node.lke_pool);
            let place = Place { cluster, lke_pool, label: label.clone(), plan: plan.clone() };
            world.places.borrow_mut().insert(instance, place);
            What::InstanceCreated { instance, label, lke_pool, node, cluster, plan, tags, call }
        }
        ChangeKind::InstanceBooted { instance } => What::InstanceBooted { instance },
        ChangeKind::InstanceTagged { instance, before, after } => {
            What::InstanceTagged { instance, before, after, call }
        }
        ChangeKind::TagsPropagated { instance, before, after } => {
            What::InstanceTagged { instance, before, after, call: None }
        }
        ChangeKind::InstanceDeleted { instance, .. } => {
            let lke_pool = world.places.borrow().get(&instance).and_then(|place| place.lke_pool);
            What::InstanceDeleted { instance, lke_pool, call }
        }
        ChangeKind::InstanceVanished { .. } | ChangeKind::Throttled { .. } | ChangeKind::Faulted { .. } => {
            return None;
        }
    })
}

/// The nodes of the cluster, as their Linodes make them.
pub(crate) struct Nodes {
    kubelet: Kubelet,
    join: Key,
    ready: Key,
    removed: Key,
    alike: RefCell<Vec<(LkePoolId, Rc<Alike>)>>,
}

/// What a scenario lets nodes of Karpenter's join with, and what comes later: the gap between a NodeClaim and its Node.
#[derive(Default)]
struct Gap {
    is_managed: bool,
    labels: StringMap,
    taint: Option<Taint>,
}

impl Gap {
    /// That of a Linode's node. Nodes of a pool that Karpenter does not manage are as LKE makes them, but take no pods of
    /// the workload unless the scenario says so.
    fn of(world: &World, place: &Place, provider_id: &ProviderId) -> Gap {
        let set = &world.plan.scenario.kubernetes;
        if !world.is_managed(place) {
            let base = world.plan.scenario.base_pool(world.cluster_at(place).place);
            let is_cordoned = world.plan.has_pods && !base.schedulable;
            let taint = is_cordoned.then(|| Taint::new(CORDON, TaintEffect::NoSchedule));
            return Gap { taint, ..Gap::default() };
        }
        let effect = match set.join_taint {
            JoinTaint::None => None,
            JoinTaint::NoExecute => Some(TaintEffect::NoExecute),
            JoinTaint::NoSchedule => Some(TaintEffect::NoSchedule),
        };
        let claims = match set.join_labels {
            JoinLabels::Karpenter => Vec::new(),
            JoinLabels::Kubelet => world.cluster_at(place).store.list::<NodeClaim>(),
        };
        let own = claims.iter().find(|claim| claim.status.provider_id.as_ref() == Some(provider_id));
        Gap {
            is_managed: true,
            labels: own.map_or(StringMap::EMPTY, |claim| claim.metadata.labels.clone()),
            taint: effect.map(|effect| Taint::new(labels::UNREGISTERED_TAINT, effect)),
        }
    }

    /// Delays that are not asked for are none: the Node then has all of it from the start.
    fn late(&self, world: &World, key: Key, luck: Entity) -> Late {
        let (set, delays) = (&world.plan.scenario.kubernetes, &world.plan.resolved.kubernetes);
        if !self.is_managed {
            return Late::default();
        }
        Late {
            provider_id: set.provider_id.is_some().then(|| delays.provider_id.draw(key.draw(luck, 1))),
            devices: set.devices.is_some().then(|| delays.devices.draw(key.draw(luck, 2))),
        }
    }
}

/// The taint of a Node that takes no more pods.
const CORDON: &str = "node.kubernetes.io/unschedulable";

/// The labels of every node, by which pods choose: the kubelet's own (kubernetes v1.33 `pkg/kubelet/kubelet_node_status.go`)
/// and the region, which the cloud's controller gives; of a zone it says nothing, Karpenter does at registration.
fn label_machine(of: &mut StringMap, name: &str, region: &str) {
    of.insert(labels::HOSTNAME, name);
    of.insert(labels::ARCH, "amd64");
    of.insert(labels::OS, "linux");
    of.insert(labels::REGION, region);
}

/// What nodes join with: all of a LKE pool alike.
struct Alike {
    labels: StringMap,
    taints: Vec<Taint>,
    capacity: Resources,
    allocatable: Resources,
}

impl Nodes {
    pub fn new(seed: Seed, kubelet: Kubelet) -> Nodes {
        let key = |purpose| seed.key(purpose);
        Nodes {
            kubelet,
            join: key("node.join"),
            ready: key("node.ready"),
            removed: key("node.removed"),
            alike: RefCell::default(),
        }
    }

    /// The kubelets of its machines.
    pub fn kubelet(&self) -> &Kubelet {
        &self.kubelet
    }

    /// A Linode booted: its node joins, if it is one of a cluster. Nodes of both tiers are named by the Linode's label,
    /// and so is the node of a Linode without a LKE pool.
    pub fn join(&self, world: &World, instance: InstanceId) {
        if let Some(joining) = self.joining(world, instance) {
            self.kubelet.join(joining);
        }
    }

    /// A Linode's node joined before the run, and is `dressed` as who registered it left it.
    pub fn joined(&self, world: &World, instance: InstanceId, is_ready: bool, dressed: impl FnOnce(&mut Node)) {
        if let Some(joining) = self.joining(world, instance) {
            self.kubelet.joined(joining, is_ready, dressed);
        }
    }

    /// The nodes of LKE pools that Karpenter does not manage were there before the run.
    pub fn place_unmanaged(&self, world: &World, cluster: ClusterId) {
        let places = world.places.borrow();
        let ours = places.iter().filter(|(_, place)| place.cluster == Some(cluster) && !world.is_managed(place));
        let instances: Vec<InstanceId> = ours.map(|(instance, _)| *instance).collect();
        drop(places);
        instances.into_iter().for_each(|instance| self.joined(world, instance, true, |_| {}));
    }

    fn joining(&self, world: &World, instance: InstanceId) -> Option<Joining> {
        let place = world.places.borrow().get(&instance).filter(|place| place.cluster.is_some()).cloned()?;
        let delays = &world.plan.resolved.kubernetes;
        let luck = world.luck_of(instance);
        let alike = self.alike(world, &place);
        let provider_id = ProviderId::linode(instance.0);
        let gap = Gap::of(world, &place, &provider_id);
        let late = gap.late(world, self.ready, luck);
        let mut node_labels = alike.labels.clone();
        if world.plan.has_pods {
            label_machine(&mut node_labels, &place.label, &world.plan.clusters[world.cluster_at(&place).place].region);
        }
        if let Some(catalogue) = &world.catalogue {
            node_labels.extend(&catalogue.labels_of(instance));
        }
        node_labels.extend(&gap.labels);
        Some(Joining {
            node_name: (&*place.label).into(),
            provider_id,
            labels: node_labels,
            taints: alike.taints.iter().cloned().chain(gap.taint).collect(),
            capacity: alike.capacity,
            allocatable: alike.allocatable,
            join: delays.join.draw(self.join.draw(luck, 0)),
            ready: delays.ready.draw(self.ready.draw(luck, 0)),
            late,
        })
    }

    /// What the nodes of a LKE pool join with: plan, labels and taints of a pool never change.
    fn alike(&self, world: &World, place: &Place) -> Rc<Alike> {
        let Some(lke_pool) = place.lke_pool else {
            return Rc::new(Alike::new(world, &place.plan, &[], &[]));
        };
        let mut known = self.alike.borrow_mut();
        if let Some((_, alike)) = known.iter().find(|(id, _)| *id == lke_pool) {
            return alike.clone();
        }
        let cloud = world.cloud.borrow();
        let (labels, taints) = cloud.node_labels_and_taints(lke_pool).unwrap_or_default();
        let alike = Rc::new(Alike::new(world, &place.plan, labels, taints));
        known.push((lke_pool, alike.clone()));
        alike
    }

    /// A Linode is gone: its node falls silent, and the cloud controller removes it.
    pub fn gone(&self, world: &World, instance: InstanceId) {
        if let Some(catalogue) = &world.catalogue {
            catalogue.gone(instance);
        }
        let (delays, luck) = (&world.plan.resolved.kubernetes, world.luck_of(instance));
        let not_ready = delays.silence.draw(self.removed.draw(luck, 0));
        let removed = Some(delays.cloud_controller.draw(self.removed.draw(luck, 1)));
        self.kubelet.gone(&ProviderId::linode(instance.0), Silence { not_ready, removed });
    }
}

impl Alike {
    /// The type's label, these labels and taints, and what the plan has.
    fn new(world: &World, plan: &str, more: &[Label], taints: &[lkesim_linode_api::Taint]) -> Alike {
        let mut labels = StringMap::EMPTY;
        labels.insert(lkesim_kube::object::labels::INSTANCE_TYPE, plan);
        for (key, value) in more {
            labels.insert(&**key, &**value);
        }
        let (capacity, allocatable) = world.node_sizes(plan);
        Alike { labels, taints: taints.iter().map(kube_taint).collect(), capacity, allocatable }
    }
}

impl World {
    /// The nodes of the cluster that a Linode is of.
    pub(crate) fn nodes_of(&self, instance: InstanceId) -> Option<&Nodes> {
        let places = self.places.borrow();
        let cluster = places.get(&instance).map_or(&self.clusters[0], |place| self.cluster_at(place));
        cluster.nodes.get()
    }

    /// Whether Karpenter manages the Linode at this place.
    fn is_managed(&self, place: &Place) -> bool {
        let cloud = self.cloud.borrow();
        let is_managed = |id| cloud.lke_pool(id).is_some_and(|lke_pool| lke_pool.tags.value(tags::MANAGED).is_some());
        place.lke_pool.is_none_or(is_managed)
    }

    /// The cluster whose name these tags bear. Source: provider e1c5200 pkg/utils/utils.go, `GetTags`.
    fn cluster_named_by(&self, tags: &Tags) -> Option<ClusterId> {
        if tags.is_empty() {
            return None;
        }
        let clusters = &self.plan.cloud.clusters;
        let names = |label: &str| tags.value(tags::CLUSTER_NAME) == Some(label);
        clusters.iter().find(|cluster| names(&cluster.label)).map(|cluster| cluster.id)
    }

    /// Whose luck a Linode has.
    fn luck_of(&self, instance: InstanceId) -> Entity {
        self.cloud.borrow().luck(instance).unwrap_or(Entity::numbered(instance.0))
    }

    /// What the kubelet of a node of this plan says that it has, and what pods can use of it.
    fn node_sizes(&self, plan: &str) -> (Resources, Resources) {
        if let Some(own) = self.catalogue.as_ref().and_then(|catalogue| catalogue.sizes(plan)) {
            return own;
        }
        let plan = self.plan.cloud.plan(plan);
        plan.map_or((Resources::NONE, Resources::NONE), |plan| lkesim_lke::instance_types::node_sizes(plan))
    }

    /// What the provider says of a machine of this plan.
    pub(crate) fn sizes(&self, plan: &str) -> (Resources, Resources) {
        if let Some(own) = self.catalogue.as_ref().and_then(|catalogue| catalogue.sizes(plan)) {
            return own;
        }
        let plan = self.plan.cloud.plan(plan);
        plan.map_or((Resources::NONE, Resources::NONE), |plan| lkesim_lke::instance_types::sizes(plan))
    }
}

/// A taint of a LKE pool, as its nodes join with it.
fn kube_taint(taint: &lkesim_linode_api::Taint) -> Taint {
    let effect = match &*taint.effect {
        "NoExecute" => TaintEffect::NoExecute,
        "PreferNoSchedule" => TaintEffect::PreferNoSchedule,
        _ => TaintEffect::NoSchedule,
    };
    let value = Some(&*taint.value).filter(|value| !value.is_empty()).map(Into::into);
    Taint { key: (&*taint.key).into(), value, effect }
}
