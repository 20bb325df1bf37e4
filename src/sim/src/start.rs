//! What is there when the run begins: put into cloud and store without a call, and told to the judge as events at time
//! 0.
//!
//! First the cloud: LKE pools, their Linodes and all tags. Then the NodeClaims with what is stored of them, and the
//! Nodes. Linodes that are dying die last, when their Nodes are there to fall silent.

use crate::bridge;
use crate::cloud_at_start;
use crate::cluster::Cluster;
use crate::workload::{BY, spec};
use crate::world::World;
use lkesim_judge::event::{ClaimRef, What};
use lkesim_kube::object::node_claim::LIFE_CONDITIONS;
use lkesim_kube::object::{ConditionType, Conditions, Kind, Node, NodeClaim, OwnerReference, ProviderId, Uid, labels};
use lkesim_kube::store::Write;
use lkesim_linode_api::InstanceId;
use lkesim_lke::Design;
use lkesim_lke::controllers::tagging::TAGGED;
use lkesim_scenario::resolved::{self, PlacedClaim, PlacedLinode};
use lkesim_scenario::start::ClaimState;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// A Linode that was placed.
struct Placed<'a> {
    instance: InstanceId,
    linode: &'a PlacedLinode,
}

/// The NodeClaim that a Node is registered for.
struct Owner {
    name: Rc<str>,
    uid: Uid,
    node_pool: Arc<str>,
    state: ClaimState,
}

/// The Linodes of one cluster, LKE pool by LKE pool.
type LkePools<'a> = Vec<Vec<Placed<'a>>>;

/// Places all of it, one cluster after the other, each with its design.
pub(crate) fn place(world: &Rc<World>, designs: &[&'static Design]) {
    let plan = world.plan.clone();
    if plan.resolved.clusters.iter().all(|of| of.start.lke_pools.is_empty() && of.start.claims.is_empty()) {
        return;
    }
    let each = world.clusters.iter().zip(designs).zip(&plan.resolved.clusters);
    let lke_pools: Vec<LkePools<'_>> =
        each.map(|((cluster, design), of)| place_lke_pools(world, cluster, design, &of.start)).collect();
    let placed = || lke_pools.iter().flatten().flatten();
    // What is dying is gone before anything holds it: it was deleted before the run.
    for Placed { instance, .. } in placed().filter(|placed| placed.linode.dying) {
        world.cloud.borrow_mut().remove_placed(*instance);
    }
    bridge::tell_changes(world);
    let linodes: Vec<(InstanceId, Duration)> = placed().map(|placed| (placed.instance, placed.linode.age)).collect();
    let each = world.clusters.iter().zip(&lke_pools).zip(&plan.resolved.clusters);
    let claims: Vec<ClaimRef> =
        each.flat_map(|((cluster, placed), of)| place_claims(world, cluster, placed, &of.start)).collect();
    world.record(What::StartedWith { linodes: linodes.into(), claims: claims.into() });
}

fn place_lke_pools<'a>(world: &World, cluster: &Cluster, design: &Design, start: &'a resolved::Start) -> LkePools<'a> {
    start.lke_pools.iter().map(|lke_pool| place_lke_pool(world, cluster, design, lke_pool)).collect()
}

/// A cluster's NodeClaims, and the Nodes that its Linodes are. Gives the NodeClaims that are launched.
fn place_claims(world: &Rc<World>, cluster: &Cluster, placed: &LkePools<'_>, start: &resolved::Start) -> Vec<ClaimRef> {
    let mut launched = Vec::new();
    let mut owners: BTreeMap<InstanceId, Owner> = BTreeMap::new();
    for claim in &start.claims {
        let instance = claim.linode.map(|(lke_pool, linode)| placed[lke_pool][linode].instance);
        let made = place_claim(world, cluster, claim, instance);
        if let (Some(instance), Some(made)) = (instance, made) {
            launched.push(cluster.claim_ref(&made));
            let (name, uid, node_pool) = (made.name().clone(), made.metadata.uid, claim.node_pool.clone());
            owners.entry(instance).or_insert(Owner { name, uid, node_pool, state: claim.state });
        }
    }
    for Placed { instance, linode } in placed.iter().flatten() {
        place_node(world, cluster, *instance, linode, owners.get(instance));
    }
    launched
}

