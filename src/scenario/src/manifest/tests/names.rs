//! What names something that is not there.

use super::{NAMES, POD, SHOP, given_to};
use crate::{Diagnostics, Input, Loaded, Names, load_input};
use proptest::prelude::*;

fn labels() -> Vec<(String, Vec<String>)> {
    let entry = |key: &str, values: &[&str]| (key.to_owned(), values.iter().map(|value| (*value).to_owned()).collect());
    vec![
        entry("karpenter.k8s.linode/instance-cpu", &["1", "2", "4"]),
        entry("karpenter.k8s.linode/instance-transfer", &[]),
        entry("kubernetes.io/arch", &["amd64"]),
    ]
}

fn load(text: &str, strict: bool) -> Result<Loaded, Diagnostics> {
    let labels = labels();
    given_to(&Names { labels: &labels, ..NAMES }, text, strict)
}

fn said(text: &str) -> String {
    match load(text, false) {
        Ok(loaded) => loaded.remarks.to_string(),
        Err(mistakes) => mistakes.to_string(),
    }
}

fn node_pool(class: &str, requirements: &str) -> String {
    format!(
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: general}}\nspec:\n  \
         disruption: {{consolidateAfter: Never}}\n  template:\n    spec:\n      nodeClassRef: {{{class}}}\n      \
         requirements: [{requirements}]\n"
    )
}

const LINODE: &str = "group: karpenter.k8s.linode, kind: LinodeNodeClass, name: default";
const CLASS: &str =
    "apiVersion: karpenter.k8s.linode/v1alpha1\nkind: LinodeNodeClass\nmetadata: {name: default}\nspec: {}\n";

#[test]
fn a_node_class_of_another_provider_or_another_name_is_told() {
    let of = |class: &str| said(&format!("{CLASS}---\n{}", node_pool(class, "")));
    assert_eq!(of(LINODE), "");
    insta::assert_snapshot!("another_group", of("group: karpenter.k8s.aws, kind: EC2NodeClass, name: default"));
    insta::assert_snapshot!("another_name", of(&LINODE.replace("default", "defualt")));
    // Where the manifests have no NodeClass at all, those that are named are taken to be there.
    assert_eq!(said(&node_pool(&LINODE.replace("default", "mine"), "")), "");
}

#[test]
fn values_and_labels_that_no_machine_has_are_told() {
    let of = |requirement: &str| said(&node_pool(LINODE, requirement));
    let right = [
        "{key: node.kubernetes.io/instance-type, operator: In, values: [g6-standard-2]}",
        "{key: node.kubernetes.io/instance-type, operator: NotIn, values: [m5.large]}",
        "{key: topology.kubernetes.io/region, operator: In, values: [us-ord]}",
        "{key: karpenter.k8s.linode/instance-cpu, operator: Gt, values: ['8']}",
        "{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}",
        "{key: karpenter.sh/capacity-type, operator: In, values: [spot, on-demand]}",
        "{key: example.com/team, operator: In, values: [shop]}",
    ];
    right.iter().for_each(|requirement| assert_eq!(of(requirement), "", "{requirement}"));
    let wrong = [
        ("node.kubernetes.io/instance-type", "g6-standard-9", "did you mean `g6-standard-"),
        ("topology.kubernetes.io/region", "us-mia", "`--set cloud.region=us-mia` runs it there"),
        ("topology.kubernetes.io/region", "us-ordd", "did you mean `us-ord`?"),
        (
            "karpenter.sh/capacity-type",
            "spot",
            "no machine here has `karpenter.sh/capacity-type: spot`; there is `on-demand`",
        ),
        ("karpenter.k8s.linode/instance-cpu", "3", "there is `1`, `2`, `4`"),
        ("karpenter.k8s.linode/instance-transfer", "3", "no machine here has"),
        ("karpenter.k8s.linode/instance-cpuu", "2", "did you mean `karpenter.k8s.linode/instance-cpu`?"),
        ("kubernetes.io/arch", "arm64", "there is `amd64`"),
    ];
    for (key, value, expected) in wrong {
        let told = of(&format!("{{key: {key}, operator: In, values: ['{value}']}}"));
        assert!(told.starts_with("warning: ") && told.contains(expected), "{key}: {told}");
        let of_pod = said(&format!("{POD}  nodeSelector: {{{key}: '{value}'}}\n"));
        assert!(of_pod.starts_with("warning: ") && of_pod.contains(expected), "{key}: {of_pod}");
    }
}

