//! What one attempt knows of other pods: by place, how many of those that the pod's terms mean.

use super::cluster::Cluster;
use super::keys::{KeyId, NOWHERE};
use super::shape::{Shape, Spread};

/// Pods by place.
struct Domains {
    key: KeyId,
    counts: Vec<u32>,
}

/// A spread constraint with the pods by place.
struct SpreadDomains {
    spread: Spread,
    /// `None` for a place that no node that counts is in.
    counts: Vec<Option<u32>>,
    least: i64,
}

/// What other pods allow.
#[derive(Default)]
pub struct Cycle {
    spreads: Vec<SpreadDomains>,
    affinity: Vec<Domains>,
    /// Whether no pod is meant by the affinity, and the pod means itself: the first may go to any place.
    is_first: bool,
    anti_affinity: Vec<Domains>,
    kept_away: Vec<Domains>,
    preferred: Vec<(i64, Domains)>,
}

/// What other pods have against a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objection {
    /// The node lacks the label of a spread.
    NoPlace,
    /// The spread would be too uneven.
    Skew,
    /// None of the pods that it goes with is there.
    Affinity,
    /// A pod that it keeps away from is there.
    AntiAffinity,
    /// A pod that keeps it away is there.
    KeptAway,
}

impl Objection {
    /// In kube-scheduler's words (Kubernetes v1.33 `pkg/scheduler/framework/plugins/{podtopologyspread,interpodaffinity}`).
    pub fn text(self) -> &'static str {
        match self {
            Objection::NoPlace => "node(s) didn't match pod topology spread constraints (missing required label)",
            Objection::Skew => "node(s) didn't match pod topology spread constraints",
            Objection::Affinity => "node(s) didn't match pod affinity rules",
            Objection::AntiAffinity => "node(s) didn't match pod anti-affinity rules",
            Objection::KeptAway => "node(s) didn't satisfy existing pods anti-affinity rules",
        }
    }

    /// Whether evicting pods of the node may help.
    pub fn is_resolvable(self) -> bool {
        !matches!(self, Objection::NoPlace | Objection::Affinity)
    }
}

impl Cycle {
    /// Looks at all nodes, if the shape has terms or others keep it away.
    pub fn new(cluster: &Cluster, shape: &Shape) -> Cycle {
        if !shape.looks_at_pods() {
            return Cycle::default();
        }
        let counted = |key: KeyId, counter: usize| domains(cluster, key, |node| cluster.counters[counter].on(node).all);
        let affinity = shape.affinity.iter();
        let preferred = shape.preferred.iter();
        Cycle {
            spreads: spreads(cluster, shape),
            affinity: affinity.clone().flat_map(|all| all.keys.iter().map(|key| counted(*key, all.counter))).collect(),
            is_first: affinity.clone().all(|all| all.means_itself && !is_anywhere(cluster, &all.keys, all.counter)),
            anti_affinity: shape.anti_affinity.iter().map(|term| counted(term.key, term.counter)).collect(),
            kept_away: shape
                .kept_away_by
                .iter()
                .map(|&number| &cluster.inverse[number])
                .filter(|term| term.sum > 0)
                .map(|term| domains(cluster, term.key, |node| term.on(node)))
                .collect(),
            preferred: preferred.map(|(weight, term)| (*weight, counted(term.key, term.counter))).collect(),
        }
    }

    /// What other pods have against a node.
    pub fn objection(&self, cluster: &Cluster, node: usize) -> Option<Objection> {
        for one in self.spreads.iter().filter(|one| one.spread.is_hard) {
            let place = cluster.keys.place(one.spread.key, node);
            if place == NOWHERE {
                return Some(Objection::NoPlace);
            }
            let there = i64::from(one.counts[place as usize].unwrap_or(0));
            if there + i64::from(one.spread.counts_itself) - one.least > one.spread.max_skew {
                return Some(Objection::Skew);
            }
        }
        let places = || self.affinity.iter().map(|one| (one, cluster.keys.place(one.key, node)));
        let is_with =
            places().all(|(one, place)| place != NOWHERE && (self.is_first || one.counts[place as usize] > 0));
        if !is_with {
            return Some(Objection::Affinity);
        }
        let is_there = |one: &Domains| {
            let place = cluster.keys.place(one.key, node);
            place != NOWHERE && one.counts[place as usize] > 0
        };
        if self.anti_affinity.iter().any(is_there) {
            return Some(Objection::AntiAffinity);
        }
        self.kept_away.iter().any(is_there).then_some(Objection::KeptAway)
    }

