//! The document's flow, but a claim is recorded first where a write can be refused.
//!
//! Linode's API replaces a Linode's tags whatever they were. The Kubernetes API refuses to make an object whose name is
//! taken: one object a Linode is a claim that only one NodeClaim can have, whatever lists and tags show. Tags are a copy,
//! written once and not read back.

use super::documented::{
    Attempt, Documented, Found, Several, THE_REST, Variation, retry_or, settings_without, with_the_rest,
};
use super::{Design, claim_tag, documented};
use crate::budgets::GROWN_AGAIN;
use crate::context::Kube;
use crate::ledger::{Ledger, Record};
use crate::run::Run;
use crate::settings::SettingFact;
use crate::tags;
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::{Caller, CreateError, ProviderError};
use lkesim_kube::ApiError;
use lkesim_kube::object::{NodeClaim, Uid};
use lkesim_linode_api::budget::Budget;
use lkesim_linode_api::design_facts::{DesignFacts, Owned};
use lkesim_linode_api::{
    CallError, Endpoint, Filter, Instance, InstanceId, InstanceStatus, LkePool, Operation, Purpose, Tier,
};
use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::Mutex;

/// The document's flow over a ledger in the Kubernetes API.
pub const DESIGN: Design = Design {
    summary: "the document's flow, but claims are recorded first in the Kubernetes API; tags are a copy",
    about: include_str!("ledger.md"),
    settings: SETTINGS,
    build: |context| Documented::provider(context, Several::First, WithLedger::default()),
    budgets: BUDGETS,
    facts: DesignFacts {
        name: "ledger",
        not_promised: &[],
        sdk: documented::DESIGN.facts.sdk,
        wished: &[],
        claim_tag_prefix: documented::DESIGN.facts.claim_tag_prefix,
        claim_tag,
        owned_tags,
    },
    ..documented::DESIGN
};

/// It owns Linodes by its ledger, and lists them by the tags that List filters by.
fn owned_tags(owned: &Owned<'_>) -> Vec<String> {
    let managed = format!("{}=true", tags::MANAGED);
    match owned.tier {
        Tier::Standard => vec![managed],
        Tier::Enterprise => vec![managed, format!("lke{}", owned.cluster)],
    }
}

/// What it reads of the document's settings.
const SETTINGS: &[SettingFact] = &settings_without::<29>(&["verify_timeout", "verify_every", "orphans_by"]);

#[derive(Default)]
struct WithLedger {
    /// From when the controllers start.
    ways: OnceCell<(Kube, Ledger)>,
    /// Whether what was tagged before there was a ledger is in it.
    is_complete: Cell<bool>,
    completing: Mutex<()>,
}

#[async_trait(?Send)]
impl Variation for WithLedger {
    /// The record, and its Linode. A record whose Linode is gone is forgotten.
    async fn find_claimed(
        &self,
        base: &Documented,
        run: &Run,
        claim: &NodeClaim,
    ) -> Result<Option<Arc<Instance>>, CreateError> {
        self.complete(base, run).await.map_err(|error| CreateError::Other(error.to_string()))?;
        let records = self.records().await.map_err(unreached)?;
        let own = records.into_iter().find(|record| record.uid == claim.metadata.uid && !record.gone);
        let Some(record) = own else { return Ok(None) };
        match base.cx.api.get_instance(&run.claiming(), record.instance).await {
            Ok(instance) if instance.status != InstanceStatus::Deleting => {
                // The copy may not have been written.
                if instance.tags.has(&tags::of_node_claim(claim.name())) {
                    return Ok(Some(instance));
                }
                let lke_pool = base.cx.api.get_pool(&run.claiming(), base.cx.cluster.id, record.lke_pool).await;
                let lke_pool = lke_pool.map_err(not_read)?;
                let tag = tags::of_node_claim(claim.name());
                base.write_claim(run, &tag, &lke_pool, &instance).await.map(Some).map_err(not_read)
            }
            Err(error) if !error.is_absence_to(DESIGN.facts.sdk) => Err(not_read(error)),
            _ => {
                self.ledger().map_err(unreached)?.free(&record).await.map_err(unreached)?;
                Ok(None)
            }
        }
    }

