//! Karpenter's own kinds: NodePool, NodeClaim and the provider's NodeClass.

use super::context::Context;
use super::disruption::{Disruption, disruption};
use super::kinds::Manifested;
use super::known;
use super::metadata::{self, Metadata, Scope};
use super::reader::{Fields, Reader, is_false_or_empty};
use super::selectors::{karpenter_requirement, taints};
use crate::path::Segment;
use crate::tree::Node;
use lkesim_kube::object::node_claim::{NodeClaimSpec, NodeClaimStatus, NodeClassRef};
use lkesim_kube::object::node_class::{InstanceSpec, NodeClassSpec};
use lkesim_kube::object::node_pool::NodePoolSpec;
use lkesim_kube::object::{
    ConditionStatus, ConditionType, Conditions, NodeClaim, NodeClass, NodePool, ProviderId, Requirement, ResourceList,
    Resources, Taint, labels,
};
use lkesim_runtime::Time;
use std::rc::Rc;
use std::time::Duration;

/// No run is longer, so that what ends later never does.
const LONGEST: Duration = crate::check::LONGEST.get();

/// `karpenter.sh/v1` NodePool.
pub fn node_pool(reader: &mut Reader, mut object: Fields<'_>, context: &mut Context) -> Option<NodePool> {
    let metadata = metadata::metadata(reader, &mut object, Scope::Cluster);
    let spec = object.must(reader, "spec", node_pool_spec);
    object.ignore(&["status"]);
    object.end(reader);
    let (metadata, spec) = (metadata?, spec?);
    context.seen(reader, "NodePool", &metadata)?;
    let mut node_pool = NodePool::new(metadata.name.clone(), spec);
    metadata.dress(&mut node_pool.metadata);
    Some(node_pool)
}

fn node_pool_spec(reader: &mut Reader, node: &Node) -> Option<NodePoolSpec> {
    let mut fields = reader.fields(node)?;
    let template = fields.must(reader, "template", |reader, node| {
        let mut fields = reader.fields(node)?;
        let dressed: Metadata = fields.read(reader, "metadata", metadata::dressed).unwrap_or_default();
        let spec = fields.must(reader, "spec", wanted);
        fields.end(reader);
        Some((dressed, spec?))
    });
    let limits = fields.read(reader, "limits", Reader::resources);
    let node_limit = limits.as_ref().and_then(|limits| limits.get(NODES));
    let node_limit = node_limit.and_then(|nodes| u64::try_from(nodes.milli() / 1_000).ok());
    let limits = limits.map(|limits| limits_of(reader, &limits));
    let weight = fields.read(reader, "weight", |reader, node| reader.number(node, 1, 100));
    let Disruption { consolidate_after, budgets } = disruption(reader, &mut fields);
    fields.unmodelled(reader, "replicas", "NodePools of a fixed size are left out", |_| false);
    fields.end(reader);
    let (dressed, wanted) = template?;
    let keys: Vec<Rc<str>> = dressed.labels.iter().map(|(key, _)| key.clone()).collect();
    for key in keys {
        not_restricted(reader, &["template", "metadata", "labels", &key].map(|key| Segment::Key(key.to_owned())), &key);
    }
    for (place, one) in wanted.requirements.iter().enumerate() {
        let mut path: Vec<Segment> =
            ["template", "spec", "requirements"].into_iter().map(|key| Segment::Key(key.to_owned())).collect();
        path.extend([Segment::Index(place), Segment::Key("key".to_owned())]);
        not_restricted(reader, &path, &one.key);
    }
    Some(NodePoolSpec {
        labels: dressed.labels,
        annotations: dressed.annotations,
        requirements: wanted.requirements,
        node_class_ref: wanted.node_class_ref,
        taints: wanted.taints,
        startup_taints: wanted.startup_taints,
        limits,
        node_limit,
        termination_grace_period: wanted.termination_grace_period,
        weight: weight.and_then(|weight| u32::try_from(weight).ok()).unwrap_or_default(),
        consolidate_after,
        budgets,
    })
}

