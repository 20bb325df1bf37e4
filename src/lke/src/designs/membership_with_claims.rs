//! The document's flow with the server call that it wishes for: a pool's members with their claims.
//!
//! Source: design document, "Why this may not scale": "a pool membership endpoint that includes claim state". The real
//! API has no such call; the fake offers it to this design. One GET shows a pool's Linodes and their tags as they are, on
//! both tiers: in place of a GET for each node, in place of a list that lags, and to read a written tag back.

use super::claimed_tags::ClaimedTags;
use super::documented::{
    Attempt, Documented, Found, Several, THE_REST, Variation, retry_or, settings_without, with_the_rest,
};
use super::{Design, documented};
use crate::budgets::{CLAIMED_AGAIN, GROWN_AGAIN};
use crate::run::Run;
use crate::settings::SettingFact;
use crate::tags;
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::CreateError;
use lkesim_kube::object::NodeClaim;
use lkesim_linode_api::budget::Budget;
use lkesim_linode_api::design_facts::DesignFacts;
use lkesim_linode_api::{CallError, Cause, Endpoint, Instance, LkePool, Operation, Tags, Tier};

/// The document's flow over a pool's members.
pub const DESIGN: Design = Design {
    summary: "the document's flow with a server call that it wishes for: a pool's members with their claims",
    about: include_str!("membership_with_claims.md"),
    settings: SETTINGS,
    build: |context| Documented::provider(context, Several::First, Membership::default()),
    budgets: BUDGETS,
    facts: DesignFacts { name: "membership-with-claims", wished: &[Endpoint::ListMembers], ..documented::DESIGN.facts },
    ..documented::DESIGN
};

/// What it reads of the document's settings.
const SETTINGS: &[SettingFact] = &settings_without::<30>(&["verify_timeout", "verify_every"]);

#[derive(Default)]
struct Membership(ClaimedTags);

#[async_trait(?Send)]
impl Variation for Membership {
    /// The first member without a nodeclaim tag. On Enterprise, as in the document, one that its pool's tags have not
    /// reached is not looked at yet: a claim writes the tags that are there.
    async fn look(&self, base: &Documented, run: &Run, lke_pool: &LkePool) -> Result<Found, CallError> {
        let members = base.cx.api.list_members(&run.claiming(), base.cx.cluster.id, lke_pool.id).await?;
        let is_tagged =
            |member: &Instance| base.cx.cluster.tier == Tier::Standard || member.tags.value(tags::MANAGED).is_some();
        let unclaimed = members.iter().filter(|member| !tags::is_claimed(&member.tags) && is_tagged(member));
        Ok(Found { claimable: unclaimed.take(1).cloned().collect(), provisioning: 0 })
    }

    /// Writes the tag, and reads it back once: what the members show is the truth.
    async fn claim(
        &self,
        base: &Documented,
        run: &Run,
        claim: &NodeClaim,
        lke_pool: &LkePool,
        instance: &Instance,
    ) -> Result<Attempt, CreateError> {
        let tag = tags::of_node_claim(claim.name());
        if let Err(error) = base.write_claim(run, &tag, lke_pool, instance).await {
            return retry_or("InstanceClaimFailed", error);
        }
        let members = base.cx.api.list_members(&run.purpose(Cause::Verify), base.cx.cluster.id, lke_pool.id).await;
        match members {
            Ok(members) => {
                let own = members.iter().find(|member| member.id == instance.id && member.tags.has(&tag));
                let Some(own) = own else { return Ok(Attempt::NoneYet) };
                self.0.note(own);
                Ok(Attempt::Claimed(own.clone()))
            }
            Err(error) => retry_or("InstanceClaimFailed", error),
        }
    }

    fn present_tags(&self, read: &Instance) -> Tags {
        self.0.with(read)
    }
}

const BOTH: Option<Tier> = None;

/// The document's lines, with members in place of reads one by one and of lists.
const BUDGETS: &[Budget] = &with_the_rest::<{ CREATE.len() + THE_REST.len() }>(CREATE);

const CREATE: &[Budget] = &[
    Budget::line(Operation::Create, BOTH, Endpoint::ListInstances, "the lookup", |work| work.runs)
        .fewer("a Create for which no type can be had asks nothing"),
    Budget::line(Operation::Create, BOTH, Endpoint::ListPools, "one an attempt", |work| {
        work.attempts + work.extra_pool_pages
    }),
    Budget::line(Operation::Create, BOTH, Endpoint::ListMembers, "one an attempt, one a claim", |work| {
        work.attempts + work.tag_writes
    })
    .fewer("an attempt whose list of pools or new pool fails reads none")
    .over(CLAIMED_AGAIN),
    Budget::line(Operation::Create, BOTH, Endpoint::UpdateInstance, "one an attempt", |work| work.attempts)
        .fewer("an attempt that finds nothing to claim writes nothing"),
    Budget::line(Operation::Create, BOTH, Endpoint::CreatePool, "one a Create", |work| work.runs)
        .or(Endpoint::UpdatePool)
        .fewer("a Create that finds a Linode to claim asks for none")
        .over(GROWN_AGAIN),
];
