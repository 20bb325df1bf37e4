//! One design's provider over the fake cloud, without latency or lags: each call and its order can be told exactly.

use crate::support::design;
use fake_linode::fault::{Action, Body, Refusal, RetryAfter};
use fake_linode::{Cloud, Fault, PlacedInstance, PlacedLkePool, PlacedNode, Settings, TokenId};
use lkesim_judge::trace;
use lkesim_karpenter::cloud_provider::{Caller, CreateError, Machine, ProviderError, ProviderId};
use lkesim_kernel::Kernel;
use lkesim_kube::client::Client;
use lkesim_kube::informer::{Informers, WatchLag};
use lkesim_kube::object::node_claim::{NodeClaimSpec, NodeClassRef};
use lkesim_kube::object::node_class::NodeClassSpec;
use lkesim_kube::object::node_pool::NodePoolSpec;
use lkesim_kube::object::{NodeClaim, NodeClass, NodePool, Requirement, labels};
use lkesim_kube::store::{Lock, Part, Store, Write};
use lkesim_linode_api::{
    Answering, ApiClient, Call, Cause, ClusterUpdate, Endpoint, InstanceId, LkePoolId, Operation, Purpose, Rarer,
    Request, Tags, Tier, Wire, answering,
};
use lkesim_lke::controllers::node_class::{Checks, settled};
use lkesim_lke::{Cluster, Context, Design, Kube, NodeProvider, Provider};
use lkesim_runtime::{Ppm, Quantiles, Runtime, Seed, Time};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

/// Who asks in a test.
pub const TEST: Caller = Caller::named("test");

/// The tags of a managed pool, sorted.
pub const POOL_TAGS: [&str; 5] = [
    "karpenter.k8s.linode/linodenodeclass=default",
    "karpenter.k8s.linode/lke-managed=true",
    "karpenter.sh/nodepool=default",
    "kubernetes.io/cluster/cluster-1=owned",
    "lke-cluster-name=cluster-1",
];

/// The plan that all tests use.
pub const PLAN: &str = "g6-standard-2";

/// Every design that has the whole of section "LKE provider".
pub const ALL: [&str; 4] = ["documented", "documented-strict", "v0.1.3", "shipped"];

/// The provider's instance mode, to which what is about LKE pools does not apply.
pub const DIRECT: &str = "direct-instances";

/// Those and the provider's instance mode: each that has a provider of its own.
pub const EVERY: [&str; 5] = ["documented", "documented-strict", "v0.1.3", "shipped", DIRECT];

/// Whether it does what the document says. The strict one does otherwise only where there are several of what should be
/// one.
pub fn is_document(design: &str) -> bool {
    matches!(design, "documented" | "documented-strict")
}

