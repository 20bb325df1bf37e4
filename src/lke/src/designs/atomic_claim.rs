//! The document's flow with the server call that it wishes for: an atomic "claim next unclaimed node in pool".
//!
//! Source: design document, "Why this may not scale". The real API has no such call; the fake offers it to this design.
//! The server gives the tag to one Linode in one step, and to the same one when it is asked again, so that nothing is
//! looked for before, chosen meanwhile or read back after.

use super::documented::{Attempt, Documented, Flags, Several, Variation, fact, retry_or};
use super::{Design, documented};
use crate::locks::PoolKey;
use crate::run::Run;
use crate::settings::SettingFact;
use crate::tags;
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::CreateError;
use lkesim_kube::object::NodeClaim;
use lkesim_linode_api::budget::Budget;
use lkesim_linode_api::design_facts::DesignFacts;
use lkesim_linode_api::request::NO_UNCLAIMED_NODE;
use lkesim_linode_api::{CallError, Endpoint, Instance, InstanceId, Operation, Tags, Tier};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The document's flow over an atomic claim.
pub const DESIGN: Design = Design {
    summary: "the document's flow with a server call that it wishes for: claim the next unclaimed node of a pool",
    about: include_str!("atomic_claim.md"),
    settings: SETTINGS,
    build: |context| Documented::provider(context, Several::First, AtomicClaim::default()),
    budgets: BUDGETS,
    facts: DesignFacts { name: "atomic-claim", wished: &[Endpoint::ClaimNode], ..documented::DESIGN.facts },
    ..documented::DESIGN
};

/// What it reads of the document's settings.
const SETTINGS: &[SettingFact] = &[
    fact("create_deadline"),
    fact("retry_delay"),
    fact("orphan_ttl"),
    fact("gc_every_at_start"),
    fact("gc_passes_at_start"),
    fact("gc_every"),
    fact("instance_cache"),
    fact("offerings_every"),
    fact("unavailable_for"),
    fact("types_cache"),
    fact("offering_regions"),
    fact("sold_out_status"),
    fact("delete_lookup_failure"),
    fact("orphans_by"),
    fact("owner_tags"),
    fact("request_timeout"),
];

#[derive(Default)]
struct AtomicClaim {
    /// What Linodes bore when they were claimed.
    claimed: RefCell<BTreeMap<InstanceId, Tags>>,
}

#[async_trait(?Send)]
impl Variation for AtomicClaim {
    /// A claim that is made again gives the same Linode.
    async fn find_claimed(&self, _: &Documented, _: &Run, _: &NodeClaim) -> Result<Option<Arc<Instance>>, CreateError> {
        Ok(None)
    }

    async fn attempt(
        &self,
        base: &Documented,
        run: &Run,
        claim: &NodeClaim,
        key: &PoolKey,
        flags: &mut Flags,
    ) -> Result<Attempt, CreateError> {
        let _lock = base.locks.lock(key).await;
        let Some(lke_pool) = base.find_or_create_pool(run, claim, key, flags).await? else {
            return Ok(Attempt::NoneYet);
        };
        let tag = tags::of_node_claim(claim.name());
        match base.cx.api.claim_node(&run.claiming(), base.cx.cluster.id, lke_pool.id, tag).await {
            Ok(instance) => {
                self.claimed.borrow_mut().insert(instance.id, instance.tags.clone());
                Ok(Attempt::Claimed(instance))
            }
            Err(CallError::Api(error)) if error.text() == NO_UNCLAIMED_NODE => base.scale(run, &lke_pool, flags).await,
            Err(error) => retry_or("InstanceClaimFailed", error),
        }
    }

    /// A GET may not show the claim yet, and a write replaces all tags.
    fn present_tags(&self, read: &Instance) -> Tags {
        let claimed = self.claimed.borrow().get(&read.id).cloned().unwrap_or_default();
        tags::joined([&read.tags, &claimed], [])
    }
}

const BOTH: Option<Tier> = None;

/// The document's lines, less what the call makes needless.
const BUDGETS: &[Budget] = &[
    Budget::line(Operation::Create, BOTH, Endpoint::ListPools, "one an attempt", |work| {
        work.attempts + work.extra_pool_pages
    }),
    Budget::line(Operation::Create, BOTH, Endpoint::ClaimNode, "one an attempt", |work| work.attempts)
        .differs("an attempt whose list of pools or new pool fails claims nothing"),
    Budget::line(Operation::Create, BOTH, Endpoint::CreatePool, "one a Create", |work| work.runs)
        .or(Endpoint::UpdatePool)
        .differs("a Create that is given a Linode asks for none; one that lists no pool twice makes two"),
    Budget::line(Operation::Get, BOTH, Endpoint::GetInstance, "one on a cache miss", |work| work.runs)
        .differs("what the cache knows is not asked for"),
    Budget::line(Operation::List, BOTH, Endpoint::ListInstances, "one a page", |work| {
        work.runs + work.extra_instance_pages
    }),
    Budget::line(Operation::Delete, BOTH, Endpoint::ListPools, "one a page", |work| work.runs + work.extra_pool_pages),
    Budget::line(Operation::Delete, BOTH, Endpoint::DeleteNode, "one", |work| work.runs)
        .or(Endpoint::DeletePool)
        .differs("Karpenter asks until the Linode is not found, and the last time there is nothing left to delete"),
    Budget::line(Operation::CreateTags, BOTH, Endpoint::GetInstance, "one", |work| work.runs),
    Budget::line(Operation::CreateTags, BOTH, Endpoint::UpdateInstance, "one", |work| work.runs)
        .differs("a Linode that is not found gets no tag"),
];
