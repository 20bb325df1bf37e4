//! The Karpenter provider for Linode, in every design that is compared.
//!
//! A design is one file in `designs/` that reads like its algorithm, and one line in [`DESIGNS`]. What designs share
//! (tags, locks, caches, instance types, the provider's controllers) stands beside them. Nothing here can tell a
//! simulation from the real thing: it holds a runtime, an API client and a Kubernetes client.

mod budgets;
pub mod cache;
pub mod context;
pub mod controllers;
pub mod designs;
pub mod filters;
pub mod fnv;
pub mod instance_types;
pub mod ledger;
pub mod locks;
pub mod node_classes;
pub mod plan_labels;
pub mod reader;
pub mod run;
pub mod settings;
pub mod tags;
pub mod taints;
pub mod ties;
mod upstream;
pub mod writer;

pub use context::{Cluster, Context, Kube};
pub use designs::{Care, DESIGNS, Design, design};
pub use settings::{LookupFailure, OrphansBy, OwnerTags, ProviderSettings, SettingFact, SettingValue};

use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::{Caller, CloudProvider, ProviderError};
use lkesim_linode_api::{Instance, InstanceId, LkeCluster, Tags};
use std::rc::Rc;
use std::sync::Arc;

/// What the provider's own controllers ask beyond Karpenter's CloudProvider.
#[async_trait(?Send)]
pub trait NodeProvider: CloudProvider {
    /// The tags of a Linode, asked past every cache. [`ProviderError::NotFound`] where it does not exist.
    async fn read_tags(&self, caller: Caller, instance: InstanceId) -> Result<Tags, ProviderError>;

    /// Learns again what types there are and which can be had. What was known stays where a call fails.
    async fn refresh_offerings(&self, caller: Caller) -> Result<(), ProviderError>;

    /// Whether the SDK still answers from memory what [`NodeProvider::refresh_offerings`] asks.
    fn remembers_offerings(&self) -> bool;

    /// Adds tags to a Linode: reads its tags, joins, writes the whole list. Writing the same tags again is no error.
    async fn create_tags(&self, caller: Caller, instance: InstanceId, tags: Vec<Arc<str>>)
    -> Result<(), ProviderError>;

    /// The Linodes among which garbage collection looks for orphans: what List shows, unless the design looks
    /// elsewhere.
    async fn list_collectable(&self, caller: Caller) -> Result<Arc<[Arc<Instance>]>, ProviderError>;

    /// Replaces the whole list of a Linode's tags. Only the controller of in-place updates asks for it, which not every
    /// design has.
    async fn update_tags(&self, caller: Caller, instance: InstanceId, tags: Tags) -> Result<(), ProviderError> {
        let _ = (caller, instance, tags);
        Err(ProviderError::Other("this design replaces no tags".into()))
    }

    /// The cluster as the API shows it. Only the controller of NodeClasses asks for it, which not every design has.
    async fn read_cluster(&self, caller: Caller) -> Result<Arc<LkeCluster>, ProviderError> {
        let _ = caller;
        Err(ProviderError::Other("this design looks at no cluster".into()))
    }
}

/// A design's provider, built for one process. A restart builds it anew on the same cluster and cloud.
#[async_trait(?Send)]
pub trait Provider {
    /// What Karpenter and the provider's controllers call.
    fn nodes(&self) -> Rc<dyn NodeProvider>;

    /// What the operator asks before any controller starts. A failure ends the process, as upstream's panic does.
    async fn boot(&self, caller: Caller) -> Result<(), ProviderError>;

    /// Starts the provider's own controllers. They call `nodes`, which is [`Provider::nodes`] as the world wraps it.
    fn start(&self, kube: &Kube, nodes: Rc<dyn NodeProvider>);
}
