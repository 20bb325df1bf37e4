//! What pods of one template have in common, read once.

use super::amounts::Wanted;
use super::keys::KeyId;
use crate::node_affinity::selects;
use lkesim_kube::object::affinity::NodeInclusionPolicy;
use lkesim_kube::object::pod::HostPort;
use lkesim_kube::object::{Node, PodSpec, StringMap, TaintEffect};
use std::cell::RefCell;
use std::rc::Rc;

/// Pods of equal spec, labels and namespace.
pub struct Shape {
    /// What they need.
    pub spec: Rc<PodSpec>,
    /// Their labels.
    pub labels: StringMap,
    /// Their namespace.
    pub namespace: Rc<str>,
    /// What they ask for.
    pub wanted: Wanted,
    /// Ports of the node that they take, those of sidecars included.
    pub ports: Vec<HostPort>,
    /// How they are spread.
    pub spreads: Vec<Spread>,
    /// The pods that all required affinity terms mean, with the labels of the terms.
    pub affinity: Option<Affinity>,
    /// Required anti-affinity terms.
    pub anti_affinity: Vec<Term>,
    /// Preferred terms of affinity, and of anti-affinity with a negative weight.
    pub preferred: Vec<(i64, Term)>,
    /// Their own required anti-affinity terms, by which they keep others away.
    pub keeps_away: Vec<usize>,
    /// Terms of others that keep them away.
    pub kept_away_by: Vec<usize>,
    /// Counters that count them.
    pub counted_by: Vec<usize>,
    /// What was found out of nodes, by their number.
    memo: RefCell<Vec<Remembered>>,
    /// How many pods have the shape.
    pub users: usize,
}

/// A spread constraint.
#[derive(Clone, Debug)]
pub struct Spread {
    /// Places.
    pub key: KeyId,
    /// What is counted.
    pub counter: usize,
    /// By how much places may differ.
    pub max_skew: i64,
    /// With fewer places, the emptiest counts as empty.
    pub min_domains: Option<usize>,
    /// Whether it must hold.
    pub is_hard: bool,
    /// Whether nodes outside of the pods' own affinity are left out.
    pub honors_affinity: bool,
    /// Whether nodes with taints that they do not tolerate are left out.
    pub honors_taints: bool,
    /// Whether the pods count themselves.
    pub counts_itself: bool,
}

/// A term of affinity or anti-affinity.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// Places.
    pub key: KeyId,
    /// What is counted.
    pub counter: usize,
}

/// All required affinity terms of a pod.
#[derive(Clone, Debug)]
pub struct Affinity {
    /// Places, a term each.
    pub keys: Vec<KeyId>,
    /// Pods that all terms mean.
    pub counter: usize,
    /// Whether the pods mean themselves, so that the first may go anywhere.
    pub means_itself: bool,
}

/// What holds between a shape and a node until the node's labels or taints change.
#[derive(Clone, Copy, Debug, Default)]
struct Remembered {
    version: u32,
    stand: Stand,
}

/// How a node stands to a shape, whatever runs on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stand {
    /// The first taint that is not tolerated, by its place in the node's list.
    pub taint: Option<u16>,
    /// Whether the node has the labels that the pods ask for.
    pub is_selected: bool,
}

impl Shape {
    /// What can be told of the spec alone.
    pub fn new(spec: Rc<PodSpec>, labels: StringMap, namespace: Rc<str>) -> Shape {
        let sidecars = spec.init_containers.iter().filter(|one| one.restarts_always);
        Shape {
            wanted: Wanted::of(&spec),
            ports: spec.containers.iter().chain(sidecars).flat_map(|one| one.host_ports.iter().copied()).collect(),
            spec,
            labels,
            namespace,
            spreads: Vec::new(),
            affinity: None,
            anti_affinity: Vec::new(),
            preferred: Vec::new(),
            keeps_away: Vec::new(),
            kept_away_by: Vec::new(),
            counted_by: Vec::new(),
            memo: RefCell::default(),
            users: 0,
        }
    }

    /// How a node of this number and version stands to the shape.
    pub fn stand(&self, number: usize, version: u32, node: &Node) -> Stand {
        let mut memo = self.memo.borrow_mut();
        if memo.len() <= number {
            memo.resize(number + 1, Remembered::default());
        }
        if memo[number].version != version {
            memo[number] = Remembered { version, stand: self.look(node) };
        }
        memo[number].stand
    }

    /// The same without a memory, for pods that look at one node alone.
    pub fn look(&self, node: &Node) -> Stand {
        let repels = |effect| matches!(effect, TaintEffect::NoSchedule | TaintEffect::NoExecute);
        let tolerated = |taint| self.spec.tolerations.iter().any(|toleration| toleration.tolerates(taint));
        let place = node.spec.taints.iter().position(|taint| repels(taint.effect) && !tolerated(taint));
        Stand {
            taint: place.and_then(|place| u16::try_from(place).ok()),
            is_selected: selects(&self.spec, &node.metadata.labels),
        }
    }

    /// Whether other pods decide on where these may go.
    pub fn looks_at_pods(&self) -> bool {
        !self.spreads.is_empty()
            || self.affinity.is_some()
            || !self.anti_affinity.is_empty()
            || !self.kept_away_by.is_empty()
            || !self.preferred.is_empty()
    }
}

/// Who a pod is to other pods: what counts it, and the terms by which it keeps others away.
#[derive(Clone, Debug, Default)]
pub struct Presence {
    counted_by: Vec<usize>,
    keeps_away: Vec<usize>,
}

impl Shape {
    /// Who pods of the shape are to others.
    pub fn presence(&self) -> Presence {
        Presence { counted_by: self.counted_by.clone(), keeps_away: self.keeps_away.clone() }
    }

    /// Whether the coming or going of such a pod may help these.
    pub fn cares_for(&self, other: &Presence) -> bool {
        let spreads = self.spreads.iter().map(|one| one.counter);
        let affinity = self.affinity.iter().map(|one| one.counter);
        let anti_affinity = self.anti_affinity.iter().map(|one| one.counter);
        let mut counters = spreads.chain(affinity).chain(anti_affinity);
        counters.any(|counter| other.counted_by.contains(&counter))
            || self.kept_away_by.iter().any(|term| other.keeps_away.contains(term))
    }
}

/// Whether a policy leaves nodes out.
pub fn honors(policy: Option<NodeInclusionPolicy>, default: NodeInclusionPolicy) -> bool {
    policy.unwrap_or(default) == NodeInclusionPolicy::Honor
}
