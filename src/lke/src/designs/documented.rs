//! The design document, "LKE multi-node NodePool scale-up", as it is written.
//!
//! One LKE pool for each (Karpenter NodePool, instance type). Create claims a Linode of that pool that bears no
//! nodeclaim tag, by writing one; where there is none, it raises the pool's count and looks again. Mistakes of the
//! document are kept: this file is what is examined. Where the document contradicts itself, its text beats its diagram
//! and its error policy beats its Step 1. Where it is silent, this does as provider e1c5200 does, save for hashed
//! stripes and map order.

mod budgets;
mod offerings;
mod orphans;
mod removal;
mod settings;
mod several;
mod strict;
mod variation;

pub use strict::DESIGN as STRICT;

use self::budgets::BUDGETS;
pub(super) use self::budgets::{THE_REST, with_the_rest};
use self::offerings::Offerings;
pub(super) use self::settings::settings_without;
use self::settings::{DEFAULTS, SETTINGS};
pub(super) use self::several::Several;
use self::variation::AsWritten;
pub(super) use self::variation::Variation;
use super::{Care, Design, claim_tag, owned_as_documented};
use crate::cache::TtlCache;
use crate::context::{Context, Kube};
use crate::controllers::{self, garbage_collection, node_class, tagging};
use crate::filters::Filters;
use crate::instance_types::InstanceTypes;
use crate::locks::{KeyedLocks, PoolKey};
use crate::run::Run;
use crate::{NodeProvider, Provider, node_classes, tags, taints};
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::{
    Caller, CloudProvider, CreateError, InstanceType, Machine, ProviderError, ProviderId,
};
use lkesim_kube::object::{NodeClaim, NodePool};
use lkesim_linode_api::design_facts::DesignFacts;
use lkesim_linode_api::{
    CallError, Cause, Filter, Instance, InstanceId, LkeCluster, LkePool, LkePoolCreate, LkePoolUpdate, Operation,
    Purpose, Sdk, Tags, Tier,
};
use std::rc::Rc;
use std::sync::Arc;

/// The design document.
pub const DESIGN: Design = Design {
    summary: "the design document of LKE pool scale-up, to the letter",
    about: include_str!("documented.md"),
    settings: SETTINGS,
    defaults: DEFAULTS,
    node_classes: Care::AS_SHIPPED,
    build: |context| Documented::provider(context, Several::First, AsWritten),
    budgets: BUDGETS,
    facts: DesignFacts {
        name: "documented",
        not_promised: &[],
        sdk: SDK,
        wished: &[],
        claim_tag_prefix: "karpenter.sh/nodeclaim=",
        claim_tag,
        owned_tags: owned_as_documented,
    },
};

const SDK: Sdk = Sdk::Linodego2_3;

/// The text by which LKE says that a plan is sold out.
const PLAN_UNAVAILABLE: &str = "is not currently available in the selected region";

/// A process's provider.
pub(super) struct Documented {
    pub(super) cx: Rc<Context>,
    types: InstanceTypes,
    pub(super) locks: KeyedLocks,
    filters: Filters,
    seen: TtlCache<InstanceId, Arc<Instance>>,
    offerings: Offerings,
    several: Several,
    /// What another design does otherwise.
    variation: Box<dyn Variation>,
}

/// What an attempt of Create came to, where it did not fail for good.
pub(super) enum Attempt {
    /// A Linode is the NodeClaim's.
    Claimed(Arc<Instance>),
    /// None is yet; look again.
    NoneYet,
}

/// What a look into a pool found.
#[derive(Default)]
pub(super) struct Found {
    /// Linodes that can be claimed, in the order in which they were listed.
    pub(super) claimable: Vec<Arc<Instance>>,
    /// Slots without a Linode. They are told where all Linodes are taken.
    pub(super) provisioning: usize,
}

/// Linodes that a look passes over, beside those with a nodeclaim tag.
pub(super) type Skip<'a> = &'a dyn Fn(InstanceId) -> bool;

/// What one Create has done so far. It outlasts attempts, so that slow discovery does not ask for more nodes.
#[derive(Default)]
pub(super) struct Flags {
    pub(super) created_or_scaled: bool,
}

