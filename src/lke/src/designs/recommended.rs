//! What this project recommends on today's API.
//!
//! Creates of a key join: one count change for all that wait, by exact arithmetic (who waits, less the nodes that are
//! nobody's), and one list of the cluster's Linodes that serves every key. Who has which Linode is recorded first in
//! the Kubernetes API, where a write can be refused; tags are a copy for people. Nothing is decided by a list's
//! silence, no count is ever lowered, and what became of a write is known before another one is sent.

mod absence;
mod budgets;
mod load;
mod orphans;
mod pools;
mod quiet;
mod removal;
mod rounds;
mod settings;
mod state;
mod taking;

use self::budgets::BUDGETS;
use self::settings::{DEFAULTS, SETTINGS};
use self::state::State;
use super::{Care, Design, claim_tag};
use crate::cache::TtlCache;
use crate::context::{Context, Kube};
use crate::controllers::{self, garbage_collection, node_class, tagging};
use crate::instance_types::InstanceTypes;
use crate::ledger::Ledger;
use crate::locks::{KeyedLocks, PoolKey};
use crate::reader::{Reader, Reading};
use crate::run::Run;
use crate::writer::Writer;
use crate::{NodeProvider, Provider, node_classes, tags};
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::{
    Caller, CloudProvider, CreateError, InstanceType, Machine, ProviderError, ProviderId,
};
use lkesim_kube::ApiError;
use lkesim_kube::object::{NodeClaim, NodeClass, NodePool, labels};
use lkesim_linode_api::design_facts::DesignFacts;
use lkesim_linode_api::{ApiClient, CallError, Cause, Instance, InstanceId, LkeCluster, LkePool, Operation, Sdk, Tags};
use lkesim_runtime::Time;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// The recommendation.
pub const DESIGN: Design = Design {
    summary: "what this project recommends on today's API: a ledger in Kubernetes, joined scale-ups, one shared reader",
    about: include_str!("recommended.md"),
    settings: SETTINGS,
    defaults: DEFAULTS,
    node_classes: Care::AS_SHIPPED,
    build: |context| Rc::new(Rc::new(Recommended::new(context))),
    budgets: BUDGETS,
    facts: DesignFacts {
        name: "recommended",
        not_promised: &[],
        sdk: SDK,
        wished: &[],
        claim_tag_prefix: "karpenter.sh/nodeclaim=",
        claim_tag,
        // It finds and owns Linodes by its ledger; tags are a copy.
        owned_tags: |_| Vec::new(),
    },
};

const SDK: Sdk = Sdk::Linodego2_3;

/// A process's provider.
struct Recommended {
    cx: Rc<Context>,
    /// Sends each request once.
    api: ApiClient,
    types: InstanceTypes,
    locks: KeyedLocks,
    loading: KeyedLocks,
    reader: Reader,
    seen: TtlCache<InstanceId, Arc<Instance>>,
    state: RefCell<State>,
    ways: OnceCell<Ways>,
}

/// The ways to Kubernetes, from when the controllers start.
struct Ways {
    kube: Kube,
    ledger: Ledger,
    writer: Writer,
}