/// A LKE pool, its Linodes and their tags.
fn place_lke_pool<'a>(
    world: &World,
    cluster: &Cluster,
    design: &Design,
    placed: &'a resolved::PlacedLkePool,
) -> Vec<Placed<'a>> {
    let instances =
        cloud_at_start::place_lke_pool(&mut world.cloud.borrow_mut(), &world.plan, cluster.place, design, placed);
    bridge::tell_placed(world);
    instances.into_iter().zip(&placed.linodes).map(|(instance, linode)| Placed { instance, linode }).collect()
}

/// A NodeClaim, as far as it has come.
fn place_claim(
    world: &World,
    cluster: &Cluster,
    claim: &PlacedClaim,
    holds: Option<InstanceId>,
) -> Option<Rc<NodeClaim>> {
    let now = world.runtime.now();
    let mut made = NodeClaim::new(&*claim.name, Default::default());
    made.spec = Rc::new(spec(&[claim.plan.to_string()]));
    let of_manifests = &world.plan.clusters[cluster.place].pods.objects.node_claims;
    if let Some(written) = of_manifests.iter().find(|written| **written.name() == *claim.name) {
        made.spec = written.spec.clone();
        made.metadata.labels = written.metadata.labels.clone();
        made.metadata.annotations = written.metadata.annotations.clone();
    }
    made.metadata.add_finalizer(labels::TERMINATION_FINALIZER);
    made.metadata.labels.insert(labels::NODE_POOL, &*claim.node_pool);
    let conditions = &mut made.status.conditions;
    *conditions = Conditions::awaiting(&LIFE_CONDITIONS, now);
    let reached = [
        (ClaimState::Launched, ConditionType::Launched),
        (ClaimState::Registered, ConditionType::Registered),
        (ClaimState::Initialized, ConditionType::Initialized),
    ];
    for (_, condition) in reached.into_iter().filter(|(state, _)| claim.state >= *state) {
        conditions.set_true(now, condition);
    }
    if let Some(instance) = holds {
        made.metadata.labels.insert(labels::INSTANCE_TYPE, &*claim.plan);
        made.status.provider_id = Some(ProviderId::linode(instance.0));
        (made.status.capacity, made.status.allocatable) = world.sizes(&claim.plan);
        if claim.state >= ClaimState::Registered {
            made.metadata.annotations.insert(TAGGED, "true");
            made.status.node_name = world.places.borrow().get(&instance).map(|place| (&*place.label).into());
        }
    }
    let made = cluster.store.create(Write { at: now, by: BY }, made);
    debug_assert!(made.is_ok(), "names of NodeClaims are distinct: {made:?}");
    made.ok()
}

/// The Node of a Linode: it joined when the Linode booted, unless its NodeClaim waits for it.
fn place_node(world: &World, cluster: &Cluster, instance: InstanceId, linode: &PlacedLinode, owner: Option<&Owner>) {
    let Some(nodes) = cluster.nodes.get() else {
        return;
    };
    if linode.holder == Some(ClaimState::Launched) {
        return nodes.join(world, instance);
    }
    let registered = owner.filter(|owner| owner.state >= ClaimState::Registered);
    let is_ready = registered.is_none_or(|owner| owner.state == ClaimState::Initialized);
    nodes.joined(world, instance, is_ready, |node| {
        if let Some(owner) = registered {
            register(node, owner);
        }
    });
    if linode.dying {
        nodes.gone(world, instance);
    }
}

/// What registration and initialization leave on a Node.
fn register(node: &mut Node, owner: &Owner) {
    let metadata = &mut node.metadata;
    metadata.add_finalizer(labels::TERMINATION_FINALIZER);
    metadata.owner_references.push(OwnerReference { kind: Kind::NodeClaim, name: owner.name.clone(), uid: owner.uid });
    metadata.labels.insert(labels::NODE_POOL, &*owner.node_pool);
    metadata.labels.insert(labels::NODE_REGISTERED, "true");
    if owner.state == ClaimState::Initialized {
        metadata.labels.insert(labels::NODE_INITIALIZED, "true");
    }
}
