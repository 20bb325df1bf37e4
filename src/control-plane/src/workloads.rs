//! The controllers of what makes pods: Deployments and ReplicaSets, Jobs, StatefulSets, DaemonSets.
//!
//! Each is woken by its own objects and by their pods, and acts on a key only once it has seen all pods that it made and
//! deleted (Kubernetes v1.33 `pkg/controller/controller_utils.go`, expectations).

mod daemon_set;
mod deletion_order;
mod expectations;
mod maker;
mod owners;
mod replica_set;
mod stateful_set;

use crate::view::{View, owner};
use crate::writers;
use lkesim_kube::controller::{Controller, Queue, RateLimit, Reconciler};
use lkesim_kube::object::{Pod, WorkloadKind};
use maker::Maker;
use std::rc::Rc;

/// Workers of each controller (`--concurrent-…-syncs`).
const WORKERS: usize = 5;
/// Workers of the controller of DaemonSets.
const DAEMON_SET_WORKERS: usize = 2;

/// Starts them all.
pub fn start(view: &Rc<View>) {
    use WorkloadKind::{DaemonSet, Deployment, Job, ReplicaSet, StatefulSet};
    let maker = |name| Rc::new(Maker::new(view, name));
    let replicas = maker(writers::REPLICA_SET);
    run(view, &replicas, &[Deployment, ReplicaSet], WORKERS, Rc::new(replica_set::ReplicaSets(replicas.clone())));
    let jobs = maker(writers::JOB);
    run(view, &jobs, &[Job], WORKERS, Rc::new(replica_set::ReplicaSets(jobs.clone())));
    let stateful = maker(writers::STATEFUL_SET);
    run(view, &stateful, &[StatefulSet], WORKERS, Rc::new(stateful_set::StatefulSets(stateful.clone())));
    let daemons = maker(writers::DAEMON_SET);
    let reconcile = Rc::new(daemon_set::DaemonSets(daemons.clone()));
    let queue = run(view, &daemons, &[DaemonSet], DAEMON_SET_WORKERS, reconcile);
    daemon_set::watch_nodes(view, queue);
    owners::start(view);
}

/// Starts a controller, woken by objects of these kinds and by their pods.
fn run(
    view: &Rc<View>,
    maker: &Rc<Maker>,
    kinds: &'static [WorkloadKind],
    concurrency: usize,
    reconcile: Rc<dyn Reconciler>,
) -> Queue {
    let controller = Controller { name: maker.name(), concurrency, limiter: RateLimit::DEFAULT, reconcile };
    let caches = view.clone();
    let queue = controller.start(&view.runtime, async move { caches.synced().await });
    let (of_workloads, weak) = (queue.clone(), Rc::downgrade(maker));
    view.workloads.on_change(move |change| {
        let workload = change.latest();
        if let (None, Some(maker)) = (&change.after, weak.upgrade()) {
            maker.forget(workload.metadata.uid);
        }
        if kinds.contains(&workload.kind) {
            of_workloads.add(workload.name().clone());
        }
    });
    let (of_pods, weak) = (queue.clone(), Rc::downgrade(maker));
    view.pods.on_change(move |change| {
        let (Some(maker), pod) = (weak.upgrade(), change.latest()) else { return };
        if let Some(name) = workload_of(pod)
            && kinds.iter().any(|kind| name.starts_with(kind.name()))
        {
            maker.expectations.saw(change);
            of_pods.add(name.clone());
        }
    });
    queue
}

/// The name in the store of the workload that made a pod.
fn workload_of(pod: &Pod) -> Option<&Rc<str>> {
    owner(pod)?;
    pod.metadata.owner_references.first().map(|owner| &owner.name)
}
