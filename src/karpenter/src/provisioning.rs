//! From pending pods to NodeClaims: what triggers a pass, how triggers are batched, and the pass itself.
//!
//! Core v1.9.0 `pkg/controllers/provisioning`. Whoever keeps pods is a [`Pods`], such as [`InformerPods`], and adds the key
//! of a pod that changed to [`Provisioning::pods`]. Left out: static NodePools, and the annotations with a NodePool's
//! hash.

mod batcher;
mod informer_pods;
mod instance_types;
mod provisioner;
pub(crate) mod snapshot;
mod trigger;
pub(crate) mod unready;
mod validation;

pub use batcher::Batcher;
pub use informer_pods::InformerPods;
pub use provisioner::Provisioner;
pub use validation::{Ignored, validate};

use crate::Context;
use lkesim_kube::controller::{Controller, Queue, RateLimit};
use lkesim_kube::object::{Pod, StringMap, Uid};
use lkesim_runtime::Seed;
use lkesim_scheduling::volumes::{PodVolumes, VolumeError};
use lkesim_scheduling::{ClusterFacts, DaemonSetPod, Options, Results};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

/// Who keeps the pods of the cluster, as one process sees them.
pub trait Pods {
    /// The pod of this key.
    fn get(&self, key: &str) -> Option<Rc<Pod>>;

    /// Pods without a node, in an order that is the same in each run.
    fn pending(&self) -> Vec<Rc<Pod>>;

    /// Pods that are bound to a node and have not ended.
    fn on_node(&self, node: &str) -> Vec<Rc<Pod>>;

    /// What else a pass looks at.
    fn facts(&self) -> Facts {
        Facts::default()
    }
}

/// Hears what passes say; upstream these are events of the pods, and a log.
pub trait Recorder {
    /// What a pass says of a pod.
    fn verdict(&self, pod: &Rc<Pod>, verdict: Verdict<'_>);

    /// A pass leaves a NodePool out.
    fn left_out(&self, _node_pool: &Rc<str>, _why: &str) {}

    /// A pass has decided. What it decided is done after this.
    fn passed(&self, _pass: &Passed<'_>) {}

    /// Whether passes are to tell how each pod was tried, which takes much longer.
    fn wants_steps(&self) -> bool {
        false
    }
}

/// A pass that has decided.
#[derive(Clone, Copy, Debug)]
pub struct Passed<'a> {
    /// How many pods it looked at.
    pub pods: usize,
    /// What it decided.
    pub results: &'a Results,
}

/// What provisioning is started with, besides a process and its caches.
pub struct Start {
    /// How it is set.
    pub settings: ProvisioningSettings,
    /// What pods refer to and no store keeps.
    pub facts: Rc<ClusterFacts>,
    /// Who hears what passes say.
    pub recorder: Rc<dyn Recorder>,
    /// The luck of generated names. It must differ between processes, or a second one would draw the first one's names.
    pub names: Seed,
}

/// What a pass looks at besides pods and nodes.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// What DaemonSets run.
    pub daemon_set_pods: Vec<DaemonSetPod>,
    /// What volumes ask for.
    pub volumes: BTreeMap<Uid, PodVolumes>,
    /// Pods whose volumes can't be placed, and why.
    pub volume_errors: BTreeMap<Uid, VolumeError>,
    /// Labels of namespaces.
    pub namespaces: BTreeMap<Rc<str>, StringMap>,
}

