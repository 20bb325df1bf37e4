//! What a design promises and how it marks what it owns: plain data and functions, so that who judges a run needs no
//! design to be built, and a design knows no judge.

use crate::object::{ClusterId, LkePoolId, Tier};
use crate::request::Endpoint;
use crate::retry::Sdk;

/// What a design tells of itself.
#[derive(Clone, Copy, Debug)]
pub struct DesignFacts {
    /// The design's name.
    pub name: &'static str,
    /// The invariants that it does not promise; they are reported and never fail a run.
    pub not_promised: &'static [&'static str],
    /// The SDK that it is built with.
    pub sdk: Sdk,
    /// The calls that it makes and the real API does not have: the cloud offers them to this design alone.
    pub wished: &'static [Endpoint],
    /// How every nodeclaim tag begins, whoever it names: `karpenter.sh/nodeclaim=`.
    pub claim_tag_prefix: &'static str,
    /// The nodeclaim tag of a NodeClaim with this name. Names may be shortened.
    pub claim_tag: fn(claim_name: &str) -> String,
    /// The tags by which this design finds and owns a Linode that a NodeClaim holds.
    pub owned_tags: fn(&Owned<'_>) -> Vec<String>,
}

/// A Linode that a NodeClaim holds, as far as its tags depend on it.
#[derive(Clone, Copy, Debug)]
pub struct Owned<'a> {
    /// The cluster's tier.
    pub tier: Tier,
    /// The cluster.
    pub cluster: ClusterId,
    /// The Linode's LKE pool, if it is a LKE node.
    pub lke_pool: Option<LkePoolId>,
    /// The claim's Karpenter NodePool.
    pub node_pool: &'a str,
    /// The claim's name.
    pub claim_name: &'a str,
}
