//! Pods in the world: the objects that a scenario begins with, what happens to them, the control plane that serves them,
//! and what the judge is told of them.
//!
//! The control plane runs outside of Karpenter's processes and goes on when those die; provisioning belongs to them.

mod changes;
mod objects;
mod recorder;
mod startup_taints;
mod steps;
#[cfg(test)]
mod tests;

pub(crate) use changes::PodChanges;
pub(crate) use objects::place;
pub(crate) use recorder::PassEvents;
pub(crate) use startup_taints::StartupTaints;
pub(crate) use steps::play;

use crate::cluster::Cluster;
use crate::plan::Plan;
use crate::world::World;
use lkesim_control_plane::{ControlPlane, Facts, Settings};
use lkesim_karpenter::provisioning::{ComputeCost, ProvisioningSettings, Start};
use lkesim_kube::client::Client;
use lkesim_kube::kubelet::Kubelet;
use lkesim_kube::object::labels;
use lkesim_lke::plan_labels;
use lkesim_runtime::{Entity, Seed};
use lkesim_scenario::Scenario;
use lkesim_scenario::manifest::{Objects, PodStep};
use lkesim_scheduling::{ClusterFacts, Options, WellKnownLabels};
use std::rc::Rc;

/// The pods of one cluster, as far as they do not depend on the seed.
pub(crate) struct PodsPlan {
    /// What is there when the run begins.
    pub objects: Objects,
    /// What happens, by time.
    pub steps: Rc<[PodStep]>,
    /// Claims of volumes, and namespaces.
    pub facts: Rc<ClusterFacts>,
}

impl PodsPlan {
    /// That of the cluster at this place.
    pub fn of(scenario: &lkesim_scenario::Scenario, place: usize) -> PodsPlan {
        let objects = scenario.objects(place);
        let facts = Rc::new(objects.facts.clone());
        PodsPlan { steps: scenario.pod_steps(place).into(), facts, objects }
    }
}

/// Starts the scheduler, the controllers of pods and the kubelets of a cluster.
pub(crate) fn start(world: &World, cluster: &Cluster, client: &Client, kubelet: &Kubelet) -> ControlPlane {
    let delays = &world.plan.resolved.kubernetes;
    let settings = Settings {
        watch: delays.watch.clone(),
        bind: delays.binding.clone(),
        start: delays.pod_start.clone(),
        ..Settings::default()
    };
    let facts = Facts {
        cluster: world.plan.clusters[cluster.place].pods.facts.clone(),
        machines: Some(kubelet.clone()),
        ..Facts::default()
    };
    ControlPlane::start(&world.runtime, client, cluster.seed, Rc::new(settings), Rc::new(facts))
}

/// What a process of Karpenter starts provisioning with.
pub(crate) fn provisioning(world: &Rc<World>, cluster: &Cluster, process: u32) -> Start {
    Start {
        settings: provisioning_settings(&world.plan),
        facts: world.plan.clusters[cluster.place].pods.facts.clone(),
        recorder: Rc::new(PassEvents::new(world, cluster, process)),
        names: Seed(cluster.seed.key("karpenter.names").draw(Entity::numbered(process.into()), 0).0),
    }
}

fn provisioning_settings(plan: &Plan) -> ProvisioningSettings {
    let (scenario, set) = (&plan.scenario, &plan.scenario.karpenter);
    ProvisioningSettings {
        batch_idle_duration: scenario.batch_idle_duration().get(),
        batch_max_duration: scenario.batch_max_duration().get(),
        batching: set.batching.is_on(),
        nomination: set.nomination.is_on(),
        compute_cost: ComputeCost {
            per_pass: set.compute_cost.per_pass.get(),
            per_pod: set.compute_cost.per_pod.get(),
        },
        restricted_domains: restricted_domains(scenario),
        scheduling: Options { well_known_labels: well_known_labels(scenario), ..Options::default() },
    }
}

/// Karpenter's own domain and the provider's (provider e1c5200 `pkg/apis/v1alpha1/labels.go`).
fn restricted_domains(scenario: &Scenario) -> Vec<&'static str> {
    match scenario.catalogue.is_empty() {
        true => vec!["karpenter.k8s.linode", "karpenter.sh"],
        false => vec!["karpenter.sh"],
    }
}

/// Karpenter's own and the provider's. With a catalogue of the scenario's own those that core has, and the label of
/// reservations, as a provider with zones and reservations has it (aws/karpenter-provider-aws `pkg/apis/v1/labels.go`).
fn well_known_labels(scenario: &Scenario) -> WellKnownLabels {
    match scenario.catalogue.is_empty() {
        true => WellKnownLabels::default().with(plan_labels::WELL_KNOWN).without(plan_labels::NOT_KNOWN),
        false => WellKnownLabels::default().with([labels::RESERVATION_ID]),
    }
}
