//! A cluster with a scripted provider, for the tests of the controllers.

use crate::cloud_provider::{InstanceType, Offering};
use crate::provisioning::{self, Passed, Pods, Provisioning, ProvisioningSettings, Recorder, Verdict};
use crate::{
    Caller, CloudProvider, CreateError, Disruption, Machine, MachineType, Operator, ProviderError, ProviderId, Settings,
};
use async_trait::async_trait;
use lkesim_control_plane::ControlPlane;
use lkesim_kernel::{Kernel, Schedule};
use lkesim_kube::client::Client;
use lkesim_kube::informer::{Informers, WatchLag};
use lkesim_kube::kubelet::{Joining, Kubelet, Silence};
use lkesim_kube::object::node_claim::NodeClaimSpec;
use lkesim_kube::object::node_pool::NodePoolSpec;
use lkesim_kube::object::pod::Container;
use lkesim_kube::object::{NodeClaim, NodePool, Pod, PodSpec, ResourceList, Resources, StringMap, labels};
use lkesim_kube::store::{Store, Write};
use lkesim_runtime::{Process, Quantiles, Runtime, Seed, Time};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

pub fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

pub fn claim(name: &str) -> NodeClaim {
    let spec = NodeClaimSpec { resources_requests: Resources::of(1_000, 1 << 30), ..NodeClaimSpec::default() };
    let mut claim = NodeClaim::new(name, spec);
    claim.metadata.labels.insert(labels::NODE_POOL, "default");
    claim
}

/// What each machine has, and what of it pods can use.
pub const SIZE: (Resources, Resources) = (with_pods(2_000, 4 << 30), with_pods(1_930, 2 << 30));

const fn with_pods(cpu_milli: u64, memory: u64) -> Resources {
    Resources { pods: 110, ..Resources::of(cpu_milli, memory) }
}

/// A machine that joins as `node`, `join` seconds from now; it is ready 10 s later.
fn joining(provider_id: ProviderId, node: &str, join: u64) -> Joining {
    Joining {
        node_name: node.into(),
        provider_id,
        labels: StringMap::EMPTY,
        taints: Vec::new(),
        capacity: SIZE.0,
        allocatable: SIZE.1,
        join: secs(join),
        ready: secs(10),
        late: Default::default(),
    }
}

/// What asks for so many thousandths of a core.
pub fn asks(milli: i64) -> PodSpec {
    let cpu = lkesim_kube::object::Quantity::from_milli(milli);
    let container = Container { requests: ResourceList::from_iter([("cpu", cpu)]), ..Container::default() };
    PodSpec { containers: vec![container], ..PodSpec::default() }
}

/// An instance type in one region.
pub fn plan(name: &str, price: u64, (capacity, allocatable): (Resources, Resources)) -> Rc<InstanceType> {
    Rc::new(InstanceType {
        name: name.into(),
        labels: StringMap::from_iter([(labels::INSTANCE_TYPE, name)]),
        capacity,
        allocatable,
        offerings: vec![Offering::on_demand("us-ord", price, true)],
    })
}

/// A call of the core: when, which, and whose pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    pub at: Time,
    pub what: &'static str,
    pub pass: &'static str,
}

/// A provider that does what the test says and keeps what it was asked.
pub struct Scripted {
    runtime: Runtime,
    pub create_takes: Cell<Duration>,
    /// How many deletes of one machine succeed before it is not found.
    pub lingers: Cell<u32>,
    pub list_fails: Cell<bool>,
    /// What every NodePool may use.
    pub types: RefCell<Vec<Rc<InstanceType>>>,
    /// Whether machines join by themselves, 30 s after their creation.
    pub joins: Cell<bool>,
    kubelet: Kubelet,
    made: RefCell<BTreeMap<Rc<str>, ProviderId>>,
    create_error: RefCell<Option<CreateError>>,
    delete_error: RefCell<Option<ProviderError>>,
    pub machines: RefCell<BTreeMap<ProviderId, u32>>,
    last_id: Cell<u64>,
    asked: RefCell<Vec<Asked>>,
}

