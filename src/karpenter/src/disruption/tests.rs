//! Empty nodes that go, and nodes that stay, on whole small clusters.

use crate::Disruption;
use crate::disruption::{QUEUE, budget};
use crate::provisioning::{InformerPods, ProvisioningSettings, snapshot};
use crate::testing::{Cluster, claim, secs};
use lkesim_kube::object::node_pool::{DisruptionBudget, DisruptionReason, NodePoolSpec};
use lkesim_kube::object::pod_disruption_budget::Share;
use lkesim_kube::object::{
    ConditionType, Node, NodeClaim, NodePool, Pod, PodTemplate, TaintEffect, Workload, WorkloadKind, labels,
};
use lkesim_kube::store::{Change, ObjectChange, StoreChange, StoreObserver};
use lkesim_runtime::Time;
use proptest::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;

/// A cluster with a NodePool whose nodes go so long after pods last changed.
fn cluster(after: Option<u64>, settings: ProvisioningSettings) -> Cluster {
    let mut cluster = Cluster::with_pods(settings);
    cluster.disruption = Disruption::Emptiness;
    cluster.restart();
    let spec = NodePoolSpec {
        consolidate_after: after.map(secs),
        budgets: vec![DisruptionBudget::DEFAULT],
        ..NodePoolSpec::default()
    };
    cluster.node_pool("default", spec);
    cluster
}

fn usual(after: u64) -> Cluster {
    cluster(Some(after), ProvisioningSettings::default())
}

fn nodes(cluster: &Cluster) -> usize {
    cluster.store.count::<Node>()
}

fn is_tainted(node: &Node) -> bool {
    node.has_taint(labels::DISRUPTED_TAINT, TaintEffect::NoSchedule)
}

