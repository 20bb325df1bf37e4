//! The provider at its release v0.1.3.
//!
//! This file is pkg/providers/lke/lke.go:108-280 and 369-384 of that tag: the loop of Create. What e1c5200 does alike
//! stands in [`crate::upstream`].

mod settings;

use self::settings::SETTINGS;
use super::{Care, Design, full_claim_tag, owned_as_v0_1_3};
use crate::budgets::UPSTREAM_PER_CREATE;
use crate::context::Kube;
use crate::controllers::node_class::Checks;
use crate::controllers::{garbage_collection, node_class, offerings, tagging};
use crate::locks::PoolKey;
use crate::run::Run;
use crate::settings::ProviderSettings;
use crate::tags::map::deduped;
use crate::upstream::failure::Failure;
use crate::upstream::types::{Availability, cheapest_for, unknown_types};
use crate::upstream::{Upstream, pools};
use crate::{NodeProvider, Provider, taints};
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::{
    Caller, CloudProvider, CreateError, InstanceType, Machine, ProviderError, ProviderId,
};
use lkesim_kube::object::{NodeClaim, NodeClass, NodePool};
use lkesim_linode_api::design_facts::DesignFacts;
use lkesim_linode_api::{
    Cause, Instance, InstanceId, LkePool, LkePoolCreate, LkePoolOptions, Operation, Sdk, Tags, UpdateStrategy,
};
use std::rc::Rc;
use std::sync::Arc;

/// The release.
pub const DESIGN: Design = Design {
    summary: "the provider's release v0.1.3, close to the document: flags kept for a Create, waits for slots",
    about: include_str!("v0_1_3.md"),
    settings: SETTINGS,
    defaults: ProviderSettings::UPSTREAM,
    node_classes: Care { checks: Checks::None, updates_tags: false },
    build: |context| Rc::new(Rc::new(V013 { up: Upstream::new(context, SDK, Availability::OfAllRegions) })),
    budgets: UPSTREAM_PER_CREATE,
    facts: DesignFacts {
        name: "v0.1.3",
        not_promised: &[],
        sdk: SDK,
        wished: &[],
        claim_tag_prefix: "karpenter.sh/nodeclaim=",
        claim_tag: full_claim_tag,
        owned_tags: owned_as_v0_1_3,
    },
};

const SDK: Sdk = Sdk::Linodego1_62;

/// A process's provider.
struct V013 {
    up: Upstream,
}

/// What one Create has done so far.
#[derive(Default)]
struct Flags {
    created: bool,
    scaled: bool,
}

#[async_trait(?Send)]
impl CloudProvider for V013 {
    async fn create(&self, caller: Caller, claim: &NodeClaim) -> Result<Machine, CreateError> {
        let run = self.up.cx.create_run(caller, claim);
        let node_class = self.up.cx.node_classes.ready_for(claim)?;
        let types = self.up.types_for(&node_class)?;
        // The choice comes before the look for what is there: where no type can be had, nobody looks.
        let key =
            PoolKey { node_pool: claim.node_pool().cloned().unwrap_or_default(), plan: cheapest_for(&types, claim)? };
        if let Some(instance) = self.tagged(&run, claim).await? {
            return Ok(self.up.machine(&instance));
        }
        let mut flags = Flags::default();
        let deadline = self.up.cx.runtime.now() + self.up.cx.settings.create_deadline;
        while self.up.cx.runtime.now() < deadline {
            run.next_attempt();
            match self.attempt(&run, claim, &node_class, &key, &mut flags).await {
                Ok(instance) => return Ok(self.up.machine(&instance)),
                Err(failure) if failure.is_retryable(SDK) => {
                    self.up.cx.runtime.sleep(self.up.cx.settings.retry_delay).await;
                }
                Err(failure) => return Err(failure.into()),
            }
        }
        Err(Upstream::timed_out())
    }

    async fn get(&self, caller: Caller, provider_id: &ProviderId) -> Result<Machine, ProviderError> {
        let instance = self.up.get(caller, provider_id).await?;
        self.resolve_type(&instance)?;
        Ok(self.up.machine(&instance))
    }

    async fn list(&self, caller: Caller) -> Result<Vec<Machine>, ProviderError> {
        let listed = self.list_collectable(caller).await?;
        Ok(listed.iter().map(|instance| self.up.machine(instance)).collect())
    }

    async fn delete(&self, caller: Caller, claim: &NodeClaim) -> Result<(), ProviderError> {
        self.up.delete(caller, claim).await
    }

    async fn get_instance_types(
        &self,
        _: Caller,
        node_pool: &NodePool,
    ) -> Result<Rc<[Rc<InstanceType>]>, ProviderError> {
        Ok(self.up.types_of(node_pool)?.unwrap_or_else(|| Rc::new([])))
    }

    fn is_drifted(&self, _: Caller, _: &NodeClaim) -> Result<Option<&'static str>, ProviderError> {
        Ok(None)
    }
}

impl V013 {
    /// The Linode with the NodeClaim's tag, if there is exactly one (lke.go:161).
    async fn tagged(&self, run: &Run, claim: &NodeClaim) -> Result<Option<Arc<Instance>>, CreateError> {
        let tagged = self.up.tagged(run, &full_claim_tag(claim.name())).await;
        tagged.map_err(|_| CreateError::Create {
            reason: "InstanceLookupFailed",
            message: format!("Failed to lookup existing instance for nodeclaim {}", claim.name()),
        })
    }

