//! What Create does with Linodes that are there already.

use super::calls::{LIST_POOLS, claimed, claiming, create_pool, discovery, get, lookup, put};
use super::lab::{ALL, Lab, TIERS, each};
use lkesim_linode_api::Tier;

const LONG: &str = "consolidation-step-scale-2lrzf";

#[test]
fn a_tagged_linode_is_returned_and_nothing_is_made() {
    for design in ALL {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            let (_, ids) = lab.place(&[&["karpenter.sh/nodeclaim=claim-2"], &["karpenter.sh/nodeclaim=claim-1"]]);
            assert_eq!(lab.created("claim-1"), ids[1], "{design} {tier:?}");
            assert_eq!(lab.calls(), [lookup("claim-1")], "{design} {tier:?}");
        }
    }
}

/// Of two Linodes with one NodeClaim's tag the document takes the first; the shipped providers take neither, and claim
/// a third. The strict document fails (see `strict`).
#[test]
fn two_tagged_linodes_are_one_too_many_for_the_shipped_providers() {
    let tag: &[&str] = &["karpenter.sh/nodeclaim=claim-1"];
    for design in ALL.into_iter().filter(|design| *design != "documented-strict") {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            let (lke_pool, ids) = lab.place(&[tag, tag, &[]]);
            let expected = if design == "documented" { ids[0] } else { ids[2] };
            assert_eq!(lab.created("claim-1"), expected, "{design} {tier:?}");
            let wanted = match design {
                "documented" => vec![lookup("claim-1")],
                _ => claiming(&lab, design, tier, lke_pool, ids[2]),
            };
            assert_eq!(lab.calls(), wanted, "{design} {tier:?}");
        }
    }
}

/// On Enterprise the first free one in the order of the list, which is that of ids here.
#[test]
fn of_several_unclaimed_linodes_the_first_is_claimed() {
    for design in ALL {
        let lab = Lab::new(design, Tier::Enterprise);
        let (lke_pool, ids) = lab.place(&[&["karpenter.sh/nodeclaim=claim-2"], &[], &[]]);
        assert_eq!(lab.created("claim-1"), ids[1], "{design}");
        assert_eq!(lab.calls(), claiming(&lab, design, Tier::Enterprise, lke_pool, ids[1]), "{design}");
        let lab = Lab::new(design, Tier::Standard);
        let (lke_pool, _) = lab.place(&[&[], &[], &[]]);
        let first = lab.members(lke_pool)[0];
        assert_eq!(lab.created("claim-1"), first, "{design}: the pool's own order");
        assert_eq!(lab.calls(), claiming(&lab, design, Tier::Standard, lke_pool, first), "{design}");
    }
}

/// The lookup finds tags that contain the asked one, in the whole account.
#[test]
fn a_longer_name_is_taken_for_the_asked_one() {
    for design in ALL {
        let lab = Lab::new(design, Tier::Standard);
        let (_, ids) = lab.place(&[&["karpenter.sh/nodeclaim=claim-15"]]);
        assert_eq!(lab.created("claim-1"), ids[0], "{design}: `+contains` is no equality");
        assert_eq!(lab.calls(), [lookup("claim-1")], "{design}");
    }
}

#[test]
fn an_unclaimed_linode_of_the_pool_is_claimed() {
    for design in ALL {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            let (lke_pool, ids) = lab.place(&[&["karpenter.sh/nodeclaim=claim-2"], &["custom", "team=a"]]);
            let (taken, free) = (ids[0], ids[1]);
            assert_eq!(lab.created("claim-1"), free, "{design} {tier:?}");
            // Standard reads the pool's Linodes in its order up to the free one.
            let mut scanned = lab.members(lke_pool);
            scanned.truncate(if tier == Tier::Standard { 2 } else { 0 });
            if scanned.first() == Some(&free) {
                scanned.pop();
            }
            assert!(scanned.iter().all(|id| [taken, free].contains(id)));
            let scanned = scanned.into_iter().map(get);
            let tags = claimed(tier, 101, &["custom", "team=a", "karpenter.sh/nodeclaim=claim-1"]);
            let start = [lookup("claim-1"), LIST_POOLS.to_owned(), discovery(design, tier, 101)];
            let wanted: Vec<String> = start.into_iter().chain(scanned).chain([put(free, &tags), get(free)]).collect();
            assert_eq!(lab.calls(), wanted, "{design} {tier:?}");
            assert_eq!(lab.tags(free), tags, "{design} {tier:?}: what was there stays");
        }
    }
}

