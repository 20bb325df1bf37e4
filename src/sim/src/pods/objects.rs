//! What a scenario's manifests put into the store before the run.

use crate::cluster::Cluster;
use crate::plan::Plan;
use crate::run::RunError;
use crate::world::World;
use lkesim_kube::object::{ConditionType, NodeClass, NodePool, Object, ObjectMeta, Workload};
use lkesim_kube::store::Write;

/// Who puts it there.
pub(crate) const BY: &str = "start";

/// Refuses what has no model.
pub(crate) fn refuse(plan: &Plan) -> Result<(), RunError> {
    let asked = plan.clusters.iter().find_map(|cluster| {
        let objects = &cluster.pods.objects;
        (!objects.node_claims.is_empty()).then_some("NodeClaims in manifests")
    });
    asked.map_or(Ok(()), |what| Err(RunError::NotModelled(what.to_owned())))
}

/// Places a cluster's objects. What others refer to comes first.
pub(crate) fn place(world: &World, cluster: &Cluster) {
    let objects = &world.plan.clusters[cluster.place].pods.objects;
    for node_class in &objects.node_classes {
        put(world, cluster, ready(world, node_class));
    }
    objects.node_pools.iter().for_each(|one| put::<NodePool>(world, cluster, one.clone()));
    objects.nodes.iter().for_each(|one| put(world, cluster, one.clone()));
    objects.workloads.iter().for_each(|one| put(world, cluster, one.clone()));
    objects.disruption_budgets.iter().for_each(|one| put(world, cluster, one.clone()));
    for pod in &objects.pods {
        let mut pod = pod.clone();
        know_owners(cluster, &mut pod.metadata);
        put(world, cluster, pod);
    }
}

/// The provider has validated it: nothing in it could be wrong.
fn ready(world: &World, node_class: &NodeClass) -> NodeClass {
    let mut made = node_class.clone();
    made.status.conditions.set_true(world.runtime.now(), ConditionType::Ready);
    made
}

/// Owners are named in manifests, and known by uid in a store.
fn know_owners(cluster: &Cluster, metadata: &mut ObjectMeta) {
    let mut owners: Vec<_> = metadata.owner_references.iter().cloned().collect();
    for owner in &mut owners {
        if let Some(workload) = cluster.store.get::<Workload>(&owner.name) {
            owner.uid = workload.metadata.uid;
        }
    }
    metadata.owner_references = owners.into();
}

/// An object of that name that is there already stays: it was made of the scenario's own fields.
fn put<T: Object>(world: &World, cluster: &Cluster, object: T) {
    let name = object.metadata().name.clone();
    let write = Write { at: world.runtime.now(), by: BY };
    if let Err(error) = cluster.store.create(write, object) {
        tracing::debug!(object = &*name, %error, "the scenario has this object twice");
    }
}