/// What is true of each of [`ALL`], where both readings of the document are at one.
pub fn each<T: Clone>(documented: T, v0_1_3: T, shipped: T) -> [(&'static str, T); 4] {
    let [of_document, strict, older, newest] = ALL;
    [(of_document, documented.clone()), (strict, documented), (older, v0_1_3), (newest, shipped)]
}

/// Both tiers.
pub const TIERS: [Tier; 2] = [Tier::Standard, Tier::Enterprise];

/// The laboratory.
pub struct Lab {
    kernel: Kernel,
    pub cloud: Rc<RefCell<Cloud>>,
    pub store: Store,
    pub provider: Rc<dyn Provider>,
    log: Rc<RefCell<Vec<Rc<Call>>>>,
}

/// How a laboratory is set up.
pub struct Setup {
    pub design: &'static str,
    pub cloud: Settings,
    pub node_class: NodeClassSpec,
    /// From a call to its answer.
    pub round_trip: Duration,
}

impl Setup {
    /// A design on an empty cluster of this tier.
    pub fn new(design: &'static str, tier: Tier) -> Setup {
        let mut cloud = Settings::quiet(tier);
        cloud.clusters[0].base_lke_pool = None;
        Setup { design, cloud, node_class: NodeClassSpec::default(), round_trip: Duration::ZERO }
    }

    /// The same with user tags in the NodeClass.
    pub fn user_tags(mut self, tags: &[&str]) -> Setup {
        self.node_class.tags = tags.iter().map(|tag| Rc::from(*tag)).collect();
        self
    }

    /// The same with calls of `endpoint` refused: those from the `first` to the `last`.
    pub fn refuse(self, endpoint: Endpoint, status: u16, first: u64, last: u64) -> Setup {
        let refusal = Refusal {
            status,
            reason: Some("refused on purpose".into()),
            body: None,
            retry_after: RetryAfter::Seconds(3),
            maintenance: true,
        };
        self.fault(endpoint, first, last, Action::Refuse(refusal))
    }

    /// The same with these answered 500 by a body that lists no reason.
    pub fn answer_nothing(self, endpoint: Endpoint) -> Setup {
        let (reason, body, retry_after) = (None, Some(Body::Empty), RetryAfter::Absent);
        let refusal = Refusal { status: 500, reason, body, retry_after, maintenance: false };
        self.fault(endpoint, 1, u64::MAX, Action::Refuse(refusal))
    }

    /// The same with the last fault in this time alone.
    pub fn between(mut self, from: Duration, until: Duration) -> Setup {
        if let Some(fault) = self.cloud.faults.last_mut() {
            (fault.from, fault.until) = (Time::ZERO + from, Time::ZERO + until);
        }
        self
    }

    /// The same with the answers of all calls of `endpoint` lost.
    pub fn lose(self, endpoint: Endpoint) -> Setup {
        self.fault(endpoint, 1, u64::MAX, Action::Lose)
    }

    fn fault(mut self, endpoint: Endpoint, first_call: u64, last_call: u64, action: Action) -> Setup {
        self.cloud.faults.push(Fault {
            name: "fault".into(),
            endpoints: vec![endpoint],
            token: None,
            from: Time::ZERO,
            until: Time::MAX,
            first_call,
            last_call,
            chance: Ppm::ALWAYS,
            action,
        });
        self
    }

    /// Boots the provider and starts its controllers.
    pub fn build(self) -> Lab {
        let kernel = Kernel::new();
        let runtime = kernel.runtime();
        let cloud = Rc::new(RefCell::new(Cloud::new(self.cloud.clone(), Seed(1))));
        let log = Rc::new(RefCell::new(Vec::new()));
        let store = Store::new();
        let design = design(self.design);
        prepare(&store, self.node_class, design.node_classes.checks);
        let cluster = cloud.borrow().settings().clusters[0].id;
        cloud.borrow_mut().offer(cluster, design.facts.wished);
        let provider = build(design, &runtime, &cloud, &log, self.round_trip);
        let client = Client::new(runtime.clone(), store.clone(), Seed(1), Quantiles::zero());
        let lab = Lab { kernel, cloud, store, provider, log };
        lab.run(|provider| async move { provider.boot(TEST).await }).expect("the boot succeeds");
        let informers = Informers::start(&runtime, &client, &WatchLag::new(Seed(1), 1, Quantiles::zero()));
        lab.provider.start(&Kube { client, informers: informers.clone() }, lab.provider.nodes());
        lab.run(|_| async move { informers.synced().await });
        // Each controller makes its first pass.
        lab.wait(Duration::from_millis(1));
        lab.forget();
        lab
    }
}

fn prepare(store: &Store, spec: NodeClassSpec, checks: Checks) {
    let write = Write { at: Time::ZERO, by: "test" };
    let mut node_class = NodeClass::new("default", spec);
    if !checks.doubt(&node_class.spec) {
        node_class = settled(node_class, Time::ZERO);
    }
    store.create(write, node_class).expect("the store is empty");
    let node_class_ref = Some(NodeClassRef::linode("default"));
    let node_pool = NodePool::new("default", NodePoolSpec { node_class_ref, ..NodePoolSpec::default() });
    store.create(write, node_pool).expect("the store is empty");
}

fn build(
    design: &'static Design,
    runtime: &Runtime,
    cloud: &Rc<RefCell<Cloud>>,
    log: &Rc<RefCell<Vec<Rc<Call>>>>,
    round_trip: Duration,
) -> Rc<dyn Provider> {
    let (cloud_end, log) = (cloud.clone(), log.clone());
    let wire = Direct { runtime: runtime.clone(), cloud: cloud_end, log, calls: Cell::new(0), round_trip };
    let api = ApiClient::new(runtime.clone(), Rc::new(wire), design.facts.sdk.policy(), Seed(1).key("api.retry"));
    let (cluster, epoch) = {
        let cloud = cloud.borrow();
        let own = &cloud.settings().clusters[0];
        let (tier, region) = (cloud.settings().tier, cloud.settings().region.clone());
        (Cluster { id: own.id, name: own.label.clone(), tier, region }, cloud.settings().epoch)
    };
    let context = Context::new(runtime.clone(), api, cluster, epoch, design.defaults);
    (design.build)(Rc::new(context.with_luck(Seed(1), 1)))
}

/// A wire that is as long as its round trip, all of it on the way back.
struct Direct {
    runtime: Runtime,
    cloud: Rc<RefCell<Cloud>>,
    log: Rc<RefCell<Vec<Rc<Call>>>>,
    calls: Cell<u64>,
    round_trip: Duration,
}

impl Wire for Direct {
    fn send(&self, call: Rc<Call>) -> Answering {
        self.calls.set(self.calls.get() + 1);
        let number = self.calls.get();
        let (answerer, answering) = answering(number, None);
        self.log.borrow_mut().push(call.clone());
        let handled = self.cloud.borrow_mut().handle(self.runtime.now(), TokenId(0), number, &call);
        let handled = handled.unwrap_or_else(|error| panic!("{error}"));
        match handled.lost {
            true => {}
            false if self.round_trip.is_zero() => answerer.put(handled.answer),
            false => {
                let (runtime, round_trip) = (self.runtime.clone(), self.round_trip);
                self.runtime.spawn("answer", async move {
                    runtime.sleep(round_trip).await;
                    answerer.put(handled.answer);
                });
            }
        }
        answering
    }
}

impl Lab {
    /// A design on an empty cluster of this tier.
    pub fn new(design: &'static str, tier: Tier) -> Lab {
        Setup::new(design, tier).build()
    }

    /// Runs a future of the provider to its end, while controllers run beside it.
    pub fn run<F: Future + 'static>(&self, ask: impl FnOnce(Rc<dyn Provider>) -> F) -> F::Output
    where
        F::Output: 'static,
    {
        let result = Rc::new(RefCell::new(None));
        let (slot, future) = (result.clone(), ask(self.provider.clone()));
        self.kernel.runtime().spawn("test", async move {
            let output = future.await;
            *slot.borrow_mut() = Some(output);
        });
        self.kernel.run(|| result.borrow().is_some()).expect("the kernel goes on");
        let output = result.borrow_mut().take();
        output.expect("it ended")
    }

    /// Lets time pass.
    pub fn wait(&self, time: Duration) {
        let runtime = self.kernel.runtime();
        self.run(|_| async move { runtime.sleep(time).await });
    }

    /// The time.
    pub fn now(&self) -> Time {
        self.kernel.now()
    }

    fn ask<R: 'static, F: Future<Output = R> + 'static>(&self, ask: impl FnOnce(Rc<dyn NodeProvider>) -> F) -> R {
        self.run(|provider| ask(provider.nodes()))
    }

    pub fn create(&self, claim: NodeClaim) -> Result<Machine, CreateError> {
        self.ask(|nodes| async move { nodes.create(TEST, &claim).await })
    }

    /// Creates, and gives the Linode's id.
    #[track_caller]
    pub fn created(&self, name: &str) -> u64 {
        let machine = self.create(claim(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        machine.provider_id.id().expect("a Linode")
    }

    /// The NodeClaim as the store has it, with a uid of its own.
    #[track_caller]
    pub fn stored(&self, name: &str) -> NodeClaim {
        let stored = self.store.get::<NodeClaim>(name).expect("it is stored");
        (*stored).clone()
    }

    /// Creates at once for NodeClaims of the store, and gives the Linodes' ids in the order of the names.
    #[track_caller]
    pub fn created_at_once(&self, names: &[&str]) -> Vec<u64> {
        let ids = Rc::new(RefCell::new(vec![None; names.len()]));
        for (place, name) in names.iter().enumerate() {
            let (claim, nodes, ids) = (self.stored(name), self.provider.nodes(), ids.clone());
            // Karpenter asks again where a Create fails.
            let create = async move {
                for _ in 0..5 {
                    if let Ok(machine) = nodes.create(TEST, &claim).await {
                        ids.borrow_mut()[place] = machine.provider_id.id();
                        return;
                    }
                }
                panic!("{}: no Linode", claim.name());
            };
            self.kernel.runtime().spawn("test", create);
        }
        self.kernel.run(|| ids.borrow().iter().all(Option::is_some)).expect("the kernel goes on");
        ids.borrow().iter().flatten().copied().collect()
    }

    pub fn delete(&self, id: u64) -> Result<(), ProviderError> {
        self.delete_by(ProviderId::linode(id))
    }

    pub fn delete_by(&self, id: ProviderId) -> Result<(), ProviderError> {
        let mut claim = claim("deleted");
        claim.status.provider_id = Some(id);
        self.ask(|nodes| async move { nodes.delete(TEST, &claim).await })
    }

    pub fn get(&self, id: u64) -> Result<u64, ProviderError> {
        self.get_by(ProviderId::linode(id))
    }

    pub fn get_by(&self, id: ProviderId) -> Result<u64, ProviderError> {
        let got = self.ask(|nodes| async move { nodes.get(TEST, &id).await });
        got.map(|machine| machine.provider_id.id().expect("a Linode"))
    }

    pub fn list(&self) -> Result<Vec<u64>, ProviderError> {
        let listed = self.ask(|nodes| async move { nodes.list(TEST).await })?;
        Ok(listed.iter().map(|machine| machine.provider_id.id().expect("a Linode")).collect())
    }

    pub fn create_tags(&self, id: u64, tags: &[&str]) -> Result<(), ProviderError> {
        let tags = tags.iter().map(|tag| (*tag).into()).collect();
        self.ask(|nodes| async move { nodes.create_tags(TEST, InstanceId(id), tags).await })
    }

    /// Puts a NodeClaim into the store, as if launched and registered where it has a Linode and a node.
    pub fn store_claim(&self, name: &str, instance: Option<u64>, node: Option<&str>) {
        let mut stored = claim(name);
        stored.status.provider_id = instance.map(ProviderId::linode);
        stored.status.node_name = node.map(Rc::from);
        let write = Write { at: self.now(), by: "test" };
        self.store.create(write, stored).expect("names are distinct");
        // The caches hear of it.
        self.wait(Duration::from_millis(1));
    }

    /// Puts a Linode with these tags into the account, beside all LKE pools.
    pub fn place_alone(&self, label: &str, tags: &[&str], age: Duration) -> u64 {
        let mut cloud = self.cloud.borrow_mut();
        let beside = cloud.settings().clusters[0].id;
        let (plan, tags) = (PLAN.into(), tags.iter().copied().collect());
        cloud.place_instance(&PlacedInstance { beside, label: label.into(), plan, tags, age }).0
    }

    /// The deletion of a Linode's node, whether it has been made or not.
    pub fn delete_node(&self, id: u64) -> String {
        let cloud = self.cloud.borrow();
        let node = cloud.instance(InstanceId(id)).and_then(|truth| truth.node).expect("a Linode of a LKE pool");
        format!("DELETE /lke/clusters/1/nodes/{node}")
    }

    /// Puts a managed pool with these Linodes, each by its own tags, into the cloud.
    pub fn place(&self, nodes: &[&[&str]]) -> (LkePoolId, Vec<u64>) {
        self.place_aged(nodes, Duration::ZERO)
    }

    /// The same with Linodes of an age.
    pub fn place_aged(&self, nodes: &[&[&str]], age: Duration) -> (LkePoolId, Vec<u64>) {
        self.place_with(&POOL_TAGS, nodes, age)
    }

    /// The same in a pool with these tags.
    pub fn place_with(&self, tags: &[&str], nodes: &[&[&str]], age: Duration) -> (LkePoolId, Vec<u64>) {
        let node = |tags: &&[&str]| PlacedNode { tags: tags.iter().copied().collect(), age };
        let mut cloud = self.cloud.borrow_mut();
        let cluster = cloud.settings().clusters[0].id;
        let (lke_pool, ids) = cloud.place_lke_pool(&PlacedLkePool {
            cluster,
            plan: PLAN.into(),
            tags: tags.iter().copied().collect(),
            nodes: nodes.iter().map(node).collect(),
        });
        (lke_pool, ids.iter().map(|id| id.0).collect())
    }

    /// The tags of a Linode, sorted.
    pub fn tags(&self, id: u64) -> Vec<String> {
        sorted(&self.cloud.borrow().instance(InstanceId(id)).expect("a Linode").tags)
    }

    /// The tags of a Linode, in their order.
    pub fn tags_as_written(&self, id: u64) -> Vec<String> {
        let cloud = self.cloud.borrow();
        cloud.instance(InstanceId(id)).expect("a Linode").tags.iter().map(ToString::to_string).collect()
    }

    /// The tags of a pool, sorted.
    pub fn pool_tags(&self, lke_pool: u64) -> Vec<String> {
        sorted(&self.cloud.borrow().lke_pool(LkePoolId(lke_pool)).expect("a LKE pool").tags)
    }

    /// The Linodes of a pool in the order in which the pool lists them.
    pub fn members(&self, lke_pool: LkePoolId) -> Vec<u64> {
        self.cloud.borrow().members(lke_pool).map(|id| id.0).collect()
    }

    /// The live Linodes.
    pub fn live(&self) -> Vec<u64> {
        self.cloud.borrow().live_instances().map(|truth| truth.id.0).collect()
    }

    /// Another version in the NodeClass.
    pub fn change_version(&self, version: Option<&str>) {
        self.change_node_class(|spec| spec.lke_k8s_version = version.map(Rc::from));
    }

    /// Changed settings of the NodeClass. The controllers have not heard of them yet.
    pub fn change_node_class(&self, change: impl FnOnce(&mut NodeClassSpec)) {
        let before = self.store.get::<NodeClass>("default").expect("it is there");
        let mut after = (*before).clone();
        let mut spec = (*before.spec).clone();
        change(&mut spec);
        after.spec = spec.into();
        let write = Write { at: self.now(), by: "test" };
        self.store.patch(write, &*before, &after, Part::Object, Lock::None).expect("nobody else writes");
    }

    /// Somebody brings the control plane to another version.
    pub fn upgrade(&self, version: &str) {
        let purpose = Purpose {
            caller: "hand",
            operation: Operation::Foreign,
            invocation: 0,
            attempt: 0,
            subject: "".into(),
            cause: Cause::Foreign,
            joined: Default::default(),
        };
        let body = ClusterUpdate { k8s_version: Some(version.into()), ..ClusterUpdate::default() };
        let update = Rarer::UpdateCluster { cluster: self.cloud.borrow().settings().clusters[0].id, body };
        let call = Call { purpose, attempt: 0, request: Request::Rarer(update.into()) };
        let handled = self.cloud.borrow_mut().handle(self.now(), TokenId(0), 1_000_000, &call);
        handled.expect("it is modelled").answer.result.expect("there is such a version");
    }

    /// Forgets the calls up to now.
    pub fn forget(&self) {
        self.log.borrow_mut().clear();
    }

    /// The calls of the test's operations since they were last asked for: method, path, filter and body. Tags, whose
    /// order is luck in new pools and what is made of them, are sorted.
    pub fn calls(&self) -> Vec<String> {
        self.calls_of("test")
    }

    /// The same of a controller's operations.
    pub fn calls_of(&self, caller: &str) -> Vec<String> {
        let log = std::mem::take(&mut *self.log.borrow_mut());
        log.iter().filter(|call| call.purpose.caller == caller).map(|call| told(call)).collect()
    }
}

fn sorted(tags: &Tags) -> Vec<String> {
    let mut tags: Vec<String> = tags.iter().map(ToString::to_string).collect();
    tags.sort();
    tags
}

fn told(call: &Call) -> String {
    let trace::Request { line, filter, body, .. } = trace::Request::from(&call.request);
    let line = line.replace("page=1&page_size=100", "1");
    let body = body.map(|mut body| {
        if let Some(Value::Array(tags)) = body.get_mut("tags") {
            tags.sort_by_key(ToString::to_string);
        }
        body.to_string()
    });
    [Some(line), filter, body].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// A NodeClaim of the NodePool `default` for [`PLAN`].
pub fn claim(name: &str) -> NodeClaim {
    let spec = NodeClaimSpec {
        requirements: vec![Requirement::any_of(labels::INSTANCE_TYPE, [PLAN])],
        node_class_ref: Some(NodeClassRef::linode("default")),
        ..NodeClaimSpec::default()
    };
    let mut claim = NodeClaim::new(name, spec);
    claim.metadata.labels.insert(labels::NODE_POOL, "default");
    claim
}
