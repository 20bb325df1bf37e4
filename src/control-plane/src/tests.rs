//! Whole small clusters on the kernel.

mod checker;
mod eviction;
mod lives;
mod placing;
mod properties;
mod workloads;

use crate::{ControlPlane, Facts, Settings};
use lkesim_kernel::{Kernel, Schedule};
use lkesim_kube::client::Client;
use lkesim_kube::kubelet::{Joining, Kubelet, Silence};
use lkesim_kube::object::pod::Container;
use lkesim_kube::object::{
    LabelSelector, Node, Pod, PodPhase, PodSpec, PodTemplate, ProviderId, ResourceList, Resources, StringMap, Taint,
    Workload, WorkloadKind, labels,
};
use lkesim_kube::store::{Lock, Part, Store, Write};
use lkesim_runtime::{Quantiles, Seed, Time};
use std::rc::Rc;
use std::time::Duration;

/// A cluster with a control plane.
pub struct World {
    pub kernel: Kernel,
    pub store: Store,
    pub kubelet: Kubelet,
    nodes: u64,
}

/// No delays but the start of pods, 1 s.
pub fn quick() -> Settings {
    let quick = lkesim_kube::controller::Bucket { qps: 1_000_000, burst: 1_000_000 };
    Settings {
        watch: Quantiles::zero(),
        scheduler_calls: quick,
        controller_calls: quick,
        start: Quantiles::constant(Duration::from_secs(1)),
        ..Settings::default()
    }
}

impl World {
    pub fn new() -> World {
        World::with(Kernel::with(Schedule::fifo()), quick(), Facts::default(), Quantiles::zero())
    }

    pub fn with(kernel: Kernel, settings: Settings, facts: Facts, latency: Quantiles) -> World {
        let (runtime, store) = (kernel.runtime(), Store::new());
        let client = Client::new(runtime.clone(), store.clone(), Seed(1), latency);
        let kubelet = Kubelet::new(runtime.clone(), &client);
        let facts = Facts { machines: Some(kubelet.clone()), ..facts };
        ControlPlane::start(&runtime, &client, Seed(1), Rc::new(settings), Rc::new(facts));
        // Something always happens, so that the clock goes on.
        let clock = runtime.clone();
        runtime.spawn("clock", async move {
            loop {
                clock.sleep(Duration::from_secs(1)).await;
            }
        });
        World { kernel, store, kubelet, nodes: 0 }
    }

    pub fn write(&self) -> Write {
        Write { at: self.kernel.now(), by: "test" }
    }

    /// A node of so many cores and GiB that joins now and is ready.
    pub fn node(&mut self, name: &str, cores: u64, gib: u64) {
        self.node_with(name, (cores, gib), &[], Vec::new());
    }

    pub fn node_with(&mut self, name: &str, (cores, gib): (u64, u64), more: &[(&str, &str)], taints: Vec<Taint>) {
        self.nodes += 1;
        let mut labels: StringMap = more.iter().copied().collect();
        labels.insert(labels::HOSTNAME, name);
        let size = Resources { pods: 110, ..Resources::of(cores * 1_000, gib << 30) };
        let joining = Joining {
            node_name: name.into(),
            provider_id: ProviderId::linode(self.nodes),
            labels,
            taints,
            capacity: size,
            allocatable: size,
            join: Duration::ZERO,
            ready: Duration::ZERO,
            late: Default::default(),
        };
        self.kubelet.joined(joining, true, |_| {});
    }

    pub fn gone(&self, number: u64) {
        self.kubelet.gone(&ProviderId::linode(number), Silence::DEFAULT);
    }

    pub fn create_pod(&self, pod: Pod) {
        self.store.create(self.write(), pod).expect("a new name");
    }

    pub fn create(&self, workload: Workload) {
        self.store.create(self.write(), workload).expect("a new name");
    }

    pub fn scale(&self, name: &str, replicas: u32) {
        let before = self.store.get::<Workload>(name).expect("it is there");
        let after = Workload { replicas, ..Workload::clone(&before) };
        self.store.patch(self.write(), &*before, &after, Part::Object, Lock::None).expect("no lock");
    }

    pub fn delete_pod(&self, name: &str) {
        self.store.delete::<Pod>(self.write(), name).expect("it is there");
    }

    pub fn run_until(&self, secs: u64) {
        self.kernel.run_until(Time::from_secs(secs)).expect("no task panics");
    }

    pub fn run_until_millis(&self, millis: u64) {
        self.kernel.run_until(Time::from_millis(millis)).expect("no task panics");
    }

    pub fn pods(&self) -> Vec<Rc<Pod>> {
        self.store.list::<Pod>()
    }

    pub fn pod(&self, name: &str) -> Rc<Pod> {
        self.store.get(name).expect("the pod is there")
    }

    /// The node of a pod, or nothing.
    pub fn node_of(&self, name: &str) -> String {
        self.pod(name).node_name.as_ref().map_or_else(String::new, |node| node.to_string())
    }

    /// What the scheduler says of a pod.
    pub fn said(&self, name: &str) -> String {
        self.pod(name).status.unschedulable.as_ref().map_or_else(String::new, |text| text.to_string())
    }

    pub fn running(&self) -> usize {
        self.pods().iter().filter(|pod| pod.status.phase == PodPhase::Running && pod.is_active()).count()
    }

    pub fn untaint(&self, node: &str, key: &str) {
        self.change_node(node, |node| node.spec.taints.retain(|taint| *taint.key != *key));
    }

    pub fn taint(&self, node: &str, taint: Taint) {
        self.change_node(node, |node| node.spec.taints.push(taint.clone()));
    }

    pub fn change_node(&self, name: &str, change: impl Fn(&mut Node)) {
        let before = self.store.get::<Node>(name).expect("it is there");
        let mut after = Node::clone(&before);
        change(&mut after);
        self.store.patch(self.write(), &*before, &after, Part::Object, Lock::None).expect("no lock");
    }
}

pub fn resources(text: &str) -> ResourceList {
    let entries = text.split_whitespace().map(|entry| entry.split_once('=').expect("name=amount"));
    entries.map(|(name, amount)| (name, amount.parse().expect("an amount"))).collect()
}

/// What asks for this.
pub fn asks(text: &str) -> PodSpec {
    let container = Container { requests: resources(text), ..Container::default() };
    PodSpec { containers: vec![container], ..PodSpec::default() }
}

/// A pod that asks for this, with the label `app` of its name without its number.
pub fn pod(name: &str, text: &str) -> Pod {
    pod_with(name, text, |_| {})
}

pub fn pod_with(name: &str, text: &str, change: impl FnOnce(&mut PodSpec)) -> Pod {
    let mut spec = asks(text);
    change(&mut spec);
    let mut pod = Pod::new(name, spec);
    let app = name.rsplit_once('-').map_or(name, |(app, _)| app);
    pod.metadata.labels.insert("app", app);
    pod
}

/// A workload whose pods ask for this and have the label `app` of its name.
pub fn workload(kind: WorkloadKind, name: &str, replicas: u32, text: &str) -> Workload {
    let template = PodTemplate {
        labels: [("app", name)].into_iter().collect(),
        annotations: StringMap::EMPTY,
        spec: Rc::new(asks(text)),
    };
    Workload { replicas, ..Workload::new(kind, "default", name, template) }
}

pub fn of_app(app: &str) -> LabelSelector {
    LabelSelector::label("app", app)
}
