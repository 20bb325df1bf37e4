use super::*;
use lkesim_kube::object::node_pool::NodePoolSpec;
use lkesim_kube::object::{PodOwner, PodPhase, PodSpec};
use lkesim_runtime::Time;
use proptest::prelude::*;
use std::time::Duration;

/// A pod as one of its kinds and states.
#[derive(Clone, Copy, Debug)]
struct Kind {
    owner: PodOwner,
    has_ended: bool,
    ends: bool,
    is_protected: bool,
    is_budgeted: bool,
}

impl Kind {
    fn pod(self) -> Rc<Pod> {
        let mut pod = Pod::new(if self.is_budgeted { "budgeted" } else { "free" }, PodSpec::default());
        pod.owner = self.owner;
        pod.status.phase = if self.has_ended { PodPhase::Succeeded } else { PodPhase::Running };
        pod.metadata.deletion_timestamp = self.ends.then_some(Time::from_secs(1));
        if self.is_protected {
            pod.metadata.annotations.insert(labels::DO_NOT_DISRUPT, "true");
        }
        Rc::new(pod)
    }

    fn is_active(self) -> bool {
        !self.has_ended && !self.ends
    }

    /// What the original's documentation says of a pod on an empty node.
    fn keeps_its_node(self) -> bool {
        let is_of_node = matches!(self.owner, PodOwner::DaemonSet | PodOwner::Node);
        let comes_back = self.owner == PodOwner::StatefulSet && self.ends;
        let has_work = !is_of_node && (self.is_active() || comes_back);
        let is_evicted = self.is_active() && self.owner != PodOwner::Node && !self.is_protected;
        has_work || (self.is_active() && self.is_protected) || (is_evicted && self.is_budgeted)
    }
}

fn kind() -> impl Strategy<Value = Kind> {
    let owner = prop::sample::select(vec![
        PodOwner::None,
        PodOwner::Controller,
        PodOwner::StatefulSet,
        PodOwner::DaemonSet,
        PodOwner::DaemonSet,
        PodOwner::Node,
    ]);
    let rarely = || prop::bool::weighted(0.2);
    (owner, any::<bool>(), rarely(), rarely(), rarely()).prop_map(
        |(owner, has_ended, ends, is_protected, is_budgeted)| Kind {
            owner,
            has_ended,
            ends,
            is_protected,
            is_budgeted,
        },
    )
}

/// All that is known of a node, each as yes or no.
#[derive(Clone, Debug)]
struct State {
    pods: Vec<Kind>,
    has_node: bool,
    is_initialized: bool,
    is_queued: bool,
    is_leaving: bool,
    is_nominated: bool,
    is_protected: bool,
    has_node_pool: bool,
    consolidates: bool,
    is_consolidatable: bool,
}

impl State {
    fn blocked(&self) -> Option<Blocked> {
        let mut claim = crate::testing::claim("a");
        if self.is_consolidatable {
            claim.status.conditions.set_true(Time::ZERO, ConditionType::Consolidatable);
        }
        let mut node = Node::new("n", None);
        if self.is_initialized {
            node.metadata.labels.insert(labels::NODE_INITIALIZED, "true");
        }
        if self.is_protected {
            node.metadata.annotations.insert(labels::DO_NOT_DISRUPT, "true");
        }
        let consolidate_after = self.consolidates.then_some(Duration::ZERO);
        let node_pool = NodePool::new("default", NodePoolSpec { consolidate_after, ..NodePoolSpec::default() });
        let pods: Vec<Rc<Pod>> = self.pods.iter().map(|kind| kind.pod()).collect();
        blocked(&Look {
            claim: &claim,
            node: self.has_node.then_some(&node),
            pods: &pods,
            is_queued: self.is_queued,
            is_leaving: self.is_leaving,
            is_nominated: self.is_nominated,
            node_pool: self.has_node_pool.then_some(&node_pool),
            may_evict: &|pod| **pod.name() != *"budgeted",
        })
    }
}

