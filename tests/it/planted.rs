//! Designs with a mistake that is known, to see that it is found.
//!
//! One is `documented`, save that it meddles after five minutes with what nobody else writes. The other is
//! `documented`, save that its locks are keyed by NodeClaim and not by pool: the provider is built twice, and each
//! NodeClaim goes through one of the two, so that two Creates of one key may each believe that they hold its lock.

use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::{
    Caller, CloudProvider, CreateError, InstanceType, Machine, ProviderError, ProviderId,
};
use lkesim_kube::object::{NodeClaim, NodePool};
use lkesim_linode_api::design_facts::DesignFacts;
use lkesim_linode_api::{Instance, InstanceId, Tags};
use lkesim_lke::{Context, Design, Kube, NodeProvider, Provider};
use std::rc::Rc;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// The design. It is in no list.
pub fn locked_by_claim() -> &'static Design {
    static PLANTED: LazyLock<Design> = LazyLock::new(|| {
        planted("documented, with a lock for each NodeClaim", |context| Rc::new(LockedByClaim::new(&context)))
    });
    &PLANTED
}

/// What a design does after five minutes, beside being `documented`.
#[derive(Clone, Copy, Debug)]
pub enum Meddling {
    /// Deletes every NodeClaim in the provisioner's name.
    DeletesAsProvisioner,
}

/// The design that meddles so. It is in no list.
pub fn meddler(meddling: Meddling) -> &'static Design {
    static MEDDLERS: LazyLock<[Design; 1]> = LazyLock::new(|| {
        [planted("deletes", |context| Rc::new(Meddler::new(context, Meddling::DeletesAsProvisioner)))]
    });
    &MEDDLERS[meddling as usize]
}

fn planted(summary: &'static str, build: fn(Rc<Context>) -> Rc<dyn Provider>) -> Design {
    let documented = crate::support::design("documented");
    let facts = DesignFacts { name: "planted", ..documented.facts };
    Design { summary, about: "", build, facts, ..*documented }
}

struct Meddler {
    context: Rc<Context>,
    documented: Rc<dyn Provider>,
    meddling: Meddling,
}

impl Meddler {
    fn new(context: Rc<Context>, meddling: Meddling) -> Meddler {
        let documented = (crate::support::design("documented").build)(context.clone());
        Meddler { context, documented, meddling }
    }
}

#[async_trait(?Send)]
impl Provider for Meddler {
    fn nodes(&self) -> Rc<dyn NodeProvider> {
        self.documented.nodes()
    }

    async fn boot(&self, caller: Caller) -> Result<(), ProviderError> {
        self.documented.boot(caller).await
    }

    fn start(&self, kube: &Kube, nodes: Rc<dyn NodeProvider>) {
        self.documented.start(kube, nodes);
        let (context, meddling, client) = (self.context.clone(), self.meddling, kube.client.named("provisioner"));
        self.context.runtime.spawn("meddler", async move {
            context.runtime.sleep(Duration::from_secs(5 * 60)).await;
            match meddling {
                Meddling::DeletesAsProvisioner => {
                    for claim in client.store().list::<NodeClaim>() {
                        client.delete(&*claim).await.expect("an answer");
                    }
                }
            }
        });
    }
}

struct LockedByClaim {
    providers: [Rc<dyn Provider>; 2],
}

impl LockedByClaim {
    fn new(context: &Rc<Context>) -> LockedByClaim {
        let build = crate::support::design("documented").build;
        LockedByClaim { providers: [build(context.clone()), build(context.clone())] }
    }
}

#[async_trait(?Send)]
impl Provider for LockedByClaim {
    fn nodes(&self) -> Rc<dyn NodeProvider> {
        let [first, second] = &self.providers;
        Rc::new(Nodes([first.nodes(), second.nodes()]))
    }

    async fn boot(&self, caller: Caller) -> Result<(), ProviderError> {
        for provider in &self.providers {
            provider.boot(caller).await?;
        }
        Ok(())
    }

    fn start(&self, kube: &Kube, nodes: Rc<dyn NodeProvider>) {
        self.providers[0].start(kube, nodes);
    }
}

struct Nodes([Rc<dyn NodeProvider>; 2]);

impl Nodes {
    /// NodeClaims are named `claim-1`, `claim-2`, …: neighbours go different ways.
    fn of(&self, claim: &NodeClaim) -> &Rc<dyn NodeProvider> {
        let last = claim.metadata.name.bytes().last().unwrap_or_default();
        &self.0[usize::from(last % 2)]
    }
}

#[async_trait(?Send)]
impl CloudProvider for Nodes {
    async fn create(&self, caller: Caller, claim: &NodeClaim) -> Result<Machine, CreateError> {
        self.of(claim).create(caller, claim).await
    }

    async fn delete(&self, caller: Caller, claim: &NodeClaim) -> Result<(), ProviderError> {
        self.of(claim).delete(caller, claim).await
    }

    async fn get(&self, caller: Caller, id: &ProviderId) -> Result<Machine, ProviderError> {
        self.0[0].get(caller, id).await
    }

    async fn list(&self, caller: Caller) -> Result<Vec<Machine>, ProviderError> {
        self.0[0].list(caller).await
    }

    async fn get_instance_types(
        &self,
        caller: Caller,
        node_pool: &NodePool,
    ) -> Result<Rc<[Rc<InstanceType>]>, ProviderError> {
        self.0[0].get_instance_types(caller, node_pool).await
    }

    fn is_drifted(&self, caller: Caller, claim: &NodeClaim) -> Result<Option<&'static str>, ProviderError> {
        self.0[0].is_drifted(caller, claim)
    }
}

#[async_trait(?Send)]
impl NodeProvider for Nodes {
    async fn read_tags(&self, caller: Caller, instance: InstanceId) -> Result<Tags, ProviderError> {
        self.0[0].read_tags(caller, instance).await
    }

    async fn refresh_offerings(&self, caller: Caller) -> Result<(), ProviderError> {
        for nodes in &self.0 {
            nodes.refresh_offerings(caller).await?;
        }
        Ok(())
    }

    fn remembers_offerings(&self) -> bool {
        self.0.iter().all(|nodes| nodes.remembers_offerings())
    }

    async fn list_collectable(&self, caller: Caller) -> Result<Arc<[Arc<Instance>]>, ProviderError> {
        self.0[0].list_collectable(caller).await
    }

    async fn create_tags(
        &self,
        caller: Caller,
        instance: InstanceId,
        tags: Vec<Arc<str>>,
    ) -> Result<(), ProviderError> {
        self.0[0].create_tags(caller, instance, tags).await
    }
}
