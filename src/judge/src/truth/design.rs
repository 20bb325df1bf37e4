//! The clusters of a run, and what the design that serves each tells of itself.

use lkesim_linode_api::{ClusterId, Tier};

pub use lkesim_linode_api::design_facts::{DesignFacts, Owned};

/// A cluster of the run, and the design that serves it.
#[derive(Clone, Copy, Debug)]
pub struct ClusterFacts {
    /// The cluster.
    pub cluster: ClusterId,
    /// Its tier.
    pub tier: Tier,
    /// What its design tells.
    pub design: &'static DesignFacts,
}
