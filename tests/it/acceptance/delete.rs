//! Delete: which call removes a Linode, and what it says where it can't tell.

use super::calls::LIST_POOLS;
use super::lab::{ALL, Lab, Setup, TIERS, each, is_document};
use lkesim_karpenter::cloud_provider::ProviderError;
use lkesim_kube::object::ProviderId;
use lkesim_linode_api::{Endpoint, Tier};

/// The document reads the pool again with the lock held.
pub fn reread(design: &str) -> Option<String> {
    is_document(design).then(|| "GET /lke/clusters/1/pools/101".to_owned())
}

/// The deletion of the pool that is placed first.
pub const DELETE_POOL: &str = "DELETE /lke/clusters/1/pools/101";

/// The calls of a Delete that ends with this one.
fn of_delete(design: &str, last: &str) -> Vec<String> {
    [LIST_POOLS.to_owned()].into_iter().chain(reread(design)).chain([last.to_owned()]).collect()
}

#[test]
fn one_of_two_nodes_is_deleted_alone() {
    for design in ALL {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            let (_, ids) = lab.place(&[&[], &[]]);
            lab.delete(ids[0]).expect("it is there");
            assert_eq!(lab.calls(), of_delete(design, &lab.delete_node(ids[0])), "{design} {tier:?}");
            assert_eq!(lab.live(), [ids[1]], "{design} {tier:?}");
        }
    }
}

#[test]
fn the_last_node_takes_the_pool() {
    for design in ALL {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            let (_, ids) = lab.place(&[&[]]);
            lab.delete(ids[0]).expect("it is there");
            assert_eq!(lab.calls(), of_delete(design, DELETE_POOL), "{design} {tier:?}");
            assert!(lab.live().is_empty(), "{design} {tier:?}");
        }
    }
}

#[test]
fn what_is_in_no_managed_pool_is_not_found() {
    for design in ALL {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            let (_, foreign) = lab.place_with(&["foreign"], &[&[], &[]], Default::default());
            for id in [foreign[0], 9_999] {
                let error = lab.delete(id).expect_err("not ours");
                assert!(error.is_not_found(), "{design} {tier:?}: {error}");
                assert_eq!(lab.calls(), [LIST_POOLS], "{design} {tier:?}");
            }
            assert_eq!(lab.live().len(), 2, "{design} {tier:?}");
        }
    }
}

#[test]
fn an_id_that_is_no_number_is_not_found() {
    for design in ALL {
        let lab = Lab::new(design, Tier::Standard);
        let error = lab.delete_by(ProviderId::new("linode://bad-id")).expect_err("no number");
        assert!(error.is_not_found(), "{design}: {error}");
        assert!(lab.calls().is_empty(), "{design}");
    }
}

/// What the shipped providers can't look up does not exist, for them.
#[test]
fn a_list_that_fails_is_told_as_not_found() {
    let cases = each([(500, false), (401, true)], [(500, true), (401, true)], [(500, true), (401, true)]);
    for (design, (status, not_found)) in cases.into_iter().flat_map(|(design, of)| of.map(|case| (design, case))) {
        let lab = Setup::new(design, Tier::Standard).refuse(Endpoint::ListPools, status, 1, u64::MAX).build();
        let (_, ids) = lab.place(&[&[], &[]]);
        let error = lab.delete(ids[0]).expect_err("the list fails");
        assert_eq!(error.is_not_found(), not_found, "{design} {status}: {error}");
        assert_eq!(lab.calls(), [LIST_POOLS], "{design} {status}");
        assert_eq!(lab.live().len(), 2, "{design} {status}: it is there all the same");
    }
}

#[test]
fn an_error_of_the_delete_itself_is_told() {
    for design in ALL {
        for (endpoint, nodes) in [(Endpoint::DeletePool, 1), (Endpoint::DeleteNode, 2)] {
            let lab = Setup::new(design, Tier::Standard).refuse(endpoint, 500, 1, u64::MAX).build();
            let (_, ids) = lab.place(&vec![&[][..]; nodes]);
            let error = lab.delete(ids[0]).expect_err("the API refuses");
            assert!(matches!(error, ProviderError::Other(_)), "{design}: {error}");
            let last = if nodes == 1 { DELETE_POOL.to_owned() } else { lab.delete_node(ids[0]) };
            assert_eq!(lab.calls(), of_delete(design, &last), "{design} {endpoint:?}");
        }
    }
}
