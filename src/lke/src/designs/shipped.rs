//! The provider as it ships: e1c5200 of `linode/karpenter-provider-linode`, whose loop of Create is that of v0.1.4 on.
//!
//! This file is pkg/providers/lke/lke.go:110-295 and 372-394: the loop of Create. What v0.1.3 does alike stands in
//! [`crate::upstream`].

mod settings;

use self::settings::SETTINGS;
use super::{Care, Design, claim_tag, owned_as_shipped};
use crate::budgets::UPSTREAM_PER_ATTEMPT;
use crate::context::Kube;
use crate::controllers::node_class::Checks;
use crate::controllers::{garbage_collection, inplace_update, node_class, offerings, tagging};
use crate::locks::PoolKey;
use crate::run::Run;
use crate::settings::ProviderSettings;
use crate::upstream::failure::Failure;
use crate::upstream::types::{Availability, cheapest_for};
use crate::upstream::{Upstream, pools};
use crate::{NodeProvider, Provider, node_classes, tags, taints};
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::{
    Caller, CloudProvider, CreateError, InstanceType, Machine, ProviderError, ProviderId,
};
use lkesim_kube::object::{NodeClaim, NodeClass, NodePool};
use lkesim_linode_api::design_facts::DesignFacts;
use lkesim_linode_api::{
    CallError, Cause, Instance, InstanceId, LkeCluster, LkePool, LkePoolCreate, Operation, Sdk, Tags,
};
use std::rc::Rc;
use std::sync::Arc;

/// The shipped provider.
pub const DESIGN: Design = Design {
    summary: "the provider as it ships, e1c5200: a loop that scales in each attempt",
    about: include_str!("shipped.md"),
    settings: SETTINGS,
    defaults: ProviderSettings::UPSTREAM,
    node_classes: Care { checks: Checks::VersionAndTags, updates_tags: true },
    build: |context| Rc::new(Rc::new(Shipped { up: Upstream::new(context, SDK, Availability::OfRegion) })),
    budgets: UPSTREAM_PER_ATTEMPT,
    facts: DesignFacts {
        name: "shipped",
        not_promised: &[],
        sdk: SDK,
        wished: &[],
        claim_tag_prefix: "karpenter.sh/nodeclaim=",
        claim_tag,
        owned_tags: owned_as_shipped,
    },
};

const SDK: Sdk = Sdk::Linodego2_3;

/// A process's provider.
struct Shipped {
    up: Upstream,
}

#[async_trait(?Send)]
impl CloudProvider for Shipped {
    async fn create(&self, caller: Caller, claim: &NodeClaim) -> Result<Machine, CreateError> {
        let run = self.up.cx.create_run(caller, claim);
        let node_class = self.up.cx.node_classes.ready_for(claim)?;
        let types = self.up.types_for(&node_class)?;
        // The choice comes before the look for what is there: where no type can be had, nobody looks.
        let key =
            PoolKey { node_pool: claim.node_pool().cloned().unwrap_or_default(), plan: cheapest_for(&types, claim)? };
        let tag = tags::of_node_claim(claim.name());
        let tagged = self.up.tagged(&run, &tag).await;
        if let Some(instance) = tagged.map_err(|error| Failure::Call("looking up instance", error))? {
            return Ok(self.up.machine(&instance));
        }
        let deadline = self.up.cx.runtime.now() + self.up.cx.settings.create_deadline;
        while self.up.cx.runtime.now() < deadline {
            run.next_attempt();
            match self.attempt(&run, claim, &node_class, &key).await {
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
        self.up.resolve_type(&instance)?;
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
        self.up
            .types_of(node_pool)?
            .ok_or_else(|| ProviderError::Other(format!("resolving node class of {}, not found", node_pool.name())))
    }

    fn is_drifted(&self, _: Caller, _: &NodeClaim) -> Result<Option<&'static str>, ProviderError> {
        Ok(None)
    }
}

impl Shipped {
    /// One pass of the loop, with the stripe's lock held (lke.go:170). Both flags live for one attempt: the next one
    /// may scale again, though nobody has seen yet what this one asked for.
    async fn attempt(
        &self,
        run: &Run,
        claim: &NodeClaim,
        node_class: &NodeClass,
        key: &PoolKey,
    ) -> Result<Arc<Instance>, Failure> {
        let _lock = self.up.locks.lock(key).await;
        let (lke_pool, created) = self.find_or_create_pool(run, claim, node_class, key).await?;
        match self.up.claimable(run, &lke_pool).await {
            Ok(instance) => return self.claim(run, claim, node_class, &lke_pool, &instance).await,
            // "Nodes provisioning" and "none claimable" both go on to scale.
            Err(failure) if failure.is_of_the_loop() => {}
            Err(failure) => return Err(failure),
        }
        if !created {
            self.up.scale(run, &lke_pool).await?;
        }
        Err(Failure::NoClaimableInstance)
    }

