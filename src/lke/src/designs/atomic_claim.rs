//! The document's flow with the server call that it wishes for: an atomic "claim next unclaimed node in pool".
//!
//! Source: design document, "Why this may not scale". The real API has no such call; the fake offers it to this design.
//! The server gives the tag to one Linode in one step, and to the same one when it is asked again, so that nothing is
//! looked for before, chosen meanwhile or read back after.

use super::claimed_tags::ClaimedTags;
use super::documented::{
    Attempt, Documented, Flags, Several, THE_REST, Variation, retry_or, settings_without, with_the_rest,
};
use super::{Design, documented};
use crate::budgets::GROWN_AGAIN;
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
use lkesim_linode_api::{CallError, Endpoint, Instance, Operation, Tags, Tier};
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
const SETTINGS: &[SettingFact] = &settings_without::<30>(&["verify_timeout", "verify_every"]);

#[derive(Default)]
struct AtomicClaim(ClaimedTags);

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
                self.0.note(&instance);
                Ok(Attempt::Claimed(instance))
            }
            Err(CallError::Api(error)) if error.text() == NO_UNCLAIMED_NODE => base.scale(run, &lke_pool, flags).await,
            Err(error) => retry_or("InstanceClaimFailed", error),
        }
    }

    fn present_tags(&self, read: &Instance) -> Tags {
        self.0.with(read)
    }
}

const BOTH: Option<Tier> = None;

/// The document's lines, less what the call makes needless.
const BUDGETS: &[Budget] = &with_the_rest::<{ CREATE.len() + THE_REST.len() }>(CREATE);

const CREATE: &[Budget] = &[
    Budget::line(Operation::Create, BOTH, Endpoint::ListPools, "one an attempt", |work| {
        work.attempts + work.extra_pool_pages
    }),
    Budget::line(Operation::Create, BOTH, Endpoint::ClaimNode, "one an attempt", |work| work.attempts)
        .fewer("an attempt whose list of pools or new pool fails claims nothing"),
    Budget::line(Operation::Create, BOTH, Endpoint::CreatePool, "one a Create", |work| work.runs)
        .or(Endpoint::UpdatePool)
        .fewer("a Create that is given a Linode asks for none")
        .over(GROWN_AGAIN),
];
