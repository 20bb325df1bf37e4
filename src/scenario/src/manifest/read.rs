//! From the entries of a scenario to objects of the store.

use super::context::Context;
use super::finding::Finding;
use super::kinds::{GROUPS, IGNORED, KINDS, Manifested, UNMODELLED};
use super::metadata::{Metadata, Owner};
use super::reader::{Fields, Reader};
use super::{Objects, cluster, karpenter, known, pod_spec, storage, workload};
use crate::path::{Path, Segment};
use crate::tree::Node;
use lkesim_kube::object::meta::{OwnerReference, in_namespace};
use lkesim_kube::object::{Kind, Pod, Uid, Workload, WorkloadKind};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// An object as it is written, and where.
#[derive(Clone)]
pub struct Written<'n> {
    /// Where it stands.
    pub path: Path,
    /// What it is.
    pub kind: Manifested,
    /// All of it.
    pub node: &'n Node,
}

/// What was read.
pub struct Read {
    /// The objects, as far as they could be read.
    pub objects: Objects,
    /// How many pods they make.
    pub pods: u64,
    /// What is said of them.
    pub findings: Vec<Finding>,
}

/// Objects one by one: lists are taken apart, and kinds that are unknown or that can't matter are told.
pub fn take_apart<'n>(reader: &mut Reader, path: &Path, node: &'n Node, found: &mut Vec<Written<'n>>) {
    take(reader, path, node, None, found);
}

fn take<'n>(reader: &mut Reader, path: &Path, node: &'n Node, usual: Option<&str>, found: &mut Vec<Written<'n>>) {
    reader.go_to(path);
    // An empty document says nothing.
    if node.is_absent() {
        return;
    }
    let Some(mut fields) = reader.fields(node) else { return };
    if is_scenario(node) {
        let message = "this is a scenario, and no Kubernetes object";
        reader.wrong_with(message, "give it without `-f`: `lkesim run SCENARIO`");
        return;
    }
    let kind = match (fields.get("kind"), usual) {
        (None, Some(usual)) => Some(usual),
        _ => fields.must(reader, "kind", Reader::text),
    };
    let Some(kind) = kind else { return };
    if let Some(of) = kind.strip_suffix("List") {
        let usual = (!of.is_empty()).then_some(of);
        fields.must(reader, "items", |reader, node| {
            let Node::List(items) = node else {
                reader.wrong("expected a list of objects");
                return None;
            };
            let path = reader.path();
            for (index, item) in items.iter().enumerate() {
                take(reader, &path.index(index), item, usual, found);
            }
            Some(())
        });
        return;
    }
    let found_version = match fields.get("apiVersion") {
        Some(Node::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    let Some((_, version, manifested)) = KINDS.iter().find(|(name, ..)| *name == kind) else {
        other_kind(reader, kind, found_version);
        return;
    };
    if let Some(found) = found_version
        && is_of_others(found, version)
    {
        let message = format!("a {kind} of `{}` is not modelled, and is left out", crate::decode::shortened(found));
        reader.below(Segment::Key("kind".to_owned()), |reader| reader.unmodelled(message));
        return;
    }
    let is_right = |reader: &mut Reader, node: &Node| {
        let found = reader.text(node)?;
        if found != *version {
            let found = crate::decode::shortened(found);
            reader.wrong(format!("found `{found}`; the {kind} that is read is of `{version}`"));
        }
        Some(())
    };
    match usual {
        Some(_) => fields.read(reader, "apiVersion", is_right),
        None => fields.must(reader, "apiVersion", is_right),
    };
    found.push(Written { path: path.clone(), kind: *manifested, node });
}

/// Whether this is the language of scenarios.
fn is_scenario(node: &Node) -> bool {
    let Node::Map(entries) = node else { return false };
    let has = |name: &str| entries.iter().any(|(key, _)| key == name);
    !has("kind") && (has("about") || has("workload"))
}

/// Whether a kind is another's of the same name: of a group that is not read, and that was not meant to be one.
fn is_of_others(found: &str, version: &str) -> bool {
    !GROUPS.contains(&group(found)) && crate::suggest::nearest(found, [version]).is_none()
}

/// The group of an API version; the core's has no name.
fn group(version: &str) -> &str {
    version.split_once('/').map_or("", |(group, _)| group)
}

/// A kind that is not read. What it was is told once for each.
fn other_kind(reader: &mut Reader, kind: &str, version: Option<&str>) {
    if IGNORED.contains(&kind) {
        if reader.is_news(kind) {
            reader.note(format!("a {kind} does not matter here, and is left out"));
        }
        return;
    }
    if let Some((_, why)) = UNMODELLED.iter().find(|(name, _)| *name == kind) {
        let message = format!("a {kind} is not modelled: {why}");
        reader.below(Segment::Key("kind".to_owned()), |reader| reader.unmodelled(message));
        return;
    }
    if let Some(version) = version
        && !GROUPS.contains(&group(version))
        && crate::suggest::nearest(group(version), GROUPS).is_none()
    {
        if reader.is_news(format!("{kind} {version}")) {
            let (kind, version) = (crate::decode::shortened(kind), crate::decode::shortened(version));
            reader.note(format!("a {kind} of `{version}` is for another controller, and is left out"));
        }
        return;
    }
    let known: Vec<&str> = KINDS.iter().map(|(name, ..)| *name).chain(["List"]).collect();
    reader.below(Segment::Key("kind".to_owned()), |reader| reader.unknown("kind", kind, &known, false));
}

/// Reads objects together: they refer to each other.
pub fn read(mut reader: Reader, mut written: Vec<Written<'_>>) -> Read {
    let mut context = Context::default();
    let mut objects = Objects::default();
    let mut pods: Vec<(Pod, Option<Owner>)> = Vec::new();
    let mut workloads: Vec<(Workload, Metadata)> = Vec::new();
    // Claims look at volumes and classes, and pods at priority classes.
    written.sort_by_key(|one| one.kind.is_referred_to());
    for one in &written {
        reader.go_to(&one.path);
        match one.kind {
            Manifested::Pod => pods.extend(pod(&mut reader, one.node, &mut context)),
            Manifested::Workload(kind) => {
                let found = fields(&mut reader, one.node)
                    .and_then(|fields| workload::workload(&mut reader, kind, fields, &mut context));
                workloads.extend(found.map(|found| (found.workload, found.metadata)));
            }
            _ => other(&mut reader, one, &mut context, &mut objects),
        }
    }
    let orphans = link(&mut objects, workloads, pods);
    check_references(&mut reader, &written, &objects);
    tell_orphans(&mut reader, &written, orphans);
    objects.facts.namespaces = namespaces(&context, &objects);
    Read { objects, pods: reader.pods, findings: reader.found }
}

/// The fields of an object without those that say what it is.
pub fn fields<'n>(reader: &mut Reader, node: &'n Node) -> Option<Fields<'n>> {
    let mut fields = reader.fields(node)?;
    fields.ignore(&["apiVersion", "kind"]);
    Some(fields)
}

