//! What Create does where the document's one-to-one does not hold: several LKE pools for a key, several Linodes for a
//! NodeClaim, several nodeclaim tags on a Linode.
//!
//! The document's error policy takes the first pool and the first Linode, and does not look for several tags. An older
//! reading of its invariants, which its open questions recall ("hard error" cases), fails the Create.

use crate::tags;
use lkesim_karpenter::cloud_provider::CreateError;
use lkesim_linode_api::{Instance, LkePool};
use std::sync::Arc;

/// What Create does where there are several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Several {
    /// It takes the first, and does not look at tags.
    First,
    /// It fails, and so does each Create after it, until somebody has cleared up.
    Fail,
}

impl Several {
    /// Of the LKE pools that match a key, the first and the second.
    pub fn lke_pools(self, first: &LkePool, second: Option<&Arc<LkePool>>) -> Result<(), CreateError> {
        match second {
            Some(second) if self == Several::Fail => Err(failed(
                "MultipleNodePools",
                format!("LKE pools {} and {} match one node pool and instance type", first.id, second.id),
            )),
            _ => Ok(()),
        }
    }

    /// The Linodes that match a NodeClaim.
    pub fn instances(self, found: &[Arc<Instance>]) -> Result<(), CreateError> {
        match found {
            [first, second, ..] if self == Several::Fail => Err(failed(
                "MultipleInstances",
                format!("instances {} and {} match one nodeclaim", first.id, second.id),
            )),
            _ => Ok(()),
        }
    }

    /// A Linode that Create found or has just claimed.
    pub fn claim_tags(self, instance: &Instance) -> Result<(), CreateError> {
        match instance.tags.values(tags::NODE_CLAIM).count() {
            0 | 1 => Ok(()),
            _ if self == Several::First => Ok(()),
            more => Err(failed(
                "MultipleNodeClaimTags",
                format!("instance {} bears {more} {} tags", instance.id, tags::NODE_CLAIM),
            )),
        }
    }
}

fn failed(reason: &'static str, message: String) -> CreateError {
    CreateError::Create { reason, message }
}

#[cfg(test)]
mod tests;
