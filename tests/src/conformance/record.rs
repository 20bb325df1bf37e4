//! What came of a case.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What came of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The case, as `name.tier`.
    pub case: String,
    /// The calls of the boot.
    pub boot: Vec<HttpCall>,
    /// What came of each step.
    pub steps: Vec<Came>,
    /// The cloud at the end, as the fake's `/_fake/state` tells it.
    pub state: Value,
    /// Kubernetes at the end.
    pub kube: KubeState,
}

/// A request as the fake received it, and the status of its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HttpCall {
    /// The method.
    pub method: String,
    /// The path behind the version.
    pub path: String,
    /// The query.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub query: String,
    /// The header `X-Filter`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x_filter: Option<String>,
    /// The body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// The status; 0 where no answer came.
    #[serde(default)]
    pub status: u16,
}

/// What came of a step: one result, or one for each that ran beside the others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Came {
    /// The results.
    pub results: Vec<Outcome>,
    /// The calls.
    pub calls: Vec<HttpCall>,
}

/// A result by what Karpenter's core makes of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Outcome {
    /// `ok`, `NodeClaimNotFound`, `InsufficientCapacity`, `NodeClassNotReady`, `CreateError`, `error`; `done` of a step
    /// that is not the provider's.
    pub class: String,
    /// A CreateError's reason.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The providerIDs that it tells of, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub provider_ids: Vec<String>,
    /// The words of an error, which nobody compares.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// What Kubernetes has at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KubeState {
    /// NodeClaims that are annotated as tagged.
    pub tagged: Vec<String>,
    /// Nodes.
    pub nodes: Vec<String>,
}
