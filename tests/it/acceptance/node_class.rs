//! What keeps a NodeClass from being used, and what finding out asks.

use super::lab::{EVERY, Lab, Setup, TIERS, claim};
use lkesim_karpenter::cloud_provider::CreateError;
use lkesim_kube::object::node_claim::NodeClassRef;
use lkesim_kube::object::{ConditionStatus, ConditionType, NodeClaim, NodeClass};
use lkesim_kube::store::Write;
use lkesim_linode_api::{Endpoint, Tier};
use std::time::Duration;

const CLUSTER: &str = "GET /lke/clusters/1";
/// Those that look at versions.
const BY_VERSION: [&str; 3] = ["documented", "documented-strict", "shipped"];
/// When calls fail, where they do for a time.
const FROM: Duration = Duration::from_secs(2);
const UNTIL: Duration = Duration::from_millis(601_500);
const OTHER: &str = "v1.33.6+lke6";

fn with_version(tier: Tier, version: &str) -> Setup {
    let mut setup = Setup::new("shipped", tier);
    setup.node_class.lke_k8s_version = Some(version.into());
    setup
}

/// The version of the control plane.
fn version(tier: Tier) -> String {
    Setup::new("shipped", tier).cloud.k8s_version.to_string()
}

fn condition(lab: &Lab) -> Option<(ConditionStatus, &'static str)> {
    let class = lab.store.get::<NodeClass>("default").expect("it is there");
    class.status.conditions.get(ConditionType::Ready).map(|ready| (ready.status, ready.reason))
}

fn is_not_ready(lab: &Lab) -> bool {
    matches!(lab.create(claim("claim-1")), Err(CreateError::NodeClassNotReady(_)))
}

/// The calls of the controller in this time.
fn asked_in(lab: &Lab, time: Duration) -> Vec<String> {
    lab.forget();
    lab.wait(time);
    lab.calls_of("nodeclass")
}

#[test]
fn a_version_of_the_control_plane_is_good_and_asked_for_every_ten_minutes() {
    let tier = Tier::Enterprise;
    let lab = with_version(tier, &version(tier)).build();
    assert_eq!(condition(&lab), Some((ConditionStatus::True, "")));
    // The condition met the hash's write once, and came 100 ms later.
    assert_eq!(asked_in(&lab, Duration::from_secs(1)), [CLUSTER]);
    assert_eq!(asked_in(&lab, Duration::from_secs(599)), [""; 0]);
    assert_eq!(asked_in(&lab, Duration::from_secs(1)), [CLUSTER]);
    lab.created("claim-1");
}

#[test]
fn another_version_is_not_ready_until_the_control_plane_has_it_which_is_seen_within_a_minute() {
    let lab = with_version(Tier::Enterprise, OTHER).build();
    assert_eq!(condition(&lab), Some((ConditionStatus::False, "LKEK8sVersionControlPlaneMismatch")));
    assert!(is_not_ready(&lab) && lab.calls().is_empty());
    assert_eq!(asked_in(&lab, Duration::from_secs(180)), [CLUSTER; 3]);
    lab.upgrade(OTHER);
    // The look that finds it good writes the condition, and that is an event.
    assert_eq!(asked_in(&lab, Duration::from_secs(60)), [CLUSTER; 2]);
    assert_eq!(condition(&lab), Some((ConditionStatus::True, "")));
    lab.created("claim-1");
}

#[test]
fn standard_has_no_versions() {
    let lab = with_version(Tier::Standard, &version(Tier::Standard)).build();
    assert_eq!(condition(&lab), Some((ConditionStatus::False, "LKEK8sVersionUnsupported")));
    assert!(is_not_ready(&lab));
    assert_eq!(asked_in(&lab, Duration::from_secs(60)), [CLUSTER]);
}

#[test]
fn an_error_leaves_the_condition_alone_and_is_tried_again() {
    let tier = Tier::Enterprise;
    let lab =
        with_version(tier, &version(tier)).refuse(Endpoint::GetCluster, 500, 1, u64::MAX).between(FROM, UNTIL).build();
    lab.wait(FROM);
    // Four fail, from 600.1 s on, and the next ones come 100, 200, 400 and 800 ms later.
    assert_eq!(asked_in(&lab, UNTIL), [CLUSTER; 5]);
    assert_eq!(condition(&lab), Some((ConditionStatus::True, "")));
    let never = with_version(tier, &version(tier)).refuse(Endpoint::GetCluster, 500, 1, u64::MAX).build();
    assert_eq!(condition(&never), None);
    match never.create(claim("claim-1")) {
        Err(CreateError::Create { reason, .. }) => assert_eq!(reason, "NodeClassReadinessUnknown"),
        other => panic!("{other:?}"),
    }
}

/// An answer of 500 without reasons is a cluster without fields to Go: its tier is neither of the two, which is an error.
#[test]
fn an_answer_without_fields_leaves_the_condition_alone_and_is_tried_again() {
    let tier = Tier::Enterprise;
    for design in BY_VERSION {
        let setup = Setup { design, ..with_version(tier, &version(tier)) };
        let lab = setup.answer_nothing(Endpoint::GetCluster).between(FROM, UNTIL).build();
        lab.wait(FROM);
        assert_eq!(asked_in(&lab, UNTIL), [CLUSTER; 5], "{design}");
        assert_eq!(condition(&lab), Some((ConditionStatus::True, "")), "{design}");
        lab.created("claim-1");
    }
}

