//! Kubernetes objects in place of a scenario, and beside one.

use super::{Folder, call, call_with};
use crate::exit;

const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, resources: {requests: {cpu: 500m}}}]
";

const NODE_POOL: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption: {consolidateAfter: Never}
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.linode, kind: LinodeNodeClass, name: default}
      requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [g6-standard-2]}]
";

#[test]
fn files_alone_are_a_scenario_which_a_trace_repeats_without_them() {
    let folder = Folder::new("manifests");
    let (web, node_pool, trace) = (folder.path("web.yaml"), folder.path("pool.yaml"), folder.path("t.jsonl"));
    std::fs::write(&web, DEPLOYMENT).expect("it is written");
    std::fs::write(&node_pool, NODE_POOL).expect("it is written");
    let called = call(&["run", "-f", &web, "-f", &node_pool, "--set", "preset=zero", "--trace", &trace]);
    assert_eq!(called.code, exit::OK, "{called:?}");
    assert!(called.out.contains("1 created, 1 bound"), "{}", called.out);
    for file in [&web, &node_pool] {
        std::fs::remove_file(file).expect("it is removed");
    }
    let called = call(&["replay", &trace]);
    assert_eq!(called.code, exit::OK, "{called:?}");
}

#[test]
fn a_failure_names_the_files_that_repeat_it() {
    // No Linode boots so fast.
    let text = format!("{NODE_POOL}---\n{DEPLOYMENT}");
    let called = call_with(&["run", "-f", "-", "--set", "duration=30s", "--set", "calm=1s"], &text);
    assert!(called.out.contains("repeat it: lkesim run -f - --design documented"), "{called:?}");
}

#[test]
fn files_stand_beside_a_scenario_that_names_more() {
    let folder = Folder::new("beside");
    let scenario = folder.path("mine.yaml");
    std::fs::write(folder.path("web.yaml"), DEPLOYMENT).expect("it is written");
    std::fs::write(&scenario, "about: x\nmanifests: [web.yaml]\n").expect("it is written");
    let called = call_with(&["check", &scenario, "-f", "-"], NODE_POOL);
    assert_eq!((called.code, called.err.as_str()), (exit::OK, ""), "{called:?}");
    std::fs::write(&scenario, "about: x\nmanifests: [web.yml]\n").expect("it is written");
    let called = call(&["check", &scenario]);
    assert_eq!(called.code, exit::WRONG_INPUT);
    assert!(called.err.contains("mine.yaml:2:13") && called.err.contains("there is no file web.yml"), "{called:?}");
}

#[test]
fn what_is_not_modelled_is_told_and_refused_where_all_must_hold() {
    let text = format!("{DEPLOYMENT}      schedulerName: own\n");
    let called = call_with(&["check", "-f", "-"], &text);
    assert_eq!(called.code, exit::OK, "{called:?}");
    assert!(called.err.starts_with("warning: `schedulerName` is not modelled"), "{called:?}");
    let called = call_with(&["check", "-f", "-", "--strict"], &text);
    assert_eq!(called.code, exit::WRONG_INPUT, "{called:?}");
    assert!(called.err.contains("standard input:11:7"), "{called:?}");
}

#[test]
fn what_cannot_be_read_is_wrong_input() {
    for args in [&["check", "-f", "none.yaml"][..], &["run", "-", "-f", "-"], &["check", "-f", "/"], &["run"]] {
        assert_eq!(call(args).code, exit::WRONG_INPUT, "{args:?}");
    }
}

#[test]
fn files_without_an_object_are_a_mistake() {
    for text in ["", "---\n---\n", "apiVersion: v1\nkind: List\nitems: []\n"] {
        let called = call_with(&["run", "-f", "-"], text);
        assert_eq!(called.code, exit::WRONG_INPUT, "{called:?}");
        assert!(called.err.contains("has no Kubernetes object to run"), "{called:?}");
    }
}

/// A cluster's own nodes have no NodeClaim, and machines that the modelled cloud never had.
#[test]
fn pods_run_on_the_nodes_that_the_cluster_had() {
    let node = "\
apiVersion: v1
kind: Node
metadata: {name: base-1, labels: {kubernetes.io/hostname: base-1}}
spec: {providerID: 'linode://77'}
status:
  allocatable: {cpu: '4', memory: 8Gi, pods: '110'}
  capacity: {cpu: '4', memory: 8Gi, pods: '110'}
  conditions: [{type: Ready, status: 'True'}]
";
    let called = call_with(&["run", "-f", "-"], &format!("{node}---\n{NODE_POOL}---\n{DEPLOYMENT}"));
    assert_eq!(called.code, exit::OK, "{called:?}");
    assert!(called.out.contains("1 created, 1 bound, 0 ended; 1 run"), "{}", called.out);
    assert!(called.out.contains("NodeClaims  0 requested"), "{}", called.out);
}
