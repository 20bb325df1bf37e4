//! From pods that fit nowhere to pods that run, on whole small clusters.

use super::*;
use crate::cloud_provider::CreateError;
use crate::testing::{Cluster, asks, secs};
use lkesim_kube::object::node_pool::NodePoolSpec;
use lkesim_kube::object::{
    Node, NodeClaim, NodePool, PodPhase, PodTemplate, Resources, Taint, TaintEffect, Toleration, Workload,
    WorkloadKind, labels,
};
use lkesim_runtime::Time;

fn cluster() -> Cluster {
    with(ProvisioningSettings::default(), NodePoolSpec::default())
}

fn with(settings: ProvisioningSettings, spec: NodePoolSpec) -> Cluster {
    let cluster = Cluster::with_pods(settings);
    cluster.node_pool("default", spec);
    cluster
}

fn running(cluster: &Cluster) -> usize {
    cluster.store.list::<Pod>().iter().filter(|pod| pod.status.phase == PodPhase::Running && pod.is_active()).count()
}

fn claims(cluster: &Cluster) -> usize {
    cluster.store.count::<NodeClaim>()
}

#[test]
fn a_pending_pod_becomes_a_node_and_runs_on_it() {
    let cluster = cluster();
    cluster.create_pod("web", 1_000, |_| {});
    cluster.run_until(1);
    let pod = cluster.store.get::<Pod>("web").expect("it waits");
    assert_eq!(pod.status.unschedulable.as_deref(), Some("no nodes available to schedule pods"));
    cluster.run_until(2);
    let claims = cluster.store.list::<NodeClaim>();
    let [claim] = &claims[..] else { panic!("one claim") };
    let expected = format!("web: Pod should schedule on: nodeclaim/{}", claim.name());
    assert_eq!(*cluster.said.verdicts.borrow(), [expected]);
    // Made at 1 s, launched at 3 s, the node joins at 33 s and is ready at 43 s; the pod runs a second later.
    cluster.run_until(43);
    assert_eq!(running(&cluster), 0);
    cluster.run_until(45);
    assert_eq!(running(&cluster), 1);
    let node = &cluster.store.list::<Node>()[0];
    assert_eq!(cluster.node_of("web"), &**node.name());
    assert!(node.metadata.labels.has(labels::NODE_POOL, "default"));
    let node_pool = cluster.store.get::<NodePool>("default").expect("it is there");
    assert_eq!((node_pool.status.nodes, node_pool.status.resources.cpu_milli), (1, 2_000));
}

#[test]
fn fifty_pods_of_a_deployment_are_one_pass_and_without_batching_fifty() {
    for (batching, expected) in [(true, 17), (false, 50)] {
        let cluster =
            with(ProvisioningSettings { batching, ..ProvisioningSettings::default() }, NodePoolSpec::default());
        let template = PodTemplate { spec: Rc::new(asks(600)), ..PodTemplate::default() };
        let web = Workload::new(WorkloadKind::Deployment, "default", "web", template);
        cluster.store.create(cluster.write(), Workload { replicas: 50, ..web }).expect("new");
        cluster.run_until(2);
        assert_eq!(claims(&cluster), expected);
        cluster.run_until(120);
        assert_eq!((running(&cluster), claims(&cluster)), (50, expected));
        let first = cluster.said.passes.borrow()[0];
        assert_eq!(first, if batching { 50 } else { 1 });
    }
}

#[test]
fn pods_that_stay_on_an_existing_node_buy_none() {
    let cluster = cluster();
    cluster.create_pod("one", 1_000, |_| {});
    cluster.run_until(60);
    cluster.create_pod("two", 500, |_| {});
    cluster.run_until(120);
    assert_eq!((running(&cluster), claims(&cluster)), (2, 1));
}

#[test]
fn limits_hold_whatever_is_asked_for() {
    let limits = Some(Resources::of(4_000, u64::MAX >> 1));
    let cluster = with(ProvisioningSettings::default(), NodePoolSpec { limits, ..NodePoolSpec::default() });
    for number in 0..5 {
        cluster.create_pod(&format!("web-{number}"), 1_500, |_| {});
        cluster.run_until(number * 20 + 20);
    }
    cluster.run_until(300);
    assert_eq!((running(&cluster), claims(&cluster)), (2, 2));
    let said = cluster.said.verdicts.borrow();
    assert!(
        said.iter().any(|text| text.contains("all available instance types exceed limits for nodepool")),
        "{said:?}"
    );
}

#[test]
fn a_daemon_sets_share_is_taken_off_before_pods_are_packed() {
    let cluster = cluster();
    let template = PodTemplate { spec: Rc::new(asks(800)), ..PodTemplate::default() };
    let agent = Workload::new(WorkloadKind::DaemonSet, "default", "agent", template);
    cluster.store.create(cluster.write(), agent).expect("new");
    for number in 0..2 {
        cluster.create_pod(&format!("web-{number}"), 900, |_| {});
    }
    cluster.run_until(120);
    assert_eq!((running(&cluster), claims(&cluster)), (4, 2));
}