/// A change that was not looked at yet is not ready: nothing is asked, and nothing marked.
///
/// Source: provider e1c5200 and v0.1.3 pkg/cloudprovider/cloudprovider.go:93.
#[test]
fn a_node_class_whose_status_is_of_former_settings_is_not_ready() {
    for design in EVERY {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            lab.change_node_class(|spec| spec.tags = ["team=a".into()].into_iter().collect());
            assert!(is_not_ready(&lab), "{design} {tier:?}");
            assert!(lab.calls().is_empty(), "{design} {tier:?}");
            lab.wait(Duration::from_millis(1));
            assert_eq!(lab.calls_of("nodeclass"), [""; 0], "{design} {tier:?}: without a version a look costs nothing");
            lab.created("claim-1");
        }
    }
}

/// The looks fail, so that the condition stays that of the settings before.
#[test]
fn a_change_that_can_not_be_looked_at_stays_not_ready() {
    for design in BY_VERSION {
        let lab = Setup::new(design, Tier::Enterprise).refuse(Endpoint::GetCluster, 500, 1, u64::MAX).build();
        lab.change_version(Some(OTHER));
        lab.wait(Duration::from_secs(60));
        lab.forget();
        assert!(is_not_ready(&lab), "{design}");
        assert!(lab.calls().is_empty(), "{design}");
        assert_eq!(condition(&lab), Some((ConditionStatus::True, "")), "{design}");
    }
}

#[test]
fn without_a_node_class_the_claim_is_dropped_and_nothing_is_asked() {
    for design in EVERY {
        let lab = Lab::new(design, Tier::Standard);
        let mut stray = claim("claim-1");
        let mut spec = (*stray.spec).clone();
        spec.node_class_ref = Some(NodeClassRef::linode("missing"));
        stray.spec = spec.into();
        assert!(matches!(lab.create(stray), Err(CreateError::InsufficientCapacity(_))), "{design}");
        assert!(lab.calls().is_empty(), "{design}");
    }
}

/// The finalizer keeps it until its last NodeClaim is gone; till then it counts as absent.
#[test]
fn a_node_class_that_is_being_deleted_counts_as_absent_and_goes_with_its_last_claim() {
    for design in EVERY {
        let lab = Lab::new(design, Tier::Standard);
        lab.store_claim("claim-1", None, None);
        let write = Write { at: lab.now(), by: "test" };
        lab.store.delete::<NodeClass>(write, "default").expect("it is there");
        lab.wait(Duration::from_secs(1));
        lab.forget();
        assert!(matches!(lab.create(claim("claim-2")), Err(CreateError::InsufficientCapacity(_))), "{design}");
        assert!(lab.calls().is_empty(), "{design}");
        assert!(lab.store.get::<NodeClass>("default").is_some(), "{design}: a claim names it");
        lab.store.delete::<NodeClaim>(write, "claim-1").expect("it is there");
        lab.wait(Duration::from_secs(1));
        assert!(lab.store.get::<NodeClass>("default").is_none(), "{design}");
    }
}

#[test]
fn a_change_of_the_node_class_is_looked_at_at_once() {
    let tier = Tier::Enterprise;
    let lab = with_version(tier, OTHER).build();
    lab.forget();
    lab.change_version(Some(&version(tier)));
    lab.wait(Duration::from_millis(1));
    // The change, the note of its hash and the condition are an event each.
    assert_eq!(lab.calls_of("nodeclass"), [CLUSTER; 3]);
    assert_eq!(condition(&lab), Some((ConditionStatus::True, "")));
    lab.change_version(None);
    assert_eq!(asked_in(&lab, Duration::from_secs(3_600)), [""; 0], "one without a version costs nothing");
}

#[test]
fn the_end_of_a_node_claim_asks_for_a_look_at_its_node_class() {
    let tier = Tier::Enterprise;
    let lab = with_version(tier, &version(tier)).build();
    lab.store_claim("claim-1", None, None);
    assert_eq!(asked_in(&lab, Duration::from_millis(1)), [""; 0]);
    lab.store.delete::<NodeClaim>(Write { at: lab.now(), by: "test" }, "claim-1").expect("it is there");
    assert_eq!(asked_in(&lab, Duration::from_millis(1)), [CLUSTER]);
}

#[test]
fn tags_with_keys_of_karpenters_own_are_refused_by_the_shipped_provider_in_both_modes() {
    let keys = [
        "karpenter.sh/nodepool",
        "karpenter.k8s.linode/linodenodeclass",
        "karpenter.k8s.linode/lke-managed",
        "karpenter.sh/nodeclaim",
        "lke-cluster-name",
        "Name",
    ];
    for key in keys {
        for tier in TIERS {
            for design in ["shipped", "direct-instances"] {
                let lab = Setup::new(design, tier).user_tags(&[&format!("{key}=x")]).build();
                assert_eq!(condition(&lab), Some((ConditionStatus::False, "TagValidationFailed")), "{design} {key}");
                assert!(is_not_ready(&lab) && asked_in(&lab, Duration::from_secs(3_600)).is_empty());
            }
            let lab = Setup::new("v0.1.3", tier).user_tags(&[&format!("{key}=x")]).build();
            assert_eq!(condition(&lab), Some((ConditionStatus::True, "")), "{key}");
        }
    }
}
