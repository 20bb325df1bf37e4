//! Kubernetes objects as people write them, and as `kubectl get -o yaml` prints them, made into objects of the store.
//!
//! A scenario keeps the objects as plain data ([`Tree`]), with the text of files read in, so that it can go from thread to
//! thread and into the header of a trace. They become objects of the store when a run is planned: [`read`] does that, and
//! says what is wrong with them, so that what was checked and what is run are read by the same code.

mod tree;

pub use tree::Tree;

use crate::Scenario;
use lkesim_kube::object::{
    Kind, Node, NodeClaim, NodeClass, NodePool, Pod, PodDisruptionBudget, PodTemplate, StringMap, Workload,
};
use lkesim_runtime::{Key, Quantiles, Time};
use lkesim_scheduling::volumes;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The annotation that tells how long a pod runs until it ends well, such as `5m`; on a pod, on what makes pods, or on
/// its pods' template. Kubernetes does not know it: there, a program ends by itself.
pub const RUNS_FOR: &str = "lkesim/runs-for";

/// Kubernetes objects that are there when the run begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Objects {
    /// NodePools.
    pub node_pools: Vec<NodePool>,
    /// LinodeNodeClasses.
    pub node_classes: Vec<NodeClass>,
    /// NodeClaims.
    pub node_claims: Vec<NodeClaim>,
    /// Nodes.
    pub nodes: Vec<Node>,
    /// Deployments, ReplicaSets, StatefulSets, Jobs and DaemonSets.
    pub workloads: Vec<Workload>,
    /// Pods, those that another object made included: their owner references have no uid yet.
    pub pods: Vec<Pod>,
    /// PodDisruptionBudgets.
    pub disruption_budgets: Vec<PodDisruptionBudget>,
    /// What is known of volumes.
    pub volumes: Volumes,
    /// The labels of namespaces, `kubernetes.io/metadata.name` included.
    pub namespaces: BTreeMap<Rc<str>, StringMap>,
}

/// What is known of volumes, looked up already. Nothing changes it during a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Volumes {
    /// PersistentVolumeClaims by their name in the store (`lkesim_kube::object::meta::in_namespace`), each with its
    /// PersistentVolume or StorageClass.
    pub claims: BTreeMap<Rc<str>, volumes::Claim>,
    /// The claims of ephemeral volumes, which are made with each pod: by what makes the pods
    /// ([`Workload::store_name`], or the pod's name in the store) and the volume's name. Their `name` is empty.
    pub ephemeral: BTreeMap<(Rc<str>, Rc<str>), volumes::Claim>,
}

/// One object of the store.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "they are called as their kinds are")]
pub enum Object {
    NodePool(NodePool),
    NodeClass(NodeClass),
    NodeClaim(NodeClaim),
    Node(Node),
    Workload(Workload),
    Pod(Pod),
    PodDisruptionBudget(PodDisruptionBudget),
}

/// Something that happens to pods, or to what makes them.
#[derive(Clone, Debug, PartialEq)]
pub struct PodStep {
    /// When.
    pub at: Time,
    /// What.
    pub act: PodAct,
}

/// What happens.
#[derive(Clone, Debug, PartialEq)]
pub enum PodAct {
    /// The object is created, or its spec, labels and annotations replace those of the one that is there.
    Apply(Box<Object>),
    /// A workload gets another number of pods.
    Scale {
        /// Its name in the store.
        workload: Rc<str>,
        /// How many.
        replicas: u32,
    },
    /// The object's deletion is asked for.
    Delete {
        /// Its kind.
        kind: Kind,
        /// Its name in the store.
        name: Rc<str>,
    },
    /// Pods arrive from this time on.
    Arrive(Arrivals),
}

/// Pods that arrive one by one.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrivals {
    /// What their names begin with.
    pub name: Rc<str>,
    /// Their namespace.
    pub namespace: Rc<str>,
    /// What they are like.
    pub template: Rc<PodTemplate>,
    /// How long each runs; `None` is for ever.
    pub runs_for: Option<Quantiles>,
}

impl Arrivals {
    /// When they arrive, in order.
    pub fn times(&self, _key: Key) -> Vec<Time> {
        Vec::new()
    }

    /// The `n`-th pod, from 0. How long it runs is drawn with `key` and stands in its annotation [`RUNS_FOR`].
    pub fn pod(&self, n: u64, _key: Key) -> Pod {
        let name = format!("{}-{}", self.name, n + 1);
        Pod::new_in(self.namespace.clone(), &name, (*self.template.spec).clone())
    }
}

impl Scenario {
    /// Whether it has Kubernetes objects of its own, or steps that make some: whether pods are simulated.
    pub fn has_pods(&self) -> bool {
        !self.manifests.is_empty() || self.workload.iter().any(|step| step.is_about_pods())
    }

    /// The Kubernetes objects of the cluster at this place when the run begins.
    pub fn objects(&self, _place: usize) -> Objects {
        Objects::default()
    }

    /// What happens to pods in the cluster at this place, by time and then by the order of the file.
    pub fn pod_steps(&self, _place: usize) -> Vec<PodStep> {
        Vec::new()
    }
}
