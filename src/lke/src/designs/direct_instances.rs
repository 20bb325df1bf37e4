//! The provider's `instance` mode: each NodeClaim's Linode is made by itself, without a LKE pool.
//!
//! Create is one `POST /linode/instances` and looks for nothing first, so that a Create whose answer was lost makes a
//! second Linode. List takes every Linode of the account that bears the tags of Karpenter, of whichever cluster.
//! Source: provider e1c5200 `pkg/providers/instance/instance.go`, with `pkg/cloudprovider/cloudprovider.go` around it.

mod settings;

use super::{Care, Design, claim_tag};
use crate::context::Kube;
use crate::controllers::node_class::Checks;
use crate::controllers::{garbage_collection, inplace_update, node_class, offerings, tagging};
use crate::run::Run;
use crate::tags::map::{TagMap, deduped};
use crate::upstream::Upstream;
use crate::upstream::types::{Availability, cheapest_for};
use crate::{NodeProvider, Provider, tags};
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::{
    Caller, CloudProvider, CreateError, InstanceType, Machine, ProviderError, ProviderId,
};
use lkesim_kube::object::{NodeClaim, NodeClass, NodePool};
use lkesim_linode_api::budget::Budget;
use lkesim_linode_api::design_facts::DesignFacts;
use lkesim_linode_api::{
    Cause, Endpoint, Filter, Instance, InstanceCreate, InstanceId, InstanceOptions, InstanceStatus, Operation, Sdk,
    Tags,
};
use lkesim_runtime::random;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// The provider's `instance` mode.
pub const DESIGN: Design = Design {
    summary: "the provider's instance mode: one POST a NodeClaim, no LKE pools",
    about: include_str!("direct_instances.md"),
    settings: settings::SETTINGS,
    defaults: settings::DEFAULTS,
    node_classes: Care { checks: Checks::Tags, updates_tags: true },
    build: |context| Rc::new(Rc::new(DirectInstances { up: Upstream::new(context, SDK, Availability::OfRegion) })),
    budgets: BUDGETS,
    facts: DesignFacts {
        name: "direct-instances",
        // All four are about managed LKE pools and nodeclaim tags, which are none of this mode's business.
        not_promised: &["one-instance-per-claim", "one-pool-per-key", "orphans-collected", "state-agrees"],
        sdk: SDK,
        // No Linode bears a nodeclaim tag: who holds one is known from providerIDs alone.
        wished: &[],
        claim_tag_prefix: "karpenter.sh/nodeclaim=",
        claim_tag,
        owned_tags: |owned| vec![tags::tag(tags::NODE_POOL, owned.node_pool).to_string()],
    },
};

const SDK: Sdk = Sdk::Linodego2_3;

/// The pause before each tag. Provider e1c5200 instance.go:246.
const TAG_PAUSE: Duration = Duration::from_secs(1);

/// The image where the NodeClass names none. Provider e1c5200 instance.go:42.
const DEFAULT_IMAGE: &str = "linode/ubuntu22.04";

/// A process's provider. The caches, the types and what stands around Create are those of the mode with LKE pools.
struct DirectInstances {
    up: Upstream,
}

#[async_trait(?Send)]
impl CloudProvider for DirectInstances {
    async fn create(&self, caller: Caller, claim: &NodeClaim) -> Result<Machine, CreateError> {
        let run = self.up.cx.create_run(caller, claim);
        let node_class = self.up.cx.node_classes.ready_for(claim)?;
        let plan = cheapest_for(&self.up.types_for(&node_class)?, claim)?;
        let body = InstanceCreate {
            label: self.label(claim),
            plan: (&*plan).into(),
            region: self.up.cx.cluster.region.clone(),
            tags: self.tags_of(claim, &node_class),
            more: Some(Box::new(options(&node_class))),
        };
        match self.up.cx.api.create_instance(&run.claiming(), body).await {
            Ok(instance) => Ok(self.up.machine(&instance)),
            Err(error) => {
                self.up.types.mark_by(&error, error.code(SDK), &plan);
                let message = format!("Failed to create Linode instance: {error}");
                Err(CreateError::Create { reason: "InstanceCreationFailed", message })
            }
        }
    }

    async fn get(&self, caller: Caller, provider_id: &ProviderId) -> Result<Machine, ProviderError> {
        let instance = provider_id.id().map(InstanceId).ok_or_else(|| not_parsed(Some(provider_id)))?;
        let read = match self.up.seen.get(&instance) {
            Some(remembered) => remembered,
            None => {
                let run = self.up.cx.run(caller, Operation::Get, provider_id.to_string());
                self.read(&run, instance, Cause::Termination).await?
            }
        };
        self.up.resolve_type(&read)?;
        Ok(self.up.machine(&read))
    }