#[test]
fn a_long_name_is_cut_and_hashed_to_fit_into_a_tag() {
    for design in ALL.into_iter().filter(|design| *design != "v0.1.3") {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            let id = lab.created(LONG);
            let tag = "karpenter.sh/nodeclaim=consolidation-step-153e601a";
            assert_eq!(tag.len(), 50);
            let tags = claimed(tier, 101, &[tag]);
            assert_eq!(lab.tags(id), tags, "{design} {tier:?}");
            let start = [lookup("consolidation-step-153e601a"), LIST_POOLS.to_owned(), create_pool(design, tier)];
            let scanned = (tier == Tier::Standard).then(|| get(id));
            let end = [discovery(design, tier, 101)].into_iter().chain(scanned).chain([put(id, &tags), get(id)]);
            assert_eq!(lab.calls(), start.into_iter().chain(end).collect::<Vec<_>>(), "{design} {tier:?}");
        }
    }
}

/// The API takes no tag of more than 50 characters: each attempt fails, and the claim is tried till the end of Create.
#[test]
fn v0_1_3_never_claims_for_a_long_name() {
    for tier in TIERS {
        let lab = Lab::new("v0.1.3", tier);
        let error = lab.create(super::lab::claim(LONG)).expect_err("no tag can be written");
        assert!(error.to_string().contains("Timed out"), "{error}");
        let tag = format!("karpenter.sh/nodeclaim={LONG}");
        let write = put(1_001, &claimed(tier, 101, &[&tag]));
        let scanned = (tier == Tier::Standard).then(|| get(1_001));
        let claim: Vec<String> = [discovery("v0.1.3", tier, 101)].into_iter().chain(scanned).chain([write]).collect();
        let first = [lookup(LONG), LIST_POOLS.to_owned(), create_pool("v0.1.3", tier)].into_iter().chain(claim.clone());
        // One an attempt, at 0, 2, 4, 6 and 8 s. The Linode stays claimable, so that no other is asked for.
        let again = [LIST_POOLS.to_owned()].into_iter().chain(claim);
        let later = std::iter::repeat_n(again.collect::<Vec<_>>(), 4).flatten();
        assert_eq!(lab.calls(), first.chain(later).collect::<Vec<_>>(), "{tier:?}");
        assert_eq!(lab.live(), [1_001], "{tier:?}");
        assert!(lab.tags(1_001).iter().all(|tag| !tag.starts_with("karpenter.sh/nodeclaim")), "{tier:?}");
    }
}

/// On Enterprise, the shipped filters name the managed tag alone: another pool's Linode of the same type is taken.
#[test]
fn shipped_takes_a_linode_of_another_node_pool() {
    let others = [
        "karpenter.k8s.linode/linodenodeclass=default",
        "karpenter.k8s.linode/lke-managed=true",
        "karpenter.sh/nodepool=others",
        "kubernetes.io/cluster/cluster-1=owned",
        "lke-cluster-name=cluster-1",
    ];
    let (tier, claim_tag) = (Tier::Enterprise, "karpenter.sh/nodeclaim=claim-1");
    // v0.1.3 keeps the tag of the other NodePool beside its own; shipped writes its own over it.
    let of_v0_1_3 = claimed(tier, 101, &[claim_tag, "karpenter.sh/nodepool=others"]);
    let expected =
        each((1_002, claimed(tier, 102, &[claim_tag])), (1_001, of_v0_1_3), (1_001, claimed(tier, 101, &[claim_tag])));
    for (design, (takes, tags)) in expected {
        let lab = Lab::new(design, tier);
        lab.place_with(&others, &[&[]], Default::default());
        lab.place(&[&[]]);
        assert_eq!(lab.created("claim-1"), takes, "{design}");
        let wanted =
            [lookup("claim-1"), LIST_POOLS.to_owned(), discovery(design, tier, 102), put(takes, &tags), get(takes)];
        assert_eq!(lab.calls(), wanted, "{design}");
        assert_eq!(lab.tags(takes), tags, "{design}");
    }
}
