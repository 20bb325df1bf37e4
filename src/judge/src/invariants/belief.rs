//! What a process of Karpenter believes of its cluster when a run ends: no event, as nothing happens.

use crate::event::ClaimRef;
use lkesim_linode_api::{ClusterId, InstanceId};
use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

/// What the caches of a process that leads say of its cluster's objects, beside what is stored of them.
#[derive(Clone, Debug)]
pub struct Beliefs {
    /// The cluster.
    pub cluster: ClusterId,
    /// Which of its cluster's processes it is, from 1.
    pub process: u32,
    /// The NodeClaims that it knows. What is true of them the judge knows by events.
    pub claims: Vec<BelievedClaim>,
    /// The objects that it knows, of each kind of which it has a cache, NodeClaims too.
    pub known: Vec<ObjectState>,
    /// All objects of these kinds that are stored, as events do not tell all that caches have.
    pub stored: Vec<ObjectState>,
    /// The uids of objects that changed only just: the change is on its way to the cache, and is no belief yet.
    pub awaited: BTreeSet<u64>,
}

impl Beliefs {
    /// Those of a process of this cluster that knows nothing where nothing is.
    pub fn none(cluster: ClusterId, process: u32) -> Beliefs {
        Beliefs {
            cluster,
            process,
            claims: Vec::new(),
            known: Vec::new(),
            stored: Vec::new(),
            awaited: BTreeSet::new(),
        }
    }
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

/// An object of a cluster as a cache has it, or as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectState {
    /// Its kind as Kubernetes writes it, such as `NodePool`.
    pub kind: &'static str,
    /// The uid. In one cluster no two objects share one, whatever their kinds.
    pub uid: u64,
    /// The name; `cluster/name` where there are several clusters.
    pub name: Rc<str>,
    /// The Linode in its providerID; of kinds that have no providerID, none.
    pub linode: Option<InstanceId>,
    /// Whether it has no deletionTimestamp.
    pub is_live: bool,
    /// The how-manieth write to it made this version; the creation is 1. Two versions of one number are equal.
    pub version: u64,
}

impl fmt::Display for ObjectState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind.to_ascii_lowercase(), self.name)
    }
}
