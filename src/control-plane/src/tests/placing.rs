use super::*;
use lkesim_kube::object::affinity::{
    NodeAffinity, NodeSelectorTerm, PodAffinity, PodAffinityTerm, TopologySpreadConstraint, WhenUnsatisfiable,
};
use lkesim_kube::object::{Requirement, TaintEffect, Toleration};

const NO_VICTIMS: &str = "No preemption victims found for incoming pod.";

pub fn term(key: &str, app: &str) -> PodAffinityTerm {
    PodAffinityTerm {
        label_selector: Some(of_app(app)),
        namespaces: Vec::new(),
        namespace_selector: None,
        topology_key: key.into(),
        match_label_keys: Vec::new(),
        mismatch_label_keys: Vec::new(),
    }
}

pub fn spread(key: &str, app: &str) -> TopologySpreadConstraint {
    TopologySpreadConstraint {
        max_skew: 1,
        topology_key: key.into(),
        when_unsatisfiable: WhenUnsatisfiable::DoNotSchedule,
        label_selector: Some(of_app(app)),
        min_domains: None,
        node_affinity_policy: None,
        node_taints_policy: None,
        match_label_keys: Vec::new(),
    }
}

fn required(key: &str, app: &str) -> Option<PodAffinity> {
    Some(PodAffinity { required: vec![term(key, app)], preferred: Vec::new() })
}

#[test]
fn the_articles_pod_fits_nowhere_and_is_told_why() {
    let mut world = World::new();
    (0..4).for_each(|number| world.node(&format!("small-{number}"), 2, 64));
    for number in 0..4 {
        world.node(&format!("gpu-{number}"), 2, 64);
        let before = world.store.get::<Node>(&format!("gpu-{number}")).expect("placed");
        let mut after = Node::clone(&before);
        after.status.allocatable.gpus = 1;
        world.store.patch(world.write(), &*before, &after, Part::Status, Lock::None).expect("no lock");
    }
    world.create_pod(pod("train-1", "cpu=4 nvidia.com/gpu=1"));
    world.run_until(1);
    let expected = "0/8 nodes are available: 4 Insufficient nvidia.com/gpu, 8 Insufficient cpu. preemption: 0/8 nodes are \
                    available: 8 Preemption is not helpful for scheduling.";
    assert_eq!(world.said("train-1"), expected);
}

#[test]
fn pods_go_where_most_is_left() {
    let mut world = World::new();
    world.node("a", 4, 8);
    world.node("b", 8, 8);
    for number in 0..6 {
        world.create_pod(pod(&format!("web-{number}"), "cpu=1 memory=100Mi"));
        world.run_until(number + 1);
    }
    let on = |node: &str| world.pods().iter().filter(|pod| pod.node_name.as_deref() == Some(node)).count();
    assert_eq!((on("a"), on("b")), (2, 4), "half of each is taken");
}

#[test]
fn a_pod_waits_for_room_and_gets_it() {
    let mut world = World::new();
    world.node("a", 1, 8);
    world.create_pod(pod("web-1", "cpu=1"));
    world.run_until(1);
    world.create_pod(pod("web-2", "cpu=1"));
    world.run_until(20);
    let expected =
        format!("0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 {NO_VICTIMS}");
    assert_eq!(world.said("web-2"), expected);
    world.node("b", 1, 8);
    world.run_until(21);
    assert_eq!(world.node_of("web-2"), "b");
    assert_eq!(world.said("web-2"), "");
}

/// What nodes answered to pods that are gone is not what they answer to others.
#[test]
fn a_pod_is_not_refused_for_what_another_asked_for() {
    let mut world = World::new();
    (0..6).for_each(|number| world.node(&format!("small-{number}"), 1, 8));
    world.node("a", 4, 8);
    world.create_pod(pod("web-1", "cpu=2"));
    world.run_until(1);
    world.node("b", 4, 8);
    world.create_pod(pod("web-2", "cpu=3"));
    world.run_until(2);
    assert_eq!((world.node_of("web-1"), world.node_of("web-2")), ("a".to_owned(), "b".to_owned()));
    world.delete_pod("web-2");
    world.run_until(60);
    world.gone(8);
    world.run_until(300);
    assert!(world.store.get::<Pod>("web-2").is_none() && world.store.get::<Node>("b").is_none());
    world.create_pod(pod("web-3", "cpu=2"));
    world.run_until(301);
    assert_eq!(world.node_of("web-3"), "a", "{}", world.said("web-3"));
}

