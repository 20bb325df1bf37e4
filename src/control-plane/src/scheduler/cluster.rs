//! The scheduler's cache: nodes with the sums of their pods, kept as they change, those included that it has decided on
//! and that no watch has told of yet.

use super::amounts::Amounts;
use super::counters::{Counter, Meant, Namespaces};
use super::keys::{KeyId, Keys};
use super::shape::{Affinity, Shape, Spread, Term, honors};
use super::standing::Touched;
use lkesim_kube::object::affinity::{NodeInclusionPolicy, PodAffinity, PodAffinityTerm, WhenUnsatisfiable};
use lkesim_kube::object::pod::spread_selector;
use lkesim_kube::object::{Node, Pod, StringMap, TaintEffect, Uid};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A node, or the name of one that pods are bound to.
#[derive(Default)]
pub struct NodeInfo {
    /// Its name.
    pub name: Rc<str>,
    /// The Node, while there is one.
    pub node: Option<Rc<Node>>,
    /// Of what was found out of its labels and taints; no two versions of any node share it.
    pub version: u32,
    /// What pods can use of it.
    pub allocatable: Amounts,
    /// What they take.
    pub taken: Amounts,
    /// CPU and memory that they take, as the score counts it.
    pub scored: [i64; 2],
    /// Who they are.
    pub pods: BTreeSet<Uid>,
    /// Whether it has taints that pods rather stay away from.
    pub has_soft_taints: bool,
}

/// In what a node changed, as far as pods look at it; a new one in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeNews {
    /// Its labels.
    pub labels: bool,
    /// Its taints.
    pub taints: bool,
    /// What pods can use of it.
    pub room: bool,
}

/// A pod on a node.
pub struct Placed {
    /// The node's number.
    pub node: usize,
    /// The pod's shape.
    pub shape: usize,
    /// The pod as last heard of.
    pub pod: Rc<Pod>,
    /// Whether no watch has told of its binding yet.
    pub is_assumed: bool,
}

/// A required anti-affinity term, by which pods keep others away.
pub struct Inverse {
    /// Places.
    pub key: KeyId,
    meant: Meant,
    of_node: Vec<u32>,
    /// How many pods have it.
    pub sum: u32,
}

impl Inverse {
    /// How many pods with the term a node has.
    pub fn on(&self, node: usize) -> u32 {
        self.of_node.get(node).copied().unwrap_or(0)
    }
}

/// The cache.
#[derive(Default)]
pub struct Cluster {
    /// All nodes by their number.
    pub nodes: Vec<NodeInfo>,
    by_name: BTreeMap<Rc<str>, usize>,
    free: Vec<usize>,
    /// The numbers of those that exist, in the order of their coming.
    pub order: Vec<usize>,
    /// Pods on nodes.
    pub pods: BTreeMap<Uid, Placed>,
    /// How many pods of each priority are on nodes.
    pub priorities: BTreeMap<i32, usize>,
    shapes: Vec<Option<Shape>>,
    free_shapes: Vec<usize>,
    /// Numbers of shapes that no pod had any more, for who keeps something of a shape by its number.
    pub freed: Vec<usize>,
    /// Shapes by the addresses of their specs. A shape keeps its spec, so that no other one has the address.
    by_spec: BTreeMap<usize, Vec<usize>>,
    /// Labels that terms name.
    pub keys: Keys,
    /// Pods that terms mean.
    pub counters: Vec<Counter>,
    /// Terms that keep others away.
    pub inverse: Vec<Inverse>,
    /// Labels of namespaces.
    pub namespaces: Namespaces,
    versions: u32,
    /// Nodes that changed, or on which pods came or went.
    pub touched: Touched,
    /// Grows with each change.
    pub generation: u64,
}

impl Cluster {
    /// Without nodes.
    pub fn new(namespaces: &Namespaces) -> Cluster {
        Cluster { namespaces: namespaces.clone(), ..Cluster::default() }
    }

    /// The number of the node of this name, if it is known.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// A shape.
    ///
    /// # Panics
    /// If no pod has it.
    pub fn shape(&self, number: usize) -> &Shape {
        self.shapes[number].as_ref().expect("a pod has the shape")
    }

