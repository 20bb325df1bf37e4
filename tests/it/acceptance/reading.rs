//! Get, List and CreateTags.

use super::calls::{get, put};
use super::lab::{ALL, Lab, Setup, TIERS, each, is_document};
use lkesim_kube::object::ProviderId;
use lkesim_linode_api::{Endpoint, Tier};
use std::time::Duration;

/// The filter of List: on Enterprise the shipped providers' second field overwrites the first.
pub fn list(design: &str, tier: Tier) -> String {
    let managed = r#"{"tags":{"+contains":"karpenter.k8s.linode/lke-managed=true"}}"#;
    let of_cluster = r#"{"tags":{"+contains":"lke1"}}"#;
    let filter = match (design, tier) {
        (_, Tier::Standard) if is_document(design) => format!(r#"{{"+and":[{managed}]}}"#),
        (_, Tier::Enterprise) if is_document(design) => format!(r#"{{"+and":[{managed},{of_cluster}]}}"#),
        (_, Tier::Standard) => managed.to_owned(),
        (_, Tier::Enterprise) => of_cluster.to_owned(),
    };
    format!("GET /linode/instances?1 {filter}")
}

#[test]
fn list_gives_all_linodes_of_all_managed_pools() {
    let tag: &[&str] = &["karpenter.k8s.linode/lke-managed=true"];
    for design in ALL {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            let (_, mut ids) = lab.place(&[tag, tag]);
            ids.extend(lab.place(&[tag]).1);
            assert_eq!(lab.list(), Ok(ids), "{design} {tier:?}");
            assert_eq!(lab.calls(), [list(design, tier)], "{design} {tier:?}");
        }
    }
}

#[test]
fn on_an_empty_account_nothing_is_listed() {
    for design in ALL {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            assert_eq!(lab.list(), Ok(Vec::new()), "{design} {tier:?}");
            assert_eq!(lab.calls(), [list(design, tier)], "{design} {tier:?}");
        }
    }
}

/// Linodes of unmanaged pools bear the cluster's tag on Enterprise, by which the shipped providers list.
#[test]
fn shipped_lists_unmanaged_linodes_on_enterprise() {
    for (design, by_cluster) in each(false, true, true) {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            let (_, foreign) = lab.place_with(&["foreign"], &[&[], &[]], Duration::ZERO);
            let seen = if by_cluster && tier == Tier::Enterprise { foreign } else { Vec::new() };
            assert_eq!(lab.list(), Ok(seen), "{design} {tier:?}");
            assert_eq!(lab.calls(), [list(design, tier)], "{design} {tier:?}");
        }
    }
}

/// On Standard a Linode gets the managed tag with its claim: one that was never claimed is in no list.
#[test]
fn a_linode_that_was_never_claimed_is_not_listed_on_standard() {
    for design in ALL {
        let lab = Lab::new(design, Tier::Standard);
        lab.place(&[&[]]);
        assert_eq!(lab.list(), Ok(Vec::new()), "{design}");
        assert_eq!(lab.calls(), [list(design, Tier::Standard)], "{design}");
    }
}

#[test]
fn an_error_of_list_is_told() {
    for design in ALL {
        for status in [500, 404] {
            let lab = Setup::new(design, Tier::Standard).refuse(Endpoint::ListInstances, status, 1, u64::MAX).build();
            lab.forget();
            assert!(lab.list().is_err(), "{design} {status}");
            assert_eq!(lab.calls(), [list(design, Tier::Standard)], "{design} {status}");
        }
    }
}

#[test]
fn get_reads_once_and_then_remembers() {
    for design in ALL {
        let lab = Lab::new(design, Tier::Standard);
        let (_, ids) = lab.place(&[&[], &[]]);
        assert_eq!(lab.get(ids[0]), Ok(ids[0]), "{design}");
        assert_eq!(lab.calls(), [get(ids[0])], "{design}");
        assert_eq!(lab.get(ids[0]), Ok(ids[0]), "{design}");
        assert!(lab.calls().is_empty(), "{design}: within a minute it knows");
        lab.wait(Duration::from_secs(61));
        assert_eq!(lab.get(ids[0]), Ok(ids[0]), "{design}");
        assert_eq!(lab.calls(), [get(ids[0])], "{design}");
    }
}

#[test]
fn get_of_what_is_not_there_is_not_found_and_other_errors_are_not() {
    for design in ALL {
        let lab = Lab::new(design, Tier::Standard);
        assert!(lab.get(9_999).expect_err("none").is_not_found(), "{design}");
        assert_eq!(lab.calls(), [get(9_999)], "{design}");
        let lab = Setup::new(design, Tier::Standard).refuse(Endpoint::GetInstance, 500, 1, u64::MAX).build();
        let (_, ids) = lab.place(&[&[]]);
        assert!(!lab.get(ids[0]).expect_err("an error").is_not_found(), "{design}");
        assert_eq!(lab.calls(), [get(ids[0])], "{design}");
    }
}

/// An id that is no number is a Linode that does not exist; one without `://` is, to the shipped providers, a plain
/// error.
#[test]
fn get_of_a_bad_id_asks_nothing() {
    let of_shipped = [("linode://bad-id", true), ("bad-id", false)];
    let cases = each([("linode://bad-id", true), ("bad-id", true)], of_shipped, of_shipped);
    for (design, (text, not_found)) in cases.into_iter().flat_map(|(design, of)| of.map(|case| (design, case))) {
        let lab = Lab::new(design, Tier::Standard);
        let error = lab.get_by(ProviderId::new(text)).expect_err("no number");
        assert_eq!(error.is_not_found(), not_found, "{design} {text}: {error}");
        assert!(lab.calls().is_empty(), "{design} {text}");
    }
}

#[test]
fn create_tags_reads_joins_and_writes() {
    for design in ALL {
        let lab = Lab::new(design, Tier::Standard);
        let (_, ids) = lab.place(&[&["zone", "a=1"]]);
        lab.create_tags(ids[0], &["Name=node-1", "zone"]).expect("it is there");
        let all = ["zone", "a=1", "Name=node-1"].map(str::to_owned);
        assert_eq!(lab.calls(), [get(ids[0]), put(ids[0], &all)], "{design}");
    }
}

/// A Linode that is gone: the document's Get says so, the shipped CreateTags only that something failed.
#[test]
fn create_tags_of_what_is_not_there_fails() {
    for (design, not_found) in each(true, false, false) {
        let lab = Lab::new(design, Tier::Standard);
        assert_eq!(lab.create_tags(9_999, &["Name=x"]).expect_err("none").is_not_found(), not_found, "{design}");
        assert_eq!(lab.calls(), [get(9_999)], "{design}");
    }
}

#[test]
fn errors_of_create_tags_are_told() {
    for design in ALL {
        for endpoint in [Endpoint::GetInstance, Endpoint::UpdateInstance] {
            let lab = Setup::new(design, Tier::Standard).refuse(endpoint, 500, 1, u64::MAX).build();
            let (_, ids) = lab.place(&[&[]]);
            assert!(lab.create_tags(ids[0], &["Name=x"]).is_err(), "{design} {endpoint:?}");
            let all = [get(ids[0]), put(ids[0], &["Name=x".to_owned()])];
            let made = if endpoint == Endpoint::GetInstance { 1 } else { 2 };
            assert_eq!(lab.calls(), all[..made], "{design} {endpoint:?}");
        }
    }
}
