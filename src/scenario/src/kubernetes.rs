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
}
