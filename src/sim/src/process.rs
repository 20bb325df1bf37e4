//! Karpenter's processes: booted, led by one, started again where they die or their boot fails.
//!
//! Each replica is a task that keeps one process. All boot, as the operator asks its questions before leader election;
//! the leader alone has controllers.

use crate::clock::{Clock, Offset};
use crate::cluster::Cluster;
use crate::gate::Gate;
use crate::lease::Lease;
use crate::link::{ProcessLink, SimLink};
use crate::observed::Observed;
use crate::plan::ClusterPlan;
use crate::pods;
use crate::provider_settings::provider_settings;
use crate::world::World;
use lkesim_judge::event::{Turn, What};
use lkesim_karpenter::Settings;
use lkesim_karpenter::operator::Operator;
use lkesim_kube::client::Client;
use lkesim_kube::informer::{Informers, WatchLag};
use lkesim_linode_api::retry::RetryPolicy;
use lkesim_linode_api::{ApiClient, ClusterId, Endpoint, Wire};
use lkesim_lke::{Context, Design, Kube, Provider};
use lkesim_runtime::{Process, Runtime, TaskName};
use lkesim_scenario::Chaos;
use lkesim_scenario::chaos::Crash;
use lkesim_scenario::karpenter::Disruption;
use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use tokio::sync::Notify;

/// A process of Karpenter.
pub(crate) struct Running {
    cluster: ClusterId,
    /// Which of its cluster's processes it is, from 1.
    pub start: u32,
    process: Process,
    pub gate: Rc<Gate>,
    pub clock: Rc<Clock>,
    is_over: Cell<bool>,
    over: Notify,
}

impl Running {
    /// Ends the process where it stands. Again is no error.
    pub fn end(&self, world: &World) {
        if !self.is_over.replace(true) {
            // Who waits behind a closed gate is dropped with the rest.
            self.process.stop();
            world.record(What::ProcessStopped { cluster: self.cluster, start: self.start });
            self.over.notify_one();
        }
    }

    /// Tells what befell the process.
    pub fn turned(&self, world: &World, turn: Turn) {
        if !self.is_over() {
            world.record(What::ProcessTurned { cluster: self.cluster, start: self.start, turn });
        }
    }

    pub fn is_over(&self) -> bool {
        self.is_over.get()
    }

    async fn over(&self) {
        while !self.is_over() {
            self.over.notified().await;
        }
    }
}

/// The processes of one cluster, of which one leads.
pub(crate) struct Crew {
    pub world: Rc<World>,
    /// The cluster's place.
    pub place: usize,
    pub lease: Lease,
    design: &'static Design,
    link: Rc<SimLink>,
    client: Client,
    starts: Cell<u32>,
    leader: RefCell<Option<Rc<Running>>>,
    alive: RefCell<Vec<Rc<Running>>>,
    /// Rings when another process begins to lead.
    pub took_over: Notify,
}

impl Crew {
    pub fn new(world: &Rc<World>, cluster: &Cluster, design: &'static Design) -> Rc<Crew> {
        let plan = &world.plan;
        let set = &plan.scenario.karpenter.lease;
        let calls = plan.resolved.kubernetes.call.clone();
        Rc::new(Crew {
            place: cluster.place,
            lease: Lease::new(set.duration.get(), set.retry.get(), cluster.seed.key("karpenter.lease")),
            design,
            link: Rc::new(SimLink::new(world.clone(), plan.token_of(cluster.place), cluster.seed)),
            client: Client::new(world.runtime.clone(), cluster.store.clone(), cluster.seed, calls),
            starts: Cell::new(0),
            leader: RefCell::default(),
            alive: RefCell::default(),
            took_over: Notify::new(),
            world: world.clone(),
        })
    }

    /// Starts as many processes as there are replicas.
    pub fn start(self: &Rc<Crew>) {
        let replicas = self.world.plan.scenario.replicas();
        for replica in 0..replicas {
            let name = match (self.place, replica) {
                (0, 0) => TaskName::from("operator"),
                (0, _) => TaskName::on("operator", replica.to_string().into()),
                _ => TaskName::on("operator", format!("{}-{replica}", self.label()).into()),
            };
            self.world.runtime.spawn(name, replica_of(self.clone()));
        }
    }