/// What disruption did to nodes, and what was on them then.
#[derive(Default)]
struct Seen {
    tainted: RefCell<Vec<(Time, Rc<str>)>>,
    reasons: RefCell<Vec<(Time, &'static str)>>,
    deleted: RefCell<Vec<(Time, &'static str)>>,
    /// Nodes that were tainted while a pod ran on them that is not a DaemonSet's.
    wrongly: RefCell<Vec<Rc<str>>>,
    store: RefCell<Option<lkesim_kube::store::Store>>,
}

impl Seen {
    fn of(cluster: &Cluster) -> Rc<Seen> {
        let seen = Rc::new(Seen::default());
        *seen.store.borrow_mut() = Some(cluster.store.clone());
        cluster.store.observe(seen.clone());
        seen
    }

    fn node(&self, by: &str, at: Time, change: &Change<Node>) {
        let (Some(before), Some(after)) = (&change.before, &change.after) else { return };
        if by != crate::disruption::NAME || is_tainted(before) || !is_tainted(after) {
            return;
        }
        self.tainted.borrow_mut().push((at, after.name().clone()));
        let store = self.store.borrow();
        let pods = store.as_ref().map(lkesim_kube::store::Store::list::<Pod>).unwrap_or_default();
        if pods.iter().any(|pod| pod.node_name.as_ref() == Some(after.name()) && pod.is_reschedulable()) {
            self.wrongly.borrow_mut().push(after.name().clone());
        }
    }
}

impl StoreObserver for Seen {
    fn on_change(&self, change: &StoreChange) {
        match &change.object {
            ObjectChange::Node(node) => self.node(change.by, change.at, node),
            ObjectChange::NodeClaim(Change { before: Some(before), after: Some(after) }) => {
                let reason = |claim: &NodeClaim| {
                    claim.status.conditions.get(ConditionType::DisruptionReason).map(|condition| condition.reason)
                };
                if let (None, Some(reason)) = (reason(before), reason(after)) {
                    self.reasons.borrow_mut().push((change.at, reason));
                }
                if before.is_live() && !after.is_live() {
                    self.deleted.borrow_mut().push((change.at, change.by));
                }
            }
            _ => {}
        }
    }
}

/// The claim's node is initialized at 42 s; rounds are each 10 s, the second look 15 s after the first.
#[test]
fn an_empty_node_goes_after_its_time_and_a_second_look() {
    let cluster = usual(30);
    let seen = Seen::of(&cluster);
    cluster.create(claim("a"));
    cluster.run_until(60);
    assert!(cluster.claim("a").is_initialized());
    let initialized =
        cluster.claim("a").status.conditions.get(ConditionType::Initialized).map(|is| is.last_transition_time);
    let initialized = initialized.expect("it is set").as_secs();
    cluster.run_until(initialized + 29);
    assert!(!cluster.claim("a").status.conditions.is_true(ConditionType::Consolidatable));
    cluster.run_until(initialized + 31);
    assert!(cluster.claim("a").status.conditions.is_true(ConditionType::Consolidatable));
    cluster.run_until(200);
    let [(at, _)] = &seen.tainted.borrow()[..] else { panic!("it is tainted once") };
    let after = at.since(Time::from_secs(initialized + 30));
    assert!(after >= secs(15) && after <= secs(26), "{after:?} after it became consolidatable");
    assert_eq!(*seen.reasons.borrow(), [(*at, "Empty")]);
    assert_eq!(*seen.deleted.borrow(), [(*at, QUEUE)]);
    assert_eq!((nodes(&cluster), cluster.store.count::<NodeClaim>()), (0, 0));
}

#[test]
fn nothing_goes_where_disruption_is_off_or_the_node_pool_says_never() {
    let mut cluster = usual(0);
    cluster.disruption = Disruption::Off;
    cluster.restart();
    cluster.create(claim("a"));
    cluster.run_until(300);
    assert_eq!(nodes(&cluster), 1);
    let never = self::cluster(None, ProvisioningSettings::default());
    never.create(claim("a"));
    never.run_until(300);
    assert_eq!(nodes(&never), 1);
}

#[test]
fn a_node_stays_while_a_pod_runs_and_goes_once_it_ended() {
    let cluster = usual(20);
    cluster.create_pod("web", 1_000, |_| {});
    cluster.run_until(400);
    assert_eq!((nodes(&cluster), &*cluster.node_of("web")), (1, "node-101"));
    cluster.store.delete::<Pod>(cluster.write(), "web").expect("it is there");
    // Thirty seconds of grace, twenty of quiet counted from the deletion, a round and the second look.
    cluster.run_until(430);
    assert_eq!(nodes(&cluster), 1);
    cluster.run_until(500);
    assert_eq!(nodes(&cluster), 0);
}

#[test]
fn pods_of_daemon_sets_do_not_keep_a_node() {
    let cluster = usual(20);
    let template = PodTemplate { spec: Rc::new(crate::testing::asks(100)), ..PodTemplate::default() };
    let agent = Workload::new(WorkloadKind::DaemonSet, "default", "agent", template);
    cluster.store.create(cluster.write(), agent).expect("a new name");
    cluster.create(claim("a"));
    cluster.run_until(60);
    assert_eq!(cluster.store.count::<Pod>(), 1);
    cluster.run_until(250);
    assert_eq!(nodes(&cluster), 0);
}

#[test]
fn a_pod_that_comes_between_the_two_looks_keeps_its_node() {
    let cluster = usual(30);
    let seen = Seen::of(&cluster);
    cluster.create(claim("a"));
    // Consolidatable at 72 s or so, first looked at within ten seconds, and again not before 87 s.
    cluster.run_until(85);
    assert!(seen.tainted.borrow().is_empty());
    cluster.create_pod("web", 1_000, |_| {});
    cluster.run_until(300);
    assert!(seen.tainted.borrow().is_empty());
    assert_eq!(&*cluster.node_of("web"), "node-101");
}

#[test]
fn a_budget_of_one_lets_nodes_go_one_at_a_time() {
    let cluster = usual(10);
    let seen = Seen::of(&cluster);
    for name in ["a", "b", "c"] {
        cluster.create(claim(name));
    }
    cluster.run_until(600);
    assert_eq!(nodes(&cluster), 0);
    let times: Vec<u64> = seen.tainted.borrow().iter().map(|(at, _)| at.as_secs()).collect();
    assert_eq!(times.len(), 3);
    assert!(times.windows(2).all(|pair| pair[1] >= pair[0] + 15), "{times:?}");
}

#[test]
fn of_several_budgets_the_tightest_about_the_reason_holds() {
    let budget = |nodes, reasons: Option<Vec<DisruptionReason>>| DisruptionBudget { nodes, reasons };
    let allowed = |budgets: Vec<DisruptionBudget>, nodes| {
        let node_pool = NodePool::new("a", NodePoolSpec { budgets, ..NodePoolSpec::default() });
        budget::allowed(&node_pool, nodes, DisruptionReason::Empty)
    };
    assert_eq!(allowed(Vec::new(), 5), u32::MAX);
    assert_eq!(allowed(vec![DisruptionBudget::DEFAULT], 0), 0);
    // A share is rounded up.
    assert_eq!([1, 10, 11, 20].map(|nodes| allowed(vec![DisruptionBudget::DEFAULT], nodes)), [1, 1, 2, 2]);
    let others = budget(Share::Pods(0), Some(vec![DisruptionReason::Drifted, DisruptionReason::Underutilized]));
    assert_eq!(allowed(vec![budget(Share::Pods(3), None), others.clone()], 20), 3);
    let own = budget(Share::Pods(1), Some(vec![DisruptionReason::Empty]));
    assert_eq!(allowed(vec![budget(Share::Percent(50), None), others, own], 20), 1);
}

#[test]
fn marks_that_a_dead_process_left_are_taken_off() {
    let mut cluster = cluster(None, ProvisioningSettings::default());
    cluster.create(claim("a"));
    cluster.run_until(60);
    let node = cluster.store.list::<Node>().pop().expect("it joined");
    let mut changed = Node::clone(&node);
    changed.spec.taints.push(lkesim_kube::object::Taint::new(labels::DISRUPTED_TAINT, TaintEffect::NoSchedule));
    let lock = lkesim_kube::store::Lock::None;
    cluster
        .store
        .patch(cluster.write(), &*node, &changed, lkesim_kube::store::Part::Object, lock)
        .expect("it is there");
    cluster.restart();
    cluster.run_until(80);
    assert!(cluster.store.list::<Node>().iter().all(|node| !is_tainted(node)));
}

/// Between the decision and the deletion the cache shows a NodeClaim as live that is marked: provisioning counts on it no more.
#[test]
fn a_marked_node_is_no_capacity() {
    let cluster = cluster(None, ProvisioningSettings::default());
    cluster.create(claim("a"));
    cluster.run_until(60);
    let context = cluster.operator.as_ref().expect("it runs").context();
    let pods = InformerPods::new(context.informers.pods.as_ref().expect("with pods"), Rc::default());
    let is_marked = || snapshot::nodes(context, &*pods).iter().any(|node| node.is_marked_for_deletion);
    let id = cluster.claim("a").status.provider_id.clone().expect("launched");
    assert!(!is_marked());
    context.marked.add(&id);
    assert!(is_marked() && cluster.claim("a").is_live());
    context.marked.remove(&id);
    assert!(!is_marked());
}

/// Pods that come and go: of each when it is made, and how long it stays.
fn pods() -> impl Strategy<Value = Vec<(u64, u64)>> {
    prop::collection::vec((0..400_u64, 5..120_u64), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// Without delays of the API or of watches a node has no pod of its own when it is tainted, and in the end none is left.
    #[test]
    fn no_node_with_a_pod_of_its_own_is_ever_disrupted(pods in pods(), after in 0..40_u64, nomination in any::<bool>()) {
        let cluster = cluster(Some(after), ProvisioningSettings { nomination, ..ProvisioningSettings::default() });
        let seen = Seen::of(&cluster);
        let mut acts: Vec<(u64, bool, usize)> = Vec::new();
        for (place, (at, stays)) in pods.iter().enumerate() {
            acts.extend([(*at, true, place), (at + stays, false, place)]);
        }
        acts.sort_unstable();
        for (at, is_made, place) in acts {
            cluster.run_until(at);
            let name = format!("pod-{place}");
            match is_made {
                true => cluster.create_pod(&name, 900, |spec| spec.termination_grace_period = Some(secs(1))),
                false => drop(cluster.store.delete::<Pod>(cluster.write(), &name)),
            }
        }
        cluster.run_until(1_200);
        prop_assert!(seen.wrongly.borrow().is_empty(), "{:?}", seen.wrongly.borrow());
        prop_assert_eq!(nodes(&cluster), 0);
    }
}
