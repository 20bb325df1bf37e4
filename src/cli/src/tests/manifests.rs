//! Kubernetes objects in place of a scenario, and beside one.

use super::{Folder, call, call_with};
use crate::exit;

pub(super) const DEPLOYMENT: &str = "\
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

pub(super) const NODE_POOL: &str = "\
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

const NODE_CLASS: &str = "\
apiVersion: karpenter.k8s.linode/v1alpha1
kind: LinodeNodeClass
metadata: {name: default}
spec: {}
";

/// Karpenter keeps off a NodePool whose NodeClass is not there, and says nothing of the pods, which is a broken promise.
#[test]
fn a_node_pool_without_its_node_class_is_not_used_and_the_report_says_so() {
    for (right, wrong) in
        [("name: default}\n      req", "name: defualt}\n      req"), ("group: karpenter.k8s.linode", "group: x.y")]
    {
        let node_pool = NODE_POOL.replace(right, wrong);
        assert_ne!(node_pool, NODE_POOL);
        let called = call_with(
            &["run", "-f", "-", "--set", "preset=zero"],
            &format!("{NODE_CLASS}---\n{node_pool}---\n{DEPLOYMENT}"),
        );
        assert_eq!(called.code, exit::FAILED, "{called:?}");
        assert!(called.err.starts_with("warning: the "), "{called:?}");
        assert!(called.out.contains("Karpenter does not use it: "), "{}", called.out);
        assert!(called.out.contains("NodeClaims  0 requested"), "{}", called.out);
    }
    let called = call_with(
        &["run", "-f", "-", "--set", "preset=zero"],
        &format!("{NODE_CLASS}---\n{NODE_POOL}---\n{DEPLOYMENT}"),
    );
    assert_eq!(called.code, exit::OK, "{called:?}");
}

/// A run may pass while pods wait: the scenario asks for what there is not. The report says why.
#[test]
fn the_report_tells_why_pods_pend() {
    let text = format!(
        "{NODE_POOL}---\n{}",
        DEPLOYMENT.replace("cpu: 500m", "cpu: 500").replace("replicas: 1", "replicas: 7")
    );
    let called = call_with(&["run", "-f", "-"], &text);
    assert_eq!(called.code, exit::OK, "{called:?}");
    assert!(called.out.contains("7 pods pend (") && called.out.contains(" and 2 more): "), "{}", called.out);
    assert!(called.out.contains("no instance type") || called.out.contains("instance types"), "{}", called.out);
    assert!(called.out.contains("never"), "{}", called.out);
    let called = call_with(&["run", "-f", "-", "--format", "json"], &text);
    assert!(called.out.contains("\"pending\": ["), "{}", called.out);
}

#[test]
fn a_warning_that_is_a_mistake_says_so() {
    let text = format!("{DEPLOYMENT}      schedulerName: own\n");
    let called = call_with(&["check", "-f", "-", "--strict"], &text);
    assert!(called.err.starts_with("error: `schedulerName` is not modelled"), "{called:?}");
    assert!(called.err.contains("(`--strict` makes it an error)"), "{called:?}");
}

#[test]
fn objects_that_are_given_as_a_scenario_are_told_where_they_go() {
    let folder = Folder::new("slip");
    let web = folder.path("web.yaml");
    std::fs::write(&web, DEPLOYMENT).expect("it is written");
    let called = call(&["run", &web]);
    assert_eq!(called.code, exit::WRONG_INPUT);
    assert!(called.err.contains("lkesim run -f FILE") && called.err.matches("error: ").count() == 1, "{called:?}");
    let called = call_with(&["run", "-f", "-"], "about: x\nworkload: []\n");
    assert!(called.err.contains("give it without `-f`"), "{called:?}");
}

/// Commands over many seeds take the same files.
#[test]
fn files_alone_are_compared_varied_and_explored() {
    let folder = Folder::new("many");
    let all = folder.path("all.yaml");
    std::fs::write(&all, format!("{NODE_POOL}---\n{DEPLOYMENT}")).expect("it is written");
    let called = call(&["compare", "-f", &all, "--designs", "documented", "--seeds", "2"]);
    assert_eq!((called.code, called.err.as_str()), (exit::OK, ""), "{called:?}");
    assert!(called.out.contains("all.yaml"), "{}", called.out);
    let called = call(&["sweep", "-f", &all, "--vary", "kubernetes.binding=0s,1s", "--seeds", "2"]);
    assert_eq!(called.code, exit::OK, "{called:?}");
    let called = call(&["explore", "-f", &all, "--seeds", "2"]);
    assert!([exit::OK, exit::FAILED].contains(&called.code) && called.out.contains("2 "), "{called:?}");
    let called = call_with(&["sweep", "-f", "-", "--vary", "kubernetes.binding=0s,1s", "--seeds", "2"], DEPLOYMENT);
    assert_eq!(called.code, exit::WRONG_INPUT, "{called:?}");
    assert!(called.err.contains("standard input can be read once"), "{called:?}");
}

/// A number that no field takes is a mistake beside the others, not the end of the reading.
#[test]
fn numbers_beyond_64_bits_are_told_with_all_other_mistakes() {
    let folder = Folder::new("large-numbers");
    let web = folder.path("web.yaml");
    let text =
        DEPLOYMENT.replace("replicas: 1", "replicas: 99999999999999999999").replace("name: web, res", "nam: web, res");
    std::fs::write(&web, text).expect("it is written");
    let called = call(&["check", "-f", &web]);
    assert_eq!(called.code, exit::WRONG_INPUT);
    assert!(called.err.contains("found the number `99999999999999999999`; expected"), "{}", called.err);
    assert!(called.err.contains("web.yaml:5:13"), "{}", called.err);
    assert!(called.err.contains("name"), "{}", called.err);
    assert!(!called.err.contains("not YAML"), "{}", called.err);
}
