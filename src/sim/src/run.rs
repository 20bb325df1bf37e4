//! One run, on the kernel or on another driver.

use crate::carrier::Carrier;
use crate::cluster::Cluster;
use crate::judgement::{End, Follower, Judgement, Recorded, Sink};
use crate::order::Order;
use crate::plan::{ClusterPlan, Plan};
use crate::world::World;
use crate::{
    acts, bridge, by_hand, chaos, clients, cluster_events, pods, process, provider_settings, start, unmodelled,
    workload,
};
use fake_linode::Cloud;
use lkesim_judge::figures::Lasted;
use lkesim_judge::outcome::{ClusterRun, Outcome};
use lkesim_judge::trace::Header;
use lkesim_kernel::{Deviations, Kernel, KernelError};
use lkesim_kube::client::Client;
use lkesim_kube::kubelet::Kubelet;
use lkesim_lke::{Care, Design};
use lkesim_runtime::{Runtime, Seed, TaskName, Time};
use std::cell::RefCell;
use std::io;
use std::rc::Rc;

/// What to run.
#[derive(Clone)]
pub struct Request {
    /// The scenario, turned into settings.
    pub plan: Rc<Plan>,
    /// The scenario's name, for the outcome.
    pub name: String,
    /// The design.
    pub design: &'static Design,
    /// The seed of all luck.
    pub seed: Seed,
    /// The order of ready tasks.
    pub order: Order,
    /// Whether seed and settings are those that the scenario's expectations were written for.
    pub as_written: bool,
}

/// A run that came to its end.
pub struct Ran {
    /// What came of it.
    pub outcome: Outcome,
    /// How long things took, one by one.
    pub lasted: Lasted,
    /// The trace, where one was asked for.
    pub recorded: Recorded,
    /// Every departure from first-in-first-out. With the request, they repeat the run.
    pub deviations: Deviations,
    /// Deviations of a replay that matched nothing.
    pub unmatched: Vec<String>,
}

/// Why a run has no outcome.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The code under test asked for something that the fake has no model of.
    #[error("not modelled: {0}")]
    NotModelled(String),
    /// A task panicked or never rested: a bug of the simulator or of a design.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The trace could not be begun.
    #[error("the trace could not be written: {0}")]
    Trace(#[from] io::Error),
}

/// Runs one request after the other in the same memory.
#[derive(Default)]
pub struct Simulator {
    kernel: Kernel,
}

