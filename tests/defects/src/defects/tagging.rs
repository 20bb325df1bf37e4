//! What is written to Linodes and pools, and what Create returns.

use crate::careful::{Careful, Steps, Trouble};
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::{Machine, ProviderId};
use lkesim_kube::object::NodeClaim;
use lkesim_linode_api::{Instance, Tags};
use lkesim_lke::locks::PoolKey;
use lkesim_lke::tags;
use std::sync::Arc;

/// Whether the nodeclaim tag was written does not matter.
#[derive(Default)]
pub(crate) struct TagErrorIgnored;

#[async_trait(?Send)]
impl Steps for TagErrorIgnored {
    fn tagged(&self, _: Result<(), Trouble>) -> Result<(), Trouble> {
        Ok(())
    }
}

/// Tags that are added later stand beside those that a lagging GET showed.
#[derive(Default)]
pub(crate) struct TagsOfAnOldReading;

#[async_trait(?Send)]
impl Steps for TagsOfAnOldReading {
    fn tags_again(&self, instance: &Instance, _: &str, more: &[Arc<str>]) -> Tags {
        tags::joined([&instance.tags], more.iter().cloned())
    }
}

/// Another NodeClaim's tag is kept.
#[derive(Default)]
pub(crate) struct OtherNamesKept;

#[async_trait(?Send)]
impl Steps for OtherNamesKept {
    fn tags_of(&self, instance: &Instance, claim_name: &str, more: &[Arc<str>]) -> Tags {
        tags::joined([&instance.tags], more.iter().cloned().chain([tags::of_node_claim(claim_name)]))
    }
}

/// A new pool bears the tag of the NodeClaim that it is made for.
#[derive(Default)]
pub(crate) struct TagOnThePool;

#[async_trait(?Send)]
impl Steps for TagOnThePool {
    fn tags_of_pool(&self, world: &Careful, key: &PoolKey, claim: &NodeClaim) -> Tags {
        let of_pool = tags::of_lke_pool(&world.cx.cluster.name, &key.node_pool, "");
        tags::joined([&of_pool], [tags::of_node_claim(claim.name())])
    }
}

/// A new pool bears a nodeclaim tag without a name, which its Linodes are to fill in.
#[derive(Default)]
pub(crate) struct EmptyTagOnThePool;

#[async_trait(?Send)]
impl Steps for EmptyTagOnThePool {
    fn tags_of_pool(&self, world: &Careful, key: &PoolKey, claim: &NodeClaim) -> Tags {
        let node_class = claim.spec.node_class_ref.as_ref().map_or("", |node_class| &node_class.name);
        let of_pool = tags::of_lke_pool(&world.cx.cluster.name, &key.node_pool, node_class);
        tags::joined([&of_pool], [tags::tag(tags::NODE_CLAIM, "")])
    }
}

/// The providerID has the Linode's label in place of its id.
#[derive(Default)]
pub(crate) struct LabelForId;

#[async_trait(?Send)]
impl Steps for LabelForId {
    fn machine(&self, world: &Careful, instance: &Instance) -> Machine {
        let provider_id = ProviderId::new(format!("linode://{}", instance.label));
        Machine { provider_id, ..world.types.machine(instance) }
    }
}
