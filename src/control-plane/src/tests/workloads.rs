use super::*;
use lkesim_kube::object::{PodOwner, TaintEffect, Toleration};

#[test]
fn a_deployment_has_as_many_pods_as_it_should() {
    let mut world = World::new();
    (0..5).for_each(|number| world.node(&format!("n{number}"), 16, 32));
    world.create(workload(WorkloadKind::Deployment, "web", 50, "cpu=1"));
    world.run_until(5);
    assert_eq!(world.running(), 50);
    let name = world.pods()[0].name().to_string();
    assert_eq!(name.split('-').map(str::len).collect::<Vec<_>>(), [3, 9, 5], "{name}");
    assert!(world.pods().iter().all(|pod| Rc::ptr_eq(&pod.spec, &world.pods()[0].spec)));
    world.scale("Deployment/web", 20);
    world.run_until(60);
    assert_eq!((world.running(), world.pods().len()), (20, 20));
    world.delete_pod(&name_of_one(&world));
    world.run_until(100);
    assert_eq!((world.running(), world.pods().len()), (20, 20));
    world.store.delete::<Workload>(world.write(), "Deployment/web").expect("it is there");
    world.run_until(200);
    assert_eq!(world.pods().len(), 0);
}

fn name_of_one(world: &World) -> String {
    world.pods()[0].name().to_string()
}

#[test]
fn calls_of_a_controller_are_limited() {
    let settings = Settings { controller_calls: Settings::default().controller_calls, ..quick() };
    let world = World::with(Kernel::with(Schedule::fifo()), settings, Facts::default(), Quantiles::zero());
    world.create(workload(WorkloadKind::ReplicaSet, "web", 50, "cpu=1"));
    world.run_until_millis(10);
    assert_eq!(world.pods().len(), 30);
    world.run_until_millis(1_010);
    assert_eq!(world.pods().len(), 50);
}

#[test]
fn a_job_ends() {
    let mut world = World::new();
    world.node("a", 2, 16);
    let job = workload(WorkloadKind::Job, "sums", 4, "cpu=1");
    world.create(Workload { runs_for: Some(Duration::from_secs(10)), ..job });
    world.run_until(5);
    assert_eq!(world.running(), 2);
    world.run_until(30);
    let done = world.pods().iter().filter(|pod| pod.status.phase == PodPhase::Succeeded).count();
    assert_eq!((done, world.pods().len()), (4, 4));
}

#[test]
fn a_job_makes_no_pod_anew_that_ended_well() {
    let mut world = World::new();
    world.node("a", 8, 16);
    let job = workload(WorkloadKind::Job, "sums", 3, "cpu=1");
    world.create(Workload { runs_for: Some(Duration::from_secs(10)), ..job });
    world.run_until(5);
    // One that did not end is made anew.
    world.delete_pod(&name_of_one(&world));
    world.run_until(100);
    assert_eq!(world.pods().len(), 3);
    let names: Vec<String> = world.pods().iter().map(|pod| pod.name().to_string()).collect();
    names.iter().for_each(|name| world.delete_pod(name));
    world.run_until(200);
    assert_eq!(world.pods().len(), 0);
    world.scale("Job/sums", 4);
    world.run_until(300);
    assert_eq!(world.pods().len(), 1);
}

#[test]
fn a_stateful_set_makes_its_pods_one_by_one_and_takes_the_last_first() {
    let mut world = World::new();
    world.node("a", 8, 16);
    world.create(workload(WorkloadKind::StatefulSet, "db", 3, "cpu=1"));
    world.run_until_millis(500);
    assert_eq!(world.pods().len(), 1);
    world.run_until_millis(1_500);
    assert_eq!(world.pods().len(), 2);
    world.run_until(4);
    let names: Vec<String> = world.pods().iter().map(|pod| pod.name().to_string()).collect();
    assert_eq!(names, ["db-0", "db-1", "db-2"]);
    assert!(world.pods().iter().all(|pod| pod.owner == PodOwner::StatefulSet && pod.status.is_ready));
    world.scale("StatefulSet/db", 1);
    world.run_until(30);
    assert_eq!(world.pods().iter().filter(|pod| pod.is_terminating()).count(), 1);
    world.run_until(70);
    assert_eq!(world.pods().len(), 1);
    // A pod that is deleted comes back under its name once it is gone.
    world.delete_pod("db-0");
    world.run_until(99);
    assert_eq!(world.pods().len(), 1);
    world.run_until(105);
    assert_eq!(world.pod("db-0").status.start_time, Some(Time::from_secs(101)));
}

#[test]
fn a_daemon_set_has_a_pod_on_each_node_that_takes_one() {
    let mut world = World::new();
    world.node("a", 8, 16);
    world.node_with("b", (8, 16), &[], vec![Taint::new("team", TaintEffect::NoSchedule)]);
    world.node_with("c", (8, 16), &[], vec![Taint::new("node.kubernetes.io/unschedulable", TaintEffect::NoSchedule)]);
    world.create(workload(WorkloadKind::DaemonSet, "agent", 0, "cpu=1"));
    world.run_until(3);
    let on = |world: &World| {
        let mut nodes: Vec<String> = world
            .pods()
            .iter()
            .filter(|pod| pod.is_active())
            .filter_map(|pod| Some(pod.node_name.clone()?.to_string()))
            .collect();
        nodes.sort();
        nodes.concat()
    };
    assert_eq!(on(&world), "ac");
    world.node("d", 8, 16);
    world.untaint("b", "team");
    world.run_until(5);
    assert_eq!(on(&world), "abcd");
    // NoSchedule leaves pods alone, NoExecute does not.
    world.taint("a", Taint::new("team", TaintEffect::NoSchedule));
    world.taint("d", Taint::new("team", TaintEffect::NoExecute));
    world.run_until(40);
    assert_eq!(on(&world), "abc");
}

#[test]
fn a_daemon_pod_that_has_no_room_on_its_node_says_so() {
    let mut world = World::new();
    world.node("a", 1, 16);
    world.node("b", 4, 16);
    world.create(workload(WorkloadKind::DaemonSet, "agent", 0, "cpu=2"));
    world.run_until(3);
    let waits = world.pods().into_iter().find(|pod| pod.node_name.is_none()).expect("one does not fit");
    let expected = "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't satisfy plugin(s) [NodeAffinity]. \
                    preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";
    assert_eq!(waits.status.unschedulable.as_deref(), Some(expected));
}

#[test]
fn a_daemon_set_that_tolerates_all_is_there_before_the_node_is_ready() {
    let world = World::new();
    let mut set = workload(WorkloadKind::DaemonSet, "agent", 0, "cpu=1");
    Rc::make_mut(&mut Rc::make_mut(&mut set.template).spec).tolerations =
        vec![Toleration { operator: lkesim_kube::object::TolerationOperator::Exists, ..Toleration::default() }];
    world.create(set);
    world.kubelet.join(Joining {
        node_name: "a".into(),
        provider_id: ProviderId::linode(9),
        labels: StringMap::EMPTY,
        taints: Vec::new(),
        capacity: Resources { pods: 110, ..Resources::of(4_000, 8 << 30) },
        allocatable: Resources { pods: 110, ..Resources::of(4_000, 8 << 30) },
        join: Duration::from_secs(1),
        ready: Duration::from_secs(10),
        late: Default::default(),
    });
    world.create_pod(pod("web-1", "cpu=1"));
    world.run_until(3);
    assert_eq!((world.running(), world.node_of("web-1").as_str()), (1, ""));
    world.run_until(12);
    assert_eq!(world.node_of("web-1"), "a");
}