    /// The pods of a node.
    pub fn pods_on(&self, node: usize) -> impl Iterator<Item = &Placed> {
        self.nodes[node].pods.iter().filter_map(|uid| self.pods.get(uid))
    }

    /// A node came or changed. Its number, and in what it changed.
    pub fn set_node(&mut self, node: &Rc<Node>) -> (usize, NodeNews) {
        let number = self.slot(node.name());
        let info = &mut self.nodes[number];
        if info.node.is_none() {
            self.order.push(number);
        }
        let before = info.node.replace(node.clone());
        let news = NodeNews {
            labels: before.as_ref().is_none_or(|before| before.metadata.labels != node.metadata.labels),
            taints: before.as_ref().is_none_or(|before| before.spec.taints != node.spec.taints),
            room: before.as_ref().is_none_or(|before| before.status.allocatable != node.status.allocatable),
        };
        if news == NodeNews::default() {
            return (number, news);
        }
        self.generation += 1;
        if news.labels || news.taints {
            self.versions += 1;
            info.version = self.versions;
        }
        info.allocatable = Amounts::from(&node.status.allocatable);
        info.has_soft_taints = node.spec.taints.iter().any(|taint| taint.effect == TaintEffect::PreferNoSchedule);
        self.keys.node_changed(number, Some(&node.metadata.labels));
        self.touch(number);
        (number, news)
    }

    /// A node went.
    pub fn remove_node(&mut self, name: &str) {
        self.generation += 1;
        let Some(number) = self.number(name) else { return };
        self.order.retain(|other| *other != number);
        self.nodes[number].node = None;
        self.keys.node_changed(number, None);
        self.touch(number);
        self.forget_empty(number);
    }

    fn slot(&mut self, name: &Rc<str>) -> usize {
        if let Some(number) = self.number(name) {
            return number;
        }
        let info = NodeInfo { name: name.clone(), ..NodeInfo::default() };
        let number = match self.free.pop() {
            Some(number) => {
                self.nodes[number] = info;
                number
            }
            None => {
                self.nodes.push(info);
                self.nodes.len() - 1
            }
        };
        self.by_name.insert(name.clone(), number);
        number
    }

    fn touch(&mut self, number: usize) {
        self.touched.add(number, self.nodes.len());
    }

    fn forget_empty(&mut self, number: usize) {
        let info = &self.nodes[number];
        if info.node.is_none() && info.pods.is_empty() {
            self.by_name.remove(&info.name);
            self.free.push(number);
        }
    }

    /// Puts a pod on a node, known or not.
    pub fn place(&mut self, pod: &Rc<Pod>, node: &Rc<str>, is_assumed: bool) {
        self.generation += 1;
        let shape = self.shape_of(pod);
        let number = self.slot(node);
        let placed = Placed { node: number, shape, pod: pod.clone(), is_assumed };
        self.count(&placed, true);
        self.touch(number);
        self.pods.insert(pod.metadata.uid, placed);
    }

    /// Takes a pod off its node. Tells which that was.
    pub fn displace(&mut self, uid: Uid) -> Option<usize> {
        let placed = self.pods.remove(&uid)?;
        self.generation += 1;
        self.count(&placed, false);
        self.touch(placed.node);
        self.release(placed.shape);
        self.forget_empty(placed.node);
        Some(placed.node)
    }

    /// A watch tells of a pod on a node. Whether it is as it was taken to be.
    pub fn confirm(&mut self, pod: &Rc<Pod>, node: &Rc<str>) -> bool {
        let Some(placed) = self.pods.get_mut(&pod.metadata.uid) else { return false };
        let is_same = self.nodes[placed.node].name == *node
            && placed.pod.metadata.labels == pod.metadata.labels
            && placed.pod.is_terminating() == pod.is_terminating()
            && Rc::ptr_eq(&placed.pod.spec, &pod.spec);
        if is_same {
            placed.pod = pod.clone();
            placed.is_assumed = false;
        }
        is_same
    }

