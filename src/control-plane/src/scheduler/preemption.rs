//! Preemption: a pod that fits nowhere evicts pods of lower priority, if that makes it fit.
//!
//! Kubernetes v1.33 `pkg/scheduler/framework/preemption` and `plugins/defaultpreemption`: on each node that an eviction may
//! help all pods of lower priority are taken away, as many as possible are put back, those whose budget would break
//! first; the node is taken that breaks the fewest budgets, whose victims matter least, sum up to least, are fewest, and
//! started last. Nodes are tried in their order; upstream begins anywhere.

use super::cluster::{Cluster, Placed};
use super::cycle::Cycle;
use super::filter::{Answer, Seeker};
use super::reasons::{self, Tally};
use super::{Scheduler, State, expected_on};
use crate::view::View;
use lkesim_kube::object::{Pod, PodDisruptionBudget, Uid};
use lkesim_kube::store::DeleteOptions;
use lkesim_runtime::{TaskName, Time};
use lkesim_scheduling::volumes::Claim;
use std::cmp::Reverse;
use std::rc::Rc;

/// How many nodes with victims are looked at.
const CANDIDATES: usize = 100;

/// What preemption came to.
#[derive(Default)]
pub struct Preemption {
    /// What is said of it.
    pub said: String,
    /// The node whose pods are evicted.
    pub node: Option<Rc<str>>,
    /// They.
    pub victims: Vec<Rc<Pod>>,
}

/// Pods of one node whose eviction lets the pod in.
struct Candidate {
    node: usize,
    victims: Vec<Rc<Pod>>,
    broken_budgets: usize,
}

impl State {
    pub(super) fn preempt(
        &mut self,
        view: &View,
        pod: &Rc<Pod>,
        shape: usize,
        claims: &[Claim],
        tally: &Tally,
        refused: &[usize],
    ) -> Preemption {
        let nodes = self.cluster.order.len();
        if pod.spec.never_preempts {
            return said("not eligible due to preemptionPolicy=Never.");
        }
        if self.waits_for_victims(pod) {
            let node = self.nominated.get(&pod.metadata.uid).cloned();
            return Preemption { node, ..said("not eligible due to a terminating pod on the nominated node.") };
        }
        let mut told = Tally::default();
        told.add(self.reasons.number(reasons::NOT_HELPFUL), tally.unresolvable);
        let no_victims = self.reasons.number(reasons::NO_VICTIMS);
        let is_lowest = self.cluster.priorities.keys().next().is_none_or(|least| *least >= pod.spec.priority);
        if is_lowest {
            told.add(no_victims, refused.len());
            return said(&reasons::sentence(nodes, &told.listed(&self.reasons), ""));
        }
        let generation = self.cluster.generation;
        let mut candidates = Vec::new();
        for &node in refused {
            candidates.extend(self.dry_run(view, pod, shape, claims, node, &mut told));
            if candidates.len() >= CANDIDATES {
                break;
            }
        }
        self.cluster.generation = generation;
        match candidates.into_iter().min_by_key(rank) {
            Some(best) => {
                let node = self.cluster.nodes[best.node].name.clone();
                Preemption { said: String::new(), node: Some(node), victims: best.victims }
            }
            None => said(&reasons::sentence(nodes, &told.listed(&self.reasons), "")),
        }
    }

    /// Whether pods of lower priority already end on the node that the pod is to come to.
    fn waits_for_victims(&self, pod: &Pod) -> bool {
        let node = self.nominated.get(&pod.metadata.uid).and_then(|node| self.cluster.number(node));
        let ends = |placed: &Placed| placed.pod.is_terminating() && placed.pod.spec.priority < pod.spec.priority;
        node.is_some_and(|node| self.cluster.pods_on(node).any(ends))
    }

    /// Tries a node without its pods of lower priority, and leaves the cluster as it was.
    fn dry_run(
        &mut self,
        view: &View,
        pod: &Rc<Pod>,
        shape: usize,
        claims: &[Claim],
        node: usize,
        told: &mut Tally,
    ) -> Option<Candidate> {
        let is_lower = |placed: &&Placed| placed.pod.spec.priority < pod.spec.priority;
        let mut lower: Vec<(Rc<Pod>, bool)> =
            self.cluster.pods_on(node).filter(is_lower).map(|one| (one.pod.clone(), one.is_assumed)).collect();
        if lower.is_empty() {
            told.add(self.reasons.number(reasons::NO_VICTIMS), 1);
            return None;
        }
        // Shapes keep their numbers while their pods are away.
        let shapes: Vec<usize> = lower.iter().map(|(one, _)| self.cluster.shape_of(one)).collect();
        let found = self.try_without(view, pod, (shape, claims, node), &mut lower, told);
        shapes.into_iter().for_each(|shape| self.cluster.release(shape));
        found
    }

