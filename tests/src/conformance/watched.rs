//! The provider's border, for who steps its controllers one pass at a time.

use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::{
    Caller, CloudProvider, CreateError, InstanceType, Machine, ProviderError, ProviderId,
};
use lkesim_kube::object::{NodeClaim, NodePool};
use lkesim_linode_api::{Instance, InstanceId, LkeCluster, Tags};
use lkesim_lke::NodeProvider;
use lkesim_runtime::{Runtime, Time};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// A provider whose garbage collection waits for leave before each pass, and whose controllers' operations are noted.
pub struct Watched {
    inner: Rc<dyn NodeProvider>,
    runtime: Runtime,
    leave: Semaphore,
    /// Whether a pass waits for leave: the one before it is over.
    waits: Cell<bool>,
    /// Operations of controllers that run.
    busy: Cell<u32>,
    /// When the last one ended.
    quiet_since: Cell<Time>,
    /// How the last ones ended badly, since somebody asked.
    errors: RefCell<Vec<String>>,
}

impl Watched {
    /// Watches this provider.
    pub fn new(inner: Rc<dyn NodeProvider>, runtime: Runtime) -> Watched {
        Watched {
            inner,
            runtime,
            leave: Semaphore::new(0),
            waits: Cell::new(false),
            busy: Cell::new(0),
            quiet_since: Cell::new(Time::ZERO),
            errors: RefCell::default(),
        }
    }

    /// Whether a pass of the garbage collection waits for leave.
    pub fn collection_waits(&self) -> bool {
        self.waits.get()
    }

    /// Lets one pass go.
    pub fn collect(&self) {
        self.waits.set(false);
        self.leave.add_permits(1);
    }

    /// Since when no controller asks for anything.
    pub fn quiet_since(&self) -> Option<Time> {
        (self.busy.get() == 0).then(|| self.quiet_since.get())
    }

    /// The errors since the last time, other than that something is not there.
    pub fn take_errors(&self) -> Vec<String> {
        self.errors.take()
    }

    async fn noted<T>(&self, ask: impl Future<Output = Result<T, ProviderError>>) -> Result<T, ProviderError> {
        self.busy.set(self.busy.get() + 1);
        let result = ask.await;
        self.busy.set(self.busy.get() - 1);
        self.quiet_since.set(self.runtime.now());
        match &result {
            Err(error) if !error.is_not_found() => self.errors.borrow_mut().push(error.to_string()),
            _ => {}
        }
        result
    }
}

#[async_trait(?Send)]
impl CloudProvider for Watched {
    async fn create(&self, caller: Caller, node_claim: &NodeClaim) -> Result<Machine, CreateError> {
        self.inner.create(caller, node_claim).await
    }

    async fn delete(&self, caller: Caller, node_claim: &NodeClaim) -> Result<(), ProviderError> {
        self.noted(self.inner.delete(caller, node_claim)).await
    }

    async fn get(&self, caller: Caller, provider_id: &ProviderId) -> Result<Machine, ProviderError> {
        self.inner.get(caller, provider_id).await
    }

    async fn list(&self, caller: Caller) -> Result<Vec<Machine>, ProviderError> {
        self.inner.list(caller).await
    }

    async fn get_instance_types(
        &self,
        caller: Caller,
        node_pool: &NodePool,
    ) -> Result<Rc<[Rc<InstanceType>]>, ProviderError> {
        self.inner.get_instance_types(caller, node_pool).await
    }

    fn is_drifted(&self, caller: Caller, node_claim: &NodeClaim) -> Result<Option<&'static str>, ProviderError> {
        self.inner.is_drifted(caller, node_claim)
    }
}

#[async_trait(?Send)]
impl NodeProvider for Watched {
    async fn read_tags(&self, caller: Caller, instance: InstanceId) -> Result<Tags, ProviderError> {
        // The controller of in-place updates, which follows the same events, is not part of the test.
        if caller.pass == "nodeclass.inplaceupdate" {
            std::future::pending::<()>().await;
        }
        self.noted(self.inner.read_tags(caller, instance)).await
    }

    async fn refresh_offerings(&self, caller: Caller) -> Result<(), ProviderError> {
        self.inner.refresh_offerings(caller).await
    }

    fn remembers_offerings(&self) -> bool {
        self.inner.remembers_offerings()
    }

    async fn create_tags(
        &self,
        caller: Caller,
        instance: InstanceId,
        tags: Vec<Arc<str>>,
    ) -> Result<(), ProviderError> {
        self.noted(self.inner.create_tags(caller, instance, tags)).await
    }

    async fn list_collectable(&self, caller: Caller) -> Result<Arc<[Arc<Instance>]>, ProviderError> {
        self.waits.set(true);
        match self.leave.acquire().await {
            Ok(leave) => leave.forget(),
            Err(closed) => return Err(ProviderError::Other(closed.to_string())),
        }
        self.noted(self.inner.list_collectable(caller)).await
    }

    async fn update_tags(&self, caller: Caller, instance: InstanceId, tags: Tags) -> Result<(), ProviderError> {
        self.inner.update_tags(caller, instance, tags).await
    }

    async fn read_cluster(&self, _: Caller) -> Result<Arc<LkeCluster>, ProviderError> {
        // Nor is the controller of NodeClasses.
        std::future::pending().await
    }
}