/// Why something can't be done at this moment.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error("{0}")]
    Linode(#[from] CallError),
    #[error("{0}")]
    Kubernetes(#[from] ApiError),
    #[error("another process writes, or may")]
    NotTheWriter,
    #[error("the provider has not started")]
    NotStarted,
    #[error("a write was not answered and may still arrive")]
    Unanswered,
    #[error("answers do not agree")]
    Unclear,
}

impl Trouble {
    /// How long to wait before the next try.
    fn pause(&self) -> Duration {
        let asked = match self {
            Trouble::Linode(CallError::Api(error)) if error.status == 429 => error.retry_after_secs,
            _ => None,
        };
        Duration::from_secs(u64::from(asked.unwrap_or(2)).clamp(1, 60))
    }
}

impl From<Trouble> for ProviderError {
    fn from(trouble: Trouble) -> ProviderError {
        ProviderError::Other(trouble.to_string())
    }
}

#[async_trait(?Send)]
impl CloudProvider for Recommended {
    async fn create(&self, caller: Caller, claim: &NodeClaim) -> Result<Machine, CreateError> {
        let run = self.cx.create_run(caller, claim);
        match self.cx.node_classes.ready_for(claim) {
            Ok(node_class) => run.resolve(node_class),
            Err(refusal) => return self.own_or(&run, claim, refusal).await.map(|own| self.types.machine(&own)),
        }
        let plan = match self.types.cheapest_for(claim) {
            Ok(plan) => plan,
            Err(refusal) => return self.own_or(&run, claim, refusal).await.map(|own| self.types.machine(&own)),
        };
        let key = PoolKey { node_pool: claim.node_pool().cloned().unwrap_or_default(), plan };
        self.take(&run, caller, claim, &key).await.map(|instance| self.types.machine(&instance))
    }

    async fn get(&self, caller: Caller, provider_id: &ProviderId) -> Result<Machine, ProviderError> {
        let id = parsed(Some(provider_id))?;
        if self.state.borrow().is_gone(id) {
            return Err(ProviderError::NotFound(format!("instance {id} was deleted")));
        }
        if let Some(instance) = self.seen.get(&id) {
            return Ok(self.types.machine(&instance));
        }
        let run = self.cx.run(caller, Operation::Get, provider_id.to_string());
        self.read(&run, id, Cause::Termination).await.map(|instance| self.types.machine(&instance))
    }

    async fn list(&self, caller: Caller) -> Result<Vec<Machine>, ProviderError> {
        let run = self.cx.run(caller, Operation::List, "cluster");
        let listed = self.all_machines(&run).await?;
        Ok(listed.iter().map(|instance| self.types.machine(instance)).collect())
    }

    async fn delete(&self, caller: Caller, claim: &NodeClaim) -> Result<(), ProviderError> {
        let id = parsed(claim.status.provider_id.as_ref())?;
        let is_collection = caller.pass == garbage_collection::NAME;
        let run = self.cx.run(caller, Operation::Delete, &*claim.metadata.name);
        self.remove(&run, id, is_collection).await
    }

    async fn get_instance_types(
        &self,
        _: Caller,
        node_pool: &NodePool,
    ) -> Result<Rc<[Rc<InstanceType>]>, ProviderError> {
        self.cx.node_classes.needed_by(node_pool)?;
        Ok(self.types.all())
    }

    fn is_drifted(&self, _: Caller, _: &NodeClaim) -> Result<Option<&'static str>, ProviderError> {
        Ok(None)
    }
}

impl Recommended {
    fn new(cx: Rc<Context>) -> Recommended {
        let api = cx.api.plain();
        Recommended {
            types: InstanceTypes::new(cx.clone()),
            locks: KeyedLocks::default(),
            loading: KeyedLocks::default(),
            reader: Reader::new(cx.clone(), api.clone()),
            seen: TtlCache::new(cx.runtime.clone(), cx.settings.instance_cache),
            state: RefCell::default(),
            ways: OnceCell::new(),
            api,
            cx,
        }
    }

    fn ways(&self) -> Result<&Ways, Trouble> {
        self.ways.get().ok_or(Trouble::NotStarted)
    }

    /// Refuses to write where another process may.
    fn check_writer(&self) -> Result<(), Trouble> {
        if self.ways()?.writer.may_write() { Ok(()) } else { Err(Trouble::NotTheWriter) }
    }

    async fn reading(&self, run: &Run, cause: Cause, since: Time) -> Result<Reading, Trouble> {
        Ok(self.reader.since(since, &run.purpose(cause)).await?)
    }

    /// Reads a Linode and remembers it.
    async fn read(&self, run: &Run, id: InstanceId, cause: Cause) -> Result<Arc<Instance>, ProviderError> {
        match self.api.get_instance(&run.purpose(cause), id).await {
            Ok(read) => {
                self.seen.put(id, read.clone());
                Ok(read)
            }
            Err(error) if error.is_not_found() => Err(ProviderError::NotFound(error.to_string())),
            Err(error) => Err(ProviderError::Other(error.to_string())),
        }
    }

    /// The tags that people read: whose the Linode is, and no other NodeClaim's.
    fn with_copies(&self, instance: &Instance, more: impl IntoIterator<Item = Arc<str>>) -> Tags {
        let prefix = format!("{}=", tags::NODE_CLAIM);
        let kept: Tags = instance.tags.iter().filter(|tag| !tag.starts_with(&prefix)).cloned().collect();
        let own = self.state.borrow().owner_name(instance.id).map(|name| tags::of_node_claim(&name));
        let all = tags::joined([&kept], more.into_iter().chain(own).chain([tags::tag(tags::MANAGED, "true")]));
        node_classes::with_user_tags(all, self.node_class_of(instance).as_deref())
    }

