//! A design in the place of the real provider: booted on a virtual clock against the fake as a value.

use super::case::{Claim, Job, NodeClass as ClassOfCase, Taint as TaintOfCase, Target};
use super::record::HttpCall;
use super::watched::Watched;
use fake_linode::{Cloud, TokenId};
use lkesim_karpenter::cloud_provider::{Caller, ProviderId};
use lkesim_kernel::Kernel;
use lkesim_kube::client::Client;
use lkesim_kube::informer::{Informers, WatchLag};
use lkesim_kube::object::node_claim::{NodeClaimSpec, NodeClassRef};
use lkesim_kube::object::node_class::NodeClassSpec;
use lkesim_kube::object::node_pool::NodePoolSpec;
use lkesim_kube::object::{NodeClaim, NodeClass, NodePool, Requirement, Taint, TaintEffect, labels};
use lkesim_kube::store::{Store, Write};
use lkesim_linode_api::wire::HttpRequest;
use lkesim_linode_api::{Answering, ApiClient, Call, CallError, Sdk, Wire, answering};
use lkesim_lke::controllers::node_class::settled;
use lkesim_lke::{Cluster, Context, Design, Kube, Provider, ProviderSettings};
use lkesim_runtime::{Quantiles, Runtime, Seed, Time};
use lkesim_sim::Plan;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

/// Who asks.
pub const TEST: Caller = Caller::named("test");

/// Half of what a call takes. A call of no length would leave no room for others beside it.
const LEG: Duration = Duration::from_millis(1);

/// A pass of the garbage collection begins so long after a good one: any time but that of the retry of a bad one does.
const BETWEEN_PASSES: Duration = Duration::from_secs(1);

/// A design, its cloud, and Kubernetes.
pub struct Lab {
    pub(super) kernel: Kernel,
    pub(super) cloud: Rc<RefCell<Cloud>>,
    pub(super) store: Store,
    pub(super) provider: Rc<dyn Provider>,
    pub(super) watched: Rc<Watched>,
    log: Log,
}

/// The calls since somebody asked, in the order of their arrival.
type Log = Rc<RefCell<Vec<HttpCall>>>;

impl Lab {
    /// Boots a design for a case, and gives the calls of its boot.
    ///
    /// # Errors
    /// What is wrong with the case, or why the boot failed.
    pub fn boot(job: &Job, design: &'static Design) -> Result<(Lab, Vec<HttpCall>), String> {
        let kernel = Kernel::new();
        let runtime = kernel.runtime();
        let plan = Plan::new(&job.scenario()?);
        let cloud = Rc::new(RefCell::new(plan.cloud_at_start(Seed(1), design)));
        let store = Store::new();
        prepare(&store, job);
        let log = Log::default();
        let provider = build(job, design, &runtime, &cloud, &log);
        let watched = Rc::new(Watched::new(provider.nodes(), runtime.clone()));
        let lab = Lab { kernel, cloud, store, provider, watched, log };
        lab.run(|lab| {
            let provider = lab.provider.clone();
            async move { provider.boot(TEST).await }
        })
        .map_err(|error| format!("boot: {error}"))?;
        let booted = lab.take_calls();
        let client = Client::new(runtime.clone(), lab.store.clone(), Seed(1), Quantiles::zero());
        let informers = Informers::start(&runtime, &client, &WatchLag::new(Seed(1), 1, Quantiles::zero()));
        lab.provider.start(&Kube { client, informers: informers.clone() }, lab.watched.clone());
        lab.run(|_| async move { informers.synced().await });
        Ok((lab, booted))
    }

    /// Runs a future to its end, while controllers run beside it.
    pub(super) fn run<F: Future + 'static>(&self, ask: impl FnOnce(&Lab) -> F) -> F::Output
    where
        F::Output: 'static,
    {
        let result = Rc::new(RefCell::new(None));
        let (slot, future) = (result.clone(), ask(self));
        self.kernel.runtime().spawn("test", async move {
            let output = future.await;
            *slot.borrow_mut() = Some(output);
        });
        self.kernel.run(|| result.borrow().is_some()).expect("the kernel goes on");
        let output = result.borrow_mut().take();
        output.expect("it ended")
    }

    pub(super) fn wait(&self, time: Duration) {
        let runtime = self.kernel.runtime();
        self.run(|_| async move { runtime.sleep(time).await });
    }

    pub(super) fn take_calls(&self) -> Vec<HttpCall> {
        std::mem::take(&mut *self.log.borrow_mut())
    }

    pub(super) fn write(&self) -> Write {
        Write { at: self.kernel.now(), by: "test" }
    }
}

fn prepare(store: &Store, job: &Job) {
    let write = Write { at: Time::ZERO, by: "test" };
    let node_class = settled(NodeClass::new("default", spec_of(&job.case.node_class)), Time::ZERO);
    store.create(write, node_class).expect("the store is empty");
    for name in &job.case.node_pools {
        let node_class_ref = Some(NodeClassRef::linode("default"));
        let node_pool = NodePool::new(&**name, NodePoolSpec { node_class_ref, ..NodePoolSpec::default() });
        store.create(write, node_pool).expect("names of NodePools are distinct");
    }
}