#[test]
fn the_types_of_a_catalogue_of_ones_own_are_those_that_count() {
    let scenario = "about: x\ncatalogue:\n- {name: small, cpu: 2, memory: 4Gi, offerings: [{zone: a, price: '0.1'}]}\n\
        manifests:\n- {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeSelector: \
        {node.kubernetes.io/instance-type: TYPE}, containers: [{name: c}]}}\n";
    let told = |plan: &str| {
        let text = scenario.replace("TYPE", plan);
        let input = Input::new("given.yaml", text.as_bytes());
        load_input(&input, &NAMES).unwrap_or_else(|wrong| panic!("{wrong}")).remarks.to_string()
    };
    assert_eq!(told("small"), "");
    assert!(told("smal").contains("did you mean `small`?"), "{}", told("smal"));
}

#[test]
fn claims_classes_volumes_and_owners_that_are_not_there_are_told() {
    let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: shop}\nspec: {storageClassName: nope, \
        volumeName: nopv}\n";
    let pod = |name: &str, namespace: &str, claim: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: {namespace}, ownerReferences: [{{apiVersion: apps/v1, \
             kind: ReplicaSet, name: web-7d4b}}]}}\nspec: {{containers: [{{name: c}}], volumes: [{{name: v, \
             persistentVolumeClaim: {{claimName: {claim}}}}}]}}\n"
        )
    };
    let text = format!(
        "{claim}---\n{}---\n{}---\n{}",
        pod("a", "shop", "data"),
        pod("b", "shop", "daat"),
        pod("c", "x", "data")
    );
    insta::assert_snapshot!(said(&text));
}

#[test]
fn a_node_claim_of_no_node_pool_and_of_another_cloud_is_told() {
    let claim = "apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: a, labels: {karpenter.sh/nodepool: genral, \
        node.kubernetes.io/instance-type: g6-standard-2}}\nspec: {requirements: [], nodeClassRef: {LINODE}}\n\
        status: {providerID: 'aws://1', nodeName: nonode}\n";
    let text = format!("{}---\n{}", node_pool(LINODE, ""), claim.replace("LINODE", LINODE));
    insta::assert_snapshot!(said(&text));
}

#[test]
fn a_node_of_another_region_is_told_once() {
    let node = |name: &str| {
        format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: {name}, labels: {{topology.kubernetes.io/region: nl-ams}}}}\n"
        )
    };
    let told = said(&format!("{}---\n{}", node("a"), node("b")));
    assert_eq!(told.matches("the Node is in `nl-ams`, and this run is in `us-ord`").count(), 1, "{told}");
    assert!(told.contains("`--set cloud.region=nl-ams` runs it there"), "{told}");
}

#[test]
fn what_is_missing_is_a_mistake_where_all_must_hold_and_says_why() {
    let text = node_pool(LINODE, "{key: kubernetes.io/arch, operator: In, values: [arm64]}");
    let told = load(&text, true).unwrap_err().to_string();
    assert!(told.starts_with("error: no machine here has `kubernetes.io/arch: arm64`"), "{told}");
    assert!(told.contains("(`--strict` makes it an error)"), "{told}");
    assert!(load(SHOP, true).is_ok());
}

#[test]
fn a_name_that_a_step_brings_later_is_there() {
    let scenario = "about: x\nmanifests:\n- {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeSelector: \
        {karpenter.sh/nodepool: late}, containers: [{name: c}]}}\nworkload:\n- apply:\n    at: 5m\n    objects:\n    - {apiVersion: \
        karpenter.sh/v1, kind: NodePool, metadata: {name: NAME}, spec: {template: {spec: {requirements: [], nodeClassRef: \
        {group: karpenter.k8s.linode, kind: LinodeNodeClass, name: default}}}}}\n";
    let told = |name: &str| {
        let text = scenario.replace("NAME", name);
        let input = Input::new("given.yaml", text.as_bytes());
        load_input(&input, &NAMES).unwrap_or_else(|wrong| panic!("{wrong}")).remarks.to_string()
    };
    assert!(!told("late").contains("warning"), "{}", told("late"));
    assert!(told("laet").contains("did you mean `laet`?"), "{}", told("laet"));
}

proptest! {
    /// A value is told exactly if no machine has it.
    #[test]
    fn a_value_is_told_exactly_if_no_machine_has_it(values in prop::collection::vec(0..8_u8, 1..4)) {
        let mut texts: Vec<String> = values.iter().map(|value| value.to_string()).collect();
        texts.dedup();
        let quoted: Vec<String> = texts.iter().map(|value| format!("'{value}'")).collect();
        let requirement = format!(
            "{{key: karpenter.k8s.linode/instance-cpu, operator: In, values: [{}]}}", quoted.join(", ")
        );
        let told = said(&node_pool(LINODE, &requirement));
        let missing = texts.iter().filter(|value| !["1", "2", "4"].contains(&value.as_str())).count();
        prop_assert_eq!(told.matches("no machine here has").count(), missing, "{}", told);
    }
}