impl Simulator {
    /// A simulator for this thread.
    pub fn new() -> Simulator {
        Simulator::default()
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// Where the run can't go on, see [`RunError`]. A trace that can't be written to its end is no error of the run.
    pub fn run(&mut self, request: &Request, trace: Option<(Sink, Header)>) -> Result<Ran, RunError> {
        self.run_followed(request, trace, None)
    }

    /// Runs to the end, and tells `follower`, if there is one, each event once it was judged.
    ///
    /// # Errors
    /// As [`Simulator::run`].
    pub fn run_followed(
        &mut self,
        request: &Request,
        trace: Option<(Sink, Header)>,
        follower: Option<Follower>,
    ) -> Result<Ran, RunError> {
        let ran = self.play(request, trace, follower)?;
        Ok(Ran { deviations: self.deviations(), ..ran })
    }

    /// Runs to the end, and tells `follower` each event once it was judged. The deviations, of which a run may have
    /// thousands, are left to be asked for.
    ///
    /// # Errors
    /// As [`Simulator::run`].
    pub fn follow(&mut self, request: &Request, follower: Follower) -> Result<Ran, RunError> {
        self.play(request, None, Some(follower))
    }

    /// The departures from first-in-first-out of the last run, as far as it went.
    pub fn deviations(&self) -> Deviations {
        self.kernel.deviations()
    }

    fn play(
        &mut self,
        request: &Request,
        trace: Option<(Sink, Header)>,
        follower: Option<Follower>,
    ) -> Result<Ran, RunError> {
        self.kernel.reset(request.order.schedule());
        let is_traced = trace.is_some();
        let world = assemble(self.kernel.runtime(), request, trace, follower)?;
        let (handle, playing) = (self.kernel.handle(), world.clone());
        world.runtime.spawn("acts", async move {
            acts::play(playing).await;
            handle.stop();
        });
        self.kernel.run_until(Time::MAX)?;
        let deviations = if is_traced { self.kernel.deviations().lines() } else { Vec::new() };
        let ended = Ended { steps: self.kernel.polls(), hash: self.kernel.hash(), deviations };
        let unmatched = self.kernel.unmatched().iter().map(ToString::to_string).collect();
        let (outcome, lasted, recorded) = conclude(&world, request, ended)?;
        Ok(Ran { outcome, lasted, recorded, deviations: Deviations::default(), unmatched })
    }
}

/// Runs on the driver of `runtime`, whichever it is, to the end. The digest covers no schedule.
///
/// # Errors
/// As [`Simulator::run`].
pub async fn run_on(runtime: Runtime, request: &Request) -> Result<Outcome, RunError> {
    run_over(runtime, request, |_| None).await
}

/// The same, where calls reach the cloud by what `connect` makes of it, if it makes something.
///
/// # Errors
/// As [`Simulator::run`].
pub async fn run_over(
    runtime: Runtime,
    request: &Request,
    connect: impl FnOnce(&Rc<RefCell<Cloud>>) -> Option<Rc<dyn Carrier>>,
) -> Result<Outcome, RunError> {
    let world = assemble(runtime, request, None, None)?;
    if let Some(carrier) = connect(&world.cloud) {
        // It is connected once, before any task has run.
        let _ = world.carrier.set(carrier);
    }
    acts::play(world.clone()).await;
    conclude(&world, request, Ended::default()).map(|(outcome, ..)| outcome)
}

fn assemble(
    runtime: Runtime,
    request: &Request,
    trace: Option<(Sink, Header)>,
    follower: Option<Follower>,
) -> Result<Rc<World>, RunError> {
    let plan = &request.plan;
    unmodelled::refuse(&plan.scenario)?;
    let designs = plan.designs(request.design)?;
    designs.iter().try_for_each(|design| provider_settings::check(&plan.scenario.provider, design))?;
    let mut judgement = Judgement::new(plan, &designs, trace)?;
    judgement.follower = follower;
    let world = World::new(runtime, plan.clone(), request.seed, judgement);
    for cluster in &world.clusters {
        cluster.store.observe(Rc::new(cluster_events::ClusterEvents::new(&world, cluster)));
        let calls = plan.resolved.kubernetes.call.clone();
        let client = Client::new(world.runtime.clone(), cluster.store.clone(), cluster.seed, calls);
        // A cluster is given its nodes, and its client, once.
        let _ = cluster.nodes.set(bridge::Nodes::new(cluster.seed, Kubelet::new(world.runtime.clone(), &client)));
        let _ = cluster.client.set(client);
    }
    for (cluster, design) in world.clusters.iter().zip(&designs) {
        world.cloud.borrow_mut().offer(cluster.id, design.facts.wished);
    }
    bridge::tell_changes(&world);
    world.clusters.iter().for_each(|cluster| workload::prepare(&world, cluster));
    start::place(&world, &designs);
    if plan.has_pods {
        world
            .clusters
            .iter()
            .zip(&designs)
            .for_each(|(cluster, design)| start_pods(&world, cluster, design.node_classes));
    }
    world.runtime.spawn("cloud", bridge::run(world.clone()));
    for (cluster, design) in world.clusters.iter().zip(designs) {
        let crew = process::Crew::new(&world, cluster, design);
        crew.start();
        let place = cluster.place;
        world.runtime.spawn(of_cluster("workload.create", plan, place), workload::create(world.clone(), place));
        world.runtime.spawn(of_cluster("workload.delete", plan, place), workload::delete(world.clone(), place));
        chaos::start(&crew);
    }
    clients::start(&world);
    if !plan.scenario.by_hand.is_empty() {
        world.runtime.spawn("by_hand", by_hand::play(world.clone()));
    }
    Ok(world)
}

/// Places a cluster's objects, and starts what serves its pods and what happens to them.
fn start_pods(world: &Rc<World>, cluster: &Cluster, care: Care) {
    let (Some(nodes), Some(client)) = (cluster.nodes.get(), cluster.client.get()) else {
        return;
    };
    nodes.place_unmanaged(world, cluster.id);
    pods::place(world, cluster, nodes.kubelet(), care.checks);
    workload::prepare_for_pods(world, cluster);
    pods::start(world, cluster, client, nodes.kubelet());
    let steps = pods::play(world.clone(), cluster.place, care);
    world.runtime.spawn(of_cluster("workload.pods", &world.plan, cluster.place), steps);
}

/// The name of a cluster's task; the first cluster's has none beside the task's own.
fn of_cluster(task: &'static str, plan: &Plan, place: usize) -> TaskName {
    match place {
        0 => TaskName::from(task),
        _ => TaskName::on(task, (&*plan.clusters[place].label).into()),
    }
}

/// What a kernel tells of a run that ended; nothing where none ran.
#[derive(Default)]
struct Ended {
    steps: u64,
    hash: u64,
    deviations: Vec<String>,
}

fn cluster_runs(request: &Request) -> Result<Vec<ClusterRun>, RunError> {
    if !request.plan.has_several_clusters() {
        return Ok(Vec::new());
    }
    let designs = request.plan.designs(request.design)?;
    let named = request.plan.clusters.iter().zip(designs);
    let run = |(cluster, design): (&ClusterPlan, &Design)| ClusterRun {
        name: cluster.label.to_string(),
        design: design.facts.name.to_owned(),
    };
    Ok(named.map(run).collect())
}

fn conclude(world: &Rc<World>, request: &Request, ended: Ended) -> Result<(Outcome, Lasted, Recorded), RunError> {
    let at = world.runtime.now();
    let judgement = world.close();
    if let Some(what) = world.not_modelled() {
        return Err(RunError::NotModelled(what));
    }
    for fault in world.cloud.borrow().idle_faults() {
        world.warn(fault.to_string(), "no call met it".to_owned());
    }
    let Ended { steps, hash, deviations } = ended;
    let end = End {
        warnings: world.warnings(),
        clusters: cluster_runs(request)?,
        name: &request.name,
        as_written: request.as_written,
        at,
        steps,
        hash,
        deviations,
    };
    Ok(judgement.finish(&request.plan, request.design, request.seed, end))
}
