use super::*;

#[test]
fn a_pod_is_bound_runs_and_takes_its_grace_to_end() {
    let mut world = World::new();
    world.node("a", 4, 8);
    world.create_pod(pod("web-1", "cpu=1"));
    world.run_until_millis(900);
    assert_eq!((world.node_of("web-1").as_str(), world.running()), ("a", 0));
    world.run_until(2);
    assert_eq!(world.running(), 1);
    assert_eq!(world.pod("web-1").status.start_time, Some(Time::from_secs(1)));
    world.delete_pod("web-1");
    assert_eq!(world.pod("web-1").metadata.deletion_timestamp, Some(Time::from_secs(32)));
    world.run_until(31);
    assert_eq!(world.pods().len(), 1);
    world.run_until(32);
    assert_eq!(world.pods().len(), 0);
}

#[test]
fn a_pod_that_is_not_bound_goes_at_once() {
    let world = World::new();
    world.create_pod(pod("web-1", "cpu=1"));
    world.run_until(1);
    assert_eq!(world.said("web-1"), "no nodes available to schedule pods");
    world.delete_pod("web-1");
    assert_eq!(world.pods().len(), 0);
}

#[test]
fn a_pod_whose_containers_end_succeeds_and_gives_its_room_back() {
    let mut world = World::new();
    world.node("a", 1, 8);
    world.create_pod(Pod { runs_for: Some(Duration::from_secs(60)), ..pod("job-1", "cpu=1") });
    world.create_pod(pod("web-1", "cpu=1"));
    world.run_until(30);
    assert_eq!(world.node_of("web-1"), "");
    world.run_until(61);
    assert_eq!(world.pod("job-1").status.phase, PodPhase::Succeeded);
    world.run_until(63);
    assert_eq!(world.node_of("web-1"), "a");
}

#[test]
fn on_a_machine_that_is_gone_pods_neither_start_nor_end() {
    let mut world = World::new();
    world.node("a", 4, 8);
    world.create_pod(pod("web-1", "cpu=1"));
    world.run_until(2);
    world.gone(1);
    world.create_pod(pod("web-2", "cpu=1"));
    world.run_until(10);
    // The Node is silent and not yet known to be: pods are bound to it, and do not run.
    assert_eq!((world.node_of("web-2").as_str(), world.running()), ("a", 1));
    world.delete_pod("web-1");
    world.run_until(57);
    assert_eq!(world.pods().len(), 2);
    // The Node goes at 2 + 50 + 5 s; it is missed at 60 s, and its pods are collected 40 s later.
    world.run_until(99);
    assert_eq!((world.store.count::<Node>(), world.pods().len()), (0, 2));
    world.run_until(101);
    assert_eq!(world.pods().len(), 0);
}
