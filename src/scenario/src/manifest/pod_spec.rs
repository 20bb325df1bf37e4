//! What a pod needs: all of `corev1.PodSpec` that scheduling looks at.

use super::container::{Host, container, pod_resources};
use super::context::Context;
use super::known;
use super::reader::{Fields, Reader, is_false_or_empty};
use super::selectors::toleration;
use super::{affinity, metadata, storage};
use crate::path::Segment;
use crate::tree::Node;
use lkesim_kube::object::pod::{Pod, PodPhase, PodSpec};
use lkesim_kube::object::{PodOwner, PodTemplate, StringMap};
use std::rc::Rc;
use std::time::Duration;

/// Fields that make no difference to where a pod goes and how long it stays.
const IGNORED: [&str; 22] = [
    "serviceAccountName",
    "serviceAccount",
    "automountServiceAccountToken",
    "imagePullSecrets",
    "dnsPolicy",
    "dnsConfig",
    "hostname",
    "subdomain",
    "hostAliases",
    "hostIPC",
    "hostPID",
    "hostUsers",
    "hostnameOverride",
    "shareProcessNamespace",
    "securityContext",
    "enableServiceLinks",
    "setHostnameAsFQDN",
    "ephemeralContainers",
    "os",
    "nodeName",
    "resourceClaims",
    "workloadRef",
];

/// `corev1.PodSpec`. Its `nodeName` is read by who knows what the spec is of.
pub fn pod_spec(reader: &mut Reader, node: &Node, context: &Context) -> Option<PodSpec> {
    let mut fields = reader.fields(node)?;
    let mut spec = PodSpec::default();
    let selector = fields.read(reader, "nodeSelector", node_selector);
    spec.node_selector = selector.unwrap_or_default();
    fields.read(reader, "affinity", |reader, node| affinity::affinity(reader, node, &mut spec));
    let spread = fields.read(reader, "topologySpreadConstraints", |reader, node| reader.list(node, affinity::spread));
    spec.topology_spread_constraints = spread.unwrap_or_default();
    let tolerations = fields.read(reader, "tolerations", |reader, node| reader.list(node, toleration));
    spec.tolerations = tolerations.unwrap_or_default();
    containers(reader, &mut fields, &mut spec);
    spec.overhead = fields.read(reader, "overhead", Reader::resources).unwrap_or_default();
    spec.requests = fields.read(reader, "resources", pod_resources).unwrap_or_default();
    let volumes =
        |reader: &mut Reader, node: &Node| reader.list(node, |reader, node| storage::volume(reader, node, context));
    spec.volumes = fields.read(reader, "volumes", volumes).unwrap_or_default().into_iter().flatten().collect();
    priority(reader, &mut fields, &mut spec, context);
    let gates = fields.read(reader, "schedulingGates", |reader, node| reader.list(node, gate));
    spec.scheduling_gates = gates.unwrap_or_default();
    let grace = fields.read(reader, "terminationGracePeriodSeconds", |reader, node| reader.number(node, 0, 1 << 40));
    spec.termination_grace_period = grace.and_then(|grace| u64::try_from(grace).ok()).map(Duration::from_secs);
    let restarts = ["Always", "OnFailure", "Never"].map(|policy| (policy, ()));
    fields.read(reader, "restartPolicy", |reader, node| reader.one_of(node, &restarts));
    not_modelled(reader, &mut fields);
    fields.ignore(&IGNORED);
    fields.end(reader);
    Some(spec)
}

fn node_selector(reader: &mut Reader, node: &Node) -> Option<StringMap> {
    let selector = metadata::labels(reader, node)?;
    for (key, value) in selector.iter() {
        reader.below(Segment::Key(key.to_string()), |reader| known::label(reader, key, value));
    }
    Some(selector)
}

fn containers(reader: &mut Reader, fields: &mut Fields<'_>, spec: &mut PodSpec) {
    let has_network = fields.read(reader, "hostNetwork", Reader::bool).unwrap_or_default();
    let host = Host { has_network };
    let mut names = Vec::new();
    let found = fields.must(reader, "containers", |reader, node| {
        reader.list(node, |reader, node| container(reader, node, host, false, &mut names))
    });
    if found.as_ref().is_some_and(Vec::is_empty) {
        reader.wrong_at("containers", "the list is empty; expected at least one container");
    }
    spec.containers = found.unwrap_or_default();
    let found = fields.read(reader, "initContainers", |reader, node| {
        reader.list(node, |reader, node| container(reader, node, host, true, &mut names))
    });
    spec.init_containers = found.unwrap_or_default();
}

fn priority(reader: &mut Reader, fields: &mut Fields<'_>, spec: &mut PodSpec, context: &Context) {
    let class = fields.read(reader, "priorityClassName", |reader, node| {
        let name = reader.text(node)?;
        let class = context.priority_class(name);
        if class.is_none() && !name.is_empty() {
            reader.unknown("PriorityClass", name, &context.priority_class_names(), false);
        }
        class
    });
    let class = class.or_else(|| context.default_priority());
    let (low, high) = (i64::from(i32::MIN), i64::from(i32::MAX));
    let own = fields.read(reader, "priority", |reader, node| reader.number(node, low, high));
    let policies = [("Never", true), ("PreemptLowerPriority", false)];
    let never = fields.read(reader, "preemptionPolicy", |reader, node| reader.one_of(node, &policies));
    spec.priority = own.and_then(|own| i32::try_from(own).ok()).or(class.map(|class| class.value)).unwrap_or(0);
    spec.never_preempts = never.or(class.map(|class| class.never_preempts)).unwrap_or(false);
}

