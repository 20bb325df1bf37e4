//! What provider v0.1.3 and provider e1c5200 do alike: nearly everything but the loop of Create.
//!
//! What differs is handed in: the SDK's release line, and how availability is asked. The places are those of e1c5200,
//! where no other is named. Delete and garbage collection take no lock. Linodes of a pool are found by filters of which
//! the wire keeps the last field alone.

pub mod failure;
pub mod pools;
pub mod types;
mod unavailable;

use self::failure::{Failure, is_retryable};
use self::types::{Availability, Types, unknown_types};
use crate::cache::TtlCache;
use crate::context::{Context, Kube};
use crate::controllers::garbage_collection;
use crate::locks::StripedLocks;
use crate::run::Run;
use crate::tags;
use crate::tags::map::{TagMap, deduped};
use lkesim_karpenter::cloud_provider::{Caller, CreateError, InstanceType, Machine, ProviderError, ProviderId};
use lkesim_kube::object::{NodeClaim, NodeClass, NodePool, StringMap};
use lkesim_linode_api::{
    CallError, Cause, Filter, Instance, InstanceId, LkePool, LkePoolUpdate, Operation, Sdk, Tags, Tier,
};
use std::rc::Rc;
use std::sync::Arc;

/// The provider of one process, save for Create.
pub struct Upstream {
    pub cx: Rc<Context>,
    pub types: Rc<Types>,
    pub locks: StripedLocks,
    sdk: Sdk,
    pub seen: TtlCache<InstanceId, Arc<Instance>>,
    of_discovery: Filter,
    of_list: Filter,
}

impl Upstream {
    /// A provider that knows nothing yet, over this release line of the SDK.
    pub fn new(cx: Rc<Context>, sdk: Sdk, availability: Availability) -> Upstream {
        let managed = Filter::tag_contains(&tags::tag(tags::MANAGED, "true"));
        let of_cluster = Filter::tag_contains(&format!("lke{}", cx.cluster.id));
        Upstream {
            types: Rc::new(Types::new(cx.clone(), availability)),
            locks: StripedLocks::new(cx.node_cpus),
            sdk,
            seen: TtlCache::new(cx.runtime.clone(), cx.settings.instance_cache),
            // Several fields of one name are one member of the header's object, and the last one stays (linodego
            // filter.go:51).
            of_list: match cx.cluster.tier {
                Tier::Standard => managed.clone(),
                Tier::Enterprise => of_cluster,
            },
            of_discovery: managed,
            cx,
        }
    }

    /// Hears of the process's caches, which Create reads NodeClasses from.
    pub fn connect(&self, kube: &Kube) {
        self.cx.node_classes.connect(kube);
    }

    /// The NodePool that a Linode's tags name, if it exists.
    pub fn node_pool_of(&self, instance: &Instance) -> Option<Rc<NodePool>> {
        let named = TagMap::of_tags(&instance.tags);
        self.cx.node_classes.kube()?.informers.node_pools.get(named.get(tags::NODE_POOL)?)
    }

    /// The Linode with this tag: the first page of those whose tags contain it, in the whole account, if it is exactly
    /// one (pkg/utils/utils.go:246). What is remembered of it is preferred (lke.go:425).
    pub async fn tagged(&self, run: &Run, tag: &str) -> Result<Option<Arc<Instance>>, CallError> {
        let found = self.cx.api.list_first_instances(&run.claiming(), Filter::tag_contains(tag)).await?;
        let [instance] = &*found else {
            return Ok(None);
        };
        if let Some(remembered) = self.seen.get(&instance.id) {
            return Ok(Some(remembered));
        }
        self.seen.put(instance.id, instance.clone());
        Ok(Some(instance.clone()))
    }

    /// The first Linode of the pool that bears no nodeclaim tag (lke.go:297-370). Its status is not looked at.
    pub async fn claimable(&self, run: &Run, lke_pool: &LkePool) -> Result<Arc<Instance>, Failure> {
        match self.cx.cluster.tier {
            Tier::Standard => self.claimable_standard(run, lke_pool).await,
            Tier::Enterprise => self.claimable_enterprise(run, lke_pool).await,
        }
    }

