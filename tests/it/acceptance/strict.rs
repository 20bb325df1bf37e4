//! Where the strict reading of the document fails Create for good: what it asks before, and that it asks the same again.
//!
//! Source: the design document's open questions recall "hard error" cases of its invariants.

use super::calls::{LIST_POOLS, claimed, discovery, get, lookup, put};
use super::lab::{Lab, POOL_TAGS, TIERS, claim};
use lkesim_karpenter::cloud_provider::CreateError;
use lkesim_linode_api::Tier;

const STRICT: &str = "documented-strict";

/// Two Creates of `claim-1`, each of which must fail for this reason after these calls. Nothing is made.
#[track_caller]
fn fails_twice(lab: &Lab, reason: &str, asked: &[Vec<String>; 2]) {
    let live = lab.live();
    for asked in asked {
        match lab.create(claim("claim-1")) {
            Err(CreateError::Create { reason: told, .. }) => assert_eq!(told, reason),
            other => panic!("{other:?}"),
        }
        assert_eq!(lab.calls(), *asked, "{reason}");
    }
    assert_eq!(lab.live(), live, "{reason}");
}

#[test]
fn two_pools_of_a_key_fail_create_where_the_document_takes_the_first() {
    for tier in TIERS {
        let lab = Lab::new(STRICT, tier);
        lab.place(&[&[]]);
        lab.place(&[&[]]);
        let asked = vec![lookup("claim-1"), LIST_POOLS.to_owned()];
        fails_twice(&lab, "MultipleNodePools", &[asked.clone(), asked]);

        let lab = Lab::new("documented", tier);
        let (first, ids) = lab.place(&[&[]]);
        lab.place(&[&[]]);
        assert_eq!(lab.created("claim-1"), ids[0], "{tier:?}");
        assert_eq!(lab.calls(), super::calls::claiming(&lab, "documented", tier, first, ids[0]), "{tier:?}");
    }
}

#[test]
fn two_linodes_of_a_claim_fail_create() {
    for tier in TIERS {
        let lab = Lab::new(STRICT, tier);
        let tag: &[&str] = &["karpenter.sh/nodeclaim=claim-1"];
        lab.place(&[tag, tag, &[]]);
        let asked = vec![lookup("claim-1")];
        fails_twice(&lab, "MultipleInstances", &[asked.clone(), asked]);
    }
}

#[test]
fn two_nodeclaim_tags_on_the_linode_that_is_found_fail_create_where_the_document_takes_it() {
    let tags: &[&str] = &["karpenter.sh/nodeclaim=claim-1", "karpenter.sh/nodeclaim=claim-2"];
    for tier in TIERS {
        let lab = Lab::new(STRICT, tier);
        lab.place(&[tags, &[]]);
        let asked = vec![lookup("claim-1")];
        fails_twice(&lab, "MultipleNodeClaimTags", &[asked.clone(), asked]);

        let lab = Lab::new("documented", tier);
        let (_, ids) = lab.place(&[tags, &[]]);
        assert_eq!(lab.created("claim-1"), ids[0], "{tier:?}");
        assert_eq!(lab.calls(), [lookup("claim-1")], "{tier:?}");
    }
}

/// On Standard a claim writes the pool's tags too, and one of those is another NodeClaim's: what is read back bears two.
#[test]
fn two_nodeclaim_tags_on_the_linode_that_was_just_claimed_fail_create() {
    let (tier, of_other) = (Tier::Standard, "karpenter.sh/nodeclaim=claim-2");
    let lab = Lab::new(STRICT, tier);
    let of_pool: Vec<&str> = POOL_TAGS.into_iter().chain([of_other]).collect();
    let (_, ids) = lab.place_with(&of_pool, &[&[]], Default::default());
    let tags = claimed(tier, 101, &["karpenter.sh/nodeclaim=claim-1", of_other]);
    let start = [lookup("claim-1"), LIST_POOLS.to_owned(), discovery(STRICT, tier, 101), get(ids[0])];
    let first = start.into_iter().chain([put(ids[0], &tags), get(ids[0])]).collect();
    fails_twice(&lab, "MultipleNodeClaimTags", &[first, vec![lookup("claim-1")]]);
    assert_eq!(lab.tags(ids[0]), tags);
}