#[async_trait(?Send)]
impl CloudProvider for Documented {
    async fn create(&self, caller: Caller, claim: &NodeClaim) -> Result<Machine, CreateError> {
        let run = self.cx.create_run(caller, claim);
        run.resolve(self.cx.node_classes.ready_for(claim)?);
        self.offerings.renew(&run, &self.types).await;
        let plan = self.types.cheapest_for(claim)?;
        // Step 1: fast idempotency.
        if let Some(instance) = self.variation.find_claimed(self, &run, claim).await? {
            return Ok(self.machine(&instance));
        }
        // Step 2: claim or scale.
        let key = PoolKey { node_pool: claim.node_pool().cloned().unwrap_or_default(), plan };
        let deadline = self.cx.runtime.now() + self.cx.settings.create_deadline;
        let mut flags = Flags::default();
        while self.cx.runtime.now() < deadline {
            run.next_attempt();
            if let Attempt::Claimed(instance) = self.variation.attempt(self, &run, claim, &key, &mut flags).await? {
                return Ok(self.machine(&instance));
            }
            self.cx.runtime.sleep(self.cx.settings.retry_delay).await;
        }
        let message = format!("timed out waiting for a claimable instance for nodeclaim {}", claim.metadata.name);
        Err(CreateError::Create { reason: "NodePoolProvisioning", message })
    }

    async fn get(&self, caller: Caller, provider_id: &ProviderId) -> Result<Machine, ProviderError> {
        let instance = provider_id.id().map(InstanceId).ok_or_else(|| not_parsed(Some(provider_id)))?;
        if let Some(instance) = self.seen.get(&instance) {
            return Ok(self.machine(&instance));
        }
        let run = self.cx.run(caller, Operation::Get, provider_id.to_string());
        self.read(&run, instance, Cause::Termination).await.map(|instance| self.machine(&instance))
    }

    async fn list(&self, caller: Caller) -> Result<Vec<Machine>, ProviderError> {
        let listed = self.listed(caller).await?;
        Ok(listed.iter().map(|instance| self.machine(instance)).collect())
    }

    async fn delete(&self, caller: Caller, claim: &NodeClaim) -> Result<(), ProviderError> {
        let provider_id = claim.status.provider_id.as_ref();
        let instance = provider_id.and_then(ProviderId::id).map(InstanceId).ok_or_else(|| not_parsed(provider_id))?;
        let run = self.cx.run(caller, Operation::Delete, &*claim.metadata.name);
        let because = run.purpose(if caller.pass == garbage_collection::NAME { Cause::Gc } else { Cause::Termination });
        self.variation.remove(self, &because, instance).await
    }

    async fn get_instance_types(
        &self,
        caller: Caller,
        node_pool: &NodePool,
    ) -> Result<Rc<[Rc<InstanceType>]>, ProviderError> {
        self.cx.node_classes.needed_by(node_pool)?;
        let run = self.cx.run(caller, Operation::Offerings, &*self.cx.cluster.region);
        self.offerings.renew(&run, &self.types).await;
        Ok(self.types.all())
    }

    fn is_drifted(&self, _: Caller, _: &NodeClaim) -> Result<Option<&'static str>, ProviderError> {
        Ok(None)
    }
}

impl Documented {
    /// The provider of a design that does what the variation says, and all else as the document has it.
    pub(super) fn provider(cx: Rc<Context>, several: Several, variation: impl Variation + 'static) -> Rc<dyn Provider> {
        Rc::new(Rc::new(Documented::new(cx, several, Box::new(variation))))
    }

    fn new(cx: Rc<Context>, several: Several, variation: Box<dyn Variation>) -> Documented {
        Documented {
            types: InstanceTypes::new(cx.clone()),
            locks: KeyedLocks::default(),
            filters: Filters::new(&cx.cluster),
            seen: TtlCache::new(cx.runtime.clone(), cx.settings.instance_cache),
            offerings: Offerings::new(cx.clone()),
            several,
            variation,
            cx,
        }
    }