/// Labels that no NodePool may ask for or give (core v1.9.0 `pkg/apis/crds/karpenter.sh_nodepools.yaml`).
fn not_restricted(reader: &mut Reader, path: &[Segment], key: &str) {
    let domain = key.split_once('/').map_or("", |(domain, _)| domain);
    let is_own = domain.ends_with("karpenter.sh") && key != labels::CAPACITY_TYPE;
    if is_own || key == labels::HOSTNAME {
        let found = crate::decode::shortened(key);
        reader.at(path, |reader| reader.wrong(format!("Karpenter keeps the label `{found}` to itself")));
    }
}

/// The limit of how many nodes there may be.
const NODES: &str = "nodes";

/// Limits, of which 0 would close the NodePool.
fn limits_of(reader: &mut Reader, limits: &ResourceList) -> Resources {
    for (name, _) in limits.iter().filter(|(name, quantity)| quantity.is_zero() && **name != *NODES) {
        let message = format!("a limit of 0 `{name}` is not modelled: it counts as none");
        let path = ["limits", &**name].map(|key| Segment::Key(key.to_owned()));
        let [field, key] = path;
        reader.below(field, |reader| reader.below(key, |reader| reader.unmodelled(message)));
    }
    known_resources(reader, "limits", limits, &[NODES])
}

/// What a NodeClaim wants, in its own spec and in a NodePool's template.
struct Wanted {
    requirements: Vec<Requirement>,
    node_class_ref: Option<NodeClassRef>,
    taints: Vec<Taint>,
    startup_taints: Vec<Taint>,
    termination_grace_period: Option<Duration>,
    requests: Resources,
}

fn wanted(reader: &mut Reader, node: &Node) -> Option<Wanted> {
    let mut fields = reader.fields(node)?;
    let requirements = fields.must(reader, "requirements", |reader, node| reader.list(node, karpenter_requirement));
    let node_class_ref = fields.must(reader, "nodeClassRef", node_class_ref);
    let own_taints = fields.read(reader, "taints", taints).unwrap_or_default();
    let startup_taints = fields.read(reader, "startupTaints", taints).unwrap_or_default();
    let expires = fields.read(reader, "expireAfter", Reader::duration_or_never).flatten();
    if expires.is_some_and(|after| after < LONGEST) {
        let message = "`expireAfter` is not modelled: no node expires";
        reader.at(&[Segment::Key("expireAfter".to_owned())], |reader| reader.unmodelled(message));
    }
    let termination_grace_period = fields.read(reader, "terminationGracePeriod", Reader::duration);
    let requests = fields.read(reader, "resources", |reader, node| {
        let mut fields = reader.fields(node)?;
        let requests = fields.read(reader, "requests", Reader::resources);
        fields.end(reader);
        requests
    });
    let requests = requests.map(|requests| known_resources(reader, "resources", &requests, &[]));
    fields.end(reader);
    Some(Wanted {
        requirements: requirements.unwrap_or_default(),
        node_class_ref,
        taints: own_taints,
        startup_taints,
        termination_grace_period,
        requests: requests.unwrap_or_default(),
    })
}

fn node_class_ref(reader: &mut Reader, node: &Node) -> Option<NodeClassRef> {
    let mut fields = reader.fields(node)?;
    let group = fields.must(reader, "group", Reader::name);
    let kind = fields.must(reader, "kind", Reader::name);
    let name = fields.must(reader, "name", Reader::name);
    fields.end(reader);
    let found = NodeClassRef { group: group?, kind: kind?, name: name? };
    known::node_class_ref(reader, &found.group, &found.kind, &found.name);
    Some(found)
}

/// The amounts that nodes of LKE have; others are told.
pub fn known_resources(reader: &mut Reader, field: &str, list: &ResourceList, besides: &[&str]) -> Resources {
    let mut list = list.clone();
    besides.iter().for_each(|name| list.remove(name));
    loop {
        match list.to_resources() {
            Ok(resources) => return resources,
            Err(name) => {
                let message = format!("the resource `{name}` is not modelled here");
                let path = [field, &name].map(|key| Segment::Key(key.to_owned()));
                let [field, key] = path;
                reader.below(field, |reader| reader.below(key, |reader| reader.unmodelled(message)));
                list.remove(&name);
            }
        }
    }
}

