//! One LKE pool of one node for each NodeClaim.
//!
//! Whose a Linode is, its pool tells, which is made for one NodeClaim and removed with it: nothing is claimed, and no
//! count is ever changed. Source: kubernetes/autoscaler cluster-autoscaler/cloudprovider/linode/README.md, whose node
//! groups are made of LKE pools that hold a single Linode each.

use super::documented::{
    Attempt, Documented, Flags, Several, Variation, failed, is_managed, retry_or, settings_without,
};
use super::{Design, claim_tag, documented, owned_as_documented};
use crate::budgets::GROWN_AGAIN;
use crate::context::Kube;
use crate::locks::PoolKey;
use crate::run::Run;
use crate::settings::SettingFact;
use crate::tags;
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::{Caller, CreateError, ProviderError};
use lkesim_kube::informer::Informers;
use lkesim_kube::object::NodeClaim;
use lkesim_linode_api::budget::Budget;
use lkesim_linode_api::design_facts::DesignFacts;
use lkesim_linode_api::{CallError, Cause, Endpoint, Instance, LkePool, Operation, Tier};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The document's flow with a pool for each NodeClaim.
pub const DESIGN: Design = Design {
    summary: "one LKE pool of one node for each NodeClaim, as the cluster autoscaler's Linode provider makes them",
    about: include_str!("pool_per_claim.md"),
    settings: SETTINGS,
    build: |context| Documented::provider(context, Several::First, PoolPerClaim::default()),
    budgets: BUDGETS,
    facts: DesignFacts {
        name: "pool-per-claim",
        // Both are what the design is: a key has as many pools as NodeClaims, and each bears its NodeClaim's tag.
        not_promised: &["one-pool-per-key", "no-claim-tag-on-a-pool"],
        sdk: documented::DESIGN.facts.sdk,
        wished: &[],
        claim_tag_prefix: documented::DESIGN.facts.claim_tag_prefix,
        claim_tag,
        owned_tags: owned_as_documented,
    },
    ..documented::DESIGN
};

/// What it reads of the document's settings.
const SETTINGS: &[SettingFact] = &settings_without::<29>(&["verify_timeout", "verify_every", "orphans_by"]);

#[derive(Default)]
struct PoolPerClaim {
    informers: OnceCell<Informers>,
}

#[async_trait(?Send)]
impl Variation for PoolPerClaim {
    /// The pool tells, and the list of pools is read anyway.
    async fn find_claimed(&self, _: &Documented, _: &Run, _: &NodeClaim) -> Result<Option<Arc<Instance>>, CreateError> {
        Ok(None)
    }

    /// The pool of the NodeClaim, and its Linode. Nobody else wants either, so that no lock is taken.
    async fn attempt(
        &self,
        base: &Documented,
        run: &Run,
        claim: &NodeClaim,
        key: &PoolKey,
        flags: &mut Flags,
    ) -> Result<Attempt, CreateError> {
        let tag = tags::of_node_claim(claim.name());
        let listed = match base.cx.api.list_pools(&run.claiming(), base.cx.cluster.id).await {
            Ok(listed) => listed,
            Err(error) => return retry_or("NodePoolCreationFailed", error),
        };
        let own = listed.iter().find(|lke_pool| is_managed(lke_pool) && lke_pool.tags.has(&tag)).cloned();
        let lke_pool = match own {
            Some(lke_pool) => match base.reconciled(run, &lke_pool).await? {
                true => lke_pool,
                false => return Ok(Attempt::NoneYet),
            },
            // It was made, and no list shows it yet.
            None if flags.created_or_scaled => return Ok(Attempt::NoneYet),
            None => {
                let more = [tag.to_string()];
                let Some(made) = base.make_pool(run, run.purpose(Cause::Scale), claim, key, (1, &more)).await? else {
                    return Ok(Attempt::NoneYet);
                };
                flags.created_or_scaled = true;
                made
            }
        };
        let instance = match only_linode(base, run, &lke_pool).await {
            Ok(Some(instance)) => instance,
            Ok(None) => return Ok(Attempt::NoneYet),
            Err(error) => return retry_or("InstanceDiscoveryFailed", error),
        };
        // On Enterprise it inherited the tag from its pool.
        if instance.tags.has(&tag) {
            return Ok(Attempt::Claimed(instance));
        }
        match base.write_claim(run, &tag, &lke_pool, &instance).await {
            Ok(written) => Ok(Attempt::Claimed(written)),
            Err(error) => retry_or("InstanceClaimFailed", error),
        }
    }

