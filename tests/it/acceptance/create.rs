//! Create on an empty account, and what new pools and claimed Linodes bear.

use super::calls::{LIST_POOLS, claimed, create_pool, create_pool_with, discovery, get, lookup, put};
use super::errors::reason;
use super::lab::{ALL, Lab, POOL_TAGS, Setup, TIERS, claim, each, is_document};
use lkesim_kube::object::{Taint, TaintEffect};
use lkesim_linode_api::Tier;
use std::rc::Rc;
use std::time::Duration;

#[test]
fn an_empty_account_gets_a_pool_of_one_node_which_is_claimed() {
    for design in ALL {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            assert_eq!(lab.created("claim-1"), 1_001, "{design} {tier:?}");
            let tags = claimed(tier, 101, &["karpenter.sh/nodeclaim=claim-1"]);
            assert_eq!(
                lab.calls(),
                on_empty_account(design, tier, &tags, create_pool(design, tier)),
                "{design} {tier:?}"
            );
            assert_eq!(lab.tags(1_001), tags, "{design} {tier:?}");
            assert_eq!(lab.pool_tags(101), POOL_TAGS, "{design} {tier:?}");
        }
    }
}

/// The NodeClass's tags go to the Linode with its claim, and to no pool.
#[test]
fn user_tags_land_on_the_instance_and_not_on_the_pool() {
    for design in ALL.into_iter().filter(|design| *design != "v0.1.3") {
        for tier in TIERS {
            let lab = Setup::new(design, tier).user_tags(&["team=a", "billed"]).build();
            lab.created("claim-1");
            let tags = claimed(tier, 101, &["karpenter.sh/nodeclaim=claim-1", "team=a", "billed"]);
            assert_eq!(
                lab.calls(),
                on_empty_account(design, tier, &tags, create_pool(design, tier)),
                "{design} {tier:?}"
            );
            assert_eq!(lab.tags(1_001), tags);
            assert_eq!(lab.pool_tags(101), POOL_TAGS);
        }
    }
}

/// The calls of the first Create in an empty account, which writes these tags and makes its pool so.
fn on_empty_account(design: &str, tier: Tier, tags: &[String], pool: String) -> Vec<String> {
    let scanned = (tier == Tier::Standard).then(|| get(1_001));
    let start = [lookup("claim-1"), LIST_POOLS.to_owned(), pool, discovery(design, tier, 101)];
    start.into_iter().chain(scanned).chain([put(1_001, tags), get(1_001)]).collect()
}

/// v0.1.3 gives them to the pool, and the Linode has them of the pool.
#[test]
fn v0_1_3_puts_user_tags_on_the_pool() {
    let user: [&str; 2] = ["billed", "team=a"];
    for tier in TIERS {
        let lab = Setup::new("v0.1.3", tier).user_tags(&["team=a", "billed"]).build();
        lab.created("claim-1");
        let tags = claimed(tier, 101, &["karpenter.sh/nodeclaim=claim-1", "team=a", "billed"]);
        let pool = create_pool_with("v0.1.3", tier, &user);
        assert_eq!(lab.calls(), on_empty_account("v0.1.3", tier, &tags, pool), "{tier:?}");
        assert_eq!(lab.tags(1_001), tags, "{tier:?}");
        let mut of_pool: Vec<&str> = POOL_TAGS.into_iter().chain(user).collect();
        of_pool.sort_unstable();
        assert_eq!(lab.pool_tags(101), of_pool, "{tier:?}");
    }
}

