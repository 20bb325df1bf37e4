//! A slow and obvious scheduler's judgement, made of the objects alone: whether a pod may go to a node, and the words on
//! those where it may not.

use super::*;
use lkesim_kube::object::affinity::{PodAffinityTerm, WhenUnsatisfiable};
use lkesim_kube::object::{Quantity, TaintEffect};
use std::collections::BTreeMap;

/// All objects at one moment.
pub struct Picture {
    pub nodes: Vec<Rc<Node>>,
    pub pods: Vec<Rc<Pod>>,
}

impl Picture {
    /// Pods that count on a node, without this one.
    fn others<'a>(&'a self, pod: &'a Pod) -> impl Iterator<Item = (&'a Rc<Pod>, &'a Rc<Node>)> {
        let others = self.pods.iter().filter(|other| other.metadata.uid != pod.metadata.uid && !other.is_terminal());
        others.filter_map(|other| {
            let name = other.node_name.as_ref()?;
            Some((other, self.nodes.iter().find(|node| node.name() == name)?))
        })
    }

    /// Why the pod may not go to the node; nothing if it may.
    pub fn objections(&self, pod: &Pod, node: &Node) -> Vec<String> {
        let hard = |effect| effect != TaintEffect::PreferNoSchedule;
        let tolerated = |taint: &&Taint| pod.spec.tolerations.iter().any(|one| one.tolerates(taint));
        if let Some(taint) = node.spec.taints.iter().find(|taint| hard(taint.effect) && !tolerated(taint)) {
            let value = taint.value.as_deref().unwrap_or("");
            return vec![format!("node(s) had untolerated taint {{{}: {value}}}", taint.key)];
        }
        if !pod.spec.node_selector.iter().all(|(key, value)| node.metadata.labels.has(key, value)) {
            return vec!["node(s) didn't match Pod's node affinity/selector".into()];
        }
        let short = self.short(pod, node);
        if !short.is_empty() {
            return short;
        }
        if let Some(text) = self.spread(pod, node) {
            return vec![text.into()];
        }
        self.affinity(pod, node).map(str::to_owned).into_iter().collect()
    }

    fn short(&self, pod: &Pod, node: &Node) -> Vec<String> {
        let mut taken: BTreeMap<Rc<str>, Quantity> = BTreeMap::new();
        let here = self.others(pod).filter(|(_, on)| on.name() == node.name());
        for (name, amount) in here.flat_map(|(other, _)| other.requests().iter().cloned().collect::<Vec<_>>()) {
            *taken.entry(name).or_default() += amount;
        }
        let has = ResourceList::from(&node.status.allocatable);
        let mut short = Vec::new();
        for (name, wanted) in pod.requests().iter() {
            let taken = taken.get(name).copied().unwrap_or_default();
            if !wanted.is_zero() && *wanted + taken > has.amount(name) {
                let text = if **name == *"pods" { "Too many pods".into() } else { format!("Insufficient {name}") };
                short.push(text);
            }
        }
        short
    }

    fn spread(&self, pod: &Pod, node: &Node) -> Option<&'static str> {
        let hard: Vec<_> = pod
            .spec
            .topology_spread_constraints
            .iter()
            .filter(|one| one.when_unsatisfiable == WhenUnsatisfiable::DoNotSchedule)
            .collect();
        let counts = |on: &Node| {
            let selected = pod.spec.node_selector.iter().all(|(key, value)| on.metadata.labels.has(key, value));
            selected && hard.iter().all(|one| on.metadata.labels.contains_key(&one.topology_key))
        };
        for one in &hard {
            let Some(here) = node.metadata.labels.get(&one.topology_key) else {
                return Some("node(s) didn't match pod topology spread constraints (missing required label)");
            };
            let selector = one.label_selector.as_ref().expect("the tests give one");
            let mut places: BTreeMap<Rc<str>, i32> = BTreeMap::new();
            for on in self.nodes.iter().filter(|on| counts(on)) {
                places.entry(on.metadata.labels.get(&one.topology_key).expect("it counts").clone()).or_default();
            }
            for (other, on) in self.others(pod).filter(|(other, on)| counts(on) && !other.is_terminating()) {
                if selector.matches(&other.metadata.labels) && other.namespace == pod.namespace {
                    *places
                        .entry(on.metadata.labels.get(&one.topology_key).expect("it counts").clone())
                        .or_default() += 1;
                }
            }
            let least = places.values().copied().min().unwrap_or(0);
            let own = i32::from(selector.matches(&pod.metadata.labels));
            if places.get(here).copied().unwrap_or(0) + own - least > one.max_skew {
                return Some("node(s) didn't match pod topology spread constraints");
            }
        }
        None
    }

    fn affinity(&self, pod: &Pod, node: &Node) -> Option<&'static str> {
        let means = |owner: &Pod, term: &PodAffinityTerm, other: &Pod| {
            owner.namespace == other.namespace
                && term.label_selector.as_ref().is_some_and(|selector| selector.matches(&other.metadata.labels))
        };
        let same_place = |term: &PodAffinityTerm, on: &Node| {
            let place = node.metadata.labels.get(&term.topology_key);
            place.is_some() && place == on.metadata.labels.get(&term.topology_key)
        };
        let with = pod.spec.pod_affinity.as_ref().map_or(&[][..], |affinity| &affinity.required);
        let met = |term: &PodAffinityTerm| {
            let all = |other: &Pod| with.iter().all(|term| means(pod, term, other));
            self.others(pod).any(|(other, on)| all(other) && same_place(term, on))
        };
        let has_place = with.iter().all(|term| node.metadata.labels.contains_key(&term.topology_key));
        let is_alone = !self.others(pod).any(|(other, on)| {
            with.iter().all(|term| means(pod, term, other))
                && with.iter().any(|term| on.metadata.labels.contains_key(&term.topology_key))
        });
        let is_first = is_alone && with.iter().all(|term| means(pod, term, pod));
        if !(has_place && (is_first || with.iter().all(met))) {
            return Some("node(s) didn't match pod affinity rules");
        }
        let against = pod.spec.pod_anti_affinity.as_ref().map_or(&[][..], |affinity| &affinity.required);
        let is_there = |term: &PodAffinityTerm| {
            self.others(pod).any(|(other, on)| means(pod, term, other) && same_place(term, on))
        };
        if against.iter().any(is_there) {
            return Some("node(s) didn't match pod anti-affinity rules");
        }
        let kept_away = self.others(pod).any(|(other, on)| {
            let terms = other.spec.pod_anti_affinity.as_ref().map_or(&[][..], |affinity| &affinity.required);
            terms.iter().any(|term| means(other, term, pod) && same_place(term, on))
        });
        kept_away.then_some("node(s) didn't satisfy existing pods anti-affinity rules")
    }

    /// The sentence up to what it says of preemption.
    pub fn sentence(&self, pod: &Pod) -> String {
        if self.nodes.is_empty() {
            return "no nodes available to schedule pods".into();
        }
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for text in self.nodes.iter().flat_map(|node| self.objections(pod, node)) {
            *counts.entry(text).or_default() += 1;
        }
        let mut texts: Vec<String> = counts.iter().map(|(text, count)| format!("{count} {text}")).collect();
        texts.sort();
        format!("0/{} nodes are available: {}.", self.nodes.len(), texts.join(", "))
    }
}
