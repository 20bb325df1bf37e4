//! How many pods of a kind each node has, kept as pods come and go.

use lkesim_kube::object::affinity::PodAffinityTerm;
use lkesim_kube::object::{LabelSelector, StringMap};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Which pods a term means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meant {
    namespaces: BTreeSet<Rc<str>>,
    by_labels: Option<LabelSelector>,
    selector: Option<LabelSelector>,
}

/// Labels of namespaces.
pub type Namespaces = BTreeMap<Rc<str>, StringMap>;

impl Meant {
    /// Pods of one namespace. Without a selector, none.
    pub fn in_namespace(namespace: &Rc<str>, selector: Option<LabelSelector>) -> Meant {
        Meant { namespaces: BTreeSet::from([namespace.clone()]), by_labels: None, selector }
    }

    /// Pods that a term of a pod in `own` means: those of its own namespace, unless the term names or selects some.
    pub fn by_term(own: &Rc<str>, term: &PodAffinityTerm) -> Meant {
        let mut namespaces: BTreeSet<Rc<str>> = term.namespaces.iter().cloned().collect();
        if namespaces.is_empty() && term.namespace_selector.is_none() {
            namespaces.insert(own.clone());
        }
        Meant { namespaces, by_labels: term.namespace_selector.clone(), selector: term.label_selector.clone() }
    }

    /// Whether a pod is meant.
    pub fn has(&self, namespace: &Rc<str>, labels: &StringMap, namespaces: &Namespaces) -> bool {
        let selected = |by: &LabelSelector| by.matches(namespaces.get(namespace).unwrap_or(&StringMap::EMPTY));
        (self.namespaces.contains(namespace) || self.by_labels.as_ref().is_some_and(selected))
            && self.selector.as_ref().is_some_and(|selector| selector.matches(labels))
    }
}

/// Pods on one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// All.
    pub all: u32,
    /// Those whose deletion was asked for.
    pub ending: u32,
}

/// Pods that all of some terms mean, by node.
#[derive(Clone, Debug, Default)]
pub struct Counter {
    all_of: Vec<Meant>,
    of_node: Vec<Count>,
    /// How many there are.
    pub sum: u32,
}

impl Counter {
    /// Of pods that all of these mean.
    pub fn new(all_of: Vec<Meant>) -> Counter {
        Counter { all_of, of_node: Vec::new(), sum: 0 }
    }

    /// Whether it counts pods that are meant so.
    pub fn is_of(&self, all_of: &[Meant]) -> bool {
        self.all_of == all_of
    }

    /// Whether it counts such a pod.
    pub fn has(&self, namespace: &Rc<str>, labels: &StringMap, namespaces: &Namespaces) -> bool {
        self.all_of.iter().all(|meant| meant.has(namespace, labels, namespaces))
    }

    /// The pods on a node.
    pub fn on(&self, node: usize) -> Count {
        self.of_node.get(node).copied().unwrap_or_default()
    }

    /// One more.
    pub fn add(&mut self, node: usize, is_ending: bool) {
        if self.of_node.len() <= node {
            self.of_node.resize(node + 1, Count::default());
        }
        self.of_node[node].all += 1;
        self.of_node[node].ending += u32::from(is_ending);
        self.sum += 1;
    }

    /// One less.
    pub fn remove(&mut self, node: usize, is_ending: bool) {
        self.of_node[node].all -= 1;
        self.of_node[node].ending -= u32::from(is_ending);
        self.sum -= 1;
    }
}