/// Tags of one key, tags without one, and a tag that all three have: what each design makes of them, whole and sorted.
///
/// The shipped provider lets one value of a key stand: the NodeClass's over the pool's over the Linode's own. That is
/// what e1c5200 does (the record `create-with-duplicate-keys` under tests/conformance shows it call by call); where its
/// own cases are summed up as "the pool's over the NodeClass's", they mean Karpenter's own keys, which a NodeClass may
/// not set. The document joins the lists and lets the NodeClass's keys replace others. v0.1.3 joins them as they stand,
/// without the NodeClass's, which reach a Linode by a pool that it makes.
#[test]
fn of_tags_with_one_key_the_node_class_wins_over_the_pool_over_the_instance() {
    let of_pool: Vec<&str> = POOL_TAGS.into_iter().chain(["a=pool", "b=pool", "same"]).collect();
    let documented: &[&str] = &["a=class", "b=instance", "b=pool", "c=instance", "opaque", "opaque-class", "same"];
    let v0_1_3: &[&str] = &["a=instance", "a=pool", "b=instance", "b=pool", "c=instance", "opaque", "same"];
    let shipped: &[&str] = &["a=class", "b=pool", "c=instance", "opaque", "opaque-class", "same"];
    for (design, left) in each(documented, v0_1_3, shipped) {
        for tier in TIERS {
            let lab = Setup::new(design, tier).user_tags(&["a=class", "opaque-class", "same"]).build();
            let own: &[&str] = &["a=instance", "b=instance", "c=instance", "opaque", "same"];
            let (_, ids) = lab.place_with(&of_pool, &[own], Default::default());
            assert_eq!(lab.created("claim-1"), ids[0], "{design} {tier:?}");
            let more: Vec<&str> = left.iter().copied().chain(["karpenter.sh/nodeclaim=claim-1"]).collect();
            let tags = claimed(tier, 101, &more);
            let scanned = (tier == Tier::Standard).then(|| get(ids[0]));
            let start = [lookup("claim-1"), LIST_POOLS.to_owned(), discovery(design, tier, 101)];
            let wanted = start.into_iter().chain(scanned).chain([put(ids[0], &tags), get(ids[0])]);
            assert_eq!(lab.calls(), wanted.collect::<Vec<_>>(), "{design} {tier:?}");
            assert_eq!(lab.tags(ids[0]), tags, "{design} {tier:?}");
            let written = lab.tags_as_written(ids[0]);
            assert_eq!(written.is_sorted(), design != "v0.1.3", "{design} {tier:?}: {written:?}");
        }
    }
}

/// v0.1.3 joins the lists as they stand: no key replaces another.
#[test]
fn v0_1_3_keeps_every_tag_of_a_key_in_order() {
    let (design, tier) = ("v0.1.3", Tier::Standard);
    let lab = Lab::new(design, tier);
    let of_pool: Vec<&str> = POOL_TAGS.iter().copied().chain(["a=pool"]).collect();
    lab.place_with(&of_pool, &[&["zone", "a=instance"]], Default::default());
    lab.created("claim-1");
    let wanted: Vec<&str> =
        ["zone", "a=instance"].into_iter().chain(of_pool).chain(["karpenter.sh/nodeclaim=claim-1"]).collect();
    assert_eq!(lab.tags_as_written(1_001), wanted);
    let tags = lab.tags(1_001);
    let start = [lookup("claim-1"), LIST_POOLS.to_owned(), discovery(design, tier, 101), get(1_001)];
    assert_eq!(lab.calls(), start.into_iter().chain([put(1_001, &tags), get(1_001)]).collect::<Vec<_>>());
}