fn gate(reader: &mut Reader, node: &Node) -> Option<Rc<str>> {
    let mut fields = reader.fields(node)?;
    let name = fields.must(reader, "name", Reader::name);
    fields.end(reader);
    name
}

fn not_modelled(reader: &mut Reader, fields: &mut Fields<'_>) {
    let is_usual = |node: &Node| matches!(node, Node::Text(name) if name.is_empty() || name == "default-scheduler");
    fields.unmodelled(reader, "schedulerName", "kube-scheduler schedules all pods", is_usual);
    fields.unmodelled(reader, "runtimeClassName", "what it costs is given by `overhead` alone", is_false_or_empty);
    fields.unmodelled(reader, "activeDeadlineSeconds", "the pod runs on", |_| false);
    fields.unmodelled(reader, "readinessGates", "the pod is ready as soon as it runs", is_false_or_empty);
    fields.unmodelled(reader, "schedulingGroup", "pods are scheduled one by one", is_false_or_empty);
}

/// `corev1.PodTemplateSpec`, and how long its pods run.
pub fn pod_template(reader: &mut Reader, node: &Node, context: &Context) -> Option<(PodTemplate, Option<Duration>)> {
    let mut fields = reader.fields(node)?;
    let dressed = fields.read(reader, "metadata", metadata::dressed).unwrap_or_default();
    let spec = fields.must(reader, "spec", |reader, node| pod_spec(reader, node, context));
    fields.end(reader);
    let spec = Rc::new(spec?);
    let runs_for = metadata::runs_for(reader, &dressed.annotations);
    Some((PodTemplate { labels: dressed.labels, annotations: dressed.annotations, spec }, runs_for))
}

/// `v1` Pod, with how it is.
pub fn pod(reader: &mut Reader, mut object: Fields<'_>, context: &mut Context) -> Option<Pod> {
    let metadata = metadata::metadata(reader, &mut object, metadata::Scope::Namespace);
    let mut node_name = None;
    let spec = object.must(reader, "spec", |reader, node| {
        if let Node::Map(entries) = node
            && let Some((key, node)) = entries.iter().find(|(key, node)| key == "nodeName" && !node.is_absent())
        {
            node_name = reader.below(Segment::Key(key.clone()), |reader| reader.name(node));
        }
        pod_spec(reader, node, context)
    });
    let status = object.read(reader, "status", status);
    object.end(reader);
    let (metadata, spec) = (metadata?, spec?);
    context.seen(reader, "Pod", &metadata)?;
    reader.more_pods(1);
    let mut pod = Pod::new_in(metadata.namespace.clone(), &metadata.name, spec);
    pod.runs_for = metadata::runs_for(reader, &metadata.annotations);
    metadata.dress(&mut pod.metadata);
    pod.node_name = node_name;
    pod.owner = owner(&metadata);
    if let Some(status) = status {
        pod.status = status;
        pod.status.is_ready |= pod.status.phase == PodPhase::Running;
    } else if pod.node_name.is_some() {
        pod.status.phase = PodPhase::Running;
        pod.status.is_ready = true;
    }
    Some(pod)
}

fn owner(metadata: &metadata::Metadata) -> PodOwner {
    match metadata.owners.first().map(|owner| &*owner.kind) {
        None => PodOwner::None,
        Some("DaemonSet") => PodOwner::DaemonSet,
        Some("StatefulSet") => PodOwner::StatefulSet,
        Some("Node") => PodOwner::Node,
        Some(_) => PodOwner::Controller,
    }
}

fn status(reader: &mut Reader, node: &Node) -> Option<lkesim_kube::object::pod::PodStatus> {
    let phases = [
        ("Pending", PodPhase::Pending),
        ("Running", PodPhase::Running),
        ("Succeeded", PodPhase::Succeeded),
        ("Failed", PodPhase::Failed),
        ("Unknown", PodPhase::Running),
    ];
    // The rest of a status is what this program finds out by itself.
    let mut fields = reader.fields(node)?;
    let phase = fields.read(reader, "phase", |reader, node| reader.one_of(node, &phases)).unwrap_or_default();
    let nominated = fields.read(reader, "nominatedNodeName", Reader::shared).filter(|name| !name.is_empty());
    Some(lkesim_kube::object::pod::PodStatus { phase, nominated_node_name: nominated, ..Default::default() })
}

/// The labels of a template must be those that its owner looks for, as the API server holds.
pub fn selector_matches(reader: &mut Reader, selector: &lkesim_kube::object::LabelSelector, labels: &StringMap) {
    if !selector.matches(labels) {
        let message = "the selector does not match the labels of the pods' template";
        reader.below(Segment::Key("spec".to_owned()), |reader| reader.wrong_at("selector", message));
    }
}
