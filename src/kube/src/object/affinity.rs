//! What draws pods to nodes and to each other, and what keeps them apart.

use super::{LabelSelector, Requirement};
use std::rc::Rc;

/// `corev1.NodeSelectorTerm`: all expressions hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NodeSelectorTerm {
    /// Requirements on the node's labels.
    pub match_expressions: Vec<Requirement>,
    /// Whether it has requirements on fields, which Karpenter does not support.
    pub has_match_fields: bool,
}

/// A term with a weight.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Weighted<T> {
    /// 1 to 100.
    pub weight: i32,
    /// What is preferred.
    pub term: T,
}

/// `corev1.NodeAffinity`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NodeAffinity {
    /// One of the terms holds; no term is no requirement.
    pub required: Vec<NodeSelectorTerm>,
    /// Whether required terms are given at all.
    pub has_required: bool,
    /// What is preferred.
    pub preferred: Vec<Weighted<NodeSelectorTerm>>,
}

/// `corev1.PodAffinityTerm`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PodAffinityTerm {
    /// The pods that are meant; `None` is none.
    pub label_selector: Option<LabelSelector>,
    /// Their namespaces.
    pub namespaces: Vec<Rc<str>>,
    /// Further namespaces, by their labels.
    pub namespace_selector: Option<LabelSelector>,
    /// Nodes with equal values of this label are one place.
    pub topology_key: Rc<str>,
    /// Labels whose values the other pods share. The API server writes them into the selector at creation
    /// (Kubernetes 1.29 and later), and Karpenter does not look at them.
    pub match_label_keys: Vec<Rc<str>>,
    /// Labels whose values the other pods do not share. Written into the selector likewise.
    pub mismatch_label_keys: Vec<Rc<str>>,
}

/// `corev1.PodAffinity` or `corev1.PodAntiAffinity`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PodAffinity {
    /// All terms hold.
    pub required: Vec<PodAffinityTerm>,
    /// What is preferred.
    pub preferred: Vec<Weighted<PodAffinityTerm>>,
}

/// `corev1.UnsatisfiableConstraintAction`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WhenUnsatisfiable {
    /// The pod waits.
    DoNotSchedule,
    /// The pod goes elsewhere.
    ScheduleAnyway,
}

/// `corev1.NodeInclusionPolicy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeInclusionPolicy {
    /// Nodes where the pod can't go are left out of the count.
    Honor,
    /// All nodes count.
    Ignore,
}

/// `corev1.TopologySpreadConstraint`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TopologySpreadConstraint {
    /// By how many pods two places may differ.
    pub max_skew: i32,
    /// Nodes with equal values of this label are one place.
    pub topology_key: Rc<str>,
    /// What happens where the skew can't be kept.
    pub when_unsatisfiable: WhenUnsatisfiable,
    /// The pods that count; `None` is none.
    pub label_selector: Option<LabelSelector>,
    /// With fewer places than this, the emptiest counts as empty.
    pub min_domains: Option<i32>,
    /// Whether nodes outside of the pod's node affinity count; `Honor` if not given.
    pub node_affinity_policy: Option<NodeInclusionPolicy>,
    /// Whether nodes with taints that the pod does not tolerate count; `Ignore` if not given.
    pub node_taints_policy: Option<NodeInclusionPolicy>,
    /// Labels whose values the counted pods share.
    pub match_label_keys: Vec<Rc<str>>,
}
