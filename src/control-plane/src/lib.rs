//! What makes pods run in a cluster, besides the API server and Karpenter: kube-scheduler, the controllers that make and
//! delete pods, and the kubelets.
//!
//! [`ControlPlane::start`] starts them all. They see the store through caches that lag, write through the client, and know
//! nothing of Karpenter. The shape is that of Kubernetes v1.33; each part names the file that it follows.

mod calls;
mod facts;
mod kubelet;
mod node_affinity;
mod pod_collection;
mod scheduler;
mod settings;
mod taint_eviction;
mod view;
mod workloads;

#[cfg(test)]
mod tests;

pub use facts::Facts;
pub use settings::Settings;

use lkesim_kube::client::Client;
use lkesim_runtime::{Runtime, Seed};
use std::rc::Rc;
use view::View;

/// The writers' names, by which changes of pods are told apart.
pub mod writers {
    /// kube-scheduler: binds, marks as unschedulable, preempts.
    pub const SCHEDULER: &str = "kube-scheduler";
    /// The controller of Deployments and ReplicaSets.
    pub const REPLICA_SET: &str = "replicaset-controller";
    /// The controller of StatefulSets.
    pub const STATEFUL_SET: &str = "statefulset-controller";
    /// The controller of Jobs.
    pub const JOB: &str = "job-controller";
    /// The controller of DaemonSets.
    pub const DAEMON_SET: &str = "daemonset-controller";
    /// Deletes the pods of what is gone.
    pub const GARBAGE_COLLECTOR: &str = "generic-garbage-collector";
    /// Deletes pods off nodes with NoExecute taints.
    pub const TAINT_EVICTION: &str = "taint-eviction-controller";
    /// Deletes pods of nodes that are gone.
    pub const POD_COLLECTOR: &str = "pod-garbage-collector";
    /// Runs pods.
    pub const KUBELET: &str = "kubelet";
}

/// The control plane of one cluster and the kubelets of its nodes.
pub struct ControlPlane {
    view: Rc<View>,
}

impl ControlPlane {
    /// Starts all of it in the process of `runtime`: not that of Karpenter, whose restart would end it.
    pub fn start(
        runtime: &Runtime,
        client: &Client,
        seed: Seed,
        settings: Rc<Settings>,
        facts: Rc<Facts>,
    ) -> ControlPlane {
        let view = View::start(runtime, client, seed, settings, facts);
        scheduler::Scheduler::start(&view);
        workloads::start(&view);
        kubelet::start(&view);
        taint_eviction::start(&view);
        pod_collection::start(&view);
        ControlPlane { view }
    }

    /// Whether its caches had their first lists.
    pub fn is_synced(&self) -> bool {
        self.view.is_synced()
    }
}
