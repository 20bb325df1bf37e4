//! What pods cost: `cargo bench -p lkesim-karpenter --bench pods`. Pods come and go over six hours of virtual time on a
//! cluster of a thousand nodes; prints seconds of the processor, passes and polls.

use async_trait::async_trait;
use lkesim_control_plane::{ControlPlane, Facts};
use lkesim_karpenter::cloud_provider::{InstanceType, Offering};
use lkesim_karpenter::provisioning::{Passed, ProvisioningSettings, Recorder, Start, Verdict};
use lkesim_karpenter::{
    Caller, CloudProvider, CreateError, Machine, MachineType, Operator, ProviderError, ProviderId, Settings,
};
use lkesim_kernel::Kernel;
use lkesim_kube::client::Client;
use lkesim_kube::informer::{Informers, WatchLag};
use lkesim_kube::kubelet::{Joining, Kubelet};
use lkesim_kube::object::node_pool::NodePoolSpec;
use lkesim_kube::object::pod::Container;
use lkesim_kube::object::{
    Node, NodeClaim, NodePool, Pod, PodPhase, PodSpec, Quantity, ResourceList, Resources, StringMap, labels,
};
use lkesim_kube::store::{Store, Write};
use lkesim_runtime::{Entity, Quantiles, Runtime, Seed, Time};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

const HOURS: u64 = 6;

/// Makes a machine in 3 s, which joins a minute later.
struct Instant {
    runtime: Runtime,
    kubelet: Kubelet,
    last: Cell<u64>,
    types: Rc<[Rc<InstanceType>]>,
    machines: RefCell<BTreeSet<ProviderId>>,
}

const SIZE: Resources = Resources { pods: 110, ..Resources::of(2_000, 4 << 30) };

#[async_trait(?Send)]
impl CloudProvider for Instant {
    async fn create(&self, _: Caller, claim: &NodeClaim) -> Result<Machine, CreateError> {
        self.runtime.sleep(Duration::from_secs(3)).await;
        self.last.set(self.last.get() + 1);
        let provider_id = ProviderId::linode(self.last.get());
        self.machines.borrow_mut().insert(provider_id.clone());
        let labels = self.types[0].labels.clone();
        let mut of_node = labels.clone();
        of_node.insert(labels::HOSTNAME, claim.name().clone());
        of_node.insert(labels::ZONE, "us-ord");
        self.kubelet.join(Joining {
            node_name: claim.name().clone(),
            provider_id: provider_id.clone(),
            labels: of_node,
            taints: Vec::new(),
            capacity: SIZE,
            allocatable: SIZE,
            join: Duration::from_secs(60),
            ready: Duration::from_secs(10),
            late: Default::default(),
        });
        let machine_type =
            Rc::new(MachineType { name: "g6-standard-2".into(), labels, capacity: SIZE, allocatable: SIZE });
        Ok(Machine { provider_id, machine_type, annotations: StringMap::EMPTY, creation_timestamp: 0 })
    }

    async fn delete(&self, _: Caller, claim: &NodeClaim) -> Result<(), ProviderError> {
        let id = claim.status.provider_id.as_ref().expect("launched");
        match self.machines.borrow_mut().remove(id) {
            true => Ok(()),
            false => Err(ProviderError::NotFound(String::new())),
        }
    }

    async fn get(&self, _: Caller, _: &ProviderId) -> Result<Machine, ProviderError> {
        Err(ProviderError::Other("not asked for".into()))
    }

    async fn list(&self, _: Caller) -> Result<Vec<Machine>, ProviderError> {
        Err(ProviderError::Other("not asked for".into()))
    }

    async fn get_instance_types(&self, _: Caller, _: &NodePool) -> Result<Rc<[Rc<InstanceType>]>, ProviderError> {
        Ok(self.types.clone())
    }

    fn is_drifted(&self, _: Caller, _: &NodeClaim) -> Result<Option<&'static str>, ProviderError> {
        Ok(None)
    }
}

#[derive(Default)]
struct Passes(Cell<usize>);