    /// One pass of the loop, with the stripe's lock held (lke.go:179).
    async fn attempt(
        &self,
        run: &Run,
        claim: &NodeClaim,
        node_class: &NodeClass,
        key: &PoolKey,
        flags: &mut Flags,
    ) -> Result<Arc<Instance>, Failure> {
        let _lock = self.up.locks.lock(key).await;
        let lke_pool = self.find_or_create_pool(run, claim, node_class, key, flags).await?;
        match self.up.claimable(run, &lke_pool).await {
            Ok(instance) => return self.claim(run, claim, &lke_pool, &instance).await,
            Err(Failure::NoClaimableInstance) => {}
            // "Nodes provisioning" among them: the call waits.
            Err(failure) => return Err(failure),
        }
        if !flags.created && !flags.scaled {
            self.up.scale(run, &lke_pool).await?;
            flags.scaled = true;
        }
        Err(Failure::NoClaimableInstance)
    }

    /// The first pool of the key; a pool of one node where there is none (lke.go:231). No flag keeps an attempt from
    /// making a second pool while the list does not show the first.
    async fn find_or_create_pool(
        &self,
        run: &Run,
        claim: &NodeClaim,
        node_class: &NodeClass,
        key: &PoolKey,
        flags: &mut Flags,
    ) -> Result<Arc<LkePool>, Failure> {
        let failed = |doing| move |error| self.up.no_pool(&key.plan, doing, error);
        let cluster = self.up.cx.cluster.id;
        let listed = self.up.cx.api.list_pools(&run.claiming(), cluster).await;
        let listed = listed.map_err(failed("listing node pools"))?;
        if let Some(lke_pool) = listed.iter().find(|lke_pool| pools::serves(lke_pool, key)) {
            return Ok(lke_pool.clone());
        }
        let of_node_class = node_class.spec.tags.iter().map(|tag| Arc::from(&**tag));
        let own = pools::managed_tags(&self.up.cx, node_class, key).into_iter();
        let strategy = node_class.spec.lke_update_strategy.as_deref().and_then(UpdateStrategy::named);
        let body = LkePoolCreate {
            plan: (&*key.plan).into(),
            count: 1,
            tags: deduped(own.chain(of_node_class)).into_iter().collect(),
            labels: node_class.spec.labels.iter().map(|(key, value)| ((&**key).into(), (&**value).into())).collect(),
            taints: taints::of_node_claim(claim),
            firewall: node_class.spec.firewall_id,
            k8s_version: node_class.spec.lke_k8s_version.as_deref().map(Arc::from),
            more: strategy.map(|strategy| {
                Box::new(LkePoolOptions { update_strategy: Some(strategy), ..LkePoolOptions::default() })
            }),
        };
        let created = self.up.cx.api.create_pool(&run.purpose(Cause::Scale), cluster, body).await;
        let lke_pool = created.map_err(failed("creating node pool"))?;
        flags.created = true;
        Ok(lke_pool)
    }

    /// Joins the instance's, the pool's and the claim's tags as they stand, each once, and writes them (lke.go:369).
    async fn claim(
        &self,
        run: &Run,
        claim: &NodeClaim,
        lke_pool: &LkePool,
        instance: &Instance,
    ) -> Result<Arc<Instance>, Failure> {
        let tag = full_claim_tag(claim.name());
        let joined = instance.tags.iter().chain(lke_pool.tags.iter()).cloned();
        let all = deduped(joined.chain([Arc::from(&*tag)]));
        self.up.write_claim(run, instance.id, all.into_iter().collect(), &tag).await
    }

    /// Looks a Linode's type up, through its NodePool and that one's NodeClass; one that the API does not list is an
    /// error (pkg/cloudprovider/cloudprovider.go:192, 398).
    fn resolve_type(&self, instance: &Instance) -> Result<(), ProviderError> {
        let node_pool = self.up.node_pool_of(instance);
        if node_pool.and_then(|node_pool| self.up.cx.node_classes.of(&node_pool)).is_none() {
            return Ok(());
        }
        self.up.types.known().map_err(unknown_types)?;
        match self.up.types.knows(&instance.plan) {
            true => Ok(()),
            false => Err(unknown_types("instance type not found in cache")),
        }
    }
}

#[async_trait(?Send)]
impl NodeProvider for V013 {
    async fn read_tags(&self, caller: Caller, instance: InstanceId) -> Result<Tags, ProviderError> {
        let run = self.up.cx.run(caller, Operation::Get, instance.to_string());
        self.up.read(&run, instance, Cause::Tagging).await.map(|instance| instance.tags.clone())
    }

    async fn refresh_offerings(&self, caller: Caller) -> Result<(), ProviderError> {
        self.up.refresh_offerings(caller).await
    }

    fn remembers_offerings(&self) -> bool {
        self.up.types.are_remembered()
    }

    async fn list_collectable(&self, caller: Caller) -> Result<Arc<[Arc<Instance>]>, ProviderError> {
        let listed = self.up.list(caller).await?;
        listed.iter().try_for_each(|instance| self.resolve_type(instance))?;
        Ok(listed.into())
    }

    async fn create_tags(
        &self,
        caller: Caller,
        instance: InstanceId,
        more: Vec<Arc<str>>,
    ) -> Result<(), ProviderError> {
        self.up.create_tags(caller, instance, more).await
    }
}

#[async_trait(?Send)]
impl Provider for Rc<V013> {
    fn nodes(&self) -> Rc<dyn NodeProvider> {
        self.clone()
    }

    async fn boot(&self, caller: Caller) -> Result<(), ProviderError> {
        self.up.boot(caller).await
    }

    fn start(&self, kube: &Kube, nodes: Rc<dyn NodeProvider>) {
        self.up.connect(kube);
        garbage_collection::start_by_provider_id(&self.up.cx, kube, nodes.clone());
        tagging::start(&self.up.cx, kube, nodes.clone());
        offerings::start(&self.up.cx, kube, nodes.clone());
        node_class::start(&self.up.cx, kube, nodes, Checks::None);
    }
}