fn pod(reader: &mut Reader, node: &Node, context: &mut Context) -> Option<(Pod, Option<Owner>)> {
    let mut owner = None;
    if let Node::Map(entries) = node {
        // Who made it is read with its metadata again, where mistakes are told.
        let metadata = entries.iter().find(|(key, _)| key == "metadata").map(|(_, node)| node);
        owner = metadata.and_then(|node| super::metadata::dressed(&mut Reader::new(), node)?.owners.into_iter().next());
    }
    let fields = fields(reader, node)?;
    Some((pod_spec::pod(reader, fields, context)?, owner))
}

fn other(reader: &mut Reader, one: &Written<'_>, context: &mut Context, objects: &mut Objects) {
    let Some(fields) = fields(reader, one.node) else { return };
    match one.kind {
        Manifested::NodePool => objects.node_pools.extend(karpenter::node_pool(reader, fields, context)),
        Manifested::NodeClaim => objects.node_claims.extend(karpenter::node_claim(reader, fields, context)),
        Manifested::NodeClass => objects.node_classes.extend(karpenter::node_class(reader, fields, context)),
        Manifested::Node => objects.nodes.extend(cluster::node(reader, fields, context)),
        Manifested::PodDisruptionBudget => objects.disruption_budgets.extend(cluster::budget(reader, fields, context)),
        Manifested::PriorityClass => drop(cluster::priority_class(reader, fields, context)),
        Manifested::PersistentVolumeClaim => objects.facts.claims.extend(storage::claim(reader, fields, context)),
        Manifested::PersistentVolume => drop(storage::persistent_volume(reader, fields, context)),
        Manifested::StorageClass => drop(storage::storage_class(reader, fields, context)),
        Manifested::Namespace => drop(cluster::namespace(reader, fields, context)),
        Manifested::Workload(_) | Manifested::Pod => {}
    }
}

/// The labels of namespaces, of those that objects merely name too.
fn namespaces(context: &Context, objects: &Objects) -> BTreeMap<Rc<str>, lkesim_kube::object::StringMap> {
    let mut found = context.namespaces.clone();
    let named = objects.pods.iter().map(|pod| &pod.namespace);
    for name in named.chain(objects.workloads.iter().map(|one| &one.namespace)) {
        found.entry(name.clone()).or_default();
    }
    for (name, labels) in &mut found {
        labels.insert("kubernetes.io/metadata.name", name.clone());
    }
    found
}