    /// The first pool of the key, brought to the NodeClass's version; a pool of one node where there is none
    /// (lke.go:219).
    async fn find_or_create_pool(
        &self,
        run: &Run,
        claim: &NodeClaim,
        node_class: &NodeClass,
        key: &PoolKey,
    ) -> Result<(Arc<LkePool>, bool), Failure> {
        let failed = |doing| move |error| self.up.no_pool(&key.plan, doing, error);
        let cluster = self.up.cx.cluster.id;
        let listed = self.up.cx.api.list_pools(&run.claiming(), cluster).await;
        let listed = listed.map_err(failed("listing node pools"))?;
        if let Some(lke_pool) = listed.iter().find(|lke_pool| pools::serves(lke_pool, key)) {
            let reconciled = self.reconcile_version(run, node_class, lke_pool).await;
            reconciled.map_err(failed("updating node pool kubernetes version"))?;
            return Ok((lke_pool.clone(), false));
        }
        let body = LkePoolCreate {
            plan: (&*key.plan).into(),
            count: 1,
            tags: pools::managed_tags(&self.up.cx, node_class, key).into_iter().collect(),
            labels: claim.metadata.labels.iter().map(|(key, value)| ((&**key).into(), (&**value).into())).collect(),
            taints: taints::of_node_claim(claim),
            firewall: node_class.spec.firewall_id,
            k8s_version: node_classes::version(node_class),
            more: node_classes::pool_options(self.up.cx.cluster.tier),
        };
        let created = self.up.cx.api.create_pool(&run.purpose(Cause::Scale), cluster, body).await;
        Ok((created.map_err(failed("creating node pool"))?, true))
    }

    /// Sets a pool's version where the NodeClass names another one, in each attempt until the list shows it
    /// (lke.go:279).
    async fn reconcile_version(&self, run: &Run, node_class: &NodeClass, lke_pool: &LkePool) -> Result<(), CallError> {
        let Some(body) = node_classes::version_change(node_class, lke_pool) else {
            return Ok(());
        };
        let because = run.purpose(Cause::Scale);
        self.up.cx.api.update_pool(&because, self.up.cx.cluster.id, lke_pool.id, body).await.map(|_| ())
    }

    /// Joins the tags by key, the instance's under the pool's under the NodeClass's under the claim's, keeps opaque
    /// ones, sorts, and writes them (lke.go:372).
    async fn claim(
        &self,
        run: &Run,
        claim: &NodeClaim,
        node_class: &NodeClass,
        lke_pool: &LkePool,
        instance: &Instance,
    ) -> Result<Arc<Instance>, Failure> {
        let all = node_classes::claim_tags(&instance.tags, &lke_pool.tags, node_class, claim.name());
        let tag = tags::of_node_claim(claim.name());
        self.up.write_claim(run, instance.id, all, &tag).await
    }
}

#[async_trait(?Send)]
impl NodeProvider for Shipped {
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
        listed.iter().try_for_each(|instance| self.up.resolve_type(instance))?;
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

    async fn update_tags(&self, caller: Caller, instance: InstanceId, all: Tags) -> Result<(), ProviderError> {
        self.up.update_tags(caller, instance, all).await
    }

    async fn read_cluster(&self, caller: Caller) -> Result<Arc<LkeCluster>, ProviderError> {
        self.up.cx.read_cluster(caller).await
    }
}

#[async_trait(?Send)]
impl Provider for Rc<Shipped> {
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
        node_class::hash::start(&self.up.cx.runtime, kube);
        inplace_update::start(&self.up.cx, kube, nodes.clone());
        offerings::start(&self.up.cx, kube, nodes.clone());
        node_class::start(&self.up.cx, kube, nodes, Checks::VersionAndTags);
    }
}