    async fn claimable_standard(&self, run: &Run, lke_pool: &LkePool) -> Result<Arc<Instance>, Failure> {
        let fresh = self.cx.api.get_pool(&run.claiming(), self.cx.cluster.id, lke_pool.id).await;
        let fresh = fresh.map_err(|error| Failure::Call("getting node pool", error))?;
        let mut provisioning = false;
        for node in fresh.nodes.iter() {
            let Some(instance) = node.instance else {
                provisioning = true;
                continue;
            };
            match self.cx.api.get_instance(&run.claiming(), instance).await {
                Ok(instance) if !tags::is_claimed(&instance.tags) => return Ok(instance),
                Ok(_) => {}
                Err(error) if error.is_absence_to(self.sdk) => {}
                Err(error) => return Err(Failure::Call("getting instance", error)),
            }
        }
        Err(if provisioning { Failure::NodesProvisioning } else { Failure::NoClaimableInstance })
    }

    /// By the managed tag alone, whosever Linode it is: the filter's other two fields are lost.
    async fn claimable_enterprise(&self, run: &Run, lke_pool: &LkePool) -> Result<Arc<Instance>, Failure> {
        let listed = self.cx.api.list_instances(&run.claiming(), self.of_discovery.clone()).await;
        let listed = listed.map_err(|error| Failure::Call("listing instances", error))?;
        let mut of_type = listed.iter().filter(|instance| instance.plan == lke_pool.plan);
        let claimable = of_type.find(|instance| !tags::is_claimed(&instance.tags));
        claimable.cloned().ok_or(Failure::NoClaimableInstance)
    }

    /// Replaces a Linode's tags and reads until it shows this one, with the lock held (lke.go:386-423). One delay
    /// serves the reads and the attempts.
    pub async fn write_claim(&self, run: &Run, id: InstanceId, all: Tags, tag: &str) -> Result<Arc<Instance>, Failure> {
        let failed = |what: &str, error: CallError| Failure::ClaimFailed(format!("{what}: {error}"));
        let written = self.cx.api.update_instance(&run.claiming(), id, all).await;
        written.map_err(|error| failed("updating instance tags", error))?;
        let deadline = self.cx.runtime.now() + self.cx.settings.verify_timeout;
        while self.cx.runtime.now() < deadline {
            match self.cx.api.get_instance(&run.purpose(Cause::Verify), id).await {
                Ok(read) if read.tags.has(tag) => {
                    self.seen.put(id, read.clone());
                    return Ok(read);
                }
                Err(error) if !is_retryable(&error, self.sdk) && !error.is_absence_to(self.sdk) => {
                    return Err(failed("getting instance", error));
                }
                _ => self.cx.runtime.sleep(self.cx.settings.retry_delay).await,
            }
        }
        Err(Failure::ClaimFailed(format!("timed out verifying tags on instance {id}")))
    }

    /// Raises the pool's count by one over what the list of pools told (lke.go:199). Whatever refuses it is tried
    /// again.
    pub async fn scale(&self, run: &Run, lke_pool: &LkePool) -> Result<(), Failure> {
        let body = LkePoolUpdate { count: Some(lke_pool.count + 1), ..LkePoolUpdate::default() };
        let scaled = self.cx.api.update_pool(&run.purpose(Cause::Scale), self.cx.cluster.id, lke_pool.id, body).await;
        scaled.map(|_| ()).map_err(|error| Failure::PoolScaleFailed(error.to_string()))
    }

    /// Marks offerings by what went wrong while a pool was looked for or made, and names it (lke.go:174-176).
    pub fn no_pool(&self, plan: &Rc<str>, doing: &'static str, error: CallError) -> Failure {
        self.types.mark_by(&error, error.code(self.sdk), plan);
        let message = format!("Failed to find or create LKE node pool: {doing}: {error}");
        Failure::Named { reason: "NodePoolCreationFailed", message, error }
    }

    /// The types that a NodeClass allows to choose from (pkg/cloudprovider/cloudprovider.go:98).
    pub fn types_for(&self, node_class: &NodeClass) -> Result<Vec<InstanceType>, CreateError> {
        self.types.list(node_class.name()).map_err(|_| CreateError::Create {
            reason: "InstanceTypeResolutionFailed",
            message: "Error resolving instance types".into(),
        })
    }