#[test]
fn startup_taints_are_waited_for_and_pods_with_them() {
    let spec = NodePoolSpec { startup_taints: vec![Taint::new("cni", TaintEffect::NoSchedule)], ..Default::default() };
    let cluster = with(ProvisioningSettings::default(), spec);
    cluster.create_pod("web", 1_000, |_| {});
    cluster.run_until(200);
    assert_eq!((running(&cluster), claims(&cluster)), (0, 1), "the node to come counts as without them");
    let claim = &cluster.store.list::<NodeClaim>()[0];
    assert!(claim.is_registered() && !claim.is_initialized());
    let node = cluster.store.list::<Node>()[0].clone();
    let mut changed = Node::clone(&node);
    changed.spec.taints.retain(|taint| *taint.key != *"cni");
    let (part, lock) = (lkesim_kube::store::Part::Object, lkesim_kube::store::Lock::None);
    cluster.store.patch(cluster.write(), &*node, &changed, part, lock).expect("no lock");
    cluster.run_until(220);
    assert_eq!(running(&cluster), 1);
    assert!(cluster.store.list::<NodeClaim>()[0].is_initialized());
}

#[test]
fn the_pods_of_a_node_that_goes_get_another_before_they_are_evicted() {
    let cluster = cluster();
    let template = PodTemplate { spec: Rc::new(asks(900)), ..PodTemplate::default() };
    let web = Workload::new(WorkloadKind::Deployment, "default", "web", template);
    cluster.store.create(cluster.write(), Workload { replicas: 2, ..web }).expect("new");
    cluster.run_until(100);
    assert_eq!((running(&cluster), claims(&cluster)), (2, 1));
    let first = cluster.store.list::<NodeClaim>()[0].name().clone();
    cluster.store.delete::<NodeClaim>(cluster.write(), &first).expect("it is there");
    cluster.run_until(103);
    assert_eq!(claims(&cluster), 2);
    cluster.run_until(250);
    assert_eq!((running(&cluster), claims(&cluster)), (2, 1));
    assert!(cluster.store.get::<NodeClaim>(&first).is_none());
}

#[test]
fn a_second_process_draws_other_names_and_goes_on() {
    let mut cluster = cluster();
    cluster.create_pod("one", 1_500, |_| {});
    cluster.run_until(60);
    cluster.restart();
    cluster.create_pod("two", 1_500, |_| {});
    cluster.run_until(150);
    assert_eq!((running(&cluster), claims(&cluster)), (2, 2));
}

#[test]
fn a_pod_that_does_not_tolerate_the_pools_taint_waits_and_one_that_does_runs() {
    let spec = NodePoolSpec { taints: vec![Taint::new("team", TaintEffect::NoSchedule)], ..Default::default() };
    let cluster = with(ProvisioningSettings::default(), spec);
    cluster.create_pod("no", 500, |_| {});
    cluster.create_pod("yes", 500, |spec| spec.tolerations.push(Toleration::of_key("team")));
    cluster.run_until(100);
    assert!(!cluster.node_of("yes").is_empty() && cluster.node_of("no").is_empty());
    // The scheduler looks again when it flushes those that fit nowhere.
    cluster.run_until(400);
    let no = cluster.store.get::<Pod>("no").expect("it waits");
    let begin = "0/1 nodes are available: 1 node(s) had untolerated taint {team: }. preemption:";
    assert!(no.status.unschedulable.as_ref().is_some_and(|text| text.starts_with(begin)), "{no:?}");
    assert_eq!(claims(&cluster), 1);
}

#[test]
fn a_claim_that_is_never_launched_is_replaced_once_it_is_given_up() {
    let cluster = cluster();
    cluster.cloud.create_fails(crate::CreateError::Other("no answer".into()));
    cluster.create_pod("web", 1_000, |_| {});
    cluster.run_until(290);
    assert_eq!(claims(&cluster), 1);
    cluster.cloud.create_fails(None);
    cluster.run_until(400);
    assert_eq!((running(&cluster), claims(&cluster)), (1, 1));
    assert!(cluster.kernel.now() >= Time::ZERO + secs(300));
}

/// What comes and goes at once is seen by nobody who looks later: it must not keep the gate shut for ever.
#[test]
fn a_claim_that_fails_at_once_keeps_no_later_pass_back() {
    let cluster = cluster();
    cluster.cloud.create_takes.set(Duration::ZERO);
    cluster.cloud.create_fails(CreateError::InsufficientCapacity("none left".into()));
    cluster.create_pod("one", 500, |_| {});
    cluster.run_until(30);
    assert!(cluster.cloud.starts("create").len() > 1, "the pod asks again");
    cluster.cloud.create_fails(None);
    cluster.run_until(120);
    assert_ne!(cluster.node_of("one"), "");
}
