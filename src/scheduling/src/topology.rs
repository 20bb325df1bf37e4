//! Where pods may go because of other pods: spread, affinity, anti-affinity, and anti-affinity of others against them.
//!
//! Core v1.9.0 `scheduling/topology.go`. Pods of one shape own the same groups, so a shape is asked for its groups once.

pub mod group;
pub mod identity;
pub mod node_filter;
pub mod terms;
pub mod universe;

use crate::input::Problem;
use crate::requirements::Requirements;
use crate::solver::sets::Sets;
use group::{Group, Kind, Place, Term};
use identity::Identity;
use lkesim_kube::object::{Pod, PodSpec, StringMap, Taint, Toleration, labels};
use node_filter::NodeFilter;
use std::collections::BTreeMap;
use std::rc::Rc;
use universe::Universe;

/// A node that pods are counted on.
#[derive(Debug)]
pub struct CountedNode {
    /// Its name.
    pub name: Rc<str>,
    /// The Node's own labels.
    pub labels: StringMap,
    /// The labels that domains are taken from: the NodeClaim's until the Node is registered.
    pub domain_labels: StringMap,
    /// The Node's own taints.
    pub taints: Vec<Taint>,
    /// Pods on it that count: neither ended nor ending, nor about to be scheduled anew.
    pub pods: Vec<Rc<Pod>>,
    /// Whether its capacity counts: its label is a domain even without pods.
    pub is_active: bool,
}

/// All groups of a pass.
#[derive(Debug)]
pub struct Topology<'a> {
    /// Groups of pods that have a term.
    pub groups: Vec<Group>,
    /// Groups of pods that others keep away from.
    pub inverse: Vec<Group>,
    numbers: BTreeMap<Identity, usize>,
    inverse_numbers: BTreeMap<Identity, usize>,
    universe: Universe<'a>,
    nodes: Vec<CountedNode>,
}

impl<'a> Topology<'a> {
    /// Without groups.
    pub fn new(problem: &'a Problem, nodes: Vec<CountedNode>) -> Topology<'a> {
        Topology {
            groups: Vec::new(),
            inverse: Vec::new(),
            numbers: BTreeMap::new(),
            inverse_numbers: BTreeMap::new(),
            universe: Universe::of(problem),
            nodes,
        }
    }

    /// The number of the group of a term, which is made and counted if it is the first of its kind.
    pub fn group(&mut self, term: Term, filter: NodeFilter, tolerations: &[Toleration], sets: &mut Sets) -> usize {
        let identity = Identity::of(&term, &filter, sets);
        if let Some(known) = self.numbers.get(&identity) {
            return *known;
        }
        let domains = self.universe.domains(&term.key, filter.taint_policy, tolerations);
        let mut group = Group::new(term, filter, domains);
        self.count(&mut group, sets);
        self.numbers.insert(identity, self.groups.len());
        self.groups.push(group);
        self.groups.len() - 1
    }

    /// The number of the group of pods with a required anti-affinity term. `labels` are those of the node that such a
    /// pod runs on.
    pub fn inverse_group(
        &mut self,
        term: Term,
        tolerations: &[Toleration],
        labels: Option<&StringMap>,
        sets: &mut Sets,
    ) -> usize {
        let filter = NodeFilter::default();
        let identity = Identity::of(&term, &filter, sets);
        let number = match self.inverse_numbers.get(&identity) {
            Some(known) => *known,
            None => {
                let domains = self.universe.domains(&term.key, None, tolerations);
                let group = Group::new(term, filter, domains);
                self.inverse_numbers.insert(identity, self.inverse.len());
                self.inverse.push(group);
                self.inverse.len() - 1
            }
        };
        let group = &mut self.inverse[number];
        if let Some(domain) = labels.and_then(|labels| labels.get(&group.term.key)) {
            group.record(domain);
        }
        number
    }

    /// Counts the pods that run.
    fn count(&self, group: &mut Group, sets: &mut Sets) {
        for node in &self.nodes {
            let split = sets.split(Requirements::of_labels(&node.labels));
            let host = node.labels.get(labels::HOSTNAME).map(|host| &**host);
            if !group.filter.matches(&node.taints, split.set, host, sets) {
                continue;
            }
            if let Some(domain) = node.domain_labels.get(&group.term.key).filter(|_| node.is_active) {
                group.register(domain);
            }
            let by_name = group.is_hostname().then_some(&node.name);
            let Some(domain) = node.labels.get(&group.term.key).or(by_name) else { continue };
            // Without a selector upstream counts all pods that run, though none that it schedules.
            let counts = |pod: &&Rc<Pod>| {
                let selected = group.term.selector.as_ref().is_none_or(|one| one.matches(&pod.metadata.labels));
                selected && group.term.namespaces.contains(&pod.namespace)
            };
            for _ in 0..node.pods.iter().filter(counts).count() {
                group.record(domain);
            }
        }
    }

    /// Makes a node's host name known to all groups.
    pub fn register_host(&mut self, host: &Rc<str>) {
        self.of_hosts().for_each(|group| group.register(host));
    }

    /// Makes the host name of a NodeClaim to be known to all groups.
    pub fn register_claim(&mut self, claim: usize) {
        self.of_hosts().for_each(|group| group.register_claim(claim));
    }

    fn of_hosts(&mut self) -> impl Iterator<Item = &mut Group> {
        self.groups.iter_mut().chain(&mut self.inverse).filter(|group| group.is_hostname())
    }

    /// Counts a pod that was placed: `selecting` are the groups that select it, `owned` the inverse ones that it is an
    /// owner of.
    pub fn record(
        &mut self,
        selecting: &[usize],
        owned: &[usize],
        taints: &[Taint],
        place: &Place<'_>,
        sets: &mut Sets,
    ) {
        for number in selecting {
            let group = &mut self.groups[*number];
            if group.filter.matches(taints, place.set, Some(place.host), sets) {
                // Anti-affinity blocks every domain in which the pod could end up; others count it once that is known.
                record_at(group, place, group.term.kind == Kind::AntiAffinity, sets);
            }
        }
        for number in owned {
            record_at(&mut self.inverse[*number], place, true, sets);
        }
    }
}

fn record_at(group: &mut Group, place: &Place<'_>, every: bool, sets: &Sets) {
    if group.is_hostname() {
        match place.claim {
            Some(claim) => group.record_claim(claim),
            None => group.record(&place.host.into()),
        }
        return;
    }
    let set = sets.get(place.set).clone();
    let Some(requirement) = set.get(&group.term.key) else { return };
    if every || requirement.len() == Some(1) {
        requirement.values().iter().for_each(|domain| group.record(domain));
    }
}

/// Whether a pod has terms that make it an owner of inverse groups.
pub fn has_required_anti_affinity(pod: &PodSpec) -> bool {
    pod.pod_anti_affinity.as_ref().is_some_and(|affinity| !affinity.required.is_empty())
}