    /// The types for a NodePool, none where its NodeClass is absent.
    pub fn types_of(&self, node_pool: &NodePool) -> Result<Option<Rc<[Rc<InstanceType>]>>, ProviderError> {
        let Some(node_class) = self.cx.node_classes.of(node_pool) else {
            return Ok(None);
        };
        let types = self.types.list(node_class.name()).map_err(unknown_types)?;
        Ok(Some(types.into_iter().map(Rc::new).collect()))
    }

    /// Looks a Linode's type up, through its NodePool and that one's NodeClass. Where either is absent nothing is
    /// resolved, and nothing fails (pkg/cloudprovider/cloudprovider.go:376).
    pub fn resolve_type(&self, instance: &Instance) -> Result<(), ProviderError> {
        let node_pool = self.node_pool_of(instance);
        match node_pool.and_then(|node_pool| self.cx.node_classes.of(&node_pool)) {
            Some(node_class) => self.types.touch(node_class.name()).map_err(unknown_types),
            None => Ok(()),
        }
    }

    /// Asks for the cluster and for types, as the operator does before anything starts.
    pub async fn boot(&self, caller: Caller) -> Result<(), ProviderError> {
        let run = self.cx.run(caller, Operation::Boot, "operator");
        self.cx.check_cluster(&run).await?;
        self.types.hydrate(&run).await.map_err(|error| ProviderError::Other(error.to_string()))
    }

    /// Asks for types alone, as the operator does in the mode without LKE pools (pkg/operator/operator.go:78-125).
    pub async fn boot_without_cluster(&self, caller: Caller) -> Result<(), ProviderError> {
        let run = self.cx.run(caller, Operation::Boot, "operator");
        self.types.hydrate(&run).await.map_err(|error| ProviderError::Other(error.to_string()))
    }

    /// Learns the types again.
    pub async fn refresh_offerings(&self, caller: Caller) -> Result<(), ProviderError> {
        let run = self.cx.run(caller, Operation::Offerings, &*self.cx.cluster.region);
        self.types.refresh(run).await.map_err(|error| ProviderError::Other(error.to_string()))
    }

    /// What Create says once its time is over (lke.go:142).
    pub fn timed_out() -> CreateError {
        let message = "Timed out waiting for LKE instance to become available".into();
        CreateError::Create { reason: "NodePoolProvisioning", message }
    }

    /// Reads one Linode, past the cache (lke.go:442).
    pub async fn read(&self, run: &Run, id: InstanceId, cause: Cause) -> Result<Arc<Instance>, ProviderError> {
        match self.cx.api.get_instance(&run.purpose(cause), id).await {
            Ok(read) => {
                self.seen.put(id, read.clone());
                Ok(read)
            }
            Err(error) if error.is_absence_to(self.sdk) => Err(ProviderError::NotFound(error.to_string())),
            Err(error) => Err(ProviderError::Other(format!("getting instance {id}: {error}"))),
        }
    }

    /// Reads one Linode; from the cache where it knows it, also after the Linode is gone.
    pub async fn get(&self, caller: Caller, provider_id: &ProviderId) -> Result<Arc<Instance>, ProviderError> {
        let id = parsed(Some(provider_id))?;
        if let Some(remembered) = self.seen.get(&id) {
            return Ok(remembered);
        }
        let run = self.cx.run(caller, Operation::Get, provider_id.to_string());
        self.read(&run, id, Cause::Termination).await
    }

    /// All Linodes of this cluster that Karpenter manages, as far as the filter shows them (lke.go:472).
    pub async fn list(&self, caller: Caller) -> Result<Vec<Arc<Instance>>, ProviderError> {
        let run = self.cx.run(caller, Operation::List, "cluster");
        let listed = self.cx.api.list_instances(&run.purpose(Cause::Gc), self.of_list.clone()).await;
        let listed = listed.map_err(|error| ProviderError::Other(format!("listing instances, {error}")))?;
        let ours = |instance: &&Arc<Instance>| instance.lke_cluster == Some(self.cx.cluster.id);
        let ours: Vec<_> = listed.iter().filter(ours).cloned().collect();
        for instance in &ours {
            self.seen.put(instance.id, instance.clone());
        }
        Ok(ours)
    }