#[test]
fn taints_and_selectors_keep_pods_off_until_they_suit() {
    let mut world = World::new();
    let taint = Taint { value: Some("a".into()), ..Taint::new("team", TaintEffect::NoSchedule) };
    world.node_with("a", (4, 8), &[("disk", "ssd")], vec![taint]);
    world.node_with(
        "b",
        (4, 8),
        &[("disk", "hdd")],
        vec![Taint::new("node.kubernetes.io/unschedulable", TaintEffect::NoSchedule)],
    );
    world.node("c", 4, 8);
    let selected = |spec: &mut PodSpec| spec.node_selector.insert("disk", "ssd");
    world.create_pod(pod_with("web-1", "cpu=1", selected));
    world.run_until(1);
    let expected = "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated \
                    taint {team: a}, 1 node(s) were unschedulable. preemption: 0/3 nodes are available: 3 Preemption is not \
                    helpful for scheduling.";
    assert_eq!(world.said("web-1"), expected);
    world.create_pod(pod_with("web-2", "cpu=1", |spec| {
        selected(spec);
        spec.tolerations.push(Toleration::of_key("team"));
    }));
    world.run_until(5);
    assert_eq!(world.node_of("web-2"), "a");
    world.untaint("a", "team");
    world.run_until(6);
    assert_eq!(world.node_of("web-1"), "a");
}

#[test]
fn required_node_affinity_is_one_of_its_terms() {
    let mut world = World::new();
    world.node_with("a", (4, 8), &[("zone", "x")], Vec::new());
    world.node_with("b", (4, 8), &[("zone", "y")], Vec::new());
    let of = |zone: &str| NodeSelectorTerm {
        match_expressions: vec![Requirement::any_of("zone", [zone])],
        has_match_fields: false,
    };
    let affinity = NodeAffinity { required: vec![of("y"), of("z")], has_required: true, preferred: Vec::new() };
    world.create_pod(pod_with("web-1", "cpu=1", |spec| spec.node_affinity = Some(affinity)));
    world.run_until(1);
    assert_eq!(world.node_of("web-1"), "b");
}

#[test]
fn a_hard_spread_fills_zones_evenly() {
    let mut world = World::new();
    for (name, zone) in [("a", "x"), ("b", "x"), ("c", "y")] {
        world.node_with(name, (8, 16), &[(labels::ZONE, zone)], Vec::new());
    }
    for number in 0..6 {
        world.create_pod(pod_with(&format!("web-{number}"), "cpu=1", |spec| {
            spec.topology_spread_constraints.push(spread(labels::ZONE, "web"));
        }));
    }
    world.run_until(3);
    let on = |node: &str| world.pods().iter().filter(|pod| pod.node_name.as_deref() == Some(node)).count();
    assert_eq!((on("a") + on("b"), on("c")), (3, 3));
    world.create_pod(pod_with("web-6", "cpu=6", |spec| {
        spec.topology_spread_constraints.push(spread("rack", "web"));
    }));
    world.run_until(5);
    assert!(world.said("web-6").contains("missing required label"), "{}", world.said("web-6"));
}