fn state() -> impl Strategy<Value = State> {
    let (mostly, rarely) = (|| prop::bool::weighted(0.9), || prop::bool::weighted(0.1));
    let flags = (mostly(), mostly(), rarely(), rarely(), rarely(), rarely());
    let of_pool = (mostly(), mostly(), mostly());
    (prop::collection::vec(kind(), 0..3), flags, of_pool).prop_map(|(pods, flags, of_pool)| State {
        pods,
        has_node: flags.0,
        is_initialized: flags.1,
        is_queued: flags.2,
        is_leaving: flags.3,
        is_nominated: flags.4,
        is_protected: flags.5,
        has_node_pool: of_pool.0,
        consolidates: of_pool.1,
        is_consolidatable: of_pool.2,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_node_may_go_exactly_where_nothing_stands_against_it(state in state()) {
        let is_there = state.has_node && state.is_initialized && state.has_node_pool;
        let is_left_alone = state.is_queued || state.is_leaving || state.is_nominated || state.is_protected;
        let is_due = state.consolidates && state.is_consolidatable;
        let is_empty = !state.pods.iter().any(|kind| kind.keeps_its_node());
        prop_assert_eq!(state.blocked().is_none(), is_there && !is_left_alone && is_due && is_empty);
    }

    #[test]
    fn a_node_with_a_pod_of_its_own_that_runs_never_goes(mut state in state(), place in 0..3_usize) {
        let runs = Kind { owner: PodOwner::Controller, has_ended: false, ends: false, is_protected: false, is_budgeted: false };
        state.pods.insert(place.min(state.pods.len()), runs);
        prop_assert!(state.blocked().is_some());
    }
}

/// What makes a node another.
type Change = fn(&mut State);

/// One thing at a time, so that each says why.
#[test]
fn each_obstacle_has_its_name() {
    let free = State {
        pods: Vec::new(),
        has_node: true,
        is_initialized: true,
        is_queued: false,
        is_leaving: false,
        is_nominated: false,
        is_protected: false,
        has_node_pool: true,
        consolidates: true,
        is_consolidatable: true,
    };
    assert_eq!(free.blocked(), None);
    let with = |change: Change| {
        let mut state = free.clone();
        change(&mut state);
        state.blocked()
    };
    let agent =
        Kind { owner: PodOwner::DaemonSet, has_ended: false, ends: false, is_protected: false, is_budgeted: false };
    assert_eq!(State { pods: vec![agent], ..free.clone() }.blocked(), None);
    let protected = Kind { is_protected: true, ..agent };
    assert_eq!(State { pods: vec![protected], ..free.clone() }.blocked(), Some(Blocked::DoNotDisrupt));
    let budgeted = Kind { is_budgeted: true, ..agent };
    assert_eq!(State { pods: vec![budgeted], ..free.clone() }.blocked(), Some(Blocked::PodBudget));
    let usual = Kind { owner: PodOwner::Controller, ..agent };
    assert_eq!(State { pods: vec![usual], ..free.clone() }.blocked(), Some(Blocked::NotEmpty));
    let cases: [(Change, Blocked); 9] = [
        (|state| state.is_queued = true, Blocked::Queued),
        (|state| state.has_node = false, Blocked::NotInitialized),
        (|state| state.is_initialized = false, Blocked::NotInitialized),
        (|state| state.is_leaving = true, Blocked::Leaving),
        (|state| state.is_nominated = true, Blocked::Nominated),
        (|state| state.is_protected = true, Blocked::DoNotDisrupt),
        (|state| state.has_node_pool = false, Blocked::NoNodePool),
        (|state| state.consolidates = false, Blocked::Never),
        (|state| state.is_consolidatable = false, Blocked::NotConsolidatable),
    ];
    for (change, expected) in cases {
        assert_eq!(with(change), Some(expected));
    }
}

#[test]
fn pods_cost_more_by_priority_and_deletion_cost_within_bounds() {
    let pod = |priority: i32, deletion: Option<&str>| {
        let mut pod = Pod::new("a", PodSpec { priority, ..PodSpec::default() });
        deletion.into_iter().for_each(|cost| pod.metadata.annotations.insert(labels::POD_DELETION_COST, cost));
        Rc::new(pod)
    };
    let of = |pods: &[Rc<Pod>]| cost(pods);
    let one = of(&[pod(0, None)]);
    assert_eq!(of(&[]), 0);
    assert_eq!(of(&[pod(0, None), pod(0, None)]), 2 * one);
    assert_eq!(of(&[pod(2_000_000_000, None)]), 10 * one);
    assert_eq!(of(&[pod(0, Some("134217728"))]), 2 * one);
    assert_eq!(of(&[pod(1 << 25, Some("none"))]), 2 * one);
}
