//! The provider's instance mode, call by call.
//!
//! Source: provider e1c5200, `suite_test.go` of pkg/providers/instance. Its collection of garbage is in `direct_collection`, its
//! tagging among that of the others.

use super::calls::get;
use super::lab::{DIRECT as DESIGN, Lab, PLAN, Setup, claim};
use lkesim_karpenter::cloud_provider::{CreateError, ProviderError};
use lkesim_kube::object::node_class::InstanceSpec;
use lkesim_linode_api::{Endpoint, InstanceId, InstanceStatus, Tier};
use serde_json::{Value, json};
use std::rc::Rc;
use std::time::Duration;

/// The tags of a Linode of this mode, sorted.
pub const TAGS: [&str; 4] = [
    "karpenter.k8s.linode/linodenodeclass=default",
    "karpenter.sh/nodepool=default",
    "kubernetes.io/cluster/cluster-1=owned",
    "lke-cluster-name=cluster-1",
];

/// List asks by the keys of two tags.
pub const LIST: &str = r#"GET /linode/instances?1 {"tags":{"+contains":["karpenter.sh/nodepool","karpenter.k8s.linode/linodenodeclass"]}}"#;

/// The deletion of a Linode.
pub fn delete(id: u64) -> String {
    format!("DELETE /linode/instances/{id}")
}

fn lab() -> Lab {
    Lab::new(DESIGN, Tier::Standard)
}

#[test]
fn create_is_one_post_of_a_linode_and_looks_for_nothing_before() {
    let lab = lab();
    assert_eq!(lab.created("claim-1"), 1_001);
    let calls = lab.calls();
    assert_eq!(calls.len(), 1, "{calls:?}");
    let body = calls[0].strip_prefix("POST /linode/instances ").expect("it makes a Linode");
    let mut body: Value = serde_json::from_str(body).expect("a JSON body");
    let label = body["label"].take();
    let digits = label.as_str().and_then(|label| label.strip_prefix("claim-1-")).expect("the claim's name comes first");
    assert!(digits.len() == 8 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()), "{digits}");
    let wanted = json!({"label": null, "type": PLAN, "region": "us-ord", "tags": TAGS, "image": "linode/ubuntu22.04",
                        "root_pass": "not-a-password"});
    assert_eq!(body, wanted);
    // The label's digits come from the moment.
    lab.wait(Duration::from_millis(1));
    assert_eq!(lab.created("claim-1"), 1_002, "a second Create makes a second Linode");
}

/// Source: provider e1c5200 pkg/providers/instance/instance.go:98-128.
#[test]
fn what_the_node_class_says_of_linodes_is_in_the_post() {
    let mut setup = Setup::new(DESIGN, Tier::Standard).user_tags(&["team=a"]);
    setup.node_class.firewall_id = Some(7);
    setup.node_class.instance = Rc::new(InstanceSpec {
        image: Some("linode/debian12".into()),
        authorized_keys: vec!["ssh-ed25519 AAAA somebody".into()],
        authorized_users: vec!["somebody".into()],
        backups: false,
        disk_encryption: Some(true),
        swap_size: Some(512),
    });
    let lab = setup.build();
    lab.created("claim-1");
    let calls = lab.calls();
    let body = calls[0].strip_prefix("POST /linode/instances ").expect("it makes a Linode");
    let mut body: Value = serde_json::from_str(body).expect("a JSON body");
    body["label"].take();
    let tags: Vec<&str> = TAGS.into_iter().chain(["team=a"]).collect();
    let wanted = json!({"label": null, "type": PLAN, "region": "us-ord", "tags": tags, "image": "linode/debian12",
                        "root_pass": "not-a-password", "authorized_keys": ["ssh-ed25519 AAAA somebody"],
                        "authorized_users": ["somebody"], "firewall_id": 7, "disk_encryption": "enabled",
                        "swap_size": 512});
    assert_eq!((body, calls.len()), (wanted, 1));
}

