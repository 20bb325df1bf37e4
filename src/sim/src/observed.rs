//! The border of the code under test: every operation of a provider is numbered and told to the judge.

use crate::world::World;
use async_trait::async_trait;
use lkesim_judge::event::{Returned, What};
use lkesim_karpenter::cloud_provider::{
    Caller, CloudProvider, CreateError, InstanceType, Machine, ProviderError, ProviderId,
};
use lkesim_kube::object::{NodeClaim, NodePool};
use lkesim_linode_api::{Instance, InstanceId, LkeCluster, Operation, Tags};
use lkesim_lke::{NodeProvider, Provider};
use std::rc::Rc;
use std::sync::Arc;

/// A provider under observation.
pub(crate) struct Observed {
    world: Rc<World>,
    /// The place of the cluster that it serves.
    place: usize,
    /// Which of its cluster's processes it runs in.
    process: u32,
    inner: Rc<dyn NodeProvider>,
}

impl Observed {
    pub fn new(world: Rc<World>, place: usize, process: u32, inner: Rc<dyn NodeProvider>) -> Observed {
        Observed { world, place, process, inner }
    }

    /// Asks the design for a machine; with a catalogue of the scenario's own, for what the NodeClaim was sold of it.
    async fn create_as_sold(&self, caller: Caller, node_claim: &NodeClaim) -> Result<Machine, CreateError> {
        let now = || self.world.runtime.now();
        let Some(catalogue) = &self.world.catalogue else { return self.inner.create(caller, node_claim).await };
        let sold = catalogue.sell(self.place, node_claim, now())?;
        let result = self.inner.create(caller, &sold).await;
        catalogue.launched(self.place, node_claim, result, now())
    }

    /// Boots the provider that this one observes.
    pub async fn boot(&self, provider: &dyn Provider) -> Result<(), ProviderError> {
        let watch = self.begin(Operation::Boot, Caller::named("operator"), None, None);
        let result = provider.boot(watch.caller).await;
        watch.end(returned(&result, |()| Returned::Done));
        result
    }

    /// A machine with what the catalogue says of it.
    fn dressed(&self, machine: Machine) -> Machine {
        match &self.world.catalogue {
            Some(catalogue) => catalogue.dressed(machine),
            None => machine,
        }
    }

    fn begin(&self, operation: Operation, caller: Caller, claim: Option<&NodeClaim>, id: Option<&ProviderId>) -> Watch {
        let run = self.world.next_run();
        let cluster = &self.world.clusters[self.place];
        let claim = claim.filter(|claim| claim.metadata.resource_version > 0).map(|claim| cluster.claim_ref(claim));
        let instance = id.and_then(ProviderId::id).map(InstanceId);
        let (cluster, process, by) = (cluster.id, self.process, caller.pass);
        self.world.record(What::OperationStarted { run, cluster, process, operation, caller: by, claim, instance });
        Watch { world: self.world.clone(), caller: Caller { run, ..caller }, returned: false }
    }
}

/// An operation that runs. Dropped before its end, it tells that its process died.
struct Watch {
    world: Rc<World>,
    caller: Caller,
    returned: bool,
}

impl Watch {
    fn end(mut self, result: Returned) {
        self.returned = true;
        self.world.record(What::OperationReturned { run: self.caller.run, result });
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if !self.returned {
            self.world.record(What::OperationReturned { run: self.caller.run, result: Returned::Dropped });
        }
    }
}

#[async_trait(?Send)]
impl CloudProvider for Observed {
    async fn create(&self, caller: Caller, node_claim: &NodeClaim) -> Result<Machine, CreateError> {
        let watch = self.begin(Operation::Create, caller, Some(node_claim), None);
        let result = self.create_as_sold(watch.caller, node_claim).await;
        watch.end(match &result {
            Ok(machine) => returned_machine(machine),
            Err(CreateError::InsufficientCapacity(text)) => Returned::InsufficientCapacity(text.clone()),
            Err(CreateError::Create { reason, message }) => Returned::Failed([reason, ": ", message].concat()),
            Err(error) => Returned::Failed(error.to_string()),
        });
        result
    }

    async fn delete(&self, caller: Caller, node_claim: &NodeClaim) -> Result<(), ProviderError> {
        let id = node_claim.status.provider_id.as_ref();
        let watch = self.begin(Operation::Delete, caller, Some(node_claim), id);
        let result = self.inner.delete(watch.caller, node_claim).await;
        watch.end(returned(&result, |()| Returned::Done));
        result
    }