    /// Step 1. Where several Linodes match, the first, or an error.
    pub(super) async fn find_claimed(
        &self,
        run: &Run,
        claim: &NodeClaim,
    ) -> Result<Option<Arc<Instance>>, CreateError> {
        let filter = Filter::tag_contains(&tags::of_node_claim(&claim.metadata.name));
        let found = self.cx.api.list_first_instances(&run.claiming(), filter).await.map_err(lookup_failed)?;
        self.several.instances(&found)?;
        if let Some(instance) = found.first() {
            self.several.claim_tags(instance)?;
        }
        Ok(found.first().cloned())
    }

    /// One pass of the claim-or-scale loop, with the key's lock held.
    pub(super) async fn attempt(
        &self,
        run: &Run,
        claim: &NodeClaim,
        key: &PoolKey,
        flags: &mut Flags,
    ) -> Result<Attempt, CreateError> {
        let _lock = self.locks.lock(key).await;
        let Some(lke_pool) = self.find_or_create_pool(run, claim, key, flags).await? else {
            return Ok(Attempt::NoneYet);
        };
        let found = match self.variation.look(self, run, &lke_pool).await {
            Ok(found) => found,
            Err(error) => return retry_or("InstanceDiscoveryFailed", error),
        };
        match found.claimable.first() {
            Some(instance) => self.variation.claim(self, run, claim, &lke_pool, instance).await,
            None if found.provisioning > 0 => Ok(Attempt::NoneYet),
            None => self.scale(run, &lke_pool, flags).await,
        }
    }

    /// The pool of the key, the first where several match; a pool of one node where none does.
    pub(super) async fn find_or_create_pool(
        &self,
        run: &Run,
        claim: &NodeClaim,
        key: &PoolKey,
        flags: &mut Flags,
    ) -> Result<Option<Arc<LkePool>>, CreateError> {
        let listed = match self.cx.api.list_pools(&run.claiming(), self.cx.cluster.id).await {
            Ok(listed) => listed,
            Err(error) => return retry_or("NodePoolCreationFailed", error).map(|_| None),
        };
        if let Some(lke_pool) = self.pool_of(&listed, key)? {
            return Ok(self.reconciled(run, &lke_pool).await?.then_some(lke_pool));
        }
        let made = self.make_pool(run, run.purpose(Cause::Scale), claim, key, (1, &[])).await?;
        flags.created_or_scaled |= made.is_some();
        Ok(made)
    }

    /// The pool of the key among these.
    pub(super) fn pool_of(&self, listed: &[Arc<LkePool>], key: &PoolKey) -> Result<Option<Arc<LkePool>>, CreateError> {
        let mut of_key = listed.iter().filter(|lke_pool| serves(lke_pool, key));
        let Some(lke_pool) = of_key.next() else { return Ok(None) };
        self.several.lke_pools(lke_pool, of_key.next())?;
        Ok(Some(lke_pool.clone()))
    }

    /// As shipped: a pool that is there gets the NodeClass's version of Kubernetes before it is used, in each attempt
    /// until the list shows it. False where it may be tried again.
    pub(super) async fn reconciled(&self, run: &Run, lke_pool: &LkePool) -> Result<bool, CreateError> {
        let change = run.node_class().and_then(|node_class| node_classes::version_change(node_class, lke_pool));
        let Some(body) = change else { return Ok(true) };
        let because = run.purpose(Cause::Scale);
        match self.cx.api.update_pool(&because, self.cx.cluster.id, lke_pool.id, body).await {
            Ok(_) => Ok(true),
            Err(error) => retry_or("NodePoolCreationFailed", error).map(|_| false),
        }
    }

    /// Makes a pool of so many nodes, with these tags besides its own; none where it may be tried again.
    pub(super) async fn make_pool(
        &self,
        run: &Run,
        purpose: Purpose,
        claim: &NodeClaim,
        key: &PoolKey,
        (count, more): (u32, &[String]),
    ) -> Result<Option<Arc<LkePool>>, CreateError> {
        let node_class = run.node_class();
        let of_pool = tags::of_lke_pool(&self.cx.cluster.name, &key.node_pool, node_class_of(claim));
        let body = LkePoolCreate {
            plan: (&*key.plan).into(),
            count,
            tags: tags::appended(&of_pool, more),
            labels: claim.metadata.labels.iter().map(|(key, value)| ((&**key).into(), (&**value).into())).collect(),
            taints: taints::of_node_claim(claim),
            firewall: node_class.and_then(|node_class| node_class.spec.firewall_id),
            k8s_version: node_class.and_then(node_classes::version),
            more: node_classes::pool_options(self.cx.cluster.tier),
        };
        match self.cx.api.create_pool(&purpose, self.cx.cluster.id, body).await {
            Ok(lke_pool) => Ok(Some(lke_pool)),
            Err(error) => self.pool_refused(key, error),
        }
    }

