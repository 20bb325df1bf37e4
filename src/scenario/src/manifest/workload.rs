//! What makes pods: Deployment, ReplicaSet, StatefulSet, Job and DaemonSet.

use super::context::Context;
use super::metadata::{self, Metadata, Scope};
use super::pod_spec::{pod_template, selector_matches};
use super::reader::{Fields, Reader, is_false_or_empty};
use super::selectors::label_selector;
use super::storage;
use crate::tree::Node;
use lkesim_kube::object::{LabelSelector, PodTemplate, Workload, WorkloadKind};
use std::time::Duration;

/// A workload and whose it is.
pub struct Found {
    pub workload: Workload,
    pub metadata: Metadata,
}

/// An object that makes pods.
pub fn workload(
    reader: &mut Reader,
    kind: WorkloadKind,
    mut object: Fields<'_>,
    context: &mut Context,
) -> Option<Found> {
    let metadata = metadata::metadata(reader, &mut object, Scope::Namespace);
    let spec = object.must(reader, "spec", |reader, node| spec(reader, kind, node, context));
    object.ignore(&["status"]);
    object.end(reader);
    let (metadata, spec) = (metadata?, spec?);
    context.seen(reader, kind.name(), &metadata)?;
    if let Some(selector) = &spec.selector {
        selector_matches(reader, selector, &spec.template.labels);
    }
    let runs_for = spec.runs_for.or(metadata::runs_for(reader, &metadata.annotations));
    let mut workload = Workload::new(kind, &metadata.namespace, &metadata.name, spec.template);
    metadata.dress(&mut workload.metadata);
    workload.replicas = spec.replicas;
    workload.runs_for = runs_for;
    if kind == WorkloadKind::Job && runs_for.is_none() {
        reader.note(format!(
            "nothing says how long a pod of this Job runs, so that none ends: give it the annotation \
                             `{}: 5m`",
            super::RUNS_FOR
        ));
    }
    Some(Found { workload, metadata })
}

struct Spec {
    replicas: u32,
    selector: Option<LabelSelector>,
    template: PodTemplate,
    /// How long its pods run, as the template says.
    runs_for: Option<Duration>,
}

fn spec(reader: &mut Reader, kind: WorkloadKind, node: &Node, context: &Context) -> Option<Spec> {
    let mut fields = reader.fields(node)?;
    let template = fields.must(reader, "template", |reader, node| pod_template(reader, node, context));
    let (selector, replicas) = match kind {
        WorkloadKind::Job => (None, job(reader, &mut fields)),
        WorkloadKind::DaemonSet => (fields.must(reader, "selector", label_selector), 0),
        _ => {
            let replicas = fields.read(reader, "replicas", pods).unwrap_or(1);
            (fields.must(reader, "selector", label_selector), replicas)
        }
    };
    match kind {
        WorkloadKind::Deployment => {
            fields.unmodelled(reader, "paused", "changes are taken over at once", is_false_or_empty);
            fields.ignore(&["strategy", "revisionHistoryLimit", "progressDeadlineSeconds"]);
        }
        WorkloadKind::StatefulSet => stateful_set(reader, &mut fields, context),
        WorkloadKind::DaemonSet => fields.ignore(&["updateStrategy", "revisionHistoryLimit"]),
        WorkloadKind::ReplicaSet | WorkloadKind::Job => {}
    }
    if kind != WorkloadKind::Job {
        fields.unmodelled(reader, "minReadySeconds", "a pod counts as soon as it is ready", is_false_or_empty);
    }
    fields.end(reader);
    let (template, runs_for) = template?;
    Some(Spec { replicas, selector, template, runs_for })
}

/// How many pods are made.
fn pods(reader: &mut Reader, node: &Node) -> Option<u32> {
    let count = reader.count(node)?;
    reader.more_pods(count.into());
    Some(count)
}

fn stateful_set(reader: &mut Reader, fields: &mut Fields<'_>, context: &Context) {
    let is_usual = |node: &Node| matches!(node, Node::Text(policy) if policy == "OrderedReady");
    fields.unmodelled(reader, "podManagementPolicy", "pods are made one after the other", is_usual);
    fields.unmodelled(reader, "ordinals", "pods are numbered from 0", is_false_or_empty);
    let made_with_pod = |reader: &mut Reader, node: &Node| {
        let mut fields = reader.fields(node)?;
        fields.ignore(&["apiVersion", "kind", "metadata", "status"]);
        fields.read(reader, "spec", |reader, node| storage::made_with_pod(reader, node, context));
        fields.end(reader);
        Some(())
    };
    fields.read(reader, "volumeClaimTemplates", |reader, node| reader.list(node, made_with_pod));
    fields.ignore(&["serviceName", "updateStrategy", "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy"]);
}

/// How many pods a Job has at once. All of them at once is what there is.
fn job(reader: &mut Reader, fields: &mut Fields<'_>) -> u32 {
    let has_completions = fields.get("completions").is_some();
    let of_parallelism = if has_completions { Reader::count } else { pods };
    let parallelism = fields.read(reader, "parallelism", of_parallelism);
    let completions = fields.read(reader, "completions", pods);
    let suspend = fields.read(reader, "suspend", Reader::bool).unwrap_or(false);
    let at_once = parallelism.unwrap_or(1);
    if completions.is_some_and(|completions| completions > at_once) {
        let message = format!("all `completions` run at once, whatever `parallelism` ({at_once}) says");
        reader.below(crate::path::Segment::Key("completions".to_owned()), |reader| reader.unmodelled(message));
    }
    fields.unmodelled(reader, "activeDeadlineSeconds", "the pods run on", |_| false);
    fields.unmodelled(reader, "successPolicy", "all pods run to their end", is_false_or_empty);
    fields.unmodelled(
        reader,
        "managedBy",
        "Kubernetes' own controller makes the pods",
        |node| matches!(node, Node::Text(name) if name == "kubernetes.io/job-controller"),
    );
    fields.ignore(&[
        "backoffLimit",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
        "completionMode",
        "ttlSecondsAfterFinished",
        "podFailurePolicy",
        "podReplacementPolicy",
        "manualSelector",
        "selector",
    ]);
    if suspend { 0 } else { completions.unwrap_or(at_once) }
}