    fn count(&mut self, placed: &Placed, comes: bool) {
        let Cluster { nodes, shapes, counters, inverse, priorities, .. } = self;
        let Some(shape) = &shapes[placed.shape] else { return };
        let (node, is_ending) = (placed.node, placed.pod.is_terminating());
        let info = &mut nodes[node];
        let sign = if comes { 1 } else { -1 };
        if comes {
            info.taken.add(&shape.wanted);
            info.pods.insert(placed.pod.metadata.uid);
            *priorities.entry(shape.spec.priority).or_default() += 1;
        } else {
            info.taken.remove(&shape.wanted);
            info.pods.remove(&placed.pod.metadata.uid);
            if let Some(count) = priorities.get_mut(&shape.spec.priority) {
                *count -= 1;
            }
            priorities.retain(|_, count| *count > 0);
        }
        info.scored.iter_mut().zip(shape.wanted.scored).for_each(|(sum, amount)| *sum += sign * amount);
        for &counter in &shape.counted_by {
            match comes {
                true => counters[counter].add(node, is_ending),
                false => counters[counter].remove(node, is_ending),
            }
        }
        for &term in &shape.keeps_away {
            let term = &mut inverse[term];
            if term.of_node.len() <= node {
                term.of_node.resize(node + 1, 0);
            }
            let step = if comes { 1 } else { u32::MAX };
            term.of_node[node] = term.of_node[node].wrapping_add(step);
            term.sum = term.sum.wrapping_add(step);
        }
    }

    /// The number of a pod's shape, which it keeps until it is released.
    pub fn shape_of(&mut self, pod: &Pod) -> usize {
        let address = Rc::as_ptr(&pod.spec).addr();
        let known = self.by_spec.get(&address).into_iter().flatten().copied();
        let is_it = |number: &usize| {
            let shape = self.shape(*number);
            shape.labels == pod.metadata.labels && shape.namespace == pod.namespace
        };
        let number = known.clone().find(is_it).unwrap_or_else(|| self.new_shape(pod, address));
        if let Some(shape) = &mut self.shapes[number] {
            shape.users += 1;
        }
        number
    }

    /// A pod of the shape is gone.
    pub fn release(&mut self, number: usize) {
        let Some(shape) = &mut self.shapes[number] else { return };
        shape.users -= 1;
        if shape.users > 0 {
            return;
        }
        let address = Rc::as_ptr(&shape.spec).addr();
        self.shapes[number] = None;
        self.free_shapes.push(number);
        self.freed.push(number);
        if let Some(numbers) = self.by_spec.get_mut(&address) {
            numbers.retain(|other| *other != number);
            if numbers.is_empty() {
                self.by_spec.remove(&address);
            }
        }
    }

    fn new_shape(&mut self, pod: &Pod, address: usize) -> usize {
        let (spec, labels, namespace) = (pod.spec.clone(), pod.metadata.labels.clone(), pod.namespace.clone());
        let mut shape = Shape::new(spec, labels, namespace);
        self.add_spreads(&mut shape);
        self.add_affinities(&mut shape);
        let is_meant = |meant: &Meant| meant.has(&shape.namespace, &shape.labels, &self.namespaces);
        shape.kept_away_by = places(&self.inverse, |term| is_meant(&term.meant));
        shape.counted_by =
            places(&self.counters, |counter| counter.has(&shape.namespace, &shape.labels, &self.namespaces));
        let number = match self.free_shapes.pop() {
            Some(number) => {
                self.shapes[number] = Some(shape);
                number
            }
            None => {
                self.shapes.push(Some(shape));
                self.shapes.len() - 1
            }
        };
        self.by_spec.entry(address).or_default().push(number);
        number
    }

    fn add_spreads(&mut self, shape: &mut Shape) {
        let spec = shape.spec.clone();
        for from in &spec.topology_spread_constraints {
            let selector = spread_selector(from, &shape.labels);
            let meant = Meant::in_namespace(&shape.namespace, selector);
            let counts_itself = meant.has(&shape.namespace, &shape.labels, &self.namespaces);
            let least = from.min_domains.and_then(|count| usize::try_from(count).ok());
            shape.spreads.push(Spread {
                key: self.key(&from.topology_key),
                counter: self.counter(vec![meant]),
                max_skew: from.max_skew.into(),
                min_domains: least,
                is_hard: from.when_unsatisfiable == WhenUnsatisfiable::DoNotSchedule,
                honors_affinity: honors(from.node_affinity_policy, NodeInclusionPolicy::Honor),
                honors_taints: honors(from.node_taints_policy, NodeInclusionPolicy::Ignore),
                counts_itself,
            });
        }
    }

