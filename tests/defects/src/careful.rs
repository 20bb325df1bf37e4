//! The careful design: correct as far as a design can be on today's API, and simple enough to be broken in one place.
//!
//! Who has which Linode is recorded in the Kubernetes API before Create returns it, and read there anew by each attempt;
//! nothing but who waits is kept in memory. A lease of its own keeps a process that stood still from writing. A count
//! is learnt from the reply to a PUT that changes nothing, and raised by one for who asks. That a Linode is absent is
//! believed where its pool and a GET agree. It spares no call: `recommended` shows how to do the same for fewer.
//!
//! Each decision is a method of [`Steps`], whose default is right. A defect is a type that overrides one of them.

mod absence;
mod collection;
mod growing;
mod kept;
mod removal;
mod settings;
mod sightings;
mod steps;
mod taking;

pub(crate) use collection::{Survey, served};
pub(crate) use growing::made;
pub(crate) use kept::{Epoch, Trouble};
pub(crate) use settings::{DEFAULTS, SETTINGS};
pub(crate) use steps::{Guard, Right, Steps};
pub(crate) use taking::Attempt;

use self::kept::Kept;
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::{
    Caller, CloudProvider, CreateError, InstanceType, Machine, ProviderError, ProviderId,
};
use lkesim_kube::object::{NodeClaim, NodePool, Uid};
use lkesim_linode_api::{ApiClient, Cause, Instance, InstanceId, LkePoolId, Operation, Sdk, Tags};
use lkesim_lke::cache::TtlCache;
use lkesim_lke::controllers::{self, garbage_collection, tagging};
use lkesim_lke::instance_types::InstanceTypes;
use lkesim_lke::locks::{KeyedLocks, PoolKey};
use lkesim_lke::reader::Reader;
use lkesim_lke::{Context, Kube, NodeProvider, Provider};
use lkesim_runtime::Time;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// The SDK, of which only the client is used: each request is sent once.
pub(crate) const SDK: Sdk = Sdk::Linodego2_3;

/// A process's provider, with these steps.
pub(crate) struct Careful {
    pub cx: Rc<Context>,
    pub api: ApiClient,
    pub types: InstanceTypes,
    pub locks: KeyedLocks,
    pub reader: Reader,
    pub seen: TtlCache<InstanceId, Arc<Instance>>,
    /// Who has asked for a Linode of which key, and has none.
    pub demand: RefCell<BTreeMap<Uid, PoolKey>>,
    /// Since when a Linode is nobody's, or not there, and in which pool.
    pub idle: RefCell<BTreeMap<InstanceId, (Time, LkePoolId)>>,
    /// Since when a Linode that is asked for is not found.
    pub missed: RefCell<BTreeMap<InstanceId, Time>>,
    /// Of which LKE pools answers told.
    pub sighted: RefCell<BTreeMap<PoolKey, LkePoolId>>,
    /// Until when nothing is written: what became of a write is not known.
    pub quiet_until: Cell<Time>,
    /// Until when garbage collection asks for nothing: the limit refused what it or a deletion needs.
    pub crowded_until: Cell<Time>,
    pub kept: OnceCell<Kept>,
    /// The decisions.
    pub steps: Rc<dyn Steps>,
}

/// What a process of the design is built as.
pub(crate) struct Process(Rc<Careful>);

impl Process {
    pub fn build(cx: Rc<Context>, steps: Rc<dyn Steps>) -> Rc<dyn Provider> {
        Rc::new(Process(Rc::new(Careful::new(cx, steps))))
    }
}

impl Careful {
    fn new(cx: Rc<Context>, steps: Rc<dyn Steps>) -> Careful {
        let api = cx.api.plain();
        Careful {
            types: InstanceTypes::new(cx.clone()),
            locks: KeyedLocks::default(),
            reader: Reader::new(cx.clone(), api.clone()),
            seen: TtlCache::new(cx.runtime.clone(), cx.settings.instance_cache),
            demand: RefCell::default(),
            idle: RefCell::default(),
            missed: RefCell::default(),
            sighted: RefCell::default(),
            quiet_until: Cell::new(Time::ZERO),
            crowded_until: Cell::new(Time::ZERO),
            kept: OnceCell::new(),
            steps,
            api,
            cx,
        }
    }

    pub fn now(&self) -> Time {
        self.cx.runtime.now()
    }
}