fn spec_of(class: &ClassOfCase) -> NodeClassSpec {
    NodeClassSpec {
        tags: class.tags.iter().map(|tag| Rc::from(&**tag)).collect(),
        lke_k8s_version: class.lke_k8s_version.as_deref().map(Rc::from),
        firewall_id: class.firewall_id,
        labels: class.labels.iter().map(|(key, value)| (Rc::from(&**key), Rc::from(&**value))).collect(),
        lke_update_strategy: class.lke_update_strategy.as_deref().map(Rc::from),
        ..NodeClassSpec::default()
    }
}

fn build(
    job: &Job,
    design: &'static Design,
    runtime: &Runtime,
    cloud: &Rc<RefCell<Cloud>>,
    log: &Log,
) -> Rc<dyn Provider> {
    let wire = Short { runtime: runtime.clone(), cloud: cloud.clone(), log: log.clone(), calls: Cell::new(0) };
    let sdk = design.facts.sdk;
    let mut policy = sdk.policy();
    if let Some(retries) = job.case.retries {
        // The older line counts retries, the newer one tries, by the same name.
        policy.tries = if sdk == Sdk::Linodego1_62 { retries + 1 } else { retries };
    }
    let api = ApiClient::new(runtime.clone(), Rc::new(wire), policy, Seed(1).key("api.retry"));
    let (cluster, epoch) = {
        let cloud = cloud.borrow();
        let settings = cloud.settings();
        let own = &settings.clusters[0];
        let (tier, region) = (settings.tier, settings.region.clone());
        (Cluster { id: own.id, name: own.label.clone(), tier, region }, settings.epoch)
    };
    let settings =
        ProviderSettings { gc_every_at_start: BETWEEN_PASSES, gc_passes_at_start: u32::MAX, ..design.defaults };
    let context = Context::new(runtime.clone(), api, cluster, epoch, settings);
    (design.build)(Rc::new(context.with_luck(Seed(1), 1)))
}

/// A wire that takes hardly any time.
struct Short {
    runtime: Runtime,
    cloud: Rc<RefCell<Cloud>>,
    log: Log,
    calls: Cell<u64>,
}

impl Wire for Short {
    fn send(&self, call: Rc<Call>) -> Answering {
        self.calls.set(self.calls.get() + 1);
        let number = self.calls.get();
        let (answerer, answering) = answering(number, None);
        let (runtime, cloud, log) = (self.runtime.clone(), self.cloud.clone(), self.log.clone());
        self.runtime.spawn("api", async move {
            runtime.sleep(LEG).await;
            let handled = cloud.borrow_mut().handle(runtime.now(), TokenId(0), number, &call);
            let handled = handled.unwrap_or_else(|error| panic!("{error}"));
            let status = match &handled.answer.result {
                _ if handled.lost => 0,
                // What can't be read was accepted.
                Ok(_) | Err(CallError::Unreadable(_)) => 200,
                Err(error) => error.status().unwrap_or(0),
            };
            log.borrow_mut().push(told(&call, status));
            // A lost answer keeps its caller waiting until that one gives up.
            if !handled.lost {
                runtime.sleep(LEG + handled.extra_delay).await;
                answerer.put(handled.answer);
            }
        });
        answering
    }
}

/// The call as HTTP carries it.
fn told(call: &Call, status: u16) -> HttpCall {
    let HttpRequest { method, path, query, x_filter, body } = HttpRequest::of(&call.request);
    let body = body.map(|text| serde_json::from_str(&text).unwrap_or(Value::String(text)));
    HttpCall { method: method.name().to_owned(), path, query, x_filter, body, status }
}

impl Target {
    /// The providerID that it means; none where it names nothing.
    pub(super) fn provider_id(&self) -> Option<ProviderId> {
        let by_text = self.provider_id.as_deref().filter(|text| !text.is_empty()).map(ProviderId::new);
        self.id.map(ProviderId::linode).or(by_text)
    }
}

impl Claim {
    /// The object that it means.
    pub(super) fn node_claim(&self) -> NodeClaim {
        let types: &[String] = if self.types.is_empty() { &["g6-standard-2".to_owned()] } else { &self.types };
        let spec = NodeClaimSpec {
            requirements: vec![Requirement::any_of(labels::INSTANCE_TYPE, types.iter().map(String::as_str))],
            node_class_ref: Some(NodeClassRef::linode(self.node_class.as_deref().unwrap_or("default"))),
            taints: self.taints.iter().map(TaintOfCase::taint).collect(),
            startup_taints: self.startup_taints.iter().map(TaintOfCase::taint).collect(),
            ..NodeClaimSpec::default()
        };
        let mut claim = NodeClaim::new(&*self.claim, spec);
        claim.metadata.labels.insert(labels::NODE_POOL, self.node_pool.as_deref().unwrap_or("default"));
        for (key, value) in &self.labels {
            claim.metadata.labels.insert(&**key, &**value);
        }
        let target = Target { id: self.id, provider_id: self.provider_id.clone() };
        claim.status.provider_id = target.provider_id();
        claim.status.node_name = self.node.as_deref().map(Rc::from);
        claim
    }
}

impl TaintOfCase {
    fn taint(&self) -> Taint {
        let effect = match &*self.effect {
            "PreferNoSchedule" => TaintEffect::PreferNoSchedule,
            "NoExecute" => TaintEffect::NoExecute,
            _ => TaintEffect::NoSchedule,
        };
        Taint { key: (&*self.key).into(), value: self.value.as_deref().map(Rc::from), effect }
    }
}
