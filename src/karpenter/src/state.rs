//! What the core knows of the cluster before it provisions or disrupts.

use lkesim_kube::informer::Informers;
use lkesim_kube::object::ProviderId;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Machines that disruption has decided to take away and whose NodeClaims the cache may still show as live: nothing is
/// placed on them, and what they have counts for nothing (core v1.9.0 `state/cluster.go` MarkForDeletion). A process forgets
/// them with its end.
#[derive(Debug, Default)]
pub struct Marked(RefCell<BTreeSet<ProviderId>>);

impl Marked {
    /// Marks a machine.
    pub fn add(&self, id: &ProviderId) {
        self.0.borrow_mut().insert(id.clone());
    }

    /// Takes the mark away.
    pub fn remove(&self, id: &ProviderId) {
        self.0.borrow_mut().remove(id);
    }

    /// Whether it is marked.
    pub fn has(&self, id: &ProviderId) -> bool {
        self.0.borrow().contains(id)
    }
}

/// Whether the core may provision and disrupt: no NodeClaim that it knows lacks a providerID, live or deleting.
///
/// The provisioner returns and disruption waits a second while this is false, so that one NodeClaim that can't be
/// launched keeps the whole cluster from new nodes until it is launched or gone (core v1.9.0 `state/cluster.go:113`).
pub fn is_synced(informers: &Informers) -> bool {
    informers.node_claims.with(|cache| cache.iter().all(|node_claim| node_claim.status.provider_id.is_some()))
}

#[cfg(test)]
mod tests;