impl Scripted {
    fn new(runtime: Runtime, kubelet: Kubelet) -> Scripted {
        Scripted {
            runtime,
            kubelet,
            joins: Cell::default(),
            made: RefCell::default(),
            create_takes: Cell::new(secs(2)),
            lingers: Cell::new(2),
            list_fails: Cell::default(),
            types: RefCell::default(),
            create_error: RefCell::default(),
            delete_error: RefCell::default(),
            machines: RefCell::default(),
            last_id: Cell::new(100),
            asked: RefCell::default(),
        }
    }

    pub fn create_fails(&self, error: impl Into<Option<CreateError>>) {
        *self.create_error.borrow_mut() = error.into();
    }

    pub fn delete_fails(&self, error: impl Into<Option<ProviderError>>) {
        *self.delete_error.borrow_mut() = error.into();
    }

    pub fn asked(&self, what: &str) -> Vec<Asked> {
        let asked = self.asked.borrow();
        asked.iter().filter(|asked| asked.what == what).copied().collect()
    }

    pub fn starts(&self, what: &str) -> Vec<Time> {
        self.asked(what).iter().map(|asked| asked.at).collect()
    }

    /// The machine ends without a word of the core.
    pub fn lose(&self, id: &ProviderId) {
        self.machines.borrow_mut().remove(id);
        self.kubelet.gone(id, Silence::DEFAULT);
    }

    fn note(&self, caller: Caller, what: &'static str) {
        let at = self.runtime.now();
        self.asked.borrow_mut().push(Asked { at, what, pass: caller.pass });
    }

    fn machine(&self, id: ProviderId) -> Machine {
        let machine_type = MachineType {
            name: "g6-standard-2".into(),
            labels: StringMap::from_iter([(labels::INSTANCE_TYPE, "g6-standard-2")]),
            capacity: SIZE.0,
            allocatable: SIZE.1,
        };
        Machine {
            provider_id: id,
            machine_type: Rc::new(machine_type),
            annotations: StringMap::EMPTY,
            creation_timestamp: self.runtime.now().as_secs(),
        }
    }
}

#[async_trait(?Send)]
impl CloudProvider for Scripted {
    async fn create(&self, caller: Caller, claim: &NodeClaim) -> Result<Machine, CreateError> {
        self.note(caller, "create");
        self.runtime.sleep(self.create_takes.get()).await;
        if let Some(error) = self.create_error.borrow().clone() {
            return Err(error);
        }
        if let Some(id) = self.made.borrow().get(claim.name())
            && self.machines.borrow().contains_key(id)
        {
            return Ok(self.machine(id.clone()));
        }
        self.last_id.set(self.last_id.get() + 1);
        let id = ProviderId::linode(self.last_id.get());
        self.machines.borrow_mut().insert(id.clone(), self.lingers.get());
        self.made.borrow_mut().insert(claim.name().clone(), id.clone());
        if self.joins.get() {
            let node = format!("node-{}", self.last_id.get());
            self.kubelet.join(joining(id.clone(), &node, 30));
        }
        Ok(self.machine(id))
    }

    async fn delete(&self, caller: Caller, node_claim: &NodeClaim) -> Result<(), ProviderError> {
        self.note(caller, "delete");
        if let Some(error) = self.delete_error.borrow().clone() {
            return Err(error);
        }
        let id = node_claim.status.provider_id.clone().expect("core deletes by providerID");
        let mut machines = self.machines.borrow_mut();
        match machines.get_mut(&id) {
            Some(0) => {
                machines.remove(&id);
                self.kubelet.gone(&id, Silence::DEFAULT);
            }
            Some(left) => {
                *left -= 1;
                return Ok(());
            }
            None => {}
        }
        Err(ProviderError::NotFound(id.to_string()))
    }

    async fn get(&self, caller: Caller, id: &ProviderId) -> Result<Machine, ProviderError> {
        self.note(caller, "get");
        match self.machines.borrow().contains_key(id) {
            true => Ok(self.machine(id.clone())),
            false => Err(ProviderError::NotFound(id.to_string())),
        }
    }

    async fn list(&self, caller: Caller) -> Result<Vec<Machine>, ProviderError> {
        self.note(caller, "list");
        if self.list_fails.get() {
            return Err(ProviderError::Other("no answer".into()));
        }
        let machines = self.machines.borrow();
        Ok(machines.keys().map(|id| self.machine(id.clone())).collect())
    }

