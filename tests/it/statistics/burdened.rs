//! `documented` with a burden: a tenth more of what it does.

use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::{
    Caller, CloudProvider, CreateError, InstanceType, Machine, ProviderError, ProviderId,
};
use lkesim_kube::object::{NodeClaim, NodePool};
use lkesim_linode_api::design_facts::DesignFacts;
use lkesim_linode_api::{Instance, InstanceId, Tags};
use lkesim_lke::{Context, Design, Kube, NodeProvider, Provider};
use std::cell::Cell;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

/// What a design does beside being `documented`.
#[derive(Clone, Copy, Debug)]
pub enum Burden {
    /// It lists all Linodes now and then, once a Create has returned one.
    ListsMore,
    /// A Create that succeeds returns when its NodeClaim has waited a tenth longer.
    LaunchesLater,
}

/// Lists for each thousand Creates that returned a Linode: a tenth of those that `documented` makes.
const LISTS_OF_1000: u32 = 2_600;

/// The design. It is in no list.
pub fn burdened(burden: Burden) -> &'static Design {
    static BURDENED: LazyLock<[Design; 2]> = LazyLock::new(|| {
        [
            built("lists", |context| Rc::new(Burdened::new(context, Burden::ListsMore))),
            built("late", |context| Rc::new(Burdened::new(context, Burden::LaunchesLater))),
        ]
    });
    &BURDENED[burden as usize]
}

fn built(name: &'static str, build: fn(Rc<Context>) -> Rc<dyn Provider>) -> Design {
    let documented = crate::support::design("documented");
    let facts = DesignFacts { name, ..documented.facts };
    Design { summary: name, about: "", build, facts, ..*documented }
}

struct Burdened {
    provider: Rc<dyn Provider>,
    nodes: Rc<Nodes>,
}

impl Burdened {
    fn new(context: Rc<Context>, burden: Burden) -> Burdened {
        let provider = (crate::support::design("documented").build)(context.clone());
        let nodes = Nodes { context, nodes: provider.nodes(), burden, owed: Cell::new(0) };
        Burdened { provider, nodes: Rc::new(nodes) }
    }
}

#[async_trait(?Send)]
impl Provider for Burdened {
    fn nodes(&self) -> Rc<dyn NodeProvider> {
        self.nodes.clone()
    }

    async fn boot(&self, caller: Caller) -> Result<(), ProviderError> {
        self.provider.boot(caller).await
    }

    fn start(&self, kube: &Kube, nodes: Rc<dyn NodeProvider>) {
        self.provider.start(kube, nodes);
    }
}

struct Nodes {
    context: Rc<Context>,
    nodes: Rc<dyn NodeProvider>,
    burden: Burden,
    /// Thousandths of a list.
    owed: Cell<u32>,
}

#[async_trait(?Send)]
impl CloudProvider for Nodes {
    async fn create(&self, caller: Caller, claim: &NodeClaim) -> Result<Machine, CreateError> {
        let created = self.nodes.create(caller, claim).await;
        match self.burden {
            Burden::LaunchesLater if created.is_ok() => {
                let waited = self.context.runtime.now().since(claim.metadata.creation_timestamp);
                self.context.runtime.sleep(waited / 10).await;
            }
            Burden::ListsMore if created.is_ok() => {
                self.owed.set(self.owed.get() + LISTS_OF_1000);
                while self.owed.get() >= 1_000 {
                    self.owed.set(self.owed.get() - 1_000);
                    // What it shows does not matter.
                    let _ = self.nodes.list(caller).await;
                }
            }
            Burden::LaunchesLater | Burden::ListsMore => {}
        }
        created
    }

    async fn delete(&self, caller: Caller, claim: &NodeClaim) -> Result<(), ProviderError> {
        self.nodes.delete(caller, claim).await
    }

    async fn get(&self, caller: Caller, id: &ProviderId) -> Result<Machine, ProviderError> {
        self.nodes.get(caller, id).await
    }

    async fn list(&self, caller: Caller) -> Result<Vec<Machine>, ProviderError> {
        self.nodes.list(caller).await
    }

    async fn get_instance_types(
        &self,
        caller: Caller,
        node_pool: &NodePool,
    ) -> Result<Rc<[Rc<InstanceType>]>, ProviderError> {
        self.nodes.get_instance_types(caller, node_pool).await
    }

    fn is_drifted(&self, caller: Caller, claim: &NodeClaim) -> Result<Option<&'static str>, ProviderError> {
        self.nodes.is_drifted(caller, claim)
    }
}

#[async_trait(?Send)]
impl NodeProvider for Nodes {
    async fn read_tags(&self, caller: Caller, instance: InstanceId) -> Result<Tags, ProviderError> {
        self.nodes.read_tags(caller, instance).await
    }

    async fn refresh_offerings(&self, caller: Caller) -> Result<(), ProviderError> {
        self.nodes.refresh_offerings(caller).await
    }

    fn remembers_offerings(&self) -> bool {
        self.nodes.remembers_offerings()
    }

    async fn list_collectable(&self, caller: Caller) -> Result<Arc<[Arc<Instance>]>, ProviderError> {
        self.nodes.list_collectable(caller).await
    }

    async fn create_tags(
        &self,
        caller: Caller,
        instance: InstanceId,
        tags: Vec<Arc<str>>,
    ) -> Result<(), ProviderError> {
        self.nodes.create_tags(caller, instance, tags).await
    }
}