    async fn get(&self, caller: Caller, provider_id: &ProviderId) -> Result<Machine, ProviderError> {
        let watch = self.begin(Operation::Get, caller, None, Some(provider_id));
        let result = self.inner.get(watch.caller, provider_id).await.map(|machine| self.dressed(machine));
        watch.end(returned(&result, returned_machine));
        result
    }

    async fn list(&self, caller: Caller) -> Result<Vec<Machine>, ProviderError> {
        let watch = self.begin(Operation::List, caller, None, None);
        let mut result = self.inner.list(watch.caller).await;
        if self.world.catalogue.is_some() {
            result = result.map(|found| found.into_iter().map(|machine| self.dressed(machine)).collect());
        }
        watch.end(returned(&result, |machines| returned_machines(machines)));
        result
    }

    async fn get_instance_types(
        &self,
        caller: Caller,
        node_pool: &NodePool,
    ) -> Result<Rc<[Rc<InstanceType>]>, ProviderError> {
        let own = self.inner.get_instance_types(caller, node_pool).await?;
        Ok(self.world.catalogue.as_ref().map_or(own, |catalogue| catalogue.instance_types(self.world.runtime.now())))
    }

    fn is_drifted(&self, caller: Caller, node_claim: &NodeClaim) -> Result<Option<&'static str>, ProviderError> {
        self.inner.is_drifted(caller, node_claim)
    }
}

#[async_trait(?Send)]
impl NodeProvider for Observed {
    async fn read_tags(&self, caller: Caller, instance: InstanceId) -> Result<Tags, ProviderError> {
        let watch = self.begin(Operation::Get, caller, None, Some(&ProviderId::linode(instance.0)));
        let result = self.inner.read_tags(watch.caller, instance).await;
        watch.end(returned(&result, |_| Returned::Instance(instance)));
        result
    }

    async fn refresh_offerings(&self, caller: Caller) -> Result<(), ProviderError> {
        let watch = self.begin(Operation::Offerings, caller, None, None);
        let result = self.inner.refresh_offerings(watch.caller).await;
        watch.end(returned(&result, |()| Returned::Done));
        result
    }

    fn remembers_offerings(&self) -> bool {
        self.inner.remembers_offerings()
    }

    async fn list_collectable(&self, caller: Caller) -> Result<Arc<[Arc<Instance>]>, ProviderError> {
        let watch = self.begin(Operation::List, caller, None, None);
        let result = self.inner.list_collectable(watch.caller).await;
        watch.end(returned(&result, |found| Returned::Instances(found.iter().map(|instance| instance.id).collect())));
        result
    }

    async fn create_tags(
        &self,
        caller: Caller,
        instance: InstanceId,
        tags: Vec<Arc<str>>,
    ) -> Result<(), ProviderError> {
        let watch = self.begin(Operation::CreateTags, caller, None, Some(&ProviderId::linode(instance.0)));
        let result = self.inner.create_tags(watch.caller, instance, tags).await;
        watch.end(returned(&result, |()| Returned::Done));
        result
    }

    async fn update_tags(&self, caller: Caller, instance: InstanceId, tags: Tags) -> Result<(), ProviderError> {
        let watch = self.begin(Operation::UpdateTags, caller, None, Some(&ProviderId::linode(instance.0)));
        let result = self.inner.update_tags(watch.caller, instance, tags).await;
        watch.end(returned(&result, |()| Returned::Done));
        result
    }

    async fn read_cluster(&self, caller: Caller) -> Result<Arc<LkeCluster>, ProviderError> {
        let watch = self.begin(Operation::Validate, caller, None, None);
        let result = self.inner.read_cluster(watch.caller).await;
        watch.end(returned(&result, |_| Returned::Done));
        result
    }
}

fn returned<T>(result: &Result<T, ProviderError>, of: impl Fn(&T) -> Returned) -> Returned {
    match result {
        Ok(value) => of(value),
        Err(ProviderError::NotFound(text)) => Returned::NotFound(text.clone()),
        Err(ProviderError::Other(text)) => Returned::Failed(text.clone()),
    }
}

fn returned_machines(machines: &[Machine]) -> Returned {
    let mut instances = Vec::with_capacity(machines.len());
    instances.extend(machines.iter().filter_map(|machine| machine.provider_id.id()).map(InstanceId));
    Returned::Instances(instances.into())
}

fn returned_machine(machine: &Machine) -> Returned {
    match machine.provider_id.id() {
        Some(id) => Returned::Instance(InstanceId(id)),
        None => Returned::Failed(format!("{} is no Linode", machine.provider_id)),
    }
}
