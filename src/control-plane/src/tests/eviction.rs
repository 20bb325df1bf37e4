use super::*;
use lkesim_kube::ApiError;
use lkesim_kube::object::PodDisruptionBudget;
use lkesim_kube::object::pod_disruption_budget::{Bound, Share};
use lkesim_kube::object::{TaintEffect, Toleration};

#[test]
fn pods_leave_a_silent_node_after_five_minutes_and_come_back_elsewhere() {
    let mut world = World::new();
    world.node("a", 4, 16);
    world.create(workload(WorkloadKind::Deployment, "web", 2, "cpu=1"));
    world.run_until(5);
    world.node("b", 4, 16);
    let unreachable = Taint::new(labels::UNREACHABLE_TAINT, TaintEffect::NoExecute);
    world.taint("a", unreachable);
    world.run_until(304);
    assert!(world.pods().iter().all(|pod| pod.is_active() && pod.node_name.as_deref() == Some("a")));
    world.run_until(306);
    assert_eq!(world.pods().iter().filter(|pod| pod.is_terminating()).count(), 2);
    world.run_until(340);
    assert!(world.pods().iter().all(|pod| pod.node_name.as_deref() == Some("b")));
    assert_eq!(world.running(), 2);
}

#[test]
fn a_taint_that_goes_in_time_evicts_nobody() {
    let mut world = World::new();
    world.node("a", 4, 16);
    world.create_pod(pod_with("web-1", "cpu=1", |spec| {
        spec.tolerations.push(Toleration { toleration_seconds: Some(60), ..Toleration::of_key("team") });
    }));
    world.create_pod(pod("web-2", "cpu=1"));
    world.run_until(2);
    world.taint("a", Taint::new("team", TaintEffect::NoExecute));
    world.run_until(3);
    assert!(world.pod("web-2").is_terminating(), "one that does not tolerate it goes at once");
    world.run_until(50);
    world.untaint("a", "team");
    world.run_until(200);
    assert!(world.pod("web-1").is_active());
}

fn budget(name: &str, bound: Bound) -> PodDisruptionBudget {
    PodDisruptionBudget::new("default", name, of_app("web"), bound)
}

#[test]
fn a_budget_allows_as_many_evictions_as_it_says() {
    let mut world = World::new();
    world.node("a", 8, 16);
    world.create(workload(WorkloadKind::Deployment, "web", 4, "cpu=1"));
    world.store.create(world.write(), budget("b", Bound::MaxUnavailable(Share::Percent(50)))).expect("new");
    world.run_until(3);
    let pods = world.pods();
    let evict = |number: usize| world.store.evict(world.write(), &pods[number]);
    assert_eq!((evict(0), evict(1)), (Ok(()), Ok(())));
    assert!(matches!(evict(2), Err(ApiError::TooManyRequests { .. })));
    // Again is no further disruption, and the pods that come in their place make room for more once they are ready.
    assert_eq!(evict(0), Ok(()));
    world.run_until(6);
    assert_eq!(evict(2), Ok(()));
    world.store.create(world.write(), budget("c", Bound::MinAvailable(Share::Pods(1)))).expect("new");
    assert!(matches!(evict(3), Err(ApiError::SeveralBudgets { .. })));
}

#[test]
fn a_share_of_pods_without_a_scale_allows_nothing() {
    let mut world = World::new();
    world.node("a", 8, 16);
    world.create(workload(WorkloadKind::DaemonSet, "web", 0, "cpu=1"));
    world.store.create(world.write(), budget("b", Bound::MaxUnavailable(Share::Pods(1)))).expect("new");
    world.run_until(3);
    assert!(matches!(world.store.evict(world.write(), &world.pods()[0]), Err(ApiError::TooManyRequests { .. })));
}
