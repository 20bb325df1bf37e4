//! Which of the nodes that fit is taken: the one with the highest score, and of several one by lot.
//!
//! Kubernetes v1.33's default weights: least allocated 1, tolerated taints 3, preferred node affinity 2, soft spread 2,
//! preferred pod affinity 2. Left out: balanced allocation, images, the spreading that the scheduler adds to pods of
//! Services and ReplicaSets by itself, and preferences of pods that run. Where upstream weighs spreads by logarithms, the
//! pods of all soft spreads are simply added up.

use super::cluster::{Cluster, NodeInfo};
use super::cycle::Cycle;
use super::shape::Shape;
use lkesim_kube::object::{Node, TaintEffect};
use lkesim_runtime::Word;

/// The highest score of each part.
const MOST: i64 = 100;

/// The node to take.
pub fn best(cluster: &Cluster, shape: &Shape, cycle: &Cycle, fitting: &[usize], lot: Word) -> Option<usize> {
    let mut scores: Vec<i64> = fitting.iter().map(|node| least_allocated(&cluster.nodes[*node], shape)).collect();
    if fitting.iter().any(|node| cluster.nodes[*node].has_soft_taints) {
        let raw = each(cluster, fitting, |node| soft_taints(node, shape));
        add(&mut scores, 3, &turned(&raw));
    }
    if shape.spec.node_affinity.as_ref().is_some_and(|affinity| !affinity.preferred.is_empty()) {
        add(&mut scores, 2, &scaled(&each(cluster, fitting, |node| preferred(node, shape))));
    }
    if cycle.has_preferences() {
        let raw: Vec<i64> = fitting.iter().map(|node| cycle.preference(cluster, *node)).collect();
        add(&mut scores, 2, &between(&raw));
        let crowds: Vec<Option<i64>> = fitting.iter().map(|node| cycle.crowd(cluster, *node)).collect();
        add(&mut scores, 2, &sparse(&crowds));
    }
    let most = scores.iter().copied().max()?;
    let ties = scores.iter().filter(|score| **score == most).count() as u64;
    let chosen = usize::try_from(lot.below(ties)).unwrap_or(0);
    let mut tied = fitting.iter().zip(&scores).filter(|(_, score)| **score == most);
    tied.nth(chosen).map(|(node, _)| *node)
}

/// What part of CPU and memory is left, on average (`noderesources/least_allocated.go`).
fn least_allocated(info: &NodeInfo, shape: &Shape) -> i64 {
    let (mut sum, mut parts) = (0, 0);
    for (place, capacity) in info.allocatable.scored().into_iter().enumerate() {
        if capacity == 0 {
            continue;
        }
        parts += 1;
        let wanted = info.scored[place] + shape.wanted.scored[place];
        if wanted <= capacity {
            sum += i64::try_from(i128::from(capacity - wanted) * i128::from(MOST) / i128::from(capacity)).unwrap_or(0);
        }
    }
    if parts == 0 { 0 } else { sum / parts }
}

fn each(cluster: &Cluster, fitting: &[usize], score: impl Fn(&Node) -> i64) -> Vec<i64> {
    fitting.iter().map(|node| cluster.nodes[*node].node.as_ref().map_or(0, |node| score(node))).collect()
}

fn soft_taints(node: &Node, shape: &Shape) -> i64 {
    let soft = node.spec.taints.iter().filter(|taint| taint.effect == TaintEffect::PreferNoSchedule);
    let tolerated = |taint: &&lkesim_kube::object::Taint| shape.spec.tolerations.iter().any(|one| one.tolerates(taint));
    i64::try_from(soft.filter(|taint| !tolerated(taint)).count()).unwrap_or(0)
}

fn preferred(node: &Node, shape: &Shape) -> i64 {
    let labels = &node.metadata.labels;
    let preferred = shape.spec.node_affinity.iter().flat_map(|affinity| &affinity.preferred);
    let met = preferred.filter(|one| {
        let expressions = &one.term.match_expressions;
        !one.term.has_match_fields
            && expressions.iter().all(|one| one.allows(labels.get(&one.key).map(|value| &**value)))
    });
    met.map(|one| i64::from(one.weight)).sum()
}

fn add(scores: &mut [i64], weight: i64, part: &[i64]) {
    scores.iter_mut().zip(part).for_each(|(score, part)| *score += weight * part);
}

/// As shares of the highest.
fn scaled(raw: &[i64]) -> Vec<i64> {
    let most = raw.iter().copied().max().unwrap_or(0);
    raw.iter().map(|one| if most == 0 { 0 } else { one * MOST / most }).collect()
}

/// As shares of the highest, less being better.
fn turned(raw: &[i64]) -> Vec<i64> {
    scaled(raw).into_iter().map(|one| MOST - one).collect()
}

/// From the lowest to the highest.
fn between(raw: &[i64]) -> Vec<i64> {
    let (least, most) = (raw.iter().copied().min().unwrap_or(0), raw.iter().copied().max().unwrap_or(0));
    raw.iter().map(|one| if most == least { 0 } else { (one - least) * MOST / (most - least) }).collect()
}

/// The fewer pods the better; a node without a place gets nothing.
fn sparse(crowds: &[Option<i64>]) -> Vec<i64> {
    let (least, most) =
        (crowds.iter().flatten().copied().min().unwrap_or(0), crowds.iter().flatten().copied().max().unwrap_or(0));
    let score = |crowd: i64| if most == 0 { MOST } else { MOST * (most + least - crowd) / most };
    crowds.iter().map(|crowd| crowd.map_or(0, score)).collect()
}
