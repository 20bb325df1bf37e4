//! What the life of a NodeClaim costs: `cargo bench -p lkesim-karpenter`. Prints microseconds a claim, the best of
//! several rounds, for 20 claims that are launched, registered and initialized under the default latencies, and then
//! deleted.

use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::InstanceType;
use lkesim_karpenter::{
    Caller, CloudProvider, CreateError, Machine, MachineType, Operator, ProviderError, ProviderId, Settings,
};
use lkesim_kernel::{Kernel, Schedule};
use lkesim_kube::client::Client;
use lkesim_kube::informer::{Informers, WatchLag};
use lkesim_kube::kubelet::{Joining, Kubelet};
use lkesim_kube::object::node_claim::NodeClaimSpec;
use lkesim_kube::object::{NodeClaim, NodePool, Requirement, Resources, StringMap, labels};
use lkesim_kube::store::{Store, Write};
use lkesim_runtime::{Quantiles, Runtime, Seed, Time};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

const CLAIMS: u64 = 20;
const ROUNDS: u32 = 300;

/// Makes a machine in 3 s, which joins at once, and deletes it at the first word.
struct Instant {
    runtime: Runtime,
    kubelet: Kubelet,
    labels: StringMap,
    last: Cell<u64>,
    machines: RefCell<BTreeSet<ProviderId>>,
}

const SIZE: Resources = Resources::of(2_000, 4 << 30);

#[async_trait(?Send)]
impl CloudProvider for Instant {
    async fn create(&self, _: Caller, claim: &NodeClaim) -> Result<Machine, CreateError> {
        self.runtime.sleep(Duration::from_secs(3)).await;
        self.last.set(self.last.get() + 1);
        let provider_id = ProviderId::linode(self.last.get());
        self.machines.borrow_mut().insert(provider_id.clone());
        self.kubelet.join(Joining {
            node_name: claim.name().clone(),
            provider_id: provider_id.clone(),
            labels: self.labels.clone(),
            taints: Vec::new(),
            capacity: SIZE,
            allocatable: SIZE,
            join: Duration::from_secs(60),
            ready: Duration::from_secs(10),
            late: Default::default(),
        });
        let machine_type = MachineType {
            name: "g6-standard-2".into(),
            labels: self.labels.clone(),
            capacity: SIZE,
            allocatable: SIZE,
        };
        Ok(Machine {
            provider_id,
            machine_type: Rc::new(machine_type),
            annotations: StringMap::EMPTY,
            creation_timestamp: 0,
        })
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
        Ok(Rc::new([]))
    }

    fn is_drifted(&self, _: Caller, _: &NodeClaim) -> Result<Option<&'static str>, ProviderError> {
        Ok(None)
    }
}

fn delays(p50: u64, p99: u64) -> Quantiles {
    let millis = Duration::from_millis;
    Quantiles::through(&[(500_000, millis(p50)), (990_000, millis(p99))]).expect("they rise")
}

fn claim(number: u64) -> NodeClaim {
    let spec = NodeClaimSpec {
        requirements: vec![Requirement::any_of(labels::INSTANCE_TYPE, ["g6-standard-2"])],
        resources_requests: Resources::of(1_000, 1 << 30),
        ..NodeClaimSpec::default()
    };
    let mut claim = NodeClaim::new(format!("default-{number}"), spec);
    claim.metadata.labels.insert(labels::NODE_POOL, "default");
    claim
}

/// One run; returns polls and versions.
fn run(kernel: &mut Kernel, seed: u64, delete: bool) -> (u64, u64) {
    kernel.reset(Schedule::fifo());
    let (root, store, seed) = (kernel.runtime(), Store::new(), Seed(seed));
    let client = Client::new(root.clone(), store.clone(), seed, delays(5, 50));
    let kubelet = Kubelet::new(root.clone(), &client);
    let (runtime, _process) = root.process("karpenter");
    let informers = Informers::start(&runtime, &client, &WatchLag::new(seed, 1, delays(10, 200)));
    let cloud = Rc::new(Instant {
        runtime: root.clone(),
        kubelet,
        labels: StringMap::from_iter([(labels::INSTANCE_TYPE, "g6-standard-2")]),
        last: Cell::new(0),
        machines: RefCell::default(),
    });
    let settings = Settings { garbage_collection_period: Duration::from_secs(1 << 40), ..Settings::default() };
    Operator::start(&runtime, &client, &informers, cloud, Rc::new(settings));
    let write = |at| Write { at, by: "bench" };
    for number in 0..CLAIMS {
        store.create(write(Time::ZERO), claim(number)).expect("new");
    }
    kernel.run_until(Time::from_secs(100)).expect("it runs");
    assert!(store.list::<NodeClaim>().iter().all(|claim| claim.is_initialized()));
    if delete {
        for claim in store.list::<NodeClaim>() {
            store.delete::<NodeClaim>(write(kernel.now()), claim.name()).expect("there");
        }
        kernel.run_until(Time::from_secs(150)).expect("it runs");
        assert_eq!(store.count::<NodeClaim>(), 0);
    }
    (kernel.polls(), store.resource_version())
}

fn main() {
    let mut kernel = Kernel::new();
    for (what, delete) in [("to initialized", false), ("and deleted", true)] {
        let mut best = Duration::MAX;
        let mut counts = (0, 0);
        for round in 0..ROUNDS {
            // The clock of the machine: this measures the program, not the simulation.
            #[allow(clippy::disallowed_methods, reason = "a benchmark measures the real clock")]
            let start = std::time::Instant::now();
            counts = run(&mut kernel, u64::from(round), delete);
            best = best.min(start.elapsed());
        }
        let micros = best.as_nanos() as u64 / CLAIMS;
        let (polls, versions) = (counts.0 / CLAIMS, counts.1 / CLAIMS);
        println!(
            "{what}: {}.{:03} us a claim, {polls} polls, {versions} store changes",
            micros / 1_000,
            micros % 1_000
        );
    }
}
