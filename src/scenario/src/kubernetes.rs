//! The Kubernetes API and the nodes' way into the cluster.

use crate::value::Delay;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long Kubernetes takes. What is left out comes from the preset.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of settings of Kubernetes")]
pub struct Kubernetes {
    /// A call of the Kubernetes API, there and back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<Delay>,
    /// From a change in the store until a controller's cache knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watch: Option<Delay>,
    /// From the end of a Linode's boot until its Node is in the cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub join: Option<Delay>,
    /// From the Node's appearance until it is ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready: Option<Delay>,
    /// From a Linode's end until its Node counts as not ready: the node lifecycle controller waits for heartbeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silence: Option<Delay>,
    /// From then until the cloud controller manager has removed the Node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cloud_controller: Option<Delay>,
    /// From the moment that a pod waits for the scheduler until it is bound, or is told that no node takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<Delay>,
    /// From a pod's binding until it runs and is ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod_start: Option<Delay>,
    /// From a Node's appearance until the cloud controller manager has written its providerID and taken its taint
    /// `node.cloudprovider.kubernetes.io/uninitialized` away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<Delay>,
    /// From a Node's being ready until its device plugins have listed extended resources, such as `nvidia.com/gpu`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub devices: Option<Delay>,
    /// From a Node's being ready until others have taken the NodePool's startup taints away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub startup_taints: Option<Delay>,
    /// Whether Nodes join with the taint `karpenter.sh/unregistered`, which Karpenter takes away at registration.
    #[serde(skip_serializing_if = "JoinTaint::is_usual")]
    pub join_taint: JoinTaint,
    /// Who gives a Node the labels of its NodeClaim.
    #[serde(skip_serializing_if = "JoinLabels::is_usual")]
    pub join_labels: JoinLabels,
}

/// The taint that Nodes join with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JoinTaint {
    /// None, as LKE's nodes join.
    #[default]
    None,
    /// `karpenter.sh/unregistered:NoExecute`, as Karpenter asks its providers for.
    NoExecute,
    /// `karpenter.sh/unregistered:NoSchedule`, as was first proposed.
    NoSchedule,
}

impl JoinTaint {
    fn is_usual(&self) -> bool {
        *self == JoinTaint::default()
    }
}

/// Who gives a Node the labels of its NodeClaim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JoinLabels {
    /// Karpenter does when it registers the Node.
    #[default]
    Karpenter,
    /// Its kubelet joins with them.
    Kubelet,
}

impl JoinLabels {
    fn is_usual(&self) -> bool {
        *self == JoinLabels::default()
    }
}