    async fn list(&self, caller: Caller) -> Result<Vec<Machine>, ProviderError> {
        let listed = self.list_collectable(caller).await?;
        Ok(listed.iter().map(|instance| self.up.machine(instance)).collect())
    }

    /// Reads the Linode past the cache, and deletes it unless it is being deleted.
    async fn delete(&self, caller: Caller, claim: &NodeClaim) -> Result<(), ProviderError> {
        let provider_id = claim.status.provider_id.as_ref();
        let instance = provider_id.and_then(ProviderId::id).map(InstanceId).ok_or_else(|| not_parsed(provider_id))?;
        let run = self.up.cx.run(caller, Operation::Delete, &*claim.metadata.name);
        let cause = if caller.pass == garbage_collection::NAME { Cause::Gc } else { Cause::Termination };
        let read = self.read(&run, instance, cause).await?;
        if read.status == InstanceStatus::Deleting {
            return Ok(());
        }
        // As in the source, a 404 here is a failure like any other.
        let deleted = self.up.cx.api.delete_instance(&run.purpose(cause), instance).await;
        deleted.map_err(|error| ProviderError::Other(error.to_string()))
    }

    async fn get_instance_types(
        &self,
        _: Caller,
        node_pool: &NodePool,
    ) -> Result<Rc<[Rc<InstanceType>]>, ProviderError> {
        self.up.types_of(node_pool)?.ok_or_else(|| no_node_class(node_pool))
    }

    fn is_drifted(&self, _: Caller, _: &NodeClaim) -> Result<Option<&'static str>, ProviderError> {
        Ok(None)
    }
}

impl DirectInstances {
    /// The NodeClaim's name and eight digits of a fresh UUID, so that no two Creates share a label. The digits come
    /// from the claim and the moment.
    fn label(&self, claim: &NodeClaim) -> Arc<str> {
        let fresh = random::mix(claim.metadata.uid.0 ^ random::mix(self.up.cx.runtime.now().as_nanos()));
        format!("{}-{:08x}", claim.metadata.name, fresh as u32).into()
    }

    /// The NodeClass's tags, then those of the map into which they were joined under Karpenter's own, in the order of
    /// its walk (pkg/utils/utils.go:104, instance.go:93).
    fn tags_of(&self, claim: &NodeClaim, node_class: &NodeClass) -> Tags {
        let (cx, of_node_class) = (&self.up.cx, &node_class.spec.tags);
        let mut joined = TagMap::of(of_node_class.iter().map(|tag| &**tag));
        joined.set(&format!("kubernetes.io/cluster/{}", cx.cluster.name), "owned");
        joined.set(tags::NODE_POOL, claim.node_pool().map_or("", |name| name));
        joined.set(tags::CLUSTER_NAME, &cx.cluster.name);
        joined.set(tags::NODE_CLASS, node_class.name());
        let mut joined = joined.list();
        cx.ties.walk("instance tags", &mut joined, |tag| tag);
        let first = of_node_class.iter().map(|tag| Arc::from(&**tag));
        deduped(first.chain(joined)).into_iter().collect()
    }

    /// Reads a Linode past the cache and remembers it, or that it is gone.
    async fn read(&self, run: &Run, instance: InstanceId, cause: Cause) -> Result<Arc<Instance>, ProviderError> {
        match self.up.cx.api.get_instance(&run.purpose(cause), instance).await {
            Ok(read) => {
                self.up.seen.put(instance, read.clone());
                Ok(read)
            }
            Err(error) if error.is_absence_to(SDK) => {
                self.up.seen.remove(&instance);
                Err(ProviderError::NotFound(error.to_string()))
            }
            Err(error) => Err(ProviderError::Other(format!("failed to get linode instance, {error}"))),
        }
    }
}

#[async_trait(?Send)]
impl NodeProvider for DirectInstances {
    async fn read_tags(&self, caller: Caller, instance: InstanceId) -> Result<Tags, ProviderError> {
        let run = self.up.cx.run(caller, Operation::Get, instance.to_string());
        self.read(&run, instance, Cause::Tagging).await.map(|instance| instance.tags.clone())
    }

    async fn refresh_offerings(&self, caller: Caller) -> Result<(), ProviderError> {
        self.up.refresh_offerings(caller).await
    }

    fn remembers_offerings(&self) -> bool {
        self.up.types.are_remembered()
    }

    /// Every Linode of the account with the two tags, whatever its cluster. One that is being deleted comes back as a
    /// NodeClaim with a deletionTimestamp, which both garbage collections leave out of what they heard.
    async fn list_collectable(&self, caller: Caller) -> Result<Arc<[Arc<Instance>]>, ProviderError> {
        let run = self.up.cx.run(caller, Operation::List, "account");
        let filter = Filter::tag_contains_list([tags::NODE_POOL, tags::NODE_CLASS]);
        let listed = self
            .up
            .cx
            .api
            .list_instances(&run.purpose(Cause::Gc), filter)
            .await
            .map_err(|error| ProviderError::Other(format!("failed to list linode instances, {error}")))?;
        for instance in listed.iter() {
            self.up.seen.put(instance.id, instance.clone());
        }
        listed.iter().try_for_each(|instance| self.up.resolve_type(instance))?;
        let stays = |instance: &&Arc<Instance>| instance.status != InstanceStatus::Deleting;
        Ok(listed.iter().filter(stays).cloned().collect())
    }

