//! What a process of Karpenter believes of its cluster when a run ends: no event, as nothing happens.

use crate::event::ClaimRef;
use lkesim_linode_api::{ClusterId, InstanceId};
use std::collections::BTreeSet;

/// What the cache of a process that leads says of its cluster's NodeClaims.
#[derive(Clone, Debug)]
pub struct Beliefs {
    /// The cluster.
    pub cluster: ClusterId,
    /// Which of its cluster's processes it is, from 1.
    pub process: u32,
    /// The NodeClaims that it knows.
    pub claims: Vec<BelievedClaim>,
    /// The uids of NodeClaims that changed only just: the change is on its way to the cache, and is no belief yet.
    pub awaited: BTreeSet<u64>,
}

/// A NodeClaim as a cache has it.
#[derive(Clone, Debug)]
pub struct BelievedClaim {
    /// Uid and name.
    pub claim: ClaimRef,
    /// The Linode in its providerID.
    pub stored: Option<InstanceId>,
    /// Whether it has no deletionTimestamp.
    pub is_live: bool,
}