    fn try_without(
        &mut self,
        view: &View,
        pod: &Rc<Pod>,
        (shape, claims, node): (usize, &[Claim], usize),
        lower: &mut [(Rc<Pod>, bool)],
        told: &mut Tally,
    ) -> Option<Candidate> {
        // The most important first: these are put back first.
        lower.sort_by_key(|(one, _)| (Reverse(one.spec.priority), one.status.start_time.unwrap_or(Time::MAX)));
        for (one, _) in lower.iter() {
            self.cluster.displace(one.metadata.uid);
        }
        let (answer, why) = self.asks(view, pod, shape, claims, node);
        if answer != Answer::Fits {
            why.iter().for_each(|reason| told.add(*reason, 1));
            self.put_back(node, lower);
            return None;
        }
        let breaks = breaking(view, lower);
        let (protected, others): (Vec<_>, Vec<_>) =
            lower.iter().partition(|(one, _)| breaks.contains(&one.metadata.uid));
        let (mut victims, mut broken_budgets) = (Vec::new(), 0);
        for (one, is_assumed) in protected.into_iter().chain(others) {
            self.put_back(node, &[(one.clone(), *is_assumed)]);
            if self.asks(view, pod, shape, claims, node).0 != Answer::Fits {
                self.cluster.displace(one.metadata.uid);
                broken_budgets += usize::from(breaks.contains(&one.metadata.uid));
                victims.push((one.clone(), *is_assumed));
            }
        }
        self.put_back(node, &victims);
        victims.sort_by_key(|(one, _)| (Reverse(one.spec.priority), one.status.start_time.unwrap_or(Time::MAX)));
        let victims = victims.into_iter().map(|(one, _)| one).collect();
        Some(Candidate { node, victims, broken_budgets })
    }

    fn put_back(&mut self, node: usize, pods: &[(Rc<Pod>, bool)]) {
        let name = self.cluster.nodes[node].name.clone();
        pods.iter().for_each(|(one, is_assumed)| self.cluster.place(one, &name, *is_assumed));
    }

    fn asks(
        &mut self,
        view: &View,
        pod: &Rc<Pod>,
        shape: usize,
        claims: &[Claim],
        node: usize,
    ) -> (Answer, Vec<usize>) {
        let State { cluster, reasons, queue, expected, .. } = self;
        let shape = cluster.shape(shape);
        let cycle = Cycle::new(cluster, shape);
        let expects = |node: usize| expected_on(cluster, queue, expected, pod, node);
        let claims_of = |pod: &Pod| view.facts.cluster.claims_of(pod).unwrap_or_default();
        let limits = &view.facts.volume_limits;
        let seeker = Seeker { shape, cycle: &cycle, claims, limits, claims_of: &claims_of, expected: &expects };
        let mut told = Vec::new();
        let answer = seeker.ask(cluster as &Cluster, node, reasons, &mut told);
        (answer, told)
    }
}

impl Scheduler {
    /// Deletes the victims, each with its own grace.
    pub(super) fn spawn_evictions(self: &Rc<Scheduler>, victims: Vec<Rc<Pod>>) {
        for victim in victims.into_iter().filter(|victim| !victim.is_terminating()) {
            let this = self.clone();
            let name = TaskName::on("preempt", victim.name().clone()).of_run();
            self.view.runtime.spawn(name, async move {
                this.calls.wait().await;
                let options = DeleteOptions { uid: Some(victim.metadata.uid), ..DeleteOptions::default() };
                // The next attempt finds out whether it is gone.
                drop(this.client.delete_with(&*victim, options).await);
            });
        }
    }
}

fn said(text: &str) -> Preemption {
    Preemption { said: text.to_owned(), ..Preemption::default() }
}

/// The lower the better.
fn rank(candidate: &Candidate) -> (usize, i32, i64, usize, Reverse<Time>) {
    let highest = candidate.victims.iter().map(|one| one.spec.priority).max().unwrap_or(i32::MIN);
    let raised = |one: &Rc<Pod>| i64::from(one.spec.priority) + i64::from(i32::MAX) + 1;
    let sum = candidate.victims.iter().map(raised).sum();
    let of_highest = candidate.victims.iter().filter(|one| one.spec.priority == highest);
    let first = of_highest.map(|one| one.status.start_time.unwrap_or(Time::MAX)).min().unwrap_or(Time::MAX);
    (candidate.broken_budgets, highest, sum, candidate.victims.len(), Reverse(first))
}

/// The pods whose eviction, after that of those before, a budget does not allow.
fn breaking(view: &View, pods: &[(Rc<Pod>, bool)]) -> Vec<Uid> {
    let store = view.client.store();
    let budgets = store.list::<PodDisruptionBudget>();
    let mut left: Vec<(Rc<PodDisruptionBudget>, u32)> =
        budgets.into_iter().map(|budget| (budget.clone(), store.budget(&budget).allowed())).collect();
    let mut breaking = Vec::new();
    for (pod, _) in pods {
        let about = left
            .iter_mut()
            .filter(|(budget, _)| budget.namespace == pod.namespace && budget.selector.matches(&pod.metadata.labels));
        for (_, allowed) in about {
            match *allowed {
                0 => breaking.push(pod.metadata.uid),
                _ => *allowed -= 1,
            }
        }
    }
    breaking
}
