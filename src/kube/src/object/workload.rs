//! What makes pods: Deployment, ReplicaSet, StatefulSet, Job and DaemonSet.
//!
//! They differ in how pods are named, replaced and ended, not in what Karpenter sees of them, so that they are one kind
//! here. A Deployment is its one ReplicaSet: rolling updates are left out.

use super::meta::in_namespace;
use super::{Kind, Object, ObjectMeta, PodOwner, PodSpec, StringMap, merge};
use crate::store::{Change, ObjectChange, Table, Tables};
use std::rc::Rc;
use std::time::Duration;

/// An object that makes pods. Its name in the store is that of [`Workload::store_name`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    /// Name, versions, labels.
    pub metadata: ObjectMeta,
    /// Its namespace.
    pub namespace: Rc<str>,
    /// Its own name, with which those of its pods begin.
    pub own_name: Rc<str>,
    /// Which of the kinds it is.
    pub kind: WorkloadKind,
    /// How many pods there should be; a DaemonSet has as many as nodes that take one.
    pub replicas: u32,
    /// What its pods are like.
    pub template: Rc<PodTemplate>,
    /// How long a pod runs until it ends well; `None` is for ever.
    pub runs_for: Option<Duration>,
}

/// The kinds of [`Workload`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkloadKind {
    /// `apps/v1` Deployment.
    Deployment,
    /// `apps/v1` ReplicaSet.
    ReplicaSet,
    /// `apps/v1` StatefulSet: pods are numbered, and made one after the other.
    StatefulSet,
    /// `batch/v1` Job: a pod that ended well is not replaced.
    Job,
    /// `apps/v1` DaemonSet: a pod a node.
    DaemonSet,
}

impl WorkloadKind {
    /// As upstream writes it.
    pub fn name(self) -> &'static str {
        match self {
            WorkloadKind::Deployment => "Deployment",
            WorkloadKind::ReplicaSet => "ReplicaSet",
            WorkloadKind::StatefulSet => "StatefulSet",
            WorkloadKind::Job => "Job",
            WorkloadKind::DaemonSet => "DaemonSet",
        }
    }

    /// What its pods say of their owner.
    pub fn owner(self) -> PodOwner {
        match self {
            WorkloadKind::DaemonSet => PodOwner::DaemonSet,
            WorkloadKind::StatefulSet => PodOwner::StatefulSet,
            _ => PodOwner::Controller,
        }
    }
}

/// `corev1.PodTemplateSpec`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodTemplate {
    /// Labels of the pods.
    pub labels: StringMap,
    /// Annotations of the pods.
    pub annotations: StringMap,
    /// What they need.
    pub spec: Rc<PodSpec>,
}

impl Workload {
    /// A new one without pods to be made.
    pub fn new(kind: WorkloadKind, namespace: &str, name: &str, template: PodTemplate) -> Workload {
        Workload {
            metadata: ObjectMeta::named(Workload::store_name(kind, namespace, name)),
            namespace: namespace.into(),
            own_name: name.into(),
            kind,
            replicas: 0,
            template: Rc::new(template),
            runs_for: None,
        }
    }

    /// Its name in the store, as kinds share a table: `Deployment/web`, or `Deployment/namespace/web`.
    pub fn store_name(kind: WorkloadKind, namespace: &str, name: &str) -> Rc<str> {
        format!("{}/{}", kind.name(), in_namespace(namespace, name)).into()
    }

    /// Its name in the store.
    pub fn name(&self) -> &Rc<str> {
        &self.metadata.name
    }
}

impl Object for Workload {
    const KIND: Kind = Kind::Workload;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }

    fn merge_spec(&mut self, base: &Workload, changed: &Workload) {
        merge(&mut self.replicas, &base.replicas, &changed.replicas);
        merge(&mut self.template, &base.template, &changed.template);
        merge(&mut self.runs_for, &base.runs_for, &changed.runs_for);
    }

    fn merge_status(&mut self, _: &Workload, _: &Workload) {}

    fn to_change(change: Change<Workload>) -> ObjectChange {
        ObjectChange::Workload(change)
    }

    fn table(tables: &Tables) -> &Table<Workload> {
        &tables.workloads
    }
}
