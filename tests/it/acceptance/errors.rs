//! What Create makes of errors: which it tries again, which it reports, and what it marks.

use super::calls::{LIST_POOLS, claimed, create_pool, discovery, get, lookup, put};
use super::lab::{ALL, Setup, TIERS, claim, each, is_document};
use lkesim_karpenter::cloud_provider::CreateError;
use lkesim_linode_api::{Endpoint, Tier};
use std::time::Duration;

const FOR_EVER: u64 = u64::MAX;

/// What the error is called in the NodeClaim's condition, or what becomes of the NodeClaim.
pub fn reason(error: &CreateError) -> &'static str {
    match error {
        CreateError::Create { reason, .. } => reason,
        CreateError::InsufficientCapacity(_) => "InsufficientCapacity",
        CreateError::NodeClassNotReady(_) => "NodeClassNotReady",
        CreateError::Other(_) => "other",
    }
}

/// The lookup of `claim-1`, the first attempt, and so many later ones.
fn looked_up(first: Vec<String>, later: Vec<String>, times: usize) -> Vec<String> {
    let later = std::iter::repeat_n(later, times).flatten();
    [lookup("claim-1")].into_iter().chain(first).chain(later).collect()
}

#[test]
fn an_error_of_the_lookup_is_returned_and_no_pool_is_made() {
    for (design, named) in each("other", "InstanceLookupFailed", "other") {
        for tier in TIERS {
            let lab = Setup::new(design, tier).refuse(Endpoint::ListInstances, 500, 1, FOR_EVER).build();
            let error = lab.create(claim("claim-1")).expect_err("the lookup fails");
            assert_eq!(reason(&error), named, "{design} {tier:?}: {error}");
            assert_eq!(lab.calls(), [lookup("claim-1")], "{design} {tier:?}");
        }
    }
}

/// A 400 of a pool's creation marks the type. The document marks only what says "sold out", and fails either way.
#[test]
fn a_400_of_a_pools_creation_marks_its_type_for_three_minutes() {
    for design in ["v0.1.3", "shipped"] {
        for tier in TIERS {
            let lab = Setup::new(design, tier).refuse(Endpoint::CreatePool, 400, 1, 1).build();
            let error = lab.create(claim("claim-1")).expect_err("no pool");
            assert_eq!(reason(&error), "NodePoolCreationFailed", "{design} {tier:?}: {error}");
            let wanted = [lookup("claim-1"), LIST_POOLS.to_owned(), create_pool(design, tier)];
            assert_eq!(lab.calls(), wanted, "{design} {tier:?}");
            let error = lab.create(claim("claim-1")).expect_err("no type is left");
            assert_eq!(reason(&error), "InsufficientCapacity", "{design} {tier:?}: {error}");
            assert!(lab.calls().is_empty(), "nobody looks where no type can be had");
            let mut other = claim("claim-2");
            let mut spec = (*other.spec).clone();
            spec.requirements[0].values = vec!["g6-standard-4".into()].into();
            other.spec = spec.into();
            lab.create(other).expect("other types are not marked");
        }
    }
}

#[test]
fn documented_marks_nothing_after_an_unknown_400() {
    for design in ALL.into_iter().filter(|design| is_document(design)) {
        for tier in TIERS {
            let lab = Setup::new(design, tier).refuse(Endpoint::CreatePool, 400, 1, 1).build();
            assert_eq!(reason(&lab.create(claim("claim-1")).expect_err("no pool")), "NodePoolCreationFailed");
            let start = [lookup("claim-1"), LIST_POOLS.to_owned(), create_pool(design, tier)];
            assert_eq!(lab.calls(), start, "{design} {tier:?}");
            let id = lab.created("claim-1");
            let taken = put(id, &claimed(tier, 101, &["karpenter.sh/nodeclaim=claim-1"]));
            let scanned = (tier == Tier::Standard).then(|| get(id));
            let end = [discovery(design, tier, 101)].into_iter().chain(scanned).chain([taken, get(id)]);
            let wanted: Vec<String> = start.into_iter().chain(end).collect();
            assert_eq!(lab.calls(), wanted, "{design} {tier:?}: it asks for the same again");
        }
    }
}

/// A mark ends with the first sweep after three minutes, of which there is one every ten seconds.
#[test]
fn an_offering_returns_between_180_and_190_seconds() {
    for design in ["v0.1.3", "shipped"] {
        let lab = Setup::new(design, Tier::Standard).refuse(Endpoint::CreatePool, 400, 1, 1).build();
        lab.wait(Duration::from_secs(5));
        lab.create(claim("claim-1")).expect_err("no pool");
        assert_eq!(reason(&lab.create(claim("claim-1")).expect_err("marked")), "InsufficientCapacity");
        // Marked at 5 s, over at 185 s, swept at 190 s. Who looked in between goes on to see the mark.
        lab.wait(Duration::from_millis(184_500));
        assert_eq!(reason(&lab.create(claim("claim-1")).expect_err("still marked")), "InsufficientCapacity");
        lab.wait(Duration::from_secs(1));
        lab.created("claim-1");
    }
}