/// `karpenter.sh/v1` NodeClaim, with how it is.
pub fn node_claim(reader: &mut Reader, mut object: Fields<'_>, context: &mut Context) -> Option<NodeClaim> {
    let metadata = metadata::metadata(reader, &mut object, Scope::Cluster);
    let wanted = object.must(reader, "spec", wanted);
    let status = object.read(reader, "status", node_claim_status).unwrap_or_default();
    object.end(reader);
    let (metadata, wanted) = (metadata?, wanted?);
    context.seen(reader, "NodeClaim", &metadata)?;
    its_node_pool(reader, &metadata);
    let spec = NodeClaimSpec {
        requirements: wanted.requirements,
        node_class_ref: wanted.node_class_ref,
        resources_requests: wanted.requests,
        taints: wanted.taints,
        startup_taints: wanted.startup_taints,
        termination_grace_period: wanted.termination_grace_period,
    };
    let mut claim = NodeClaim::new(metadata.name.clone(), spec);
    metadata.dress(&mut claim.metadata);
    claim.status = status;
    Some(claim)
}

/// Whether the NodePool of a NodeClaim's label is there.
fn its_node_pool(reader: &mut Reader, metadata: &Metadata) {
    let Some(node_pool) = metadata.labels.get(labels::NODE_POOL) else { return };
    let of = (Manifested::NodePool, "NodePool");
    let path = ["metadata", "labels", labels::NODE_POOL].map(|key| Segment::Key(key.to_owned()));
    reader.at(&path, |reader| known::look_up(reader, of, "", node_pool, ""));
}

fn node_claim_status(reader: &mut Reader, node: &Node) -> Option<NodeClaimStatus> {
    let mut fields = reader.fields(node)?;
    let provider_id = fields.read(reader, "providerID", provider_id).filter(|id| !id.is_empty());
    let node_name = fields.read(reader, "nodeName", |reader, node| {
        let name = reader.text(node)?;
        known::look_up(reader, (Manifested::Node, "Node"), "", name, ", and is taken to be as its Linode makes it");
        Some(Rc::<str>::from(name))
    });
    let node_name = node_name.filter(|name| !name.is_empty());
    let (capacity, allocatable) = sizes(reader, &mut fields);
    let conditions = fields.read(reader, "conditions", conditions).unwrap_or_default();
    // The image's id, when pods last changed, and the like.
    Some(NodeClaimStatus {
        provider_id: provider_id.map(ProviderId::new),
        node_name,
        capacity,
        allocatable,
        conditions,
        last_pod_event: None,
    })
}

fn provider_id(reader: &mut Reader, node: &Node) -> Option<Rc<str>> {
    let id = reader.text(node)?;
    if !id.is_empty() && !id.starts_with("linode://") {
        let message =
            format!("`{}` is no Linode's; it is taken as one that was launched", crate::decode::shortened(id));
        reader.missing(message, Some("expected `linode://` and a number".to_owned()));
    }
    Some(id.into())
}

/// `capacity` and `allocatable` of a status.
pub fn sizes(reader: &mut Reader, fields: &mut Fields<'_>) -> (Resources, Resources) {
    let mut size = |name| {
        let list = fields.read(reader, name, Reader::resources)?;
        Some(known_resources(reader, name, &list, &["hugepages-1Gi", "hugepages-2Mi"]))
    };
    (size("capacity").unwrap_or_default(), size("allocatable").unwrap_or_default())
}

/// The conditions of a status that this program knows.
pub fn conditions(reader: &mut Reader, node: &Node) -> Option<Conditions> {
    let kinds = [
        ("Launched", ConditionType::Launched),
        ("Registered", ConditionType::Registered),
        ("Initialized", ConditionType::Initialized),
        ("Consolidatable", ConditionType::Consolidatable),
        ("Drifted", ConditionType::Drifted),
        ("Ready", ConditionType::Ready),
    ];
    let mut found = Conditions::EMPTY;
    reader.list(node, |reader, node| {
        let mut fields = reader.fields(node)?;
        let kind = fields.must(reader, "type", Reader::text)?;
        let status = fields.must(reader, "status", |reader, node| reader.one_of(node, &STATUSES))?;
        let kind = kinds.iter().find(|(name, _)| *name == kind).map(|(_, kind)| *kind)?;
        found.set(Time::ZERO, kind, status, "", None);
        Some(())
    })?;
    Some(found)
}