#[test]
fn labels_and_taints_of_the_node_claim_become_the_pools() {
    for design in ALL {
        let lab = Lab::new(design, Tier::Standard);
        let mut claim = claim("claim-1");
        let taint = |key: &str| Taint { key: key.into(), value: None, effect: TaintEffect::NoSchedule };
        let mut spec = (*claim.spec).clone();
        spec.taints = vec![taint("own")];
        spec.startup_taints = vec![taint("startup")];
        claim.spec = Rc::new(spec);
        claim.metadata.labels.insert("team", "a");
        lab.create(claim).expect("a Linode");
        let taints = r#""taints":[{"key":"own","value":"","effect":"NoSchedule"},{"key":"startup","value":"","effect":"NoSchedule"}]"#;
        // v0.1.3 takes labels from the NodeClass, which has none here.
        let labels = r#"{"karpenter.sh/nodepool":"default","team":"a"}"#;
        let pool = create_pool(design, Tier::Standard)
            .replace(r#""taints":[]"#, taints)
            .replace(r#"{"karpenter.sh/nodepool":"default"}"#, labels);
        let tags = claimed(Tier::Standard, 101, &["karpenter.sh/nodeclaim=claim-1"]);
        assert_eq!(lab.calls(), on_empty_account(design, Tier::Standard, &tags, pool), "{design}");
    }
}

#[test]
fn the_firewall_of_the_node_class_is_the_pools() {
    let tier = Tier::Enterprise;
    for design in ALL {
        let mut setup = Setup::new(design, tier);
        setup.node_class.firewall_id = Some(7);
        let lab = setup.build();
        lab.created("claim-1");
        let pool = create_pool(design, tier).replace(r#""taints":[]"#, r#""taints":[],"firewall_id":7"#);
        let tags = claimed(tier, 101, &["karpenter.sh/nodeclaim=claim-1"]);
        assert_eq!(lab.calls(), on_empty_account(design, tier, &tags, pool), "{design}");
    }
}

/// A pool of Standard takes no firewall: LKE refuses it with 400, which is no sign of missing capacity to the document
/// and marks the type for the shipped providers.
#[test]
fn a_firewall_fails_create_on_standard() {
    let tier = Tier::Standard;
    for design in ALL {
        let mut setup = Setup::new(design, tier);
        setup.node_class.firewall_id = Some(7);
        let lab = setup.build();
        let pool = create_pool(design, tier).replace(r#""taints":[]"#, r#""taints":[],"firewall_id":7"#);
        let asked = vec![lookup("claim-1"), LIST_POOLS.to_owned(), pool];
        let of_document = ("NodePoolCreationFailed", asked.clone());
        let again = if is_document(design) { of_document.clone() } else { ("InsufficientCapacity", Vec::new()) };
        for (told, asked) in [of_document, again] {
            let error = lab.create(claim("claim-1")).expect_err("no pool is made");
            assert_eq!(reason(&error), told, "{design}: {error}");
            assert_eq!(lab.calls(), asked, "{design}");
        }
        assert!(lab.live().is_empty(), "{design}");
    }
}

#[test]
fn the_version_of_the_node_class_is_that_of_a_new_pool() {
    let tier = Tier::Enterprise;
    for design in ALL {
        let mut setup = Setup::new(design, tier);
        let version = setup.cloud.k8s_version.to_string();
        setup.node_class.lke_k8s_version = Some((*version).into());
        let lab = setup.build();
        lab.created("claim-1");
        let told = format!(r#""taints":[],"k8s_version":"{version}""#);
        let pool = create_pool(design, tier).replace(r#""taints":[]"#, &told);
        let tags = claimed(tier, 101, &["karpenter.sh/nodeclaim=claim-1"]);
        assert_eq!(lab.calls(), on_empty_account(design, tier, &tags, pool), "{design}");
    }
}

/// Shipped, and the document that says nothing of it, bring an existing pool to the NodeClass's version before it is
/// used; v0.1.3 leaves it.
#[test]
fn the_version_of_an_existing_pool_is_updated_before_its_use() {
    for (design, updates) in each(1, 0, 1) {
        let mut setup = Setup::new(design, Tier::Enterprise);
        setup.cloud.k8s_version = "v1.33.6+lke6".into();
        let lab = setup.build();
        lab.place(&[&[]]);
        lab.upgrade("v1.33.6+lke7");
        lab.change_version(Some("v1.33.6+lke7"));
        lab.wait(Duration::from_millis(1));
        lab.created("claim-1");
        let update = r#"PUT /lke/clusters/1/pools/101 {"k8s_version":"v1.33.6+lke7","update_strategy":"on_recycle"}"#;
        let start = [lookup("claim-1"), LIST_POOLS.to_owned()];
        let updates = std::iter::repeat_n(update.to_owned(), updates);
        let tags = claimed(Tier::Enterprise, 101, &["karpenter.sh/nodeclaim=claim-1"]);
        let end = [discovery(design, Tier::Enterprise, 101), put(1_001, &tags), get(1_001)];
        assert_eq!(lab.calls(), start.into_iter().chain(updates).chain(end).collect::<Vec<_>>(), "{design}");
    }
}