#[test]
fn anti_affinity_holds_in_both_directions() {
    let mut world = World::new();
    world.node("a", 8, 16);
    world.node("b", 8, 16);
    world.create_pod(pod_with("db-1", "cpu=1", |spec| spec.pod_anti_affinity = required(labels::HOSTNAME, "db")));
    world.create_pod(pod_with("db-2", "cpu=1", |spec| spec.pod_anti_affinity = required(labels::HOSTNAME, "db")));
    world.run_until(2);
    assert_ne!(world.node_of("db-1"), world.node_of("db-2"));
    // One without a term is kept away by the terms of the others.
    world.create_pod(pod("db-3", "cpu=1"));
    world.create_pod(pod_with("db-4", "cpu=1", |spec| spec.pod_anti_affinity = required(labels::HOSTNAME, "db")));
    world.run_until(4);
    let begin = |name: &str| world.said(name).split(". ").next().unwrap_or_default().to_owned();
    let expected = "0/2 nodes are available: 2 node(s) didn't satisfy existing pods anti-affinity rules";
    assert_eq!(begin("db-3"), expected);
    let expected = "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules";
    assert_eq!(begin("db-4"), expected);
    world.delete_pod("db-1");
    world.run_until(50);
    assert!(!world.node_of("db-3").is_empty());
}

#[test]
fn the_first_pod_of_an_affinity_goes_anywhere_and_the_others_follow() {
    let mut world = World::new();
    for (name, zone) in [("a", "x"), ("b", "y")] {
        world.node_with(name, (8, 16), &[(labels::ZONE, zone)], Vec::new());
    }
    for number in 0..3 {
        world.create_pod(pod_with(&format!("web-{number}"), "cpu=1", |spec| {
            spec.pod_affinity = required(labels::ZONE, "web");
        }));
    }
    world.create_pod(pod_with("log-1", "cpu=1", |spec| spec.pod_affinity = required(labels::ZONE, "none")));
    world.run_until(3);
    assert_eq!(world.node_of("web-0"), world.node_of("web-1"));
    assert_eq!(world.node_of("web-0"), world.node_of("web-2"));
    let begin = "0/2 nodes are available: 2 node(s) didn't match pod affinity rules.";
    assert!(world.said("log-1").starts_with(begin), "{}", world.said("log-1"));
}

#[test]
fn a_port_of_a_node_goes_to_one_pod() {
    use lkesim_kube::object::pod::{HostPort, Protocol};
    let mut world = World::new();
    world.node("a", 8, 16);
    let port = HostPort { ip: "0.0.0.0".parse().expect("an address"), port: 80, protocol: Protocol::Tcp };
    for number in 1..3 {
        world.create_pod(pod_with(&format!("web-{number}"), "cpu=1", |spec| spec.containers[0].host_ports.push(port)));
        world.run_until(number);
    }
    let begin = "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.";
    assert!(world.said("web-2").starts_with(begin), "{}", world.said("web-2"));
}

#[test]
fn a_pod_of_higher_priority_evicts_as_few_as_it_needs() {
    let mut world = World::new();
    world.node("a", 4, 16);
    world.node("b", 4, 16);
    for number in 0..8 {
        let priority = if number < 4 { 0 } else { 5 };
        world.create_pod(pod_with(&format!("web-{number}"), "cpu=1", |spec| spec.priority = priority));
        world.run_until(number + 1);
    }
    world.create_pod(pod_with("vip-1", "cpu=2", |spec| spec.priority = 10));
    world.run_until(10);
    let ending: Vec<i32> =
        world.pods().iter().filter(|pod| pod.is_terminating()).map(|pod| pod.spec.priority).collect();
    assert_eq!(ending, [0, 0]);
    let nominated = world.pod("vip-1").status.nominated_node_name.clone().expect("it waits for them");
    assert!(!world.pod("vip-1").is_provisionable());
    // A pod of lower priority that comes meanwhile does not take the room.
    world.run_until(38);
    world.create_pod(pod("late-1", "cpu=1"));
    world.run_until(45);
    assert_eq!(world.node_of("vip-1"), &*nominated);
    assert_eq!(world.node_of("late-1"), "");
}

#[test]
fn a_pod_that_never_preempts_says_so() {
    let mut world = World::new();
    world.node("a", 1, 16);
    world.create_pod(pod("web-1", "cpu=1"));
    world.run_until(1);
    world.create_pod(pod_with("vip-1", "cpu=1", |spec| {
        spec.priority = 10;
        spec.never_preempts = true;
    }));
    world.run_until(3);
    let expected =
        "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.";
    assert_eq!(world.said("vip-1"), expected);
}
