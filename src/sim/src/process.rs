//! Karpenter's process: booted, started, and started again where its boot fails.

use crate::link::SimLink;
use crate::observed::Observed;
use crate::provider_settings::provider_settings;
use crate::world::World;
use fake_linode::settings::ClusterSettings;
use lkesim_judge::event::What;
use lkesim_karpenter::Settings;
use lkesim_karpenter::operator::Operator;
use lkesim_kube::client::Client;
use lkesim_kube::informer::{Informers, WatchLag};
use lkesim_linode_api::retry::RetryPolicy;
use lkesim_linode_api::{ApiClient, Wire};
use lkesim_lke::{Cluster, Context, Design, Kube, Provider};
use lkesim_runtime::Runtime;
use std::rc::Rc;
use std::time::Duration;

/// How long a dead process stays dead.
const RESTART: Duration = Duration::from_secs(20);

/// Keeps one process running, for ever.
pub(crate) async fn supervise(world: Rc<World>, design: &'static Design) {
    let wire: Rc<dyn Wire> = Rc::new(SimLink::new(world.clone()));
    let cluster = world.plan.cluster().id;
    for start in 1.. {
        let (runtime, process) = world.runtime.process(design.facts.name);
        world.record(What::ProcessStarted { cluster, start });
        let provider = build(&world, design, &runtime, &wire, start);
        let observed = Rc::new(Observed::new(world.clone(), provider.nodes()));
        match observed.boot(&*provider).await {
            Ok(()) => return run(&world, start, &runtime, &*provider, observed),
            Err(error) => tracing::error!(%error, "the operator's boot failed"),
        }
        process.stop();
        world.record(What::ProcessStopped { cluster });
        world.runtime.sleep(RESTART).await;
    }
}

fn build(world: &Rc<World>, design: &Design, runtime: &Runtime, wire: &Rc<dyn Wire>, start: u32) -> Rc<dyn Provider> {
    let plan = &world.plan;
    let retry = RetryPolicy { request_timeout: plan.request_timeout, ..design.facts.sdk.policy() };
    let api = ApiClient::new(runtime.clone(), wire.clone(), retry, world.seed.key("api.retry"));
    let ClusterSettings { id, label, .. } = plan.cluster();
    let cluster = Cluster { id: *id, name: label.clone(), tier: plan.cloud.tier, region: plan.cloud.region.clone() };
    let settings = provider_settings(&plan.scenario.provider, design);
    let context = Context::new(runtime.clone(), api, cluster, plan.cloud.epoch, settings);
    let context = context.with_node_cpus(plan.scenario.karpenter.node_cpus).with_luck(world.seed, start.into());
    (design.build)(Rc::new(context.with_memory(plan.memory.clone())))
}

/// Starts the caches and, in the same poll, all controllers: they hear of nothing that reached the caches before.
fn run(world: &Rc<World>, start: u32, runtime: &Runtime, provider: &dyn Provider, observed: Rc<Observed>) {
    let delays = &world.plan.resolved.kubernetes;
    let client = Client::new(runtime.clone(), world.store.clone(), world.seed, delays.call.clone());
    let lag = WatchLag::new(world.seed, start.into(), delays.watch.clone());
    let informers = Informers::start(runtime, &client, &lag);
    provider.start(&Kube { client: client.clone(), informers: informers.clone() }, observed.clone());
    Operator::start(runtime, &client, &informers, observed, Rc::new(core_settings(world)));
}

fn core_settings(world: &World) -> Settings {
    let set = &world.plan.scenario.karpenter;
    Settings {
        controller_cpus: set.controller_cpus,
        launch_timeout: set.launch_timeout.get(),
        registration_timeout: set.registration_timeout.get(),
        ..Settings::default()
    }
}