    /// The first Linode that nobody has, by the ledger; one that bears a tag is somebody's as well.
    async fn look(&self, base: &Documented, run: &Run, lke_pool: &LkePool) -> Result<Found, CallError> {
        // Where the ledger can't be read, nothing is known to be free.
        let Ok(records) = self.records().await else { return Ok(Found { claimable: Vec::new(), provisioning: 1 }) };
        let taken: BTreeSet<InstanceId> = records.iter().map(|record| record.instance).collect();
        base.look(run, lke_pool, 1, &|id| taken.contains(&id)).await
    }

    /// Records, then writes the tags once.
    async fn claim(
        &self,
        base: &Documented,
        run: &Run,
        claim: &NodeClaim,
        lke_pool: &LkePool,
        instance: &Instance,
    ) -> Result<Attempt, CreateError> {
        match self.ledger().map_err(unreached)?.give(instance.id, lke_pool.id, claim).await {
            Ok(_) => {}
            // Somebody else was first.
            Err(error) if error.is_already_exists() => return Ok(Attempt::NoneYet),
            Err(error) => return Err(unreached(error)),
        }
        let tag = tags::of_node_claim(claim.name());
        match base.write_claim(run, &tag, lke_pool, instance).await {
            Ok(written) => Ok(Attempt::Claimed(written)),
            Err(error) => {
                // The Linode stays the NodeClaim's: its next Create finds the record, and writes the copy.
                let message = error.to_string();
                retry_or("InstanceClaimFailed", error)?;
                Err(CreateError::Create { reason: "InstanceClaimFailed", message })
            }
        }
    }

    /// The record stays until no list shows the Linode, so that nobody claims a dying one.
    async fn remove(&self, base: &Documented, because: &Purpose, instance: InstanceId) -> Result<(), ProviderError> {
        base.remove(because, instance).await?;
        let ledger = self.ledger().map_err(failed)?;
        if let Some(record) = ledger.of(instance).await.map_err(failed)?.filter(|record| !record.gone) {
            ledger.note_gone(&record).await.map_err(failed)?;
        }
        Ok(())
    }

    /// What List shows and the ledger gives to nobody. Records of those that went are forgotten.
    async fn collectable(&self, base: &Documented, caller: Caller) -> Result<Arc<[Arc<Instance>]>, ProviderError> {
        let (kube, ledger) = self.ways.get().ok_or_else(|| failed(not_started()))?;
        let records = self.records().await.map_err(failed)?;
        let listed = base.listed(caller).await?;
        let claims = kube.client.list::<NodeClaim>().await.map_err(failed)?;
        let exist: BTreeSet<Uid> = claims.iter().map(|claim| claim.metadata.uid).collect();
        let mut owned = BTreeSet::new();
        for record in records {
            let is_shown = listed.iter().any(|one| one.id == record.instance);
            match exist.contains(&record.uid) {
                true if !record.gone => drop(owned.insert(record.instance)),
                _ if record.gone && is_shown => {}
                // The Linode is nobody's, or not there any more.
                _ => ledger.free(&record).await.map_err(failed)?,
            }
        }
        Ok(listed.iter().filter(|one| !owned.contains(&one.id)).cloned().collect())
    }

    fn start(&self, _: &Documented, kube: &Kube) {
        let ledger = Ledger::new(kube.client.named("lke-ledger"));
        // A provider is started once.
        let _ = self.ways.set((kube.clone(), ledger));
    }
}

impl WithLedger {
    fn ledger(&self) -> Result<&Ledger, ApiError> {
        self.ways.get().map(|(_, ledger)| ledger).ok_or_else(not_started)
    }