/// Any 5xx while a pool is looked for marks the whole region: other types too, at once, whatever call it was. The
/// document marks nothing, and goes on with the same attempts.
#[test]
fn a_500_of_the_list_of_pools_marks_the_region_for_the_shipped_providers() {
    for design in ALL {
        let lab = Setup::new(design, Tier::Standard).refuse(Endpoint::ListPools, 500, 1, 1).build();
        // The Create whose list failed has chosen its type, tries again, and succeeds.
        let tier = Tier::Standard;
        let id = lab.created("claim-1");
        let first = vec![LIST_POOLS.to_owned()];
        let taken = put(id, &claimed(tier, 101, &["karpenter.sh/nodeclaim=claim-1"]));
        let made = create_pool(design, tier);
        let second = vec![LIST_POOLS.to_owned(), made, discovery(design, tier, 101), get(id), taken, get(id)];
        assert_eq!(lab.calls(), looked_up(first, second, 1), "{design}");
        let mut other = claim("claim-2");
        let mut spec = (*other.spec).clone();
        spec.requirements[0].values = vec!["g6-standard-4".into()].into();
        other.spec = spec.into();
        if is_document(design) {
            lab.create(other).expect("nothing is marked");
            continue;
        }
        assert_eq!(reason(&lab.create(other).expect_err("the region is marked")), "InsufficientCapacity", "{design}");
        assert!(lab.calls().is_empty(), "{design}");
    }
}

#[test]
fn a_pool_that_vanishes_is_told_by_its_404() {
    for (design, named) in each("InstanceDiscoveryFailed", "other", "other") {
        let lab = Setup::new(design, Tier::Standard).refuse(Endpoint::GetPool, 404, 1, 1).build();
        let error = lab.create(claim("claim-1")).expect_err("the pool is not found");
        assert_eq!(reason(&error), named, "{design}: {error}");
        assert!(error.to_string().contains("404"), "{design}: {error}");
        let start = [lookup("claim-1"), LIST_POOLS.to_owned(), create_pool(design, Tier::Standard)];
        let wanted: Vec<String> = start.into_iter().chain([discovery(design, Tier::Standard, 101)]).collect();
        assert_eq!(lab.calls(), wanted, "{design}");
        if named == "other" {
            assert!(error.to_string().contains("getting node pool"), "{design}: {error}");
        }
    }
}

#[test]
fn an_error_of_enterprise_discovery_is_told() {
    for status in [404, 401] {
        for design in ALL {
            let lab = Setup::new(design, Tier::Enterprise).refuse(Endpoint::ListInstances, status, 3, FOR_EVER).build();
            lab.forget();
            let error = lab.create(claim("claim-1")).expect_err("discovery fails");
            match design {
                _ if is_document(design) => assert_eq!(reason(&error), "InstanceDiscoveryFailed", "{error}"),
                _ => assert!(error.to_string().contains("listing instances"), "{design}: {error}"),
            }
            let tier = Tier::Enterprise;
            let start = [lookup("claim-1"), LIST_POOLS.to_owned(), create_pool(design, tier)];
            let wanted: Vec<String> = start.into_iter().chain([discovery(design, tier, 101)]).collect();
            assert_eq!(lab.calls(), wanted, "{design} {status}");
        }
    }
}

/// Errors that pass end as the timeout: those of reads, and those of pools.
#[test]
fn errors_that_pass_are_tried_until_the_deadline() {
    for design in ALL {
        let made = create_pool(design, Tier::Standard);
        let reads = [LIST_POOLS.to_owned(), discovery(design, Tier::Standard, 101), get(1001)];
        let makes = [LIST_POOLS.to_owned(), made.clone()];
        let first = [LIST_POOLS.to_owned(), made].into_iter().chain(reads[1..].to_vec()).collect();
        for (endpoint, first, later) in
            [(Endpoint::GetInstance, first, reads.to_vec()), (Endpoint::CreatePool, makes.to_vec(), makes.to_vec())]
        {
            let lab = Setup::new(design, Tier::Standard).refuse(endpoint, 503, 1, FOR_EVER).build();
            let error = lab.create(claim("claim-1")).expect_err("it never passes");
            assert_eq!(reason(&error), "NodePoolProvisioning", "{design} {endpoint:?}: {error}");
            assert_eq!(lab.calls(), looked_up(first, later, 4), "{design} {endpoint:?}");
        }
    }
}

/// Scaling is tried again after any error by the shipped providers, and after those that pass by the document.
#[test]
fn a_400_of_scaling_is_tried_again_by_the_shipped_providers_alone() {
    for (design, named) in each("NodePoolScaleFailed", "NodePoolProvisioning", "NodePoolProvisioning") {
        let lab = Setup::new(design, Tier::Standard).refuse(Endpoint::UpdatePool, 400, 1, FOR_EVER).build();
        lab.place(&[&["karpenter.sh/nodeclaim=claim-2"]]);
        let error = lab.create(claim("claim-1")).expect_err("no node");
        assert_eq!(reason(&error), named, "{design}: {error}");
        let grow = r#"PUT /lke/clusters/1/pools/101 {"count":2}"#.to_owned();
        let attempt = vec![LIST_POOLS.to_owned(), discovery(design, Tier::Standard, 101), get(1001), grow];
        let again = if is_document(design) { 0 } else { 4 };
        assert_eq!(lab.calls(), looked_up(attempt.clone(), attempt, again), "{design}");
    }
}

/// A lost answer is an error that passes for v0.1.3, whose SDK wraps it, and for no other.
#[test]
fn a_timeout_is_tried_again_by_v0_1_3_alone() {
    for (design, named) in each("NodePoolCreationFailed", "NodePoolProvisioning", "NodePoolCreationFailed") {
        let lab = Setup::new(design, Tier::Standard).lose(Endpoint::ListPools).build();
        let error = lab.create(claim("claim-1")).expect_err("no answer");
        assert_eq!(reason(&error), named, "{design}: {error}");
        assert_eq!(lab.calls(), [lookup("claim-1"), LIST_POOLS.to_owned()], "{design}");
        assert_eq!(lab.now().as_millis() / 1_000, if design == "v0.1.3" { 12 } else { 10 }, "{design}");
    }
}
