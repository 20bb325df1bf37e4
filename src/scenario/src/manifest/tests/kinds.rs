//! Kinds that are not read, and what a cluster would refuse.

use super::{POD, given, said};

fn of(version: &str, kind: &str) -> String {
    said(&format!("apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\nspec: {{size: 3}}\n---\n{POD}"))
}

#[test]
fn what_is_for_another_controller_is_left_out() {
    for (version, kind) in [
        ("example.com/v1", "Widget"),
        ("cert-manager.io/v1", "Certificate"),
        ("helm.toolkit.fluxcd.io/v2", "HelmRelease"),
    ] {
        let told = of(version, kind);
        assert!(told.starts_with(&format!("note: a {kind} of `{version}` is for another controller")), "{told}");
    }
    let text = format!("{}---\n{POD}", "apiVersion: example.com/v1\nkind: Widget\n---\n".repeat(30));
    assert_eq!(said(&text).matches("note: ").count(), 1, "{}", said(&text));
}

#[test]
fn what_would_matter_to_pods_is_warned_of_with_what_becomes_of_it() {
    for (version, kind, why) in [
        ("batch/v1", "CronJob", "no Job is made of it"),
        ("autoscaling/v2", "HorizontalPodAutoscaler", "replicas stay"),
        ("autoscaling.k8s.io/v1", "VerticalPodAutoscaler", "requests stay"),
        ("v1", "ReplicationController", "its pods are not made"),
        ("v1", "LimitRange", "stay as they are written"),
        ("v1", "ResourceQuota", "nothing is refused"),
        ("batch.volcano.sh/v1alpha1", "Job", "is not modelled, and is left out"),
    ] {
        let told = of(version, kind);
        assert!(told.starts_with(&format!("warning: a {kind} ")) && told.contains(why), "{told}");
        assert!(told.contains("given.yaml:2:1"), "{told}");
        let text = format!("apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\n---\n{POD}");
        assert!(given(&text, true).is_err(), "{kind}");
    }
}

#[test]
fn a_misspelt_kind_or_group_of_those_that_are_read_is_a_mistake() {
    for (version, kind, near) in [
        ("apps/v1", "Deploymnt", "did you mean `Deployment`?"),
        ("karpenter.sh/v1", "NodePol", "did you mean `NodePool`?"),
        ("karpnter.sh/v1", "NodePol", "did you mean `NodePool`?"),
        ("app/v1", "Deployment", "is of `apps/v1`"),
        ("extensions/v1beta1", "Deployment", "is of `apps/v1`"),
    ] {
        let told = of(version, kind);
        assert!(told.starts_with("error: ") && told.contains(near), "{told}");
    }
}

fn deployment(replicas: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  replicas: {replicas}\n  selector: {{matchLabels: \
         {{a: b}}}}\n  template: {{metadata: {{labels: {{a: b}}}}, spec: {{containers: [{{name: c}}]}}}}\n"
    )
}

#[test]
fn more_pods_than_a_run_can_hold_are_a_mistake_where_they_are_asked_for() {
    assert!(given(&deployment("200000"), false).is_ok());
    let told = said(&deployment("200001"));
    assert!(told.starts_with("error: 200001 pods would be made in all; expected at most 200000"), "{told}");
    assert!(told.contains("given.yaml:5:13"), "{told}");
    let two = format!("{}---\n{}", deployment("150000"), deployment("60000").replace("name: web", "name: api"));
    assert!(said(&two).contains("210000 pods"), "{}", said(&two));
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {completions: 2000000000, template: {spec: {containers: \
        [{name: c}]}}}\n";
    assert!(said(job).contains("2000000000 pods"), "{}", said(job));
}

#[test]
fn steps_count_the_pods_that_they_add() {
    let told = |steps: &str| {
        let text = format!("about: x\nworkload:\n- deploy: {{name: web, replicas: 150000}}\n{steps}");
        let read = crate::load("given.yaml", &text, &[], &super::NAMES);
        read.map_or_else(|wrong| wrong.to_string(), |_| String::new())
    };
    assert_eq!(told("- scale: {at: 1m, of: Deployment/web, to: 200000}\n"), "");
    for steps in [
        "- scale: {at: 1m, of: Deployment/web, to: 4000000000}\n",
        "- deploy: {name: api, replicas: 60000}\n",
        "- arrive: {name: a, rate: 60000/1m, until: 1m}\n",
        "- patch: {at: 1m, of: Deployment/web, with: {spec: {replicas: 210000}}}\n",
    ] {
        assert!(told(steps).contains("expected at most 200000"), "{steps}: {}", told(steps));
    }
}