#[async_trait(?Send)]
impl CloudProvider for Careful {
    async fn create(&self, caller: Caller, claim: &NodeClaim) -> Result<Machine, CreateError> {
        let run = self.cx.create_run(caller, claim);
        let plan = self.types.cheapest_for(claim)?;
        let key = PoolKey { node_pool: claim.node_pool().cloned().unwrap_or_default(), plan };
        let taken = self.take(&run, claim, &key).await;
        taken.map(|instance| self.steps.machine(self, &instance))
    }

    async fn get(&self, caller: Caller, provider_id: &ProviderId) -> Result<Machine, ProviderError> {
        let id = parsed(Some(provider_id))?;
        if let Some(instance) = self.seen.get(&id) {
            return Ok(self.types.machine(&instance));
        }
        let run = self.cx.run(caller, Operation::Get, provider_id.to_string());
        let read = self.read(&run, id, Cause::Termination).await?;
        self.seen.put(id, read.clone());
        Ok(self.types.machine(&read))
    }

    async fn list(&self, caller: Caller) -> Result<Vec<Machine>, ProviderError> {
        let run = self.cx.run(caller, Operation::List, "cluster");
        let held = self.all_held(&run).await?;
        Ok(held.iter().map(|instance| self.types.machine(instance)).collect())
    }

    async fn delete(&self, caller: Caller, claim: &NodeClaim) -> Result<(), ProviderError> {
        let id = parsed(claim.status.provider_id.as_ref())?;
        let run = self.cx.run(caller, Operation::Delete, &*claim.metadata.name);
        let cause = if caller.pass == garbage_collection::NAME { Cause::Gc } else { Cause::Termination };
        self.seen.remove(&id);
        self.remove(&run, id, cause).await
    }

    async fn get_instance_types(&self, caller: Caller, _: &NodePool) -> Result<Rc<[Rc<InstanceType>]>, ProviderError> {
        self.steps.types(self, caller).await
    }

    fn is_drifted(&self, _: Caller, _: &NodeClaim) -> Result<Option<&'static str>, ProviderError> {
        Ok(None)
    }
}

#[async_trait(?Send)]
impl NodeProvider for Careful {
    async fn read_tags(&self, caller: Caller, instance: InstanceId) -> Result<Tags, ProviderError> {
        let run = self.cx.run(caller, Operation::Get, instance.to_string());
        self.read(&run, instance, Cause::Tagging).await.map(|read| read.tags.clone())
    }

    async fn refresh_offerings(&self, caller: Caller) -> Result<(), ProviderError> {
        let run = self.cx.run(caller, Operation::Offerings, &*self.cx.cluster.region);
        self.types.refresh(&run, Cause::Offerings).await
    }

    fn remembers_offerings(&self) -> bool {
        self.types.are_remembered()
    }

    async fn list_collectable(&self, caller: Caller) -> Result<Arc<[Arc<Instance>]>, ProviderError> {
        let run = self.cx.run(caller, Operation::List, "cluster");
        Ok(self.orphans(&run).await?.into())
    }

    async fn create_tags(
        &self,
        caller: Caller,
        instance: InstanceId,
        more: Vec<Arc<str>>,
    ) -> Result<(), ProviderError> {
        let run = self.cx.run(caller, Operation::CreateTags, instance.to_string());
        Ok(self.add_tags(&run, instance, more).await?)
    }
}

#[async_trait(?Send)]
impl Provider for Process {
    fn nodes(&self) -> Rc<dyn NodeProvider> {
        self.0.clone()
    }

    async fn boot(&self, caller: Caller) -> Result<(), ProviderError> {
        let run = self.0.cx.run(caller, Operation::Boot, "operator");
        self.0.cx.check_cluster(&run).await?;
        self.0.types.refresh(&run, Cause::Boot).await
    }

    fn start(&self, kube: &Kube, nodes: Rc<dyn NodeProvider>) {
        // A provider is started once.
        let _ = self.0.kept.set(Kept::new(&self.0.cx, kube));
        garbage_collection::start_by_provider_id(&self.0.cx, kube, nodes.clone());
        tagging::start(&self.0.cx, kube, nodes.clone());
        controllers::offerings::start(&self.0.cx, kube, nodes);
        self.0.steps.start(&self.0, kube);
    }
}

fn parsed(provider_id: Option<&ProviderId>) -> Result<InstanceId, ProviderError> {
    provider_id.and_then(ProviderId::id).map(InstanceId).ok_or_else(|| {
        let text = provider_id.map_or_else(String::new, ToString::to_string);
        ProviderError::Other(format!("parsing instance ID: {text}"))
    })
}