    /// Plan availability: only a rejected pool creation that says so marks a plan, and makes Karpenter drop the
    /// NodeClaim.
    fn pool_refused(&self, key: &PoolKey, error: CallError) -> Result<Option<Arc<LkePool>>, CreateError> {
        if let CallError::Api(refusal) = &error {
            if refusal.status == self.cx.settings.sold_out_status && refusal.text().contains(PLAN_UNAVAILABLE) {
                self.types.mark_unavailable(&key.plan);
                self.offerings.forget(&key.plan);
                return Err(CreateError::InsufficientCapacity(refusal.to_string()));
            }
            if refusal.status == 400 {
                tracing::warn!(plan = &*key.plan, %error, "pool create rejected with an unrecognized 400");
            }
        }
        retry_or("NodePoolCreationFailed", error).map(|_| None)
    }

    /// Linodes of the pool that bear no nodeclaim tag, the first of them up to so many.
    pub(super) async fn look(
        &self,
        run: &Run,
        lke_pool: &LkePool,
        most: usize,
        skip: Skip<'_>,
    ) -> Result<Found, CallError> {
        match self.cx.cluster.tier {
            Tier::Standard => self.look_standard(run, lke_pool, most, skip).await,
            Tier::Enterprise => self.look_enterprise(run, lke_pool, most, skip).await,
        }
    }

    /// Standard: the pool's slots, then each one's Linode. A slot without a Linode counts only once all others are
    /// taken.
    async fn look_standard(
        &self,
        run: &Run,
        lke_pool: &LkePool,
        most: usize,
        skip: Skip<'_>,
    ) -> Result<Found, CallError> {
        let lke_pool = self.cx.api.get_pool(&run.claiming(), self.cx.cluster.id, lke_pool.id).await?;
        let mut found = Found::default();
        for node in lke_pool.nodes.iter() {
            let Some(instance) = node.instance else {
                found.provisioning += 1;
                continue;
            };
            if skip(instance) {
                continue;
            }
            match self.cx.api.get_instance(&run.claiming(), instance).await {
                Ok(instance) if !tags::is_claimed(&instance.tags) => found.claimable.push(instance),
                Ok(_) => {}
                Err(error) if error.is_absence_to(SDK) => {}
                Err(error) => return Err(error),
            }
            if found.claimable.len() >= most {
                break;
            }
        }
        Ok(found)
    }

    /// Enterprise: the Linodes with the pool's, the cluster's and the managed tag, as the server matches them.
    async fn look_enterprise(
        &self,
        run: &Run,
        lke_pool: &LkePool,
        most: usize,
        skip: Skip<'_>,
    ) -> Result<Found, CallError> {
        let members = self.members(run, lke_pool).await?;
        let can_be_had = |member: &&Arc<Instance>| {
            member.plan == lke_pool.plan && !tags::is_claimed(&member.tags) && !skip(member.id)
        };
        let claimable = members.iter().filter(can_be_had).take(most).cloned().collect();
        Ok(Found { claimable, provisioning: 0 })
    }

    /// Enterprise: what the list shows of a pool.
    pub(super) async fn members(&self, run: &Run, lke_pool: &LkePool) -> Result<Arc<[Arc<Instance>]>, CallError> {
        self.cx.api.list_instances(&run.claiming(), self.filters.members(lke_pool.id)).await
    }