    fn cluster(&self) -> &Cluster {
        &self.world.clusters[self.place]
    }

    fn label(&self) -> &str {
        &self.world.plan.clusters[self.place].label
    }

    /// The process that leads, if one does.
    pub fn leader(&self) -> Option<Rc<Running>> {
        self.leader.borrow().clone().filter(|running| !running.is_over())
    }

    /// Sets the clock of a machine, which the process that runs there hears of.
    pub fn set_clock(&self, clock: &Rc<Clock>, offset: Offset) {
        if clock.set(offset) {
            let there = self.alive.borrow().iter().find(|one| Rc::ptr_eq(&one.clock, clock) && !one.is_over()).cloned();
            there.iter().for_each(|running| running.turned(&self.world, clock.turn()));
        }
    }

    /// A process dies without a word: the lease runs out by itself.
    pub fn crash(&self, running: &Running) {
        self.lease.abandon(self.world.runtime.now(), running.start);
        running.end(&self.world);
    }

    /// The cloud accepted a call of this process, whose answer is still on its way.
    pub fn accepted(&self, running: &Running, endpoint: Endpoint) {
        let world = &self.world;
        if world.runtime.now() >= world.plan.calm_from() {
            return;
        }
        for (count, chaos) in world.accepted.borrow_mut().iter_mut().zip(&world.plan.scenario.chaos) {
            if world.plan.place(chaos.cluster()) != Some(self.place) {
                continue;
            }
            let Chaos::Crash(Crash { after: Some(calls), nth, .. }) = chaos else {
                continue;
            };
            if calls.has(endpoint) {
                *count += 1;
                if count == nth {
                    self.crash(running);
                }
            }
        }
    }

    /// Starts a process on the machine with this clock.
    fn begin(&self, clock: &Rc<Clock>) -> (Runtime, Rc<Running>) {
        let world = &self.world;
        let cluster = self.cluster().id;
        let start = self.starts.get() + 1;
        self.starts.set(start);
        let gate = Rc::<Gate>::default();
        let mut outside = world.runtime.clone();
        if world.plan.scenario.chaos.iter().any(|chaos| matches!(chaos, Chaos::Pause(_))) {
            outside = gate.before(&outside);
        }
        if world.plan.scenario.chaos.iter().any(|chaos| matches!(chaos, Chaos::ClockStep(_))) {
            outside = clock.before(&outside);
        }
        let (runtime, process) = match self.place {
            0 => outside.process(self.design.facts.name),
            _ => outside.process(&format!("{}.{}", self.label(), self.design.facts.name)),
        };
        world.record(What::ProcessStarted { cluster, start });
        let (clock, is_over, over) = (clock.clone(), Cell::new(false), Notify::new());
        let running = Rc::new(Running { cluster, start, process, gate, clock, is_over, over });
        let mut alive = self.alive.borrow_mut();
        alive.retain(|running| !running.is_over());
        alive.push(running.clone());
        if running.clock.is_wrong() {
            running.turned(world, running.clock.turn());
        }
        (runtime, running)
    }
}

/// One replica: a process that boots, waits for the lease, leads, and starts anew when it died. For ever.
async fn replica_of(crew: Rc<Crew>) {
    let (world, clock) = (crew.world.clone(), Rc::<Clock>::default());
    loop {
        let (runtime, running) = crew.begin(&clock);
        // A dead process leaves nothing behind: what it was built of goes with this block.
        {
            let wire: Rc<dyn Wire> = Rc::new(ProcessLink::new(crew.clone(), running.clone(), crew.link.clone()));
            let provider = build(&crew, &runtime, &wire, running.start);
            let observed = Rc::new(Observed::new(world.clone(), crew.place, running.start, provider.nodes()));
            match first(observed.boot(&*provider), running.over()).await {
                Some(Ok(())) => lead(&crew, &running, &runtime, &*provider, observed).await,
                Some(Err(error)) => tracing::error!(%error, "the operator's boot failed"),
                None => {}
            }
        }
        running.end(&world);
        world.runtime.sleep(world.plan.scenario.karpenter.restart.get()).await;
    }
}