impl Recorder for Passes {
    fn verdict(&self, _: &Rc<Pod>, _: Verdict<'_>) {}

    fn passed(&self, _: &Passed<'_>) {
        self.0.set(self.0.get() + 1);
    }
}

fn delays(p50: u64, p99: u64) -> Quantiles {
    let millis = Duration::from_millis;
    Quantiles::through(&[(500_000, millis(p50)), (990_000, millis(p99))]).expect("they rise")
}

fn type_of_all() -> Rc<InstanceType> {
    Rc::new(InstanceType {
        name: "g6-standard-2".into(),
        labels: StringMap::from_iter([(labels::INSTANCE_TYPE, "g6-standard-2")]),
        capacity: SIZE,
        allocatable: SIZE,
        offerings: vec![Offering::on_demand("us-ord", 36_000, true)],
    })
}

fn spec(milli: i64) -> Rc<PodSpec> {
    let requests = ResourceList::from_iter([("cpu", Quantity::from_milli(milli))]);
    let container = Container { requests, ..Container::default() };
    Rc::new(PodSpec { containers: vec![container], ..PodSpec::default() })
}

/// Pods of 180m come at random times and run as long as `runs`; those that ended are taken away.
async fn arrivals(runtime: Runtime, store: Store, pods: u64, within: u64, runs: u64) {
    let spec = spec(180);
    let key = Seed(7).key("arrivals");
    let mut times: Vec<u64> = (0..pods).map(|n| key.draw(Entity::numbered(n), 0).below(within * 1_000)).collect();
    times.sort_unstable();
    for (number, at) in times.into_iter().enumerate() {
        runtime.sleep_until(Time::from_millis(at)).await;
        let mut pod = Pod::new(format!("pod-{number}"), PodSpec::default());
        pod.spec = spec.clone();
        pod.runs_for = Some(Duration::from_secs(runs));
        pod.metadata.labels.insert("app", "load");
        store.create(Write { at: runtime.now(), by: "bench" }, pod).expect("new");
    }
}

async fn departures(runtime: Runtime, store: Store) {
    loop {
        runtime.sleep(Duration::from_secs(60)).await;
        for pod in store.list::<Pod>().iter().filter(|pod| pod.status.phase == PodPhase::Succeeded) {
            store.delete::<Pod>(Write { at: runtime.now(), by: "bench" }, pod.name()).expect("there");
        }
    }
}

fn run(pods: u64, within: u64, runs: u64) {
    let kernel = Kernel::new();
    let (root, store, seed) = (kernel.runtime(), Store::new(), Seed(1));
    let client = Client::new(root.clone(), store.clone(), seed, delays(5, 50));
    let kubelet = Kubelet::new(root.clone(), &client);
    let (runtime, _process) = root.process("karpenter");
    let informers = Informers::start_with_pods(&runtime, &client, &WatchLag::new(seed, 1, delays(10, 200)));
    let cloud = Rc::new(Instant {
        runtime: root.clone(),
        kubelet: kubelet.clone(),
        last: Cell::new(0),
        types: Rc::new([type_of_all()]),
        machines: RefCell::default(),
    });
    let settings = Settings { garbage_collection_period: Duration::from_secs(1 << 40), ..Settings::default() };
    let passes = Rc::new(Passes::default());
    let start = Start {
        settings: ProvisioningSettings::default(),
        facts: Rc::default(),
        recorder: passes.clone(),
        names: seed,
    };
    Operator::start_with_pods(&runtime, &client, &informers, cloud, Rc::new(settings), start);
    let facts = Facts { machines: Some(kubelet), ..Facts::default() };
    ControlPlane::start(&root, &client, seed, Rc::new(lkesim_control_plane::Settings::default()), Rc::new(facts));
    store
        .create(Write { at: Time::ZERO, by: "bench" }, NodePool::new("default", NodePoolSpec::default()))
        .expect("new");
    root.spawn("arrivals", arrivals(root.clone(), store.clone(), pods, within, runs));
    root.spawn("departures", departures(root.clone(), store.clone()));
    // The clock of the machine: this measures the program, not the simulation.
    #[allow(clippy::disallowed_methods, reason = "a benchmark measures the real clock")]
    let begin = std::time::Instant::now();
    let mut most = 0;
    for minute in 1..=HOURS * 60 {
        kernel.run_until(Time::from_secs(minute * 60)).expect("it runs");
        most = most.max(store.count::<Pod>());
    }
    let millis = begin.elapsed().as_millis();
    println!(
        "{pods} pods in {within} s that run {runs} s: {millis} ms, {} nodes, at most {most} pods, {} passes, {} polls, \
         {} store changes",
        store.count::<Node>(),
        passes.0.get(),
        kernel.polls(),
        store.resource_version()
    );
}

fn main() {
    run(10_000, HOURS * 3_600, 2 * 3_600);
    run(10_000, 1_800, 5 * 3_600);
    run(60_000, HOURS * 3_600, 3_600);
}