/// Whose each object is. A ReplicaSet that a Deployment made is that Deployment here, and its pods are the
/// Deployment's. Gives the owners that are not there, each with the place of its first pod.
fn link(
    objects: &mut Objects,
    workloads: Vec<(Workload, Metadata)>,
    pods: Vec<(Pod, Option<Owner>)>,
) -> Vec<(usize, Rc<str>, Owner)> {
    let mut orphans: Vec<(usize, Rc<str>, Owner)> = Vec::new();
    let mut told: BTreeSet<Rc<str>> = BTreeSet::new();
    let names: Vec<Rc<str>> = workloads.iter().map(|(workload, _)| workload.name().clone()).collect();
    let has = |name: &Rc<str>| names.contains(name);
    let mut stands_for: BTreeMap<Rc<str>, Rc<str>> = BTreeMap::new();
    for (workload, metadata) in workloads {
        let deployment = metadata.owners.iter().find(|owner| &*owner.kind == "Deployment");
        let deployment = deployment
            .map(|owner| Workload::store_name(WorkloadKind::Deployment, &workload.namespace, &owner.name))
            .filter(has);
        match deployment.filter(|_| workload.kind == WorkloadKind::ReplicaSet) {
            Some(deployment) => drop(stands_for.insert(workload.name().clone(), deployment)),
            None => objects.workloads.push(workload),
        }
    }
    for (place, (mut pod, owner)) in pods.into_iter().enumerate() {
        let name = owner.as_ref().and_then(|owner| owner_name(&pod.namespace, owner, &stands_for, &has));
        if let (None, Some(owner)) = (&name, owner)
            && let Some(kind) = MAKERS.into_iter().find(|kind| kind.name() == &*owner.kind)
            && told.insert(Workload::store_name(kind, &pod.namespace, &owner.name))
        {
            orphans.push((place, pod.namespace.clone(), owner));
        }
        if let Some(name) = name {
            pod.metadata.owner_references =
                [OwnerReference { kind: Kind::Workload, name, uid: Uid::default() }].into_iter().collect();
        }
        objects.pods.push(pod);
    }
    orphans
}

/// What makes pods.
const MAKERS: [WorkloadKind; 5] = [
    WorkloadKind::ReplicaSet,
    WorkloadKind::StatefulSet,
    WorkloadKind::DaemonSet,
    WorkloadKind::Job,
    WorkloadKind::Deployment,
];

fn owner_name(
    namespace: &str,
    owner: &Owner,
    stands_for: &BTreeMap<Rc<str>, Rc<str>>,
    has: &dyn Fn(&Rc<str>) -> bool,
) -> Option<Rc<str>> {
    let kind = MAKERS.into_iter().find(|kind| kind.name() == &*owner.kind)?;
    let own = Workload::store_name(kind, namespace, &owner.name);
    if let Some(deployment) = stands_for.get(&own) {
        return Some(deployment.clone());
    }
    // A ReplicaSet of a Deployment is called after it, with a hash of the template.
    let above = owner.name.rsplit_once('-').filter(|_| kind == WorkloadKind::ReplicaSet);
    let above = above.map(|(name, _)| Workload::store_name(WorkloadKind::Deployment, namespace, name));
    [Some(own), above].into_iter().flatten().find(|name| has(name))
}

/// What names something that is not there.
fn check_references(reader: &mut Reader, written: &[Written<'_>], objects: &Objects) {
    let of_pods = written.iter().filter(|one| one.kind == Manifested::Pod);
    for (one, pod) in of_pods.zip(&objects.pods) {
        let Some(node) = &pod.node_name else { continue };
        // What a step applies, which is read without a place, may go to a Node that is there by then.
        if one.path.0.is_empty() {
            continue;
        }
        if !objects.nodes.iter().any(|known| known.name() == node) {
            reader.go_to(&one.path.key("spec").key("nodeName"));
            reader.unmodelled(format!("the Node `{node}` is not among the manifests, and goes with its pods"));
        }
    }
}

/// Owners that are not there, each told once: of a controller there may be a thousand pods.
fn tell_orphans(reader: &mut Reader, written: &[Written<'_>], orphans: Vec<(usize, Rc<str>, Owner)>) {
    let of_pods: Vec<&Written<'_>> = written.iter().filter(|one| one.kind == Manifested::Pod).collect();
    for (place, namespace, owner) in orphans {
        let Some(kind) = KINDS.iter().find(|(name, ..)| *name == &*owner.kind).map(|(.., kind)| *kind) else {
            continue;
        };
        let Some(one) = of_pods.get(place) else { continue };
        let owners = one.path.key("metadata").key("ownerReferences").index(0).key("name");
        reader.go_to(&owners);
        let therefore = match kind {
            Manifested::Workload(WorkloadKind::DaemonSet) => ", so that no other node gets a pod of it",
            _ => ", so that no pod is made in place of one that goes",
        };
        known::look_up(reader, (kind, &owner.kind), &namespace, &owner.name, therefore);
    }
}

/// The name in the store that an object would have, of a kind and a written name: `web`, or `namespace/web`.
pub fn store_name(kind: Manifested, namespace: &str, name: &str) -> (Kind, Rc<str>) {
    match kind {
        Manifested::NodePool => (Kind::NodePool, name.into()),
        Manifested::NodeClaim => (Kind::NodeClaim, name.into()),
        Manifested::NodeClass => (Kind::NodeClass, name.into()),
        Manifested::Node => (Kind::Node, name.into()),
        Manifested::Workload(kind) => (Kind::Workload, Workload::store_name(kind, namespace, name)),
        Manifested::PodDisruptionBudget => (Kind::PodDisruptionBudget, in_namespace(namespace, name)),
        _ => (Kind::Pod, in_namespace(namespace, name)),
    }
}
