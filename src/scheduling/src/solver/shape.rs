//! Pods of equal shape: equal in all that scheduling looks at. What is found out of one holds for all.

use super::amounts::Amounts;
use super::bits::Bits;
use super::sets::{Sets, Split};
use crate::preferences::Relaxation;
use crate::requirements::Requirements;
use crate::volumes::PodVolumes;
use lkesim_kube::object::pod::{HostPort, requests_of};
use lkesim_kube::object::{PodSpec, ResourceList, StringMap};
use std::rc::Rc;

/// A shape's number.
pub type ShapeId = usize;

/// What scheduling looks at of a pod.
#[derive(Clone, Debug)]
pub struct Looks {
    /// What it needs.
    pub spec: Rc<PodSpec>,
    /// Its labels.
    pub labels: StringMap,
    /// Its namespace.
    pub namespace: Rc<str>,
    /// What its volumes ask for.
    pub volumes: Option<Rc<PodVolumes>>,
}

impl Looks {
    /// Whether two pods look the same.
    pub fn same(&self, other: &Looks) -> bool {
        (Rc::ptr_eq(&self.spec, &other.spec) || self.spec == other.spec)
            && self.labels == other.labels
            && self.namespace == other.namespace
            && self.volumes == other.volumes
    }
}

/// A shape, and what is known of it.
#[derive(Debug)]
pub struct Shape {
    /// What it looks like.
    pub looks: Looks,
    /// What it asks for, itself counted as a pod.
    pub requests: ResourceList,
    /// The same as a row.
    pub amounts: Amounts,
    /// What it needs of its node, the heaviest preference included.
    pub requirements: Split,
    /// Without preferences.
    pub strict: Split,
    /// What its volumes need.
    pub volume_requirements: Option<Split>,
    /// Ports that it takes.
    pub ports: Vec<HostPort>,
    /// Groups that it is an owner of; `None` until it is first tried.
    pub groups: Option<Vec<usize>>,
    /// Inverse groups that it is an owner of.
    pub inverse_owned: Vec<usize>,
    /// Groups that select it, of the first `looked_at`.
    pub selecting: Vec<usize>,
    /// How many groups were looked at.
    pub looked_at: usize,
    /// Inverse groups that select it.
    pub inverse_selecting: Vec<usize>,
    /// How many inverse groups were looked at.
    pub inverse_looked_at: usize,
    /// What it becomes when it gives something up; `None` inside if nothing is left.
    pub relaxed: Option<Option<(ShapeId, Relaxation)>>,
    /// NodeClaims that will not take it, as long as their requirements stay.
    pub refused_by_claims: Bits,
    /// Nodes that will not take it, as long as their requirements stay.
    pub refused_by_nodes: Bits,
    /// For each NodePool, whether it tolerates the taints.
    pub tolerates: Vec<bool>,
}

impl Shape {
    /// The shape of what looks so. `ignores_preferences`: the heaviest preference is no requirement either.
    pub fn new(looks: Looks, ignores_preferences: bool, sets: &mut Sets) -> Shape {
        let requests = requests_of([&*looks.spec]);
        let strict = sets.split(Requirements::of_pod(&looks.spec, true));
        let all = sets.split(Requirements::of_pod(&looks.spec, ignores_preferences));
        let of_volumes = looks.volumes.as_ref().filter(|volumes| !volumes.requirements.is_empty());
        let volume_requirements = of_volumes.map(|volumes| sets.split(volumes.requirements.clone()));
        Shape {
            ports: looks.spec.host_ports().copied().collect(),
            looks,
            requests,
            amounts: Vec::new(),
            requirements: all,
            strict,
            volume_requirements,
            groups: None,
            inverse_owned: Vec::new(),
            selecting: Vec::new(),
            looked_at: 0,
            inverse_selecting: Vec::new(),
            inverse_looked_at: 0,
            relaxed: None,
            refused_by_claims: Bits::default(),
            refused_by_nodes: Bits::default(),
            tolerates: Vec::new(),
        }
    }

    /// Whether any topology term concerns it.
    pub fn has_topology(&self) -> bool {
        self.groups.as_ref().is_some_and(|groups| !groups.is_empty()) || !self.inverse_selecting.is_empty()
    }
}
