//! What the core knows of the cluster before it provisions or disrupts.

use lkesim_kube::informer::Informers;

/// Whether the core may provision and disrupt: no NodeClaim that it knows lacks a providerID, live or deleting.
///
/// The provisioner returns and disruption waits a second while this is false, so that one NodeClaim that can't be
/// launched keeps the whole cluster from new nodes until it is launched or gone (core v1.9.0 `state/cluster.go:113`).
pub fn is_synced(informers: &Informers) -> bool {
    informers.node_claims.with(|cache| cache.iter().all(|node_claim| node_claim.status.provider_id.is_some()))
}

#[cfg(test)]
mod tests;
