use crate::input::{DaemonSetPod, NodeView, StateNode};
use crate::results::Bin;
use crate::testing::*;
use crate::{Options, solve};
use lkesim_kube::object::pod::{HostPort, Protocol};
use lkesim_kube::object::{Operator, Requirement as Selector, Taint, TaintEffect, Toleration, labels};
use std::collections::BTreeSet;
use std::rc::Rc;

mod offerings;
mod worked_example;

const NONE: [&str; 0] = [];

#[test]
fn one_pod_makes_one_claim_with_every_type_that_holds_it_the_cheapest_first() {
    let results = solved(&problem(three_sizes(), [pod("web-1", "cpu=3")]));
    assert_eq!(claims(&results), ["web-1: medium large"]);
    assert_eq!(unplaced(&results), NONE);
}

#[test]
fn a_pod_that_no_type_holds_is_told_why() {
    let results = solved(&problem(three_sizes(), [pod("web-1", "cpu=9")]));
    assert_eq!(unplaced(&results), ["web-1"]);
    let message = &results.pod_errors[0].message;
    assert!(message.starts_with("no instance type has enough resources, requirements="), "{message}");
    assert!(message.ends_with(r#"resources={"cpu":"9","pods":"1"}"#), "{message}");
}

#[test]
fn the_largest_by_cpu_and_then_by_memory_come_first() {
    let queue = ["a-1 cpu=1 memory=1Gi", "b-1 cpu=2 memory=1Gi", "c-1 cpu=2 memory=2Gi", "d-1 cpu=1"];
    let pods = queue.map(|text| text.split_once(' ').expect("a name")).map(|(name, asks)| pod(name, asks));
    let results = solve(&problem(three_sizes(), pods), &Options::default(), true).expect("a sound problem");
    let order: Vec<&str> = results.steps.iter().map(|step| &**step.pod.name()).collect();
    assert_eq!(order, ["c-1", "b-1", "a-1", "d-1"]);
    assert_eq!(claims(&results), ["c-1 b-1 a-1 d-1: large"]);
}

#[test]
fn pods_go_to_the_claim_with_the_fewest() {
    // A large type holds two pods of three cores. The third opens another claim, and the fourth joins the emptier one.
    let results = solved(&problem(three_sizes(), pods("web", 4, "cpu=3", |_| {})));
    assert_eq!(claims(&results).len(), 2);
    assert!(results.new_node_claims.iter().all(|claim| claim.pods.len() == 2));
}

#[test]
fn limits_count_the_largest_type_that_a_claim_may_become() {
    let mut limited = problem(
        three_sizes(),
        pods("web", 3, "cpu=2 memory=4Gi", |spec| {
            spec.pod_anti_affinity = required([term(labels::HOSTNAME, "web")]);
        }),
    );
    limited.node_pools[0].limits = resources("cpu=11");
    // Of 11 cores the first claim may take 8, and of 3 the second may become a small one; 1 is too few for a third.
    let results = solved(&limited);
    let types: Vec<usize> = results.new_node_claims.iter().map(|claim| claim.instance_types.len()).collect();
    assert_eq!(types, [3, 1]);
    assert_eq!(unplaced(&results).len(), 1);
    let expected = "all available instance types exceed limits for nodepool (NodePool=default)";
    assert!(results.pod_errors[0].message.contains(expected), "{}", results.pod_errors[0].message);
}

#[test]
fn taints_keep_pods_off_that_do_not_tolerate_them() {
    let tolerant = with(pod("ok-1", "cpu=1"), |spec| spec.tolerations = vec![Toleration::of_key("gpu")]);
    let mut tainted = problem(three_sizes(), [tolerant, pod("no-1", "cpu=1")]);
    tainted.node_pools[0].taints = vec![Taint::new("gpu", TaintEffect::NoSchedule)];
    let results = solved(&tainted);
    assert_eq!(claims(&results), ["ok-1: small medium large"]);
    assert_eq!(unplaced(&results), ["no-1"]);
    assert_eq!(results.pod_errors[0].message, "did not tolerate taint (taint=gpu:NoSchedule)");
}

#[test]
fn a_spread_over_zones_gives_each_zone_its_own_claim() {
    let spread_pods = pods("web", 3, "cpu=1", |spec| {
        spec.topology_spread_constraints = vec![spread(labels::ZONE, "web")];
    });
    let results = solved(&problem(three_sizes(), spread_pods));
    let zones: BTreeSet<String> = results
        .new_node_claims
        .iter()
        .map(|claim| claim.requirements.get(labels::ZONE).expect("a zone").to_string())
        .collect();
    let expected = ["a", "b", "c"].map(|zone| format!("topology.kubernetes.io/zone In [{zone}]"));
    assert_eq!(zones, BTreeSet::from(expected));
}

#[test]
fn a_spread_over_host_names_and_an_anti_affinity_give_each_pod_its_own_claim() {
    let by_spread = pods("web", 3, "cpu=1", |spec| {
        spec.topology_spread_constraints = vec![spread(labels::HOSTNAME, "web")];
    });
    let apart = pods("web", 3, "cpu=1", |spec| spec.pod_anti_affinity = required([term(labels::HOSTNAME, "web")]));
    for pods in [by_spread, apart] {
        assert_eq!(solved(&problem(three_sizes(), pods)).new_node_claims.len(), 3);
    }
}

#[test]
fn a_pod_without_terms_keeps_away_from_one_that_keeps_it_away() {
    let apart = with(pod("db-1", "cpu=2"), |spec| spec.pod_anti_affinity = required([term(labels::HOSTNAME, "web")]));
    let results = solved(&problem(three_sizes(), [apart, pod("web-1", "cpu=1")]));
    assert_eq!(claims(&results), ["db-1: small medium large", "web-1: small medium large"]);
}

#[test]
fn affinity_follows_the_pod_that_it_means() {
    let follower = with(pod("web-1", "cpu=2"), |spec| spec.pod_affinity = required([term(labels::HOSTNAME, "db")]));
    // The follower is larger and comes first, finds nobody, and is tried again once the other is placed.
    let results = solved(&problem(three_sizes(), [follower, pod("db-1", "cpu=1")]));
    assert_eq!(claims(&results), ["db-1 web-1: medium large"]);
}

#[test]
fn nodes_come_before_claims() {
    let mut with_node = problem(three_sizes(), [pod("web-1", "cpu=3"), pod("web-2", "cpu=2"), pod("web-3", "cpu=1")]);
    let view = NodeView {
        name: "node-1".into(),
        capacity: resources("cpu=4 memory=8Gi pods=110"),
        allocatable: resources("cpu=4 memory=8Gi pods=110"),
        ..NodeView::default()
    };
    with_node.nodes.push(StateNode { node: Some(view), ..StateNode::default() });
    let results = solved(&with_node);
    let placed: Vec<&str> = results.existing_nodes[0].1.iter().map(|pod| &**pod.name()).collect();
    assert_eq!(placed, ["web-1", "web-3"]);
    assert_eq!(claims(&results), ["web-2: small medium large"]);
}

#[test]
fn node_pools_are_tried_by_weight_and_then_by_the_last_name() {
    let mut three = problem(three_sizes(), [pod("web-1", "cpu=1")]);
    let types = three.instance_types["default"].clone();
    three.node_pools[0].weight = 5;
    for name in ["a", "b"] {
        let mut pool = node_pool(name);
        pool.weight = 10;
        three.node_pools.push(pool);
        three.instance_types.insert(name.into(), types.clone());
    }
    assert_eq!(&*solved(&three).new_node_claims[0].node_pool, "b");
}

#[test]
fn daemon_sets_take_their_share_first() {
    let mut taxed = problem(three_sizes(), [pod("web-1", "cpu=2")]);
    taxed.daemon_set_pods.push(DaemonSetPod { spec: pod("agent-1", "cpu=500m").spec, is_template: false });
    let results = solved(&taxed);
    assert_eq!(claims(&results), ["web-1: medium large"]);
    assert_eq!(results.new_node_claims[0].requests.to_string(), r#"{"cpu":"2500m","pods":"2"}"#);
}

#[test]
fn a_port_that_one_pod_took_is_taken_on_all_claims_of_the_node_pool() {
    let port = HostPort { ip: "0.0.0.0".parse().expect("an address"), port: 80, protocol: Protocol::Tcp };
    let results = solved(&problem(
        three_sizes(),
        pods("web", 2, "cpu=1", |spec| {
            spec.containers[0].host_ports = vec![port];
        }),
    ));
    assert_eq!(claims(&results).len(), 1);
    assert_eq!(unplaced(&results), ["web-2"]);
}

#[test]
fn requirements_narrow_types_and_bounds_are_numbers() {
    let sized = |name: &str, memory: u32, price| {
        let mut one = instance_type(name, "cpu=4 memory=8Gi", price);
        one.requirements.add(crate::Requirement::any_of("example.com/memory", [Rc::from(memory.to_string())]));
        one
    };
    let types = vec![sized("t-8", 8, 1), sized("t-16", 16, 2), sized("t-32", 32, 3)];
    let asks = |operator, value: &str| node_affinity([Selector::new("example.com/memory", operator, [value])]);
    let options = Options {
        well_known_labels: crate::WellKnownLabels::default().with(["example.com/memory"]),
        ..Options::default()
    };
    let table = [
        (Operator::Gt, "8", "p-1: t-16 t-32"),
        (Operator::Gte, "16", "p-1: t-16 t-32"),
        (Operator::Lt, "16", "p-1: t-8"),
        (Operator::Lte, "16", "p-1: t-8 t-16"),
        (Operator::In, "16", "p-1: t-16"),
        (Operator::NotIn, "16", "p-1: t-8 t-32"),
    ];
    for (operator, value, expected) in table {
        let asking = with(pod("p-1", "cpu=1"), |spec| spec.node_affinity = asks(operator, value));
        let results = solve(&problem(types.clone(), [asking]), &options, false).expect("a sound problem");
        assert_eq!(claims(&results), [expected], "{operator:?} {value}");
    }
}

#[test]
fn min_values_hold_or_the_pod_waits() {
    for (count, expected) in [(3, &["web-1: small medium large"][..]), (4, &[])] {
        let mut asking = problem(three_sizes(), [pod("web-1", "cpu=1")]);
        let all = Selector::new(labels::INSTANCE_TYPE, Operator::Exists, NONE);
        asking.node_pools[0].requirements = vec![Selector { min_values: Some(count), ..all }];
        assert_eq!(claims(&solved(&asking)), expected);
    }
}

#[test]
fn a_node_pool_on_the_host_name_is_no_problem_to_be_solved() {
    let mut odd = problem(three_sizes(), []);
    odd.node_pools[0].labels.insert(labels::HOSTNAME, "x");
    assert!(solve(&odd, &Options::default(), false).is_err());
}

#[test]
fn steps_tell_what_refused_a_pod_and_what_it_added() {
    let asking = with(pod("b-1", "cpu=1"), |spec| spec.node_selector.insert(labels::ZONE, "b"));
    let tried = problem(three_sizes(), [pod("a-1", "cpu=7"), asking, pod("c-1", "cpu=7")]);
    let results = solve(&tried, &Options::default(), true).expect("a sound problem");
    let [_, second, third] = [0, 1, 2].map(|place| &results.steps[place]);
    assert_eq!(&**second.pod.name(), "c-1");
    assert_eq!(second.refused.len(), 1);
    assert_eq!(second.refused[0].0, Bin::Claim(0));
    assert_eq!(third.placed, Some(Bin::Claim(0)));
    assert_eq!(third.requirements_added, ["topology.kubernetes.io/zone In [b]"]);
}