#[test]
fn what_is_wrong_is_said_in_the_words_of_who_wrote_it() {
    let told = said(&deployment("'3'"));
    assert!(told.contains("found the text `3`; expected a whole number") && told.contains("without quotes"), "{told}");
    let merged = format!("{POD}  nodeSelector: {{<<: {{a: b}}}}\n");
    assert!(said(&merged).contains("merge keys (`<<`) are not read"), "{}", said(&merged));
    let merged = format!("{POD}  <<: {{hostNetwork: true}}\n");
    assert!(said(&merged).contains("merge keys (`<<`) are not read"), "{}", said(&merged));
    let misspelt = POD.replace("{name: a}", "{name: a, annotations: {lkesim/run-for: 5m}}");
    assert!(said(&misspelt).contains("did you mean `lkesim/runs-for`?"), "{}", said(&misspelt));
    let twice = said(&deployment("1").replace("replicas", "replics"));
    assert_eq!(twice.matches("`selector`").count(), 1, "{twice}");
}

#[test]
fn the_type_of_a_node_claim_has_its_place() {
    let claim = "apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: a}\nspec:\n  nodeClassRef: {group: \
        karpenter.k8s.linode, kind: LinodeNodeClass, name: default}\n  requirements:\n  - {key: \
        node.kubernetes.io/instance-type, operator: In, values: [g6-none]}\n";
    let told = said(claim);
    assert!(told.contains("unknown instance type `g6-none`") && told.contains("given.yaml:7:"), "{told}");
}

#[test]
fn who_mixes_up_scenarios_and_objects_is_told() {
    let told = said("about: x\nworkload: []\n");
    assert!(told.contains("this is a scenario") && told.contains("give it without `-f`"), "{told}");
    let wrong = crate::load("pod.yaml", POD, &[], &super::NAMES).unwrap_err().to_string();
    assert!(wrong.contains("this is a Kubernetes object, and no scenario") && wrong.contains("-f FILE"), "{wrong}");
}

#[test]
fn what_an_api_server_refuses_is_refused() {
    let container = |text: &str| format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec: {text}\n");
    let node_pool = |template: &str, requirements: &str, spec: &str| {
        format!(
            "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: a}}\nspec:\n  disruption: {{consolidateAfter: Never}}\n  \
             template:\n    {template}\n    spec: {{requirements: [{requirements}], nodeClassRef: {{group: karpenter.k8s.linode, \
             kind: LinodeNodeClass, name: a}}{spec}}}\n"
        )
    };
    let table = [
        (container("{containers: [{name: c}, {name: c}]}"), "two containers are called `c`"),
        (container("{containers: [{name: c}], initContainers: [{name: c}]}"), "two containers are called `c`"),
        (container("{containers: [{name: c, imagePullPolicy: Foo}]}"), "unknown value `Foo`"),
        (container("{containers: [{name: c}], restartPolicy: Sometimes}"), "unknown value `Sometimes`"),
        (container("{containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1.5}}}]}"), "a whole number of"),
        (
            container("{containers: [{name: c, resources: {requests: {nvidia.com/gpu: 1}}}]}"),
            "`limits` must have as many",
        ),
        (
            container(
                "{containers: [{name: c, resources: {requests: {nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: 2}}}]}",
            ),
            "expected as many here",
        ),
        (
            node_pool("metadata: {labels: {karpenter.sh/nodepool: x}}", "", ""),
            "keeps the label `karpenter.sh/nodepool`",
        ),
        (
            node_pool("metadata: {labels: {kubernetes.io/hostname: x}}", "", ""),
            "keeps the label `kubernetes.io/hostname`",
        ),
        (
            node_pool("", "{key: kubernetes.io/hostname, operator: Exists}", ""),
            "keeps the label `kubernetes.io/hostname`",
        ),
        (node_pool("", "", ", expireAfter: 5x"), "a length of time"),
        (node_pool("", "", "").replace("Never}", "Never, budgets: [{nodes: 500%}]}"), "a share up to `100%`"),
        (
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a}\nspec: {accessModes: [Foo]}\n".to_owned(),
            "unknown value `Foo`",
        ),
        (
            "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {minAvailable: 150%}\n"
                .to_owned(),
            "expected at most `100%`",
        ),
        (
            ["a", "b"]
                .map(|name| {
                    let class =
                        "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nglobalDefault: true\nvalue: 1\n";
                    format!("{class}metadata: {{name: {name}}}\n")
                })
                .join("---\n"),
            "`a` has `globalDefault` already",
        ),
    ];
    for (text, expected) in table {
        let told = said(&text);
        assert!(told.starts_with("error: ") && told.contains(expected), "{text}{told}");
    }
}

#[test]
fn a_limit_of_nodes_is_read() {
    let text = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: a}\nspec:\n  disruption: {consolidateAfter: Never}\n  \
        limits: {nodes: 5, cpu: 8}\n  template: {spec: {requirements: [], nodeClassRef: {group: karpenter.k8s.linode, kind: \
        LinodeNodeClass, name: a}}}\n";
    assert_eq!(said(text), "");
    let spec = &super::objects(text).node_pools[0].spec;
    assert_eq!((spec.node_limit, spec.limits.map(|limits| limits.cpu_milli)), (Some(5), Some(8_000)));
}