    async fn get_instance_types(&self, _: Caller, _: &NodePool) -> Result<Rc<[Rc<InstanceType>]>, ProviderError> {
        Ok(self.types.borrow().iter().cloned().collect())
    }

    fn is_drifted(&self, _: Caller, _: &NodeClaim) -> Result<Option<&'static str>, ProviderError> {
        Ok(None)
    }
}

/// Karpenter's core on an empty cluster with instant calls and instant caches, unless a delay is given.
pub struct Cluster {
    pub kernel: Kernel,
    pub store: Store,
    pub client: Client,
    pub cloud: Rc<Scripted>,
    pub kubelet: Kubelet,
    lag: Quantiles,
    informers: Option<Informers>,
    process: Option<Process>,
    starts: u64,
    /// How provisioning is set, where the cluster has pods.
    pods: Option<ProvisioningSettings>,
    /// Which nodes are taken away. Counts from the next start.
    pub disruption: Disruption,
    pub said: Rc<Said>,
    pub operator: Option<Operator>,
}

/// Keeps what passes say.
#[derive(Default)]
pub struct Said {
    pub verdicts: RefCell<Vec<String>>,
    /// How many pods each pass looked at.
    pub passes: RefCell<Vec<usize>>,
}

impl Recorder for Said {
    fn verdict(&self, pod: &Rc<Pod>, verdict: Verdict<'_>) {
        let text = match verdict {
            Verdict::Nominated(on) => format!("{}: Pod should schedule on: {on}", pod.name()),
            Verdict::Failed(why) => format!("{}: {why}", pod.name()),
        };
        self.verdicts.borrow_mut().push(text);
    }

    fn passed(&self, passed: &Passed<'_>) {
        self.passes.borrow_mut().push(passed.pods);
    }
}

impl Cluster {
    pub fn new() -> Cluster {
        Cluster::with(Quantiles::zero(), Quantiles::zero())
    }

    pub fn with(latency: Quantiles, lag: Quantiles) -> Cluster {
        Cluster::on(Kernel::with(Schedule::fifo()), Seed(1), latency, lag)
    }

    pub fn on(kernel: Kernel, seed: Seed, latency: Quantiles, lag: Quantiles) -> Cluster {
        let (runtime, store) = (kernel.runtime(), Store::new());
        let client = Client::new(runtime.clone(), store.clone(), seed, latency);
        let kubelet = Kubelet::new(runtime.clone(), &client);
        let mut cluster = Cluster {
            cloud: Rc::new(Scripted::new(runtime, kubelet.clone())),
            kubelet,
            kernel,
            store,
            client,
            lag,
            informers: None,
            process: None,
            starts: 0,
            pods: None,
            disruption: Disruption::Off,
            said: Rc::default(),
            operator: None,
        };
        cluster.restart();
        // Something always happens, so that the clock goes on.
        let runtime = cluster.kernel.runtime();
        cluster.kernel.runtime().spawn("clock", async move {
            loop {
                runtime.sleep(secs(1)).await;
            }
        });
        cluster
    }

    /// Ends the controllers, if they run, and starts them anew.
    pub fn restart(&mut self) {
        if let Some(process) = self.process.take() {
            process.stop();
        }
        self.starts += 1;
        let (runtime, process) = self.kernel.runtime().process("karpenter");
        let lag = WatchLag::new(Seed(1), self.starts, self.lag.clone());
        let settings = Rc::new(Settings { disruption: self.disruption, ..Settings::default() });
        let informers = match &self.pods {
            None => Informers::start(&runtime, &self.client, &lag),
            Some(_) => Informers::start_with_pods(&runtime, &self.client, &lag),
        };
        self.operator = Some(match &self.pods {
            None => Operator::start(&runtime, &self.client, &informers, self.cloud.clone(), settings),
            Some(set) => {
                let names = Seed(self.starts);
                let (settings_of, facts, recorder) = (set.clone(), Rc::default(), self.said.clone());
                let start = provisioning::Start { settings: settings_of, facts, recorder, names };
                Operator::start_with_pods(&runtime, &self.client, &informers, self.cloud.clone(), settings, start)
            }
        });
        self.informers = Some(informers);
        self.process = Some(process);
    }

