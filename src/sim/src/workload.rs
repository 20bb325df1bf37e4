//! The user's side: NodePools that exist, NodeClaims that are made and deleted when the scenario says so.

use crate::cluster::Cluster;
use crate::world::World;
use lkesim_kube::object::node_claim::{NodeClaimSpec, NodeClassRef};
use lkesim_kube::object::node_class::NodeClassSpec;
use lkesim_kube::object::node_pool::NodePoolSpec;
use lkesim_kube::object::{NodeClaim, NodeClass, NodePool, Requirement, StringMap, Taint, TaintEffect, labels};
use lkesim_kube::store::Write;
use lkesim_lke::controllers::node_class::settled;
use lkesim_runtime::Time;
use lkesim_scenario::{resolved::OfCluster, workload as scenario};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// Who makes and deletes the workload's objects.
pub(crate) const BY: &str = "workload";

/// The name of the one LinodeNodeClass.
pub(crate) const NODE_CLASS: &str = "default";

/// A NodeClaim to be made.
pub(crate) struct Planned {
    name: Rc<str>,
    labels: StringMap,
    spec: Rc<NodeClaimSpec>,
    at: Time,
}

/// What NodeClaims that want the same have in common.
type TypesAndTaints = (Arc<[String]>, Arc<[scenario::Taint]>);

/// The NodeClaims to be made, in order of time. Those that want the same share it.
pub(crate) fn planned(of_cluster: &OfCluster) -> Rc<[Planned]> {
    let mut specs: BTreeMap<TypesAndTaints, Rc<NodeClaimSpec>> = BTreeMap::new();
    let claims = of_cluster.claims.iter().map(|claim| {
        let wanted = (claim.types.clone(), claim.taints.clone());
        let spec = specs.entry(wanted).or_insert_with(|| {
            let taints = claim.taints.iter().map(taint).collect();
            Rc::new(NodeClaimSpec { taints, ..spec(&claim.types) })
        });
        let mut labels = StringMap::EMPTY;
        for (key, value) in &*claim.labels {
            labels.insert(&**key, &**value);
        }
        labels.insert(labels::NODE_POOL, &*claim.node_pool);
        Planned { name: (&*claim.name).into(), labels, spec: spec.clone(), at: claim.at }
    });
    claims.collect()
}

fn taint(written: &scenario::Taint) -> Taint {
    let effect = match written.effect {
        scenario::TaintEffect::NoSchedule => TaintEffect::NoSchedule,
        scenario::TaintEffect::PreferNoSchedule => TaintEffect::PreferNoSchedule,
        scenario::TaintEffect::NoExecute => TaintEffect::NoExecute,
    };
    let value = Some(&*written.value).filter(|value| !value.is_empty()).map(Into::into);
    Taint { key: (&*written.key).into(), value, effect }
}

/// What a NodeClaim that allows these types wants.
pub(crate) fn spec(types: &[String]) -> NodeClaimSpec {
    let of_types =
        (!types.is_empty()).then(|| Requirement::any_of(labels::INSTANCE_TYPE, types.iter().map(|plan| &**plan)));
    NodeClaimSpec {
        requirements: of_types.into_iter().collect(),
        node_class_ref: Some(NodeClassRef::linode(NODE_CLASS)),
        ..NodeClaimSpec::default()
    }
}

/// Makes what is there from the start.
pub(crate) fn prepare(world: &World, cluster: &Cluster) {
    let write = Write { at: world.runtime.now(), by: BY };
    if needs_node_class(world, cluster) {
        // The provider has validated it.
        let made = cluster.store.create(write, settled(NodeClass::new(NODE_CLASS, NodeClassSpec::default()), write.at));
        debug_assert!(made.is_ok(), "the store is empty: {made:?}");
    }
    // One that is written as a manifest is made of that, with its limits and all.
    let written = &world.plan.clusters[cluster.place].pods.objects.node_pools;
    let named = world.plan.resolved.clusters[cluster.place].node_pools.iter();
    for node_pool in named.filter(|named| written.iter().all(|own| **own.name() != *named.name)) {
        let mut of_pool = of_class();
        if world.plan.has_pods && !node_pool.types.is_empty() {
            let types = node_pool.types.iter().map(|plan| &**plan);
            of_pool.requirements.push(Requirement::any_of(labels::INSTANCE_TYPE, types));
        }
        let made = cluster.store.create(write, NodePool::new(&*node_pool.name, of_pool));
        debug_assert!(made.is_ok(), "names of NodePools are distinct: {made:?}");
    }
}

/// Whether the one NodeClass of this program is to be there: manifests with NodeClasses and NodePools have all that
/// they name, and where a name is none of theirs, nothing stands in for it.
fn needs_node_class(world: &World, cluster: &Cluster) -> bool {
    let objects = &world.plan.clusters[cluster.place].pods.objects;
    let is_whole = !objects.node_classes.is_empty() && !objects.node_pools.is_empty();
    let has_own = !world.plan.resolved.clusters[cluster.place].node_pools.is_empty();
    let is_given = objects.node_classes.iter().any(|own| **own.name() == *NODE_CLASS);
    !is_given && (!is_whole || has_own)
}

/// A cluster whose pods have no NodePool at all gets one that allows every type.
pub(crate) fn prepare_for_pods(world: &World, cluster: &Cluster) {
    if cluster.store.count::<NodePool>() == 0 {
        let made =
            cluster.store.create(Write { at: world.runtime.now(), by: BY }, NodePool::new("default", of_class()));
        debug_assert!(made.is_ok(), "there is none: {made:?}");
    }
}

fn of_class() -> NodePoolSpec {
    NodePoolSpec { node_class_ref: Some(NodeClassRef::linode(NODE_CLASS)), ..NodePoolSpec::default() }
}

/// Makes a cluster's NodeClaims, each at its time.
pub(crate) async fn create(world: Rc<World>, place: usize) {
    let (claims, store) = (world.plan.clusters[place].claims.clone(), &world.clusters[place].store);
    for planned in claims.iter() {
        if world.runtime.now() < planned.at {
            world.runtime.sleep_until(planned.at).await;
        }
        let mut claim = NodeClaim::new(planned.name.clone(), NodeClaimSpec::default());
        claim.spec = planned.spec.clone();
        claim.metadata.labels = planned.labels.clone();
        if let Err(error) = store.create(Write { at: world.runtime.now(), by: BY }, claim) {
            tracing::warn!(claim = &*planned.name, %error, "the workload could not make a nodeclaim");
        }
    }
}

/// Deletes a cluster's NodeClaims, each when its time comes. One that is gone already is left alone.
pub(crate) async fn delete(world: Rc<World>, place: usize) {
    let (plan, store) = (world.plan.clone(), &world.clusters[place].store);
    for deletion in &plan.resolved.clusters[place].deletions {
        if world.runtime.now() < deletion.at {
            world.runtime.sleep_until(deletion.at).await;
        }
        for name in &deletion.claims {
            if let Err(error) = store.delete::<NodeClaim>(Write { at: world.runtime.now(), by: BY }, name) {
                tracing::debug!(claim = &**name, %error, "the workload found no nodeclaim to delete");
            }
        }
    }
}