    /// The NodeClass of the NodeClaim that has the Linode.
    fn node_class_of(&self, instance: &Instance) -> Option<Rc<NodeClass>> {
        let kube = self.cx.node_classes.kube()?;
        let claim = kube.informers.node_claims.get(&self.state.borrow().owner_name(instance.id)?)?;
        kube.informers.node_classes.get(&claim.spec.node_class_ref.as_ref()?.name)
    }
}

#[async_trait(?Send)]
impl NodeProvider for Recommended {
    /// What this process has written itself is not asked for again.
    async fn read_tags(&self, caller: Caller, instance: InstanceId) -> Result<Tags, ProviderError> {
        if let Some(written) = self.state.borrow().tagged.get(&instance) {
            return Ok(written.clone());
        }
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
        let run = self.cx.run(caller, Operation::List, "cluster");
        Ok(self.orphans(&run).await?)
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
        // The tagging controller has just read it.
        let read = match self.seen.get(&instance) {
            Some(read) => read,
            None => self.read(&run, instance, Cause::Tagging).await?,
        };
        let written = self.with_copies(&read, more);
        match self.api.update_instance(&run.purpose(Cause::Tagging), instance, written.clone()).await {
            Ok(_) => {
                self.state.borrow_mut().tagged.insert(instance, written);
                Ok(())
            }
            // A GET has to agree.
            Err(error) if error.is_not_found() => {
                self.read(&run, instance, Cause::Tagging).await?;
                Err(ProviderError::Other(error.to_string()))
            }
            Err(error) => Err(ProviderError::Other(error.to_string())),
        }
    }
}

#[async_trait(?Send)]
impl Provider for Rc<Recommended> {
    fn nodes(&self) -> Rc<dyn NodeProvider> {
        self.clone()
    }

    async fn boot(&self, caller: Caller) -> Result<(), ProviderError> {
        let run = self.cx.run(caller, Operation::Boot, "operator");
        self.cx.check_cluster(&run).await?;
        self.types.refresh(&run, Cause::Boot).await
    }

    fn start(&self, kube: &Kube, nodes: Rc<dyn NodeProvider>) {
        let client = kube.client.named("lke-ledger");
        let token = format!("process-{}", self.cx.ties.process());
        let writer = Writer::new(self.cx.runtime.clone(), client.clone(), token);
        // A provider is started once.
        self.cx.node_classes.connect(kube);
        let _ = self.ways.set(Ways { kube: kube.clone(), ledger: Ledger::new(client), writer });
        garbage_collection::start_reasonable(&self.cx, kube, nodes.clone());
        tagging::start(&self.cx, kube, nodes.clone());
        controllers::offerings::start(&self.cx, kube, nodes.clone());
        node_class::start(&self.cx, kube, nodes, Care::AS_SHIPPED.checks);
        node_class::hash::start(&self.cx.runtime, kube);
    }
}

/// The key that a managed LKE pool serves, by its tag or, where a hand took that away, by the label of its nodes. The
/// NodePool is empty where neither tells it: nobody can wait for such a key, and what is in its pool is nobody's.
fn key_of(lke_pool: &LkePool) -> Option<PoolKey> {
    lke_pool.tags.value(tags::MANAGED)?;
    let label = lke_pool.labels.iter().find(|(key, _)| **key == *labels::NODE_POOL).map(|(_, value)| &**value);
    let node_pool = lke_pool.tags.value(tags::NODE_POOL).or(label).unwrap_or_default();
    Some(PoolKey { node_pool: node_pool.into(), plan: (&*lke_pool.plan).into() })
}

fn parsed(provider_id: Option<&ProviderId>) -> Result<InstanceId, ProviderError> {
    provider_id.and_then(ProviderId::id).map(InstanceId).ok_or_else(|| {
        let text = provider_id.map_or_else(String::new, ToString::to_string);
        ProviderError::Other(format!("parsing instance ID: {text}"))
    })
}