    /// One POST a tag, after a second's pause each.
    async fn create_tags(
        &self,
        caller: Caller,
        instance: InstanceId,
        more: Vec<Arc<str>>,
    ) -> Result<(), ProviderError> {
        let run = self.up.cx.run(caller, Operation::CreateTags, instance.to_string());
        let mut more = more;
        self.up.cx.ties.walk("tags to add", &mut more, |tag| tag);
        for tag in more {
            self.up.cx.runtime.sleep(TAG_PAUSE).await;
            run.next_attempt();
            if let Err(error) = self.up.cx.api.create_tag(&run.purpose(Cause::Tagging), tag, vec![instance]).await {
                let text = format!("tagging instance, {error}");
                return Err(match error.is_absence_to(SDK) {
                    true => ProviderError::NotFound(text),
                    false => ProviderError::Other(text),
                });
            }
        }
        Ok(())
    }

    async fn update_tags(&self, caller: Caller, instance: InstanceId, all: Tags) -> Result<(), ProviderError> {
        self.up.update_tags(caller, instance, all).await
    }
}

#[async_trait(?Send)]
impl Provider for Rc<DirectInstances> {
    fn nodes(&self) -> Rc<dyn NodeProvider> {
        self.clone()
    }

    async fn boot(&self, caller: Caller) -> Result<(), ProviderError> {
        self.up.boot_without_cluster(caller).await
    }

    fn start(&self, kube: &Kube, nodes: Rc<dyn NodeProvider>) {
        self.up.connect(kube);
        garbage_collection::start_by_provider_id(&self.up.cx, kube, nodes.clone());
        tagging::start(&self.up.cx, kube, nodes.clone());
        node_class::hash::start(&self.up.cx.runtime, kube);
        inplace_update::start(&self.up.cx, kube, nodes.clone());
        offerings::start(&self.up.cx, kube, nodes.clone());
        node_class::start(&self.up.cx, kube, nodes, Checks::Tags);
    }
}

/// What a Linode is made with besides (instance.go:98-128). The password is a fresh UUID there, which nobody keeps.
fn options(node_class: &NodeClass) -> InstanceOptions {
    let own = &node_class.spec.instance;
    let texts = |list: &[Rc<str>]| list.iter().map(|text| Arc::from(&**text)).collect();
    InstanceOptions {
        image: Some(own.image.as_deref().unwrap_or(DEFAULT_IMAGE).into()),
        has_login: true,
        authorized_keys: texts(&own.authorized_keys),
        authorized_users: texts(&own.authorized_users),
        firewall: node_class.spec.firewall_id,
        swap_size: own.swap_size,
        backups: own.backups,
        disk_encryption: own.disk_encryption,
        ..InstanceOptions::default()
    }
}

/// The provider has no types for a NodePool whose NodeClass is absent.
fn no_node_class(node_pool: &NodePool) -> ProviderError {
    ProviderError::Other(format!("resolving node class of {}, not found", node_pool.name()))
}

fn not_parsed(provider_id: Option<&ProviderId>) -> ProviderError {
    let text = provider_id.map_or_else(String::new, ToString::to_string);
    ProviderError::Other(format!("getting instance ID: {text}"))
}

/// Design document, "Per-function API call budgets", section "Instance provider".
const BUDGETS: &[Budget] = &[
    line(Operation::Create, Endpoint::CreateInstance, "one", |work| work.runs)
        .fewer("a Create for which no type can be had asks nothing"),
    line(Operation::Get, Endpoint::GetInstance, "at most one", |work| work.runs)
        .fewer("what the cache knows is not asked for"),
    line(Operation::List, Endpoint::ListInstances, "one a page", |work| work.runs + work.extra_instance_pages),
    line(Operation::Delete, Endpoint::GetInstance, "one", |work| work.runs),
    line(Operation::Delete, Endpoint::DeleteInstance, "one, unless it is being deleted", |work| work.runs)
        .fewer("Karpenter asks until the Linode is not found, and what is being deleted is not deleted again"),
    line(Operation::CreateTags, Endpoint::CreateTag, "one a tag", |work| work.attempts),
];

const fn line(
    operation: Operation,
    endpoint: Endpoint,
    text: &'static str,
    calls: fn(&lkesim_linode_api::budget::Work) -> u64,
) -> Budget {
    Budget::line(operation, None, endpoint, text, calls)
}