    /// Removes a Linode: its node, or the pool where the list shows no other (lke.go:511). No lock is taken, the pool's
    /// count is not asked, and whatever goes wrong on the way to the pool is told as "not found".
    pub async fn delete(&self, caller: Caller, claim: &NodeClaim) -> Result<(), ProviderError> {
        let id = parsed(claim.status.provider_id.as_ref())?;
        let run = self.cx.run(caller, Operation::Delete, &*claim.metadata.name);
        let because = run.purpose(if caller.pass == garbage_collection::NAME { Cause::Gc } else { Cause::Termination });
        let cluster = self.cx.cluster.id;
        let lke_pools = self.cx.api.list_pools(&because, cluster).await;
        let lke_pools = lke_pools.map_err(|error| ProviderError::NotFound(error.to_string()))?;
        let of_node = |lke_pool: &&Arc<LkePool>| lke_pool.nodes.iter().find(|node| node.instance == Some(id)).copied();
        let mut managed = lke_pools.iter().filter(|lke_pool| pools::is_managed(lke_pool));
        let Some((lke_pool, node)) = managed.find_map(|lke_pool| Some((lke_pool, of_node(&lke_pool)?))) else {
            let message = format!("instance {id} not found in any Karpenter-managed pool");
            return Err(ProviderError::NotFound(message));
        };
        let deleted = match lke_pool.nodes.len() {
            1 => self.cx.api.delete_pool(&because, cluster, lke_pool.id).await,
            _ => self.cx.api.delete_node(&because, cluster, node.id).await,
        };
        match deleted {
            Err(error) if !error.is_absence_to(self.sdk) => Err(ProviderError::Other(error.to_string())),
            deleted => {
                self.seen.remove(&id);
                deleted.map_err(|error| ProviderError::NotFound(error.to_string()))
            }
        }
    }

    /// Adds tags: reads, joins, writes the whole list (lke.go:553). A Linode that is gone is no special error here.
    pub async fn create_tags(&self, caller: Caller, id: InstanceId, more: Vec<Arc<str>>) -> Result<(), ProviderError> {
        let run = self.cx.run(caller, Operation::CreateTags, id.to_string());
        let because = run.purpose(Cause::Tagging);
        let failed = |error: CallError| ProviderError::Other(format!("tagging nodeclaim, instance {id}: {error}"));
        let read = self.cx.api.get_instance(&because, id).await.map_err(failed)?;
        let mut more = more;
        self.cx.ties.walk("tags to add", &mut more, |tag| tag);
        let all = deduped(read.tags.iter().cloned().chain(more));
        self.cx.api.update_instance(&because, id, all.into_iter().collect()).await.map_err(failed)?;
        Ok(())
    }

    /// Replaces all tags, and forgets what is remembered of the Linode (lke.go:574).
    pub async fn update_tags(&self, caller: Caller, id: InstanceId, all: Tags) -> Result<(), ProviderError> {
        let run = self.cx.run(caller, Operation::UpdateTags, id.to_string());
        match self.cx.api.update_instance(&run.purpose(Cause::Tagging), id, all).await {
            Ok(_) => {
                self.seen.remove(&id);
                Ok(())
            }
            Err(error) if error.is_absence_to(self.sdk) => Err(ProviderError::NotFound(error.to_string())),
            Err(error) => Err(ProviderError::Other(format!("updating instance tags, {error}"))),
        }
    }

    /// What Karpenter is told of a Linode (pkg/cloudprovider/cloudprovider.go:332).
    pub fn machine(&self, instance: &Instance) -> Machine {
        Machine {
            provider_id: ProviderId::linode(instance.id.0),
            machine_type: self.types.machine_type(&instance.plan),
            annotations: StringMap::EMPTY,
            creation_timestamp: instance.created.0,
        }
    }
}

/// The Linode's id. A text without `://` is a plain error (pkg/utils/utils.go:61); what is no number after it counts as
/// a Linode that does not exist (lke.go:452, 619).
fn parsed(provider_id: Option<&ProviderId>) -> Result<InstanceId, ProviderError> {
    let text = provider_id.map_or_else(String::new, ToString::to_string);
    match provider_id.and_then(ProviderId::id) {
        Some(id) => Ok(InstanceId(id)),
        None if text.contains("://") => Err(ProviderError::NotFound(format!("parsing instance ID: {text:?}"))),
        None => {
            Err(ProviderError::Other(format!("getting instance ID, provider id {text:?} does not match known format")))
        }
    }
}
