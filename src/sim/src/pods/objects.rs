//! What a scenario's manifests put into the store before the run.
//!
//! NodeClaims, their Linodes and their Nodes are there by then: the cloud gave them names of its own, after which the
//! pods on them are called.

use crate::cluster::Cluster;
use crate::workload::NODE_CLASS;
use crate::world::World;
use lkesim_kube::kubelet::Kubelet;
use lkesim_kube::object::node_claim::NodeClassRef;
use lkesim_kube::object::node_class::NodeClassSpec;
use lkesim_kube::object::{ConditionType, Node, NodeClaim, NodeClass, NodePool, Object, ObjectMeta, Workload, labels};
use lkesim_kube::store::{Lock, Part, Write};
use lkesim_lke::controllers::node_class::{Checks, known, settled};
use lkesim_scenario::manifest::Objects;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Who puts it there.
pub(crate) const BY: &str = "start";

/// Places a cluster's objects. What others refer to comes first.
pub(crate) fn place(world: &World, cluster: &Cluster, kubelet: &Kubelet, checks: Checks) {
    let objects = &world.plan.clusters[cluster.place].pods.objects;
    for node_class in &objects.node_classes {
        put(world, cluster, ready(world, checks, node_class));
    }
    if objects.node_classes.is_empty() {
        invent_node_classes(world, cluster, objects, checks);
    }
    objects.node_pools.iter().for_each(|one| put::<NodePool>(world, cluster, one.clone()));
    let called = names_of_nodes(cluster, objects);
    for node in &objects.nodes {
        match called.get(node.name()) {
            Some(name) => dress(world, cluster, name, node),
            None => {
                // A node of the cluster's own pool: Karpenter has no NodeClaim for it.
                if let Some(id) = &node.spec.provider_id {
                    kubelet.stands(id.clone(), node.name().clone());
                }
                put(world, cluster, node.clone());
            }
        }
    }
    objects.workloads.iter().for_each(|one| put(world, cluster, one.clone()));
    objects.disruption_budgets.iter().for_each(|one| put(world, cluster, one.clone()));
    for pod in &objects.pods {
        let mut pod = pod.clone();
        know_owners(cluster, &mut pod.metadata);
        if let Some(name) = pod.node_name.as_ref().and_then(|name| called.get(name)) {
            pod.node_name = Some(name.clone());
        }
        put(world, cluster, pod);
    }
}

/// Where the manifests have no NodeClass at all, those that their NodePools name are taken to be there.
fn invent_node_classes(world: &World, cluster: &Cluster, objects: &Objects, checks: Checks) {
    let named = objects.node_pools.iter().filter_map(|node_pool| node_pool.spec.node_class_ref.as_ref());
    let linode = named.filter(|of| **of == NodeClassRef::linode(of.name.clone()));
    let names: BTreeSet<&Rc<str>> = linode.map(|of| &of.name).filter(|name| ***name != *NODE_CLASS).collect();
    for name in names {
        put(world, cluster, ready(world, checks, &NodeClass::new(name.clone(), NodeClassSpec::default())));
    }
}

/// What the Nodes of NodeClaims are called here, by their names in the manifests.
fn names_of_nodes(cluster: &Cluster, objects: &Objects) -> BTreeMap<Rc<str>, Rc<str>> {
    let called = |claim: &NodeClaim| {
        let by_id =
            |node: &&Node| claim.status.provider_id.is_some() && node.spec.provider_id == claim.status.provider_id;
        let by_id = objects.nodes.iter().find(by_id).map(|node| node.name().clone());
        let here = cluster.store.get::<NodeClaim>(claim.name())?.status.node_name.clone()?;
        Some((claim.status.node_name.clone().or(by_id)?, here))
    };
    objects.node_claims.iter().filter_map(called).collect()
}

/// Gives a Node the labels and taints that its manifest has besides.
fn dress(world: &World, cluster: &Cluster, name: &str, written: &Node) {
    let Some(before) = cluster.store.get::<Node>(name) else { return };
    let mut after = Node::clone(&before);
    for (key, value) in written.metadata.labels.iter().filter(|(key, _)| **key != *labels::HOSTNAME) {
        after.metadata.labels.insert(key.clone(), value.clone());
    }
    for taint in written.spec.taints.iter().filter(|taint| !before.has_taint(&taint.key, taint.effect)) {
        after.spec.taints.push(taint.clone());
    }
    let write = Write { at: world.runtime.now(), by: BY };
    if let Err(error) = cluster.store.patch(write, &*before, &after, Part::Object, Lock::None) {
        world.warn(format!("the labels of Node {name}"), error.to_string());
    }
}

/// As the manifest says that it is. One that says nothing was validated before the run, where the design could find
/// nothing wrong.
fn ready(world: &World, checks: Checks, node_class: &NodeClass) -> NodeClass {
    let is_told = node_class.status.conditions.get(ConditionType::Ready).is_some();
    match is_told {
        true => known(node_class.clone()),
        false if checks.doubt(&node_class.spec) => node_class.clone(),
        false => settled(node_class.clone(), world.runtime.now()),
    }
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

/// An object of that name that is there already stays: it was made of the scenario's own fields. The report tells of one
/// that differs.
fn put<T: Object>(world: &World, cluster: &Cluster, object: T) {
    let name = object.metadata().name.clone();
    let write = Write { at: world.runtime.now(), by: BY };
    if let Err(error) = cluster.store.create(write, object) {
        world.warn(format!("{} {name} of the manifests", T::KIND), error.to_string());
    }
}
