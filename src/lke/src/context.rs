//! What a design holds: the world as its process sees it.

use crate::instance_types::Memory;
use crate::node_classes::NodeClasses;
use crate::run::Run;
use crate::settings::ProviderSettings;
use crate::ties::Ties;
use lkesim_karpenter::cloud_provider::{Caller, ProviderError};
use lkesim_kube::client::Client;
use lkesim_kube::informer::Informers;
use lkesim_kube::object::{NodeClaim, Uid};
use lkesim_linode_api::{ApiClient, Cause, ClusterId, Filter, LkeCluster, Operation, Tier, UnixSeconds};
use lkesim_runtime::{Runtime, Seed};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// The LKE cluster that a process serves.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// Its id.
    pub id: ClusterId,
    /// Its name, which tags carry.
    pub name: Arc<str>,
    /// Its tier.
    pub tier: Tier,
    /// Its region.
    pub region: Arc<str>,
}

/// What a design is built from.
pub struct Context {
    /// Time and tasks.
    pub runtime: Runtime,
    /// Linode's API.
    pub api: ApiClient,
    /// The cluster.
    pub cluster: Cluster,
    /// The Unix time at which virtual time is zero.
    pub epoch: UnixSeconds,
    /// What whoever runs the design has set.
    pub settings: ProviderSettings,
    /// The CPUs of the process's node, as Go counts them.
    pub node_cpus: u32,
    /// What Go's maps leave to chance.
    pub ties: Ties,
    /// What the API's answers about types came to before.
    pub memory: Memory,
    /// The NodeClasses, from when its controllers start.
    pub node_classes: NodeClasses,
    /// The NodeClaims that this process has called Create for.
    created: RefCell<BTreeSet<Uid>>,
}

impl Context {
    /// A context for a process that begins.
    pub fn new(
        runtime: Runtime,
        api: ApiClient,
        cluster: Cluster,
        epoch: UnixSeconds,
        settings: ProviderSettings,
    ) -> Context {
        Context {
            runtime,
            api,
            cluster,
            epoch,
            settings,
            node_cpus: 4,
            ties: Ties::new(Seed(0), 1),
            memory: Memory::default(),
            node_classes: NodeClasses::default(),
            created: RefCell::default(),
        }
    }

    /// The same on a node with so many CPUs.
    pub fn with_node_cpus(self, node_cpus: u32) -> Context {
        Context { node_cpus, ..self }
    }

    /// The same with the luck of the `process`-th process of a run.
    pub fn with_luck(self, seed: Seed, process: u64) -> Context {
        Context { ties: Ties::new(seed, process), ..self }
    }

    /// The same, with what others like it remember.
    pub fn with_memory(self, memory: Memory) -> Context {
        Context { memory, ..self }
    }

    /// The age of a Linode by the clock of this process's machine. `created` has whole seconds.
    pub fn age(&self, created: UnixSeconds) -> Duration {
        let now = Duration::from_secs(self.epoch.0) + Duration::from_nanos(self.runtime.wall_clock().as_nanos());
        now.saturating_sub(Duration::from_secs(created.0))
    }

    /// Looks for the cluster by its name, as the operator does when it starts: exactly one must have it (provider
    /// e1c5200 `pkg/operator/operator.go:84-97`).
    pub async fn check_cluster(&self, run: &Run) -> Result<(), ProviderError> {
        let named = Filter::field("label", &*self.cluster.name);
        let found = self.api.list_clusters(&run.purpose(Cause::Boot), Some(named)).await;
        let found = found.map_err(|error| ProviderError::Other(error.to_string()))?;
        match &*found {
            [only] if only.id == self.cluster.id => Ok(()),
            _ => {
                let message = format!("could not determine LKE cluster with name: {}", self.cluster.name);
                Err(ProviderError::Other(message))
            }
        }
    }

    /// Reads the cluster, as the controller of NodeClasses does (provider e1c5200
    /// pkg/controllers/nodeclass/validation.go:157).
    pub async fn read_cluster(&self, caller: Caller) -> Result<Arc<LkeCluster>, ProviderError> {
        let id = self.cluster.id;
        let run = self.run(caller, Operation::Validate, id.to_string());
        let read = self.api.get_cluster(&run.purpose(Cause::Validation), id).await;
        read.map_err(|error| ProviderError::Other(format!("getting LKE cluster {id}: {error}")))
    }

    /// A run of an operation that is not a Create.
    pub fn run(&self, caller: Caller, operation: Operation, subject: impl Into<Arc<str>>) -> Run {
        Run::new(caller, operation, subject.into(), false)
    }

    /// A run of Create for this NodeClaim. From the second on, its calls are told apart as requeues.
    pub fn create_run(&self, caller: Caller, claim: &NodeClaim) -> Run {
        let again = !self.created.borrow_mut().insert(claim.metadata.uid);
        Run::new(caller, Operation::Create, Arc::from(&**claim.name()), again)
    }
}

/// The process's way to Kubernetes, from when its controllers start.
#[derive(Clone)]
pub struct Kube {
    /// The API.
    pub client: Client,
    /// The caches: what controllers read.
    pub informers: Informers,
}

impl Kube {
    /// Waits until the caches hold what the store held at the start. Controllers begin then.
    pub fn caches_synced(&self) -> impl Future<Output = ()> + 'static {
        let informers = self.informers.clone();
        async move { informers.synced().await }
    }
}