    /// The Linodes of pools whose NodeClaim does not exist, whatever their tags.
    async fn collectable(&self, base: &Documented, caller: Caller) -> Result<Arc<[Arc<Instance>]>, ProviderError> {
        let run = base.cx.run(caller, Operation::List, "cluster");
        let listed = base.cx.api.list_pools(&run.purpose(Cause::Gc), base.cx.cluster.id).await.map_err(failed)?;
        let claims = self.informers.get().map(|informers| informers.node_claims.list()).unwrap_or_default();
        let exist: BTreeSet<String> = claims.iter().map(|claim| tags::node_claim_value(claim.name()).into()).collect();
        let is_left = |lke_pool: &&Arc<LkePool>| {
            is_managed(lke_pool) && !tags::claims_named_by(&lke_pool.tags).any(|name| exist.contains(name))
        };
        let nodes = listed.iter().filter(is_left).flat_map(|lke_pool| lke_pool.nodes.iter());
        let mut found = Vec::new();
        for instance in nodes.filter_map(|node| node.instance) {
            match base.cx.api.get_instance(&run.purpose(Cause::Gc), instance).await {
                Ok(instance) => found.push(instance),
                Err(error) if error.is_absence_to(DESIGN.facts.sdk) => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(found.into())
    }

    fn start(&self, _: &Documented, kube: &Kube) {
        // A provider is started once.
        let _ = self.informers.set(kube.informers.clone());
    }
}

/// The Linode of a pool of one, once it shows.
async fn only_linode(base: &Documented, run: &Run, lke_pool: &LkePool) -> Result<Option<Arc<Instance>>, CallError> {
    if base.cx.cluster.tier == Tier::Enterprise {
        return base.members(run, lke_pool).await.map(|members| members.first().cloned());
    }
    let shown = base.cx.api.get_pool(&run.claiming(), base.cx.cluster.id, lke_pool.id).await?;
    let Some(instance) = shown.nodes.iter().find_map(|node| node.instance) else {
        return Ok(None);
    };
    match base.cx.api.get_instance(&run.claiming(), instance).await {
        Ok(instance) => Ok(Some(instance)),
        Err(error) if error.is_absence_to(DESIGN.facts.sdk) => Ok(None),
        Err(error) => Err(error),
    }
}

const STANDARD: Option<Tier> = Some(Tier::Standard);
const ENTERPRISE: Option<Tier> = Some(Tier::Enterprise);
const BOTH: Option<Tier> = None;

/// The document's lines, less what a pool of one's own makes needless.
const BUDGETS: &[Budget] = &[
    Budget::line(Operation::Create, ENTERPRISE, Endpoint::ListInstances, "the member an attempt", |work| {
        work.attempts + work.extra_instance_pages
    })
    .fewer("an attempt whose pool does not show looks for no member"),
    Budget::line(Operation::Create, BOTH, Endpoint::ListPools, "one an attempt", |work| {
        work.attempts + work.extra_pool_pages
    })
    .over("a list that grows by a page while it is read"),
    Budget::line(Operation::Create, STANDARD, Endpoint::GetPool, "one an attempt", |work| work.attempts)
        .fewer("an attempt whose pool does not show reads none"),
    Budget::line(Operation::Create, STANDARD, Endpoint::GetInstance, "one an attempt", |work| work.attempts)
        .fewer("a slot without a Linode is not read"),
    Budget::line(Operation::Create, BOTH, Endpoint::UpdateInstance, "one an attempt", |work| work.attempts)
        .fewer("on Enterprise the Linode inherits the tag"),
    Budget::line(Operation::Create, BOTH, Endpoint::CreatePool, "one a Create", |work| work.runs)
        .fewer("a Create whose pool is there makes none")
        .over(GROWN_AGAIN),
    Budget::line(Operation::Get, BOTH, Endpoint::GetInstance, "at most one", |work| work.runs)
        .fewer("what the cache knows is not asked for"),
    Budget::line(Operation::List, BOTH, Endpoint::ListInstances, "one a page", |work| {
        work.runs + work.extra_instance_pages
    })
    .fewer("garbage collection lists pools"),
    Budget::line(Operation::Delete, BOTH, Endpoint::ListPools, "one a page", |work| work.runs + work.extra_pool_pages),
    Budget::line(Operation::Delete, BOTH, Endpoint::DeletePool, "one", |work| work.runs)
        .fewer("Karpenter asks until the Linode is not found, and the last time there is nothing left to delete"),
    Budget::line(Operation::CreateTags, BOTH, Endpoint::GetInstance, "one", |work| work.runs),
    Budget::line(Operation::CreateTags, BOTH, Endpoint::UpdateInstance, "one", |work| work.runs)
        .fewer("a Linode that is not found gets no tag"),
];