    /// Whether soft terms say anything.
    pub fn has_preferences(&self) -> bool {
        !self.preferred.is_empty() || self.spreads.iter().any(|one| !one.spread.is_hard)
    }

    /// The sum of the weights of preferred terms that a node meets.
    pub fn preference(&self, cluster: &Cluster, node: usize) -> i64 {
        let met = |one: &Domains| match cluster.keys.place(one.key, node) {
            NOWHERE => 0,
            place => i64::from(one.counts[place as usize]),
        };
        self.preferred.iter().map(|(weight, one)| weight * met(one)).sum()
    }

    /// How many pods the soft spreads count in a node's places; `None` if it is in none.
    pub fn crowd(&self, cluster: &Cluster, node: usize) -> Option<i64> {
        let soft = self.spreads.iter().filter(|one| !one.spread.is_hard);
        let there = |one: &SpreadDomains| match cluster.keys.place(one.spread.key, node) {
            NOWHERE => None,
            place => Some(i64::from(one.counts[place as usize].unwrap_or(0))),
        };
        soft.map(there).sum()
    }
}

fn domains(cluster: &Cluster, key: KeyId, on: impl Fn(usize) -> u32) -> Domains {
    let mut counts = vec![0; cluster.keys.places(key)];
    for &node in &cluster.order {
        let place = cluster.keys.place(key, node);
        if place != NOWHERE {
            counts[place as usize] += on(node);
        }
    }
    Domains { key, counts }
}

/// Whether a pod that the counter counts is on a node with one of the labels.
fn is_anywhere(cluster: &Cluster, keys: &[KeyId], counter: usize) -> bool {
    let counter = &cluster.counters[counter];
    let is_placed = |node: &usize| keys.iter().any(|key| cluster.keys.place(*key, *node) != NOWHERE);
    counter.sum > 0 && cluster.order.iter().any(|node| counter.on(*node).all > 0 && is_placed(node))
}

/// Nodes count that have the labels of all constraints of the same hardness, and that the policies let in.
fn spreads(cluster: &Cluster, shape: &Shape) -> Vec<SpreadDomains> {
    let of = |spread: &Spread| SpreadDomains {
        counts: vec![None; cluster.keys.places(spread.key)],
        spread: spread.clone(),
        least: 0,
    };
    let mut all: Vec<SpreadDomains> = shape.spreads.iter().map(of).collect();
    if all.is_empty() {
        return all;
    }
    for &node in &cluster.order {
        let info = &cluster.nodes[node];
        let Some(object) = &info.node else { continue };
        let stand = shape.stand(node, info.version, object);
        for is_hard in [true, false] {
            let alike = |one: &&Spread| one.is_hard == is_hard;
            let has_all = |one: &Spread| cluster.keys.place(one.key, node) != NOWHERE;
            if !shape.spreads.iter().filter(alike).all(has_all) {
                continue;
            }
            for one in all.iter_mut().filter(|one| one.spread.is_hard == is_hard) {
                let Spread { honors_affinity, honors_taints, key, counter, .. } = &one.spread;
                if (*honors_affinity && !stand.is_selected) || (*honors_taints && stand.taint.is_some()) {
                    continue;
                }
                let count = cluster.counters[*counter].on(node);
                let place = cluster.keys.place(*key, node) as usize;
                *one.counts[place].get_or_insert(0) += count.all - count.ending;
            }
        }
    }
    for one in &mut all {
        let places = one.counts.iter().flatten();
        let is_short = one.spread.min_domains.is_some_and(|least| places.clone().count() < least);
        one.least = if is_short { 0 } else { places.min().copied().unwrap_or(0).into() };
    }
    all
}