    /// A cluster whose pods are scheduled, with one type, and machines that join by themselves.
    pub fn with_pods(settings: ProvisioningSettings) -> Cluster {
        let mut cluster = Cluster::new();
        cluster.cloud.joins.set(true);
        cluster.pods = Some(settings);
        cluster.restart();
        *cluster.cloud.types.borrow_mut() = vec![plan("g6-standard-2", 40, SIZE)];
        let quick = lkesim_kube::controller::Bucket { qps: 1_000_000, burst: 1_000_000 };
        let set = lkesim_control_plane::Settings {
            watch: Quantiles::zero(),
            scheduler_calls: quick,
            controller_calls: quick,
            start: Quantiles::constant(secs(1)),
            ..lkesim_control_plane::Settings::default()
        };
        let facts = lkesim_control_plane::Facts { machines: Some(cluster.kubelet.clone()), ..Default::default() };
        let runtime = cluster.kernel.runtime();
        ControlPlane::start(&runtime, &cluster.client, Seed(1), Rc::new(set), Rc::new(facts));
        cluster
    }

    /// Makes a pod of so many thousandths of a core.
    pub fn create_pod(&self, name: &str, milli: i64, change: impl FnOnce(&mut PodSpec)) {
        let mut spec = asks(milli);
        change(&mut spec);
        self.store.create(self.write(), Pod::new(name, spec)).expect("a new name");
    }

    /// Makes a NodePool.
    pub fn node_pool(&self, name: &str, spec: NodePoolSpec) {
        self.store.create(self.write(), NodePool::new(name, spec)).expect("a new name");
    }

    /// The node of a pod, or nothing.
    pub fn node_of(&self, pod: &str) -> String {
        let pod = self.store.get::<Pod>(pod).expect("the pod is there");
        pod.node_name.as_ref().map_or_else(String::new, |node| node.to_string())
    }

    /// Starts provisioning for these pods.
    pub fn provision(
        &self,
        pods: Rc<dyn Pods>,
        recorder: Rc<dyn Recorder>,
        settings: ProvisioningSettings,
    ) -> Provisioning {
        let context = crate::Context {
            runtime: self.kernel.runtime(),
            client: self.client.clone(),
            informers: self.informers.clone().expect("a process runs"),
            cloud: self.cloud.clone(),
            settings: Rc::new(Settings::default()),
            marked: Rc::default(),
            caller: Caller::named("test"),
        };
        Provisioning::start(&context, pods, recorder, settings, Seed(1))
    }

    /// Whether the sync gate is open.
    pub fn is_synced(&self) -> bool {
        crate::state::is_synced(self.informers.as_ref().expect("a process runs"))
    }

    pub fn write(&self) -> Write {
        Write { at: self.kernel.now(), by: "test" }
    }

    pub fn create(&self, claim: NodeClaim) {
        self.store.create(self.write(), claim).expect("a new name");
    }

    pub fn claim(&self, name: &str) -> Rc<NodeClaim> {
        self.store.get(name).expect("the claim is there")
    }

    pub fn run_until(&self, secs: u64) {
        self.kernel.run_until(Time::from_secs(secs)).expect("no task panics");
    }

    /// The machine of this claim as it joins as `node`.
    pub fn joining(&self, claim: &str, node: &str, join: u64) -> Joining {
        let id = self.claim(claim).status.provider_id.clone();
        joining(id.expect("launched"), node, join)
    }

    /// Lets it join so.
    pub fn join(&self, claim: &str, node: &str, join: u64) {
        self.kubelet.join(self.joining(claim, node, join));
    }

    /// A claim that is initialized at 30 s, with its Node `<name>-node`.
    pub fn initialized(name: &str) -> Cluster {
        let cluster = Cluster::new();
        cluster.create(claim(name));
        cluster.run_until(5);
        cluster.join(name, &format!("{name}-node"), 5);
        cluster.run_until(30);
        assert!(cluster.claim(name).is_initialized());
        cluster
    }
}