/// `karpenter.k8s.linode/v1alpha1` LinodeNodeClass, as of provider e1c5200 with the fields that v0.1.3 had besides.
pub fn node_class(reader: &mut Reader, mut object: Fields<'_>, context: &mut Context) -> Option<NodeClass> {
    let metadata = metadata::metadata(reader, &mut object, Scope::Cluster);
    let spec = object.must(reader, "spec", node_class_spec);
    let ready = object.read(reader, "status", node_class_status).flatten();
    object.end(reader);
    let (metadata, spec) = (metadata?, spec?);
    context.seen(reader, "LinodeNodeClass", &metadata)?;
    let mut class = NodeClass::new(metadata.name.clone(), spec);
    if let Some((status, observed)) = ready {
        // The first form in the store is the present one.
        class.metadata.generation = u64::from(observed == metadata.generation || observed.is_none());
        class.set_ready(Time::ZERO, status, "", None);
    }
    metadata.dress(&mut class.metadata);
    Some(class)
}

/// What Ready says, and of which generation.
fn node_class_status(reader: &mut Reader, node: &Node) -> Option<Option<(ConditionStatus, Option<i64>)>> {
    let mut fields = reader.fields(node)?;
    let mut found = None;
    fields.read(reader, "conditions", |reader, node| {
        reader.list(node, |reader, node| {
            let mut fields = reader.fields(node)?;
            let kind = fields.must(reader, "type", Reader::text)?;
            let status = fields.must(reader, "status", |reader, node| reader.one_of(node, &STATUSES))?;
            let observed = fields.read(reader, "observedGeneration", |reader, node| reader.number(node, 0, i64::MAX));
            if kind == "Ready" {
                found = Some((status, observed));
            }
            Some(())
        })
    });
    Some(found)
}

/// What a condition can be.
const STATUSES: [(&str, ConditionStatus); 3] =
    [("True", ConditionStatus::True), ("False", ConditionStatus::False), ("Unknown", ConditionStatus::Unknown)];

fn node_class_spec(reader: &mut Reader, node: &Node) -> Option<NodeClassSpec> {
    let mut fields = reader.fields(node)?;
    let spec = NodeClassSpec {
        tags: fields.read(reader, "tags", Reader::texts).unwrap_or_default().into_iter().collect(),
        lke_k8s_version: fields.read(reader, "lkeK8sVersion", Reader::shared),
        firewall_id: fields
            .read(reader, "firewallID", |reader, node| reader.number(node, 0, i64::from(i32::MAX)))
            .and_then(|id| u64::try_from(id).ok()),
        labels: fields
            .read(reader, "labels", metadata::labels)
            .map(|labels| labels.iter().map(|(key, value)| (Rc::clone(key), Rc::clone(value))).collect())
            .unwrap_or_default(),
        lke_update_strategy: fields.read(reader, "lkeUpdateStrategy", Reader::shared),
        instance: instance_spec(reader, &mut fields).into(),
    };
    fields.unmodelled(
        reader,
        "kubelet",
        "what pods can use of a node is the provider's usual share",
        is_false_or_empty,
    );
    fields.unmodelled(reader, "placementGroup", "Linodes are placed anywhere in the region", is_false_or_empty);
    fields.ignore(&["osDisk", "dataDisks", "configuration", "vpcID", "ipv6Options"]);
    fields.end(reader);
    Some(spec)
}

/// What only the provider's instance mode reads.
fn instance_spec(reader: &mut Reader, fields: &mut Fields<'_>) -> InstanceSpec {
    let mut texts = |name| fields.read(reader, name, Reader::texts).unwrap_or_default().into_iter().collect();
    let (authorized_keys, authorized_users) = (texts("authorizedKeys"), texts("authorizedUsers"));
    let encryption = [("enabled", true), ("disabled", false)];
    InstanceSpec {
        image: fields.read(reader, "image", Reader::shared).filter(|image| !image.is_empty()),
        authorized_keys,
        authorized_users,
        backups: fields.read(reader, "backupsEnabled", Reader::bool).unwrap_or_default(),
        disk_encryption: fields.read(reader, "diskEncryption", |reader, node| reader.one_of(node, &encryption)),
        swap_size: fields
            .read(reader, "swap_size", |reader, node| reader.number(node, 0, i64::from(i32::MAX)))
            .and_then(|size| u64::try_from(size).ok()),
    }
}