/// Waits for the lease, starts the controllers, and goes on until the process is over.
async fn lead(crew: &Crew, running: &Rc<Running>, runtime: &Runtime, provider: &dyn Provider, nodes: Rc<Observed>) {
    if first(crew.lease.take(&crew.world.runtime, running.start), running.over()).await.is_none() {
        return;
    }
    if crew.world.plan.scenario.replicas() > 1 {
        running.turned(&crew.world, Turn::Leads);
    }
    *crew.leader.borrow_mut() = Some(running.clone());
    crew.took_over.notify_waiters();
    run(crew, running, runtime, provider, nodes);
    running.over().await;
}

/// The result of `work`, unless `end` comes before it.
async fn first<T>(work: impl Future<Output = T>, end: impl Future<Output = ()>) -> Option<T> {
    let (mut work, mut end) = (pin!(work), pin!(end));
    poll_fn(|cx| match work.as_mut().poll(cx) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending => end.as_mut().poll(cx).map(|()| None),
    })
    .await
}

fn build(crew: &Crew, runtime: &Runtime, wire: &Rc<dyn Wire>, start: u32) -> Rc<dyn Provider> {
    let (plan, design, seed) = (&crew.world.plan, crew.design, crew.cluster().seed);
    let retry = RetryPolicy { request_timeout: plan.request_timeout, ..design.facts.sdk.policy() };
    let api = ApiClient::new(runtime.clone(), wire.clone(), retry, seed.key("api.retry"));
    let ClusterPlan { id, label, tier, region, .. } = &plan.clusters[crew.place];
    let cluster = lkesim_lke::Cluster { id: *id, name: label.clone(), tier: *tier, region: region.clone() };
    let settings = provider_settings(&plan.scenario.provider, design);
    let context = Context::new(runtime.clone(), api, cluster, plan.cloud.epoch, settings);
    let context = context.with_node_cpus(plan.scenario.karpenter.node_cpus).with_luck(seed, start.into());
    (design.build)(Rc::new(context.with_memory(plan.memory.clone())))
}

/// Starts the caches and, in the same poll, all controllers: they hear of nothing that reached the caches before.
fn run(crew: &Crew, running: &Rc<Running>, runtime: &Runtime, provider: &dyn Provider, observed: Rc<Observed>) {
    let (world, client) = (&crew.world, &crew.client);
    let lag = WatchLag::new(crew.cluster().seed, running.start.into(), world.plan.resolved.kubernetes.watch.clone());
    let settings = Rc::new(core_settings(world));
    let led = |informers: &Informers| {
        *crew.cluster().led.borrow_mut() = Some((running.clone(), informers.downgrade()));
    };
    if !world.plan.has_pods {
        let informers = Informers::start(runtime, client, &lag);
        led(&informers);
        provider.start(&Kube { client: client.clone(), informers: informers.clone() }, observed.clone());
        Operator::start(runtime, client, &informers, observed, settings);
        return;
    }
    let informers = Informers::start_with_pods(runtime, client, &lag);
    led(&informers);
    provider.start(&Kube { client: client.clone(), informers: informers.clone() }, observed.clone());
    let provisioning = pods::provisioning(world, crew.cluster(), running.start);
    Operator::start_with_pods(runtime, client, &informers, observed, settings, provisioning);
}

fn core_settings(world: &World) -> Settings {
    let set = &world.plan.scenario.karpenter;
    Settings {
        controller_cpus: set.controller_cpus,
        launch_timeout: set.launch_timeout.get(),
        registration_timeout: set.registration_timeout.get(),
        disruption: match set.disruption {
            Disruption::Off => lkesim_karpenter::Disruption::Off,
            Disruption::Emptiness => lkesim_karpenter::Disruption::Emptiness,
        },
        ..Settings::default()
    }
}
