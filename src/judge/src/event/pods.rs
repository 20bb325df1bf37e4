//! What happens to pods, and what Karpenter decides about them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::rc::Rc;

/// A pod: two with one name, one after the other or in two clusters, differ in uid.
#[derive(Clone, Debug)]
pub struct PodRef {
    /// The uid.
    pub uid: u64,
    /// The name; `cluster/name` where there are several clusters.
    pub name: Rc<str>,
}

impl PartialEq for PodRef {
    fn eq(&self, other: &PodRef) -> bool {
        self.uid == other.uid
    }
}

impl Eq for PodRef {}

impl fmt::Display for PodRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pod/{}", self.name)
    }
}

/// Whom a pod waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PodKind {
    /// For the scheduler, and for Karpenter where nothing fits.
    #[default]
    Usual,
    /// It is a DaemonSet's: for the scheduler alone.
    DaemonSet,
    /// It is a static pod's mirror: for its kubelet.
    Static,
    /// Its own requirements keep it off Karpenter's nodes: for the scheduler alone.
    NotOnKarpenter,
    /// It has scheduling gates: for whoever takes them away.
    Gated,
}

/// What happened to a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PodChange {
    /// It was made.
    Created {
        /// Whom it waits for.
        kind: PodKind,
    },
    /// The scheduler found no Node for it.
    Unschedulable {
        /// The scheduler's text.
        text: Rc<str>,
    },
    /// The scheduler evicts pods of this Node for it.
    Preempts {
        /// The Node.
        node: Rc<str>,
    },
    /// It was given to a Node.
    Bound {
        /// The Node.
        node: Rc<str>,
        /// Who did it: `kube-scheduler`, or another writer; `start` for what was so before the run.
        by: &'static str,
    },
    /// Its containers run.
    Running,
    /// Its containers are ready.
    Ready,
    /// Its containers are ready no more.
    NotReady,
    /// It ended.
    Ended {
        /// Whether with success.
        well: bool,
    },
    /// It got its deletionTimestamp.
    Deleting {
        /// Who asked: a controller, or `workload`.
        by: &'static str,
    },
    /// The object is gone.
    Gone,
    /// Karpenter's event `Nominated`: `Pod should schedule on: node/x`.
    ShouldScheduleOn {
        /// `node/x` or `nodeclaim/x`.
        on: Rc<str>,
    },
    /// Karpenter's event `FailedScheduling`.
    FailedScheduling {
        /// Its text.
        text: Rc<str>,
    },
}

/// A pass of provisioning that has decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pass {
    /// Pods that it looked at.
    pub pods: u32,
    /// Pods that it placed on what there is: Nodes, and NodeClaims on their way.
    pub placed: u32,
    /// NodeClaims that it wants made.
    pub claims: u32,
    /// Pods that fit nowhere.
    pub failed: u32,
    /// How each pod was tried, where somebody reads it. No part of the digest.
    pub steps: Option<Vec<Step>>,
}

/// How a pass tried one pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// The pod.
    pub pod: String,
    /// What it gave up before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gave_up: Vec<String>,
    /// What refused it, in the order of asking.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedBy>,
    /// What took it: `node/x`, or `claim 1`, the pass's first new NodeClaim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placed: Option<String>,
    /// The NodePool of which it opened that NodeClaim, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened: Option<String>,
    /// What the requirements of that bin gained.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements_added: Vec<String>,
    /// The instance types that are left to the NodeClaim.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types_left: Vec<String>,
}

/// A bin that refused a pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefusedBy {
    /// `node/x`, `claim 1` or `nodepool/x`.
    pub bin: String,
    /// Why, in Karpenter's words.
    pub why: String,
}

/// So much of a resource: its name, and an amount in thousandths of its unit.
pub type Amount = (Rc<str>, u64);