    /// Writes the nodeclaim tag, on Standard the pool's tags too, and reads it back with the lock held.
    pub(super) async fn claim(
        &self,
        run: &Run,
        claim: &NodeClaim,
        lke_pool: &LkePool,
        instance: &Instance,
    ) -> Result<Attempt, CreateError> {
        let claim_tag = tags::of_node_claim(&claim.metadata.name);
        if let Err(error) = self.write_claim(run, &claim_tag, lke_pool, instance).await {
            return retry_or("InstanceClaimFailed", error);
        }
        let deadline = self.cx.runtime.now() + self.cx.settings.verify_timeout;
        while self.cx.runtime.now() < deadline {
            match self.cx.api.get_instance(&run.purpose(Cause::Verify), instance.id).await {
                Ok(read) if read.tags.has(&claim_tag) => {
                    self.several.claim_tags(&read)?;
                    self.seen.put(read.id, read.clone());
                    return Ok(Attempt::Claimed(read));
                }
                Err(error) if !is_retryable(&error) && !error.is_absence_to(SDK) => {
                    return Err(create_error("InstanceClaimFailed", &error));
                }
                _ => self.cx.runtime.sleep(self.cx.settings.verify_every).await,
            }
        }
        Ok(Attempt::NoneYet)
    }

    /// The write of a claim.
    pub(super) async fn write_claim(
        &self,
        run: &Run,
        claim_tag: &Arc<str>,
        lke_pool: &LkePool,
        instance: &Instance,
    ) -> Result<Arc<Instance>, CallError> {
        let inherited = match self.cx.cluster.tier {
            Tier::Standard => lke_pool.tags.clone(),
            Tier::Enterprise => Tags::default(),
        };
        let written = tags::joined([&instance.tags, &inherited], [claim_tag.clone()]);
        let written = node_classes::with_user_tags(written, run.node_class());
        self.cx.api.update_instance(&run.claiming(), instance.id, written).await
    }

    /// Raises the pool's count by one, once in a Create.
    pub(super) async fn scale(&self, run: &Run, lke_pool: &LkePool, flags: &mut Flags) -> Result<Attempt, CreateError> {
        if !flags.created_or_scaled {
            let raised = self.raise(&run.purpose(Cause::Scale), lke_pool, 1).await?;
            flags.created_or_scaled = raised.is_some();
        }
        Ok(Attempt::NoneYet)
    }

    /// Raises a count, which is the one that the list of pools told; none where it may be tried again.
    pub(super) async fn raise(
        &self,
        purpose: &Purpose,
        lke_pool: &LkePool,
        by: u32,
    ) -> Result<Option<Arc<LkePool>>, CreateError> {
        let body = LkePoolUpdate { count: Some(lke_pool.count + by), ..LkePoolUpdate::default() };
        match self.cx.api.update_pool(purpose, self.cx.cluster.id, lke_pool.id, body).await {
            Ok(raised) => Ok(Some(raised)),
            // A 400 may be validation, networking or a request limit: no sign of missing capacity.
            Err(error) => retry_or("NodePoolScaleFailed", error).map(|_| None),
        }
    }

    /// What List shows of this cluster. All of it is remembered.
    pub(super) async fn listed(&self, caller: Caller) -> Result<Arc<[Arc<Instance>]>, ProviderError> {
        let run = self.cx.run(caller, Operation::List, "cluster");
        let listed = self.cx.api.list_instances(&run.purpose(Cause::Gc), self.filters.all()).await.map_err(failed)?;
        let is_ours = |instance: &&Arc<Instance>| instance.lke_cluster == Some(self.cx.cluster.id);
        let ours = match listed.iter().all(|instance| is_ours(&instance)) {
            true => listed,
            false => listed.iter().filter(is_ours).cloned().collect(),
        };
        for instance in ours.iter() {
            if !self.seen.renew(&instance.id, |known| Arc::ptr_eq(known, instance)) {
                self.seen.put(instance.id, instance.clone());
            }
        }
        Ok(ours)
    }

    /// Reads a Linode and remembers it.
    async fn read(&self, run: &Run, instance: InstanceId, cause: Cause) -> Result<Arc<Instance>, ProviderError> {
        let read = self.cx.api.get_instance(&run.purpose(cause), instance).await.map_err(failed)?;
        self.seen.put(read.id, read.clone());
        Ok(read)
    }

    fn machine(&self, instance: &Instance) -> Machine {
        self.types.machine(instance)
    }
}

#[async_trait(?Send)]
impl NodeProvider for Documented {
    async fn read_tags(&self, caller: Caller, instance: InstanceId) -> Result<Tags, ProviderError> {
        let run = self.cx.run(caller, Operation::Get, instance.to_string());
        self.read(&run, instance, Cause::Tagging).await.map(|instance| instance.tags.clone())
    }

