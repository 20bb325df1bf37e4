//! Steps of the workload that are about pods: what makes them comes, grows, changes and goes, and pods arrive.
//!
//! Whatever a step says in short becomes an object as a manifest would have it, and is read as one, so that there is
//! one way in for pods ([`crate::manifest`]).

use crate::manifest::Tree;
use crate::value::{Amount, Delay, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A Deployment, or another object that makes pods, is created.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map of `name`, `replicas`, `cpu`, `memory` and the like")]
pub struct Deploy {
    /// Its name.
    pub name: String,
    /// Its namespace.
    #[serde(default = "default_namespace", skip_serializing_if = "is_default_namespace")]
    pub namespace: String,
    /// What it is.
    #[serde(default, skip_serializing_if = "DeployKind::is_usual")]
    pub kind: DeployKind,
    /// How many pods. A DaemonSet has as many as there are nodes for it, and takes none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<u32>,
    /// When.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub at: Span,
    /// The processors that a pod asks for, such as `500m`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Amount>,
    /// The memory that a pod asks for, such as `1Gi`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Amount>,
    /// What else a pod asks for, such as `nvidia.com/gpu: 1`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, Amount>,
    /// Labels of the pods beside `app`, which is the name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Further fields of the pods' `spec`, as Kubernetes writes them, such as `nodeSelector`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod: Option<Tree>,
    /// How long a pod runs until it ends. Left out, for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_for: Option<Span>,
    /// The cluster. Left out, the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
}

/// What makes the pods of a [`Deploy`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs, reason = "Kubernetes' own words")]
pub enum DeployKind {
    #[default]
    Deployment,
    ReplicaSet,
    StatefulSet,
    Job,
    DaemonSet,
}

impl DeployKind {
    fn is_usual(&self) -> bool {
        *self == DeployKind::default()
    }
}

/// The number of pods of a Deployment, ReplicaSet, StatefulSet or Job is changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map of `of`, `to` and `at`")]
pub struct Scale {
    /// Which, as `Deployment/web` or `Deployment/namespace/web`.
    pub of: String,
    /// To how many pods.
    pub to: u32,
    /// When.
    pub at: Span,
    /// The cluster. Left out, the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
}

/// Objects are created, or replaced where they exist, as `kubectl apply` does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map of `file` or `objects`, and `at`")]
pub struct Apply {
    /// The file that has them, from the folder of the scenario on. It is read with the scenario.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The objects, as Kubernetes writes them. Those of a file stand here once it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objects: Option<Tree>,
    /// When.
    pub at: Span,
    /// The cluster. Left out, the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
}

/// An object is changed by a JSON merge patch, as `kubectl patch --type merge` does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map of `of`, `with` and `at`")]
pub struct Patch {
    /// Which, as `NodePool/default`, `Deployment/web` or `Deployment/namespace/web`.
    pub of: String,
    /// What changes, as the object is written: `{spec: {weight: 10}}`. A value of `null` takes a field out.
    pub with: Tree,
    /// When.
    pub at: Span,
    /// The cluster. Left out, the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
}

/// Pods arrive one by one, belong to nobody, run for a while and end.
///
/// Without times, they arrive by Poisson's law: each moment is as likely as any other, apart from day and night.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map of `rate` or `times`, `cpu`, `memory`, `runs_for` and the like")]
pub struct Arrive {
    /// What their names begin with: `name`-1, `name`-2, ….
    #[serde(default = "default_name", skip_serializing_if = "is_default_name")]
    pub name: String,
    /// Their namespace.
    #[serde(default = "default_namespace", skip_serializing_if = "is_default_namespace")]
    pub namespace: String,
    /// How many arrive on average, such as `120/1h`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// How many arrive at night instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub night: Option<Night>,
    /// When they arrive, one pod for each, in place of a rate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<Span>,
    /// From when on.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub from: Span,
    /// Until when. Left out, to the end of `duration`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Span>,
    /// So many arrive at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
    /// The processors that a pod asks for, such as `500m`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Amount>,
    /// The memory that a pod asks for, such as `1Gi`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Amount>,
    /// What else a pod asks for, such as `nvidia.com/gpu: 1`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, Amount>,
    /// Labels of the pods beside `app`, which is the name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Further fields of the pods' `spec`, as Kubernetes writes them, such as `nodeSelector`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod: Option<Tree>,
    /// How long a pod runs until it ends. Left out, for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_for: Option<Delay>,
    /// The cluster. Left out, the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
}

/// When fewer or more arrive than by day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map of `rate`, `from`, `until` and `day`")]
pub struct Night {
    /// How many arrive on average at night.
    pub rate: Rate,
    /// When night begins, from the beginning of each day on; the run begins with a day.
    pub from: Span,
    /// When it ends. Earlier than `from`, it ends on the next day.
    pub until: Span,
    /// How long a day with its night is.
    #[serde(default = "whole_day", skip_serializing_if = "is_whole_day")]
    pub day: Span,
}

fn default_namespace() -> String {
    lkesim_kube::object::meta::DEFAULT_NAMESPACE.to_owned()
}

fn is_default_namespace(namespace: &str) -> bool {
    namespace == lkesim_kube::object::meta::DEFAULT_NAMESPACE
}

const USUAL_POD: &str = "pod";

fn default_name() -> String {
    USUAL_POD.to_owned()
}

fn is_default_name(name: &str) -> bool {
    name == USUAL_POD
}

fn is_zero(span: &Span) -> bool {
    *span == Span::ZERO
}

const DAY: Span = Span::mins(24 * 60);

fn whole_day() -> Span {
    DAY
}

fn is_whole_day(day: &Span) -> bool {
    *day == DAY
}