    async fn records(&self) -> Result<Vec<Record>, ApiError> {
        Ok(self.ledger()?.all().await?.linodes)
    }

    /// Linodes that were tagged for a NodeClaim before there was a ledger are recorded, once a process.
    async fn complete(&self, base: &Documented, run: &Run) -> Result<(), ProviderError> {
        let _one = self.completing.lock().await;
        if self.is_complete.get() {
            return Ok(());
        }
        let (kube, ledger) = self.ways.get().ok_or_else(|| failed(not_started()))?;
        let tagged = Filter::tag_contains(&tags::tag(tags::NODE_CLAIM, ""));
        let listed = base.cx.api.list_instances(&run.claiming(), tagged).await;
        let listed = listed.map_err(|error| ProviderError::Other(error.to_string()))?;
        let claims = kube.client.list::<NodeClaim>().await.map_err(failed)?;
        for one in listed.iter().filter(|one| one.lke_cluster == Some(base.cx.cluster.id)) {
            let names: Vec<&str> = tags::claims_named_by(&one.tags).collect();
            let owner = claims.iter().find(|claim| names.contains(&&*tags::node_claim_value(claim.name())));
            let lke_pool = crate::reader::pool_in_label(one);
            if let (Some(owner), Some(lke_pool)) = (owner, lke_pool) {
                match ledger.give(one.id, lke_pool, owner).await {
                    Err(error) if !error.is_already_exists() => return Err(failed(error)),
                    _ => {}
                }
            }
        }
        self.is_complete.set(true);
        Ok(())
    }
}

fn not_started() -> ApiError {
    ApiError::NotFound { kind: lkesim_kube::object::Kind::ConfigMap, name: "ledger".into() }
}

fn failed(error: ApiError) -> ProviderError {
    ProviderError::Other(error.to_string())
}

fn unreached(error: ApiError) -> CreateError {
    CreateError::Other(error.to_string())
}

fn not_read(error: CallError) -> CreateError {
    CreateError::Other(error.to_string())
}

const STANDARD: Option<Tier> = Some(Tier::Standard);
const ENTERPRISE: Option<Tier> = Some(Tier::Enterprise);
const BOTH: Option<Tier> = None;

/// The document's lines, less the lookup by tag and the read-back.
const BUDGETS: &[Budget] = &with_the_rest::<{ CREATE.len() + THE_REST.len() }>(CREATE);

const CREATE: &[Budget] = &[
    Budget::line(Operation::Create, STANDARD, Endpoint::ListInstances, "one a process", |work| work.runs)
        .fewer("a process reads the tags of before once"),
    Budget::line(Operation::Create, ENTERPRISE, Endpoint::ListInstances, "the members an attempt", |work| {
        work.runs + work.attempts + work.extra_instance_pages
    })
    .fewer("a process reads the tags of before once; an attempt whose pool fails looks for no member"),
    Budget::line(Operation::Create, BOTH, Endpoint::ListPools, "one an attempt", |work| {
        work.attempts + work.extra_pool_pages
    }),
    Budget::line(Operation::Create, STANDARD, Endpoint::GetPool, "one an attempt", |work| work.attempts)
        .fewer("an attempt whose list of pools or new pool fails reads no pool")
        .over("a Create whose record is there reads its pool too"),
    Budget::line(Operation::Create, BOTH, Endpoint::GetInstance, "one a node scanned, one a Create", |work| {
        work.nodes_scanned + work.runs
    })
    .fewer("what the ledger knows is not read, and a Create without a record reads none"),
    Budget::line(Operation::Create, BOTH, Endpoint::UpdateInstance, "one an attempt", |work| work.attempts + work.runs)
        .fewer("an attempt that finds nothing to claim writes nothing"),
    Budget::line(Operation::Create, BOTH, Endpoint::CreatePool, "one a Create", |work| work.runs)
        .or(Endpoint::UpdatePool)
        .fewer("a Create that finds a Linode to claim asks for none")
        .over(GROWN_AGAIN),
];