#[test]
fn the_linode_boots_as_it_has_an_image() {
    let mut setup = Setup::new(DESIGN, Tier::Standard);
    setup.cloud.lags.boot = lkesim_runtime::Quantiles::constant(Duration::from_secs(20));
    let lab = setup.build();
    let id = lab.created("claim-1");
    lab.wait(Duration::from_secs(21));
    assert_eq!(lab.list(), Ok(vec![id]));
    let shown = lab.cloud.borrow().instance(InstanceId(id)).expect("a Linode").status();
    assert_eq!(shown, InstanceStatus::Running);
}

#[test]
fn a_refused_create_is_told_and_a_400_marks_its_type() {
    let lab = Setup::new(DESIGN, Tier::Standard).refuse(Endpoint::CreateInstance, 400, 1, 1).build();
    let error = lab.create(claim("claim-1")).expect_err("it is refused");
    assert!(matches!(error, CreateError::Create { reason: "InstanceCreationFailed", .. }), "{error}");
    assert_eq!(lab.calls().len(), 1);
    let error = lab.create(claim("claim-1")).expect_err("its one type is marked");
    assert!(matches!(error, CreateError::InsufficientCapacity(_)), "{error}");
    assert!(lab.calls().is_empty());
}

#[test]
fn get_answers_from_memory_which_lists_fill_too() {
    let lab = lab();
    let id = lab.created("claim-1");
    lab.forget();
    assert_eq!((lab.get(id), lab.get(id)), (Ok(id), Ok(id)));
    assert_eq!(lab.calls(), [get(id)]);
    lab.wait(Duration::from_secs(61));
    assert_eq!(lab.get(id), Ok(id));
    assert!(lab.calls().is_empty(), "collection has listed it in between");
    assert!(matches!(lab.get(999), Err(ProviderError::NotFound(_))));
    assert_eq!(lab.calls(), [get(999)]);
}

#[test]
fn list_asks_for_two_keys_of_tags_whatever_the_cluster() {
    let lab = lab();
    let id = lab.created("claim-1");
    let other = lab.place_alone("other", &[TAGS[0], TAGS[1], "lke-cluster-name=other"], Duration::ZERO);
    lab.place_alone("web", &["web"], Duration::ZERO);
    lab.forget();
    assert_eq!(lab.list(), Ok(vec![id, other]));
    assert_eq!(lab.calls(), [LIST]);
}

#[test]
fn delete_reads_the_linode_past_the_cache_and_deletes_it_unless_that_is_under_way() {
    let mut setup = Setup::new(DESIGN, Tier::Standard);
    setup.cloud.lags.deletion = lkesim_runtime::Quantiles::constant(Duration::from_secs(30));
    let lab = setup.build();
    let id = lab.created("claim-1");
    assert_eq!(lab.get(id), Ok(id));
    lab.forget();
    assert_eq!(lab.delete(id), Ok(()));
    assert_eq!(lab.calls(), [get(id), delete(id)]);
    assert_eq!(lab.delete(id), Ok(()));
    assert_eq!(lab.calls(), [get(id)], "it is being deleted");
    lab.wait(Duration::from_secs(31));
    assert!(matches!(lab.delete(id), Err(ProviderError::NotFound(_))));
    assert_eq!(lab.calls(), [get(id)]);
}

#[test]
fn each_tag_is_a_call_of_its_own_after_a_second() {
    let lab = lab();
    let id = lab.created("claim-1");
    lab.forget();
    let before = lab.now();
    assert_eq!(lab.create_tags(id, &["one=1", "two=2"]), Ok(()));
    let mut calls = lab.calls();
    calls.sort();
    let tag = |label: &str| format!(r#"POST /tags {{"label":"{label}","linodes":[{id}]}}"#);
    assert_eq!(calls, [tag("one=1"), tag("two=2")]);
    assert_eq!(lab.now().since(before), Duration::from_secs(2));
    let tags = lab.cloud.borrow().instance(InstanceId(id)).expect("a Linode").tags.clone();
    assert!(tags.has("one=1") && tags.has("two=2") && tags.has(TAGS[0]));
}