/// What a pass says of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict<'a> {
    /// `Nominated`: `Pod should schedule on: node/…`, or `nodeclaim/…`.
    Nominated(&'a str),
    /// `FailedScheduling`.
    Failed(&'a str),
}

/// How provisioning is set. The defaults are those of v1.9.0.
#[derive(Clone, Debug)]
pub struct ProvisioningSettings {
    /// A batch ends after this time without a pod that it has not seen (`BATCH_IDLE_DURATION`).
    pub batch_idle_duration: Duration,
    /// A batch ends after this time in any case (`BATCH_MAX_DURATION`).
    pub batch_max_duration: Duration,
    /// How the scheduling simulation is set.
    pub scheduling: Options,
    /// The domains of whose labels only the well-known ones may be asked for: Karpenter's, and its provider's.
    pub restricted_domains: Vec<&'static str>,
    /// Whether pods are batched. Without it, a counterfactual, each trigger is a pass of its own that sees that pod alone
    /// and does not ask whether all NodeClaims have machines.
    pub batching: bool,
    /// Whether a pass nominates the nodes that it places pods on. Without it, a counterfactual, disruption may take them.
    pub nomination: bool,
    /// How long deciding takes. 0 by default; [`ComputeCost::MEASURED`] is what the original takes.
    pub compute_cost: ComputeCost,
}

impl ComputeCost {
    /// What core v1.9.0 takes on one core for 20,000 pods and 400 instance types, a third of the pods each plain, spread over
    /// zones and spread over host names (measured; `cargo bench -p lkesim-scheduler-tests` with its driver). Plain pods
    /// alone take a fifth of it; 1.5 to 10 ms are reported.
    pub const MEASURED: ComputeCost = ComputeCost { per_pass: Duration::ZERO, per_pod: Duration::from_micros(2_200) };
}

/// The time that deciding takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ComputeCost {
    /// Each pass.
    pub per_pass: Duration,
    /// Each pod of it.
    pub per_pod: Duration,
}

impl Default for ProvisioningSettings {
    fn default() -> ProvisioningSettings {
        ProvisioningSettings {
            batch_idle_duration: Duration::from_secs(1),
            batch_max_duration: Duration::from_secs(10),
            scheduling: Options::default(),
            restricted_domains: vec!["karpenter.sh"],
            batching: true,
            nomination: true,
            compute_cost: ComputeCost::default(),
        }
    }
}

/// The controllers of provisioning.
pub struct Provisioning {
    /// The queue of `provisioner.trigger.pod`: add the key of each pod that changed.
    pub pods: Queue,
    /// The queue of `provisioner.trigger.node`.
    pub nodes: Queue,
    /// The pass.
    pub provisioner: Rc<Provisioner>,
}

impl Provisioning {
    /// Starts provisioning beside the controllers of an [`crate::Operator`], in the same poll.
    pub fn start(
        context: &Context,
        pods: Rc<dyn Pods>,
        recorder: Rc<dyn Recorder>,
        settings: ProvisioningSettings,
        seed: Seed,
    ) -> Provisioning {
        let provisioner = Rc::new(Provisioner::new(context, pods.clone(), recorder, settings, seed));
        let synced = || {
            let informers = context.informers.clone();
            async move { informers.synced().await }
        };
        let concurrency = super::operator::concurrency(context.settings.controller_cpus, 10, 1_000) as usize;
        let triggers = |name, reconcile| Controller { name, concurrency, limiter: RateLimit::DEFAULT, reconcile };
        let by_pod = trigger::ByPod { pods, provisioner: provisioner.clone() };
        let by_node = trigger::ByNode { nodes: context.informers.nodes.clone(), provisioner: provisioner.clone() };
        let started = Provisioning {
            pods: triggers(trigger::POD, Rc::new(by_pod)).start(&context.runtime, synced()),
            nodes: triggers(trigger::NODE, Rc::new(by_node)).start(&context.runtime, synced()),
            provisioner: provisioner.clone(),
        };
        let queue = started.nodes.clone();
        context.informers.nodes.on_change(move |change| {
            if let Some(node) = &change.after {
                queue.add(node.name().clone());
            }
        });
        let singleton = Controller {
            name: provisioner::NAME,
            concurrency: 1,
            limiter: RateLimit::DEFAULT,
            reconcile: Rc::new(provisioner::Passes(provisioner)),
        };
        singleton.start_singleton(&context.runtime, synced());
        started
    }
}

#[cfg(test)]
mod tests;