    async fn refresh_offerings(&self, caller: Caller) -> Result<(), ProviderError> {
        let run = self.cx.run(caller, Operation::Offerings, &*self.cx.cluster.region);
        self.types.refresh(&run, Cause::Offerings).await
    }

    fn remembers_offerings(&self) -> bool {
        self.types.are_remembered()
    }

    async fn list_collectable(&self, caller: Caller) -> Result<Arc<[Arc<Instance>]>, ProviderError> {
        self.variation.collectable(self, caller).await
    }

    async fn read_cluster(&self, caller: Caller) -> Result<Arc<LkeCluster>, ProviderError> {
        self.cx.read_cluster(caller).await
    }

    async fn create_tags(
        &self,
        caller: Caller,
        instance: InstanceId,
        more: Vec<Arc<str>>,
    ) -> Result<(), ProviderError> {
        let run = self.cx.run(caller, Operation::CreateTags, instance.to_string());
        let read = self.read(&run, instance, Cause::Tagging).await?;
        let written = tags::joined([&self.variation.present_tags(&read)], more);
        self.cx.api.update_instance(&run.purpose(Cause::Tagging), instance, written).await.map_err(failed)?;
        Ok(())
    }
}

#[async_trait(?Send)]
impl Provider for Rc<Documented> {
    fn nodes(&self) -> Rc<dyn NodeProvider> {
        self.clone()
    }

    async fn boot(&self, caller: Caller) -> Result<(), ProviderError> {
        let run = self.cx.run(caller, Operation::Boot, "operator");
        self.cx.check_cluster(&run).await?;
        self.types.refresh(&run, Cause::Boot).await
    }

    fn start(&self, kube: &Kube, nodes: Rc<dyn NodeProvider>) {
        self.cx.node_classes.connect(kube);
        self.variation.start(self, kube);
        garbage_collection::start(&self.cx, kube, nodes.clone());
        tagging::start(&self.cx, kube, nodes.clone());
        controllers::offerings::start(&self.cx, kube, nodes.clone());
        node_class::start(&self.cx, kube, nodes, Care::AS_SHIPPED.checks);
        node_class::hash::start(&self.cx.runtime, kube);
    }
}

/// Whether the pool is that of the key.
fn serves(lke_pool: &LkePool, key: &PoolKey) -> bool {
    *lke_pool.plan == *key.plan && is_managed(lke_pool) && lke_pool.tags.value(tags::NODE_POOL) == Some(&*key.node_pool)
}

pub(super) fn is_managed(lke_pool: &LkePool) -> bool {
    lke_pool.tags.value(tags::NODE_POOL).is_some() && lke_pool.tags.value(tags::MANAGED).is_some()
}

fn node_class_of(claim: &NodeClaim) -> &str {
    claim.spec.node_class_ref.as_ref().map_or("", |node_class| &node_class.name)
}

/// Error policy: Karpenter retries API errors with HTTP status 429 or 5xx.
fn is_retryable(error: &CallError) -> bool {
    matches!(error.status(), Some(429 | 500..=599))
}

/// Looks again after a retryable error, and fails with any other.
pub(super) fn retry_or(reason: &'static str, error: CallError) -> Result<Attempt, CreateError> {
    if is_retryable(&error) { Ok(Attempt::NoneYet) } else { Err(create_error(reason, &error)) }
}

fn create_error(reason: &'static str, error: &CallError) -> CreateError {
    CreateError::Create { reason, message: error.to_string() }
}

pub(super) fn lookup_failed(error: CallError) -> CreateError {
    CreateError::Other(error.to_string())
}

pub(super) fn failed(error: CallError) -> ProviderError {
    if error.is_absence_to(SDK) {
        ProviderError::NotFound(error.to_string())
    } else {
        ProviderError::Other(error.to_string())
    }
}

fn not_parsed(provider_id: Option<&ProviderId>) -> ProviderError {
    let text = provider_id.map_or_else(String::new, ToString::to_string);
    ProviderError::NotFound(format!("parsing instance ID: {text}"))
}
