//! Kubernetes objects as people write them, and as `kubectl get -o yaml` prints them, made into objects of the store.
//!
//! A scenario keeps the objects as plain data ([`Tree`]), with the text of files read in, so that it can go from thread
//! to thread and into the header of a trace. They become objects of the store when a run is planned, by the code that
//! checked them, so that what was checked is what is run.
//!
//! Three kinds of fields are told apart. Those that are modelled are read, and what is wrong with them is an error.
//! Those that can't matter (an image, a probe) are passed over. Those that would matter and are not modelled give a
//! warning, which `--strict` makes an error; and a field that Kubernetes does not know is an error, as it is for
//! `kubectl`.

mod affinity;
mod arrivals;
mod cluster;
mod container;
mod context;
mod disruption;
mod entries;
mod finding;
mod karpenter;
mod kinds;
mod known;
mod metadata;
mod pod_spec;
mod read;
mod reader;
mod selectors;
mod short;
pub(crate) mod start;
mod storage;
mod timeline;
mod tree;
mod workload;

pub use arrivals::Arrivals;
pub use finding::{Finding, Severity};
pub use tree::Tree;

use crate::path::Path;
use crate::{Names, Scenario};
use lkesim_kube::object::{Kind, Node, NodeClaim, NodeClass, NodePool, Pod, PodDisruptionBudget, Workload};
use lkesim_runtime::Time;
use lkesim_scheduling::ClusterFacts;
use read::{Read, Written, read};
use reader::Reader;
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
    /// Pods. Those that an object of `workloads` made refer to it by its name in the store, and have no uid of it yet.
    pub pods: Vec<Pod>,
    /// PodDisruptionBudgets.
    pub disruption_budgets: Vec<PodDisruptionBudget>,
    /// Claims of volumes and namespaces. They do not change during a run.
    pub facts: ClusterFacts,
}

impl Objects {
    /// Whether there is no object but what others would refer to.
    pub fn is_nothing(&self) -> bool {
        let Objects { node_pools, node_classes, node_claims, nodes, workloads, pods, disruption_budgets, facts: _ } =
            self;
        let all = [
            node_pools.is_empty(),
            node_classes.is_empty(),
            node_claims.is_empty(),
            nodes.is_empty(),
            workloads.is_empty(),
            pods.is_empty(),
            disruption_budgets.is_empty(),
        ];
        all.iter().all(|none| *none)
    }
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
    /// The object is created, or its spec, labels and annotations replace those of the one that is there. It is never a
    /// Node or a NodeClaim.
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

impl Scenario {
    /// Whether it has Kubernetes objects of its own, or steps that make some: whether pods are simulated.
    pub fn has_pods(&self) -> bool {
        !self.manifests.is_empty() || self.workload.iter().any(|step| step.is_about_pods())
    }

    /// The Kubernetes objects of the cluster at this place when the run begins.
    pub fn objects(&self, place: usize) -> Objects {
        let (reader, written) = self.written(place);
        read(reader, written).objects
    }

    /// What happens to pods in the cluster at this place, by time and then by the order of the file.
    pub fn pod_steps(&self, place: usize) -> Vec<PodStep> {
        timeline::timeline(self, place, &self.written(place).1, None, 0).steps
    }

    fn written(&self, place: usize) -> (Reader, Vec<Written<'_>>) {
        let mut reader = Reader::new();
        let is_ours = |cluster: Option<&str>| self.cluster_place(cluster) == Some(place);
        let written = entries::written(&mut reader, self.manifests.iter().map(|tree| &tree.0), is_ours);
        (reader, written)
    }

    /// Where the NodeClaims of the start stand, by name.
    pub(crate) fn node_claim_places(&self, place: usize) -> BTreeMap<String, Path> {
        let (_, written) = self.written(place);
        let claims = written.into_iter().filter(|one| one.kind == kinds::Manifested::NodeClaim);
        claims.filter_map(|one| Some((timeline::name_of(one.kind, one.node)?.2, one.path))).collect()
    }

    /// All that is said of its objects and of the steps about pods.
    pub(crate) fn said_of_objects(&self, names: &Names<'_>) -> Vec<Finding> {
        let mut said = Vec::new();
        if !self.has_pods() {
            return said;
        }
        for place in 0..self.cluster_count() {
            let (mut reader, written) = self.written(place);
            let known = Rc::new(known::Known::of(self, place, &written, names));
            reader.known = Some(known.clone());
            let Read { findings, pods, .. } = read(reader, written.clone());
            let is_broken = findings.iter().any(|finding| finding.severity == Severity::Error);
            said.extend(findings);
            if !is_broken || written.is_empty() {
                said.extend(timeline::timeline(self, place, &written, Some(known), pods).findings);
            }
        }
        said
    }
}

#[cfg(test)]
mod tests;