    fn add_affinities(&mut self, shape: &mut Shape) {
        let spec = shape.spec.clone();
        let namespace = shape.namespace.clone();
        let required = spec.pod_affinity.as_ref().map_or(&[][..], |affinity| &affinity.required);
        if !required.is_empty() {
            let all_of: Vec<Meant> = required.iter().map(|term| Meant::by_term(&namespace, term)).collect();
            let means = |meant: &Meant| meant.has(&namespace, &shape.labels, &self.namespaces);
            let means_itself = all_of.iter().all(means);
            let keys = required.iter().map(|term| self.key(&term.topology_key)).collect();
            shape.affinity = Some(Affinity { keys, counter: self.counter(all_of), means_itself });
        }
        for term in spec.pod_anti_affinity.iter().flat_map(|affinity| &affinity.required) {
            let found = self.term(&namespace, term);
            shape.anti_affinity.push(found);
            shape.keeps_away.push(self.inverse_term(found.key, Meant::by_term(&namespace, term)));
        }
        let preferences = [(1, &spec.pod_affinity), (-1, &spec.pod_anti_affinity)];
        for (sign, affinity) in preferences.into_iter().filter_map(|(sign, one)| Some((sign, one.as_ref()?))) {
            let PodAffinity { preferred, .. } = affinity;
            for one in preferred {
                shape.preferred.push((sign * i64::from(one.weight), self.term(&namespace, &one.term)));
            }
        }
    }

    fn term(&mut self, namespace: &Rc<str>, term: &PodAffinityTerm) -> Term {
        let key = self.key(&term.topology_key);
        Term { key, counter: self.counter(vec![Meant::by_term(namespace, term)]) }
    }

    fn key(&mut self, name: &Rc<str>) -> KeyId {
        let labels = |info: &'_ NodeInfo| -> Option<StringMap> { Some(info.node.as_ref()?.metadata.labels.clone()) };
        let all: Vec<Option<StringMap>> = self.nodes.iter().map(labels).collect();
        self.keys.number(name, all.iter().map(Option::as_ref))
    }

    /// The number of the counter of pods that all of these mean. A new one counts the pods that are there.
    fn counter(&mut self, all_of: Vec<Meant>) -> usize {
        if let Some(place) = self.counters.iter().position(|counter| counter.is_of(&all_of)) {
            return place;
        }
        let mut counter = Counter::new(all_of);
        let number = self.counters.len();
        for shape in self.shapes.iter_mut().flatten() {
            if counter.has(&shape.namespace, &shape.labels, &self.namespaces) {
                shape.counted_by.push(number);
            }
        }
        for placed in self.pods.values() {
            let counts = self.shapes[placed.shape].as_ref().is_some_and(|shape| shape.counted_by.contains(&number));
            if counts {
                counter.add(placed.node, placed.pod.is_terminating());
            }
        }
        self.counters.push(counter);
        number
    }

    /// The number of a term that keeps others away. No pod that is placed has a new one, as only new shapes bring them.
    fn inverse_term(&mut self, key: KeyId, meant: Meant) -> usize {
        if let Some(place) = self.inverse.iter().position(|term| term.key == key && term.meant == meant) {
            return place;
        }
        let number = self.inverse.len();
        for shape in self.shapes.iter_mut().flatten() {
            if meant.has(&shape.namespace, &shape.labels, &self.namespaces) {
                shape.kept_away_by.push(number);
            }
        }
        self.inverse.push(Inverse { key, meant, of_node: Vec::new(), sum: 0 });
        number
    }
}

fn places<T>(all: &[T], has: impl Fn(&T) -> bool) -> Vec<usize> {
    let found = all.iter().enumerate().filter(|(_, one)| has(one));
    found.map(|(place, _)| place).collect()
}
