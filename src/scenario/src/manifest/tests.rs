mod disruption;
mod hostile;
mod kinds;
mod names;
mod pod_specs;
mod steps;

use super::{Objects, Severity};
use crate::tests::NAMES;
use crate::{Diagnostics, Given, Input, Loaded, Names, load_input};

/// What comes of a file with manifests alone.
fn given(text: &str, strict: bool) -> Result<Loaded, Diagnostics> {
    given_to(&NAMES, text, strict)
}

/// The same, where these names are known.
fn given_to(names: &Names<'_>, text: &str, strict: bool) -> Result<Loaded, Diagnostics> {
    let manifests = [Given { name: "given.yaml".to_owned(), bytes: text.as_bytes().to_vec() }];
    let input = Input {
        name: "given.yaml",
        bytes: None,
        sets: &[],
        manifests: &manifests,
        strict,
        files: &crate::builtin::Manifests,
        is_recorded: false,
    };
    load_input(&input, names)
}

#[track_caller]
fn objects(text: &str) -> Objects {
    given(text, false).unwrap_or_else(|mistakes| panic!("{mistakes}")).scenario.objects(0)
}

/// What is said of a text, whether it was read or not.
fn said(text: &str) -> String {
    match given(text, false) {
        Ok(loaded) => loaded.remarks.to_string(),
        Err(mistakes) => mistakes.to_string(),
    }
}

const SHOP: &str = include_str!("../../../../scenarios/manifests/shop.yaml");
const DUMP: &str = include_str!("samples/dump.yaml");

#[test]
fn a_file_of_many_kinds_becomes_objects_of_the_store() {
    let objects = objects(SHOP);
    let names: Vec<&str> = objects.workloads.iter().map(|workload| &**workload.name()).collect();
    assert_eq!(names, ["Deployment/shop/web", "DaemonSet/agent", "Job/report"]);
    let web = &objects.workloads[0];
    assert_eq!((web.replicas, web.template.spec.priority, web.template.spec.never_preempts), (3, 1000, true));
    assert_eq!(web.template.spec.effective_requests().to_string(), r#"{"cpu":"600m","memory":"256Mi"}"#);
    assert!(web.template.spec.init_containers[0].restarts_always);
    let agent = &objects.workloads[1].template.spec;
    assert_eq!(agent.host_ports().map(|port| port.port).collect::<Vec<_>>(), [9100]);
    let report = &objects.workloads[2];
    assert_eq!((report.replicas, report.runs_for), (4, Some(std::time::Duration::from_secs(300))));
    assert_eq!(objects.node_pools[0].spec.limits.map(|limits| limits.cpu_milli), Some(1_000_000));
    assert_eq!(objects.node_pools[0].spec.requirements[1].min_values, Some(2));
    assert_eq!(objects.facts.claims.keys().map(|name| &**name).collect::<Vec<_>>(), ["shop/web-data"]);
    assert!(objects.facts.claims["shop/web-data"].validate().is_ok());
    assert_eq!(objects.facts.claims["shop/web-data"].requirements().len(), 1);
    assert!(objects.facts.namespaces["shop"].has("team", "shop"));
    assert!(objects.facts.namespaces["default"].has("kubernetes.io/metadata.name", "default"));
    assert_eq!(objects.disruption_budgets[0].metadata.name.as_ref(), "shop/web");
}

#[test]
fn what_kubectl_prints_becomes_the_cluster_that_it_was() {
    let objects = objects(DUMP);
    assert_eq!((objects.nodes.len(), objects.node_claims.len(), objects.workloads.len()), (1, 1, 1));
    let node = &objects.nodes[0];
    assert!(node.is_ready());
    assert!(node.has_taint("node.kubernetes.io/unschedulable", lkesim_kube::object::TaintEffect::NoSchedule));
    assert_eq!(node.status.allocatable.cpu_milli, 3_920);
    let claim = &objects.node_claims[0];
    assert!(claim.is_initialized());
    assert_eq!(claim.status.provider_id, node.spec.provider_id);
    // The ReplicaSet is its Deployment here, and so the pod is the Deployment's.
    assert_eq!(&*objects.pods[0].metadata.owner_references.first().unwrap().name, "Deployment/web");
    assert_eq!(objects.pods[0].node_name.as_deref(), Some("lke12345-101-aa"));
}

#[test]
fn what_does_not_matter_is_passed_over_and_kinds_that_do_not_are_noted() {
    assert_eq!(said(SHOP).lines().filter(|line| line.starts_with("note")).count(), 1, "{}", said(SHOP));
    assert!(given(SHOP, true).is_ok());
    let remarks = given(DUMP, false).unwrap().remarks;
    assert!(remarks.iter().all(|remark| remark.severity == Severity::Note), "{remarks}");
}

#[test]
fn what_was_read_from_files_is_in_the_scenario_from_then_on() {
    for text in [SHOP, DUMP] {
        let scenario = given(text, false).unwrap().scenario;
        let json = serde_json::to_string(&scenario).unwrap();
        assert!(!json.contains("managedFields"));
        let input = Input { is_recorded: true, ..Input::new("trace", json.as_bytes()) };
        let again = load_input(&input, &NAMES).unwrap_or_else(|mistakes| panic!("{mistakes}")).scenario;
        assert_eq!(again, scenario);
        assert_eq!(again.objects(0), scenario.objects(0));
        let yaml = crate::to_yaml(&scenario);
        assert_eq!(crate::load("again.yaml", &yaml, &[], &NAMES).unwrap_or_else(|wrong| panic!("{wrong}")), scenario);
    }
}

macro_rules! said {
    ($name:ident, $text:expr) => {
        #[test]
        fn $name() {
            insta::assert_snapshot!(said($text));
        }
    };
}

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: [{name: c}]\n";

said!(
    an_unknown_kind,
    "apiVersion: apps/v1\nkind: Deploymnet\nmetadata: {name: web}\n---\napiVersion: v1\nkind: Quota\n"
);
said!(an_old_version, "apiVersion: karpenter.sh/v1beta1\nkind: NodePool\nmetadata: {name: default}\nspec: {}\n");
said!(a_misspelt_field, &format!("{POD}  nodeSelctor: {{a: b}}\n"));
said!(
    several_mistakes_in_several_documents,
    &format!(
        "{POD}  tolerations: [{{key: a, effect: NoSchdule}}, {{value: x}}]\n---\n{POD}---\n\
     apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: Web}}\nspec:\n  replicas: -1\n  selector: {{}}\n  template:\n    \
     spec:\n      containers:\n      - {{name: c, resources: {{requests: {{cpu: 1x, memory: [1]}}}}}}\n"
    )
);
said!(labels_that_are_no_text, "apiVersion: v1\nkind: Namespace\nmetadata: {name: a, labels: {on: true, a_b/c: x}}\n");
said!(
    a_selector_that_misses_its_pods,
    concat!(
        "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {app: web}}\n",
        "  template: {metadata: {labels: {app: wep}}, spec: {containers: [{name: c}]}}\n",
    )
);
said!(
    requirements_that_karpenter_refuses,
    concat!(
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      nodeClassRef: {name: a}\n",
        "      requirements:\n      - {key: a, operator: In}\n      - {key: a, operator: Gt, values: [x]}\n",
        "      - {key: a, operator: Exists, values: [x]}\n      - {key: a, operator: Is, values: [x]}\n",
        "      - {key: a, operator: In, values: [x], minValues: 3}\n",
    )
);
said!(
    what_would_matter_and_is_not_modelled,
    &format!(
        "{POD}  schedulerName: own\n  nodeName: gone\n  readinessGates: [{{conditionType: x}}]\n---\n\
     apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: a}}\nspec:\n  limits: {{cpu: 0, example.com/disks: 5, nodes: 5}}\n  \
     disruption: {{consolidateAfter: 30s}}\n  template:\n    spec:\n      requirements: []\n      expireAfter: 24h\n      \
     nodeClassRef: {{group: g, kind: k, name: n}}\n"
    )
);
said!(no_yaml, "kind: [\n");
said!(an_unknown_priority_class, &format!("{POD}  priorityClassName: system-node-critcal\n"));
said!(empty_documents_are_nothing, &format!("---\n---\n# only a comment\n---\n{POD}...\n---\n"));

#[test]
fn lines_are_those_of_the_document_after_any_separators() {
    let text = format!("# a\n---\n---\n{POD}---\n# b\n---\n{}  nodeSelctor: {{}}\n...\n", POD.replace(": a}", ": b}"));
    let shown = said(&text);
    assert!(shown.contains("given.yaml:17:3"), "{shown}");
}

#[test]
fn a_warning_is_a_mistake_where_all_of_it_must_hold() {
    let text = format!("{POD}  schedulerName: own\n");
    assert!(given(&text, false).is_ok());
    let mistakes = given(&text, true).unwrap_err();
    assert!(mistakes.to_string().contains("`schedulerName` is not modelled"), "{mistakes}");
}
