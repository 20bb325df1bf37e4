use super::*;
use proptest::prelude::*;

/// The vectors are those of the provider's own tests and of a search for collisions.
#[test]
fn long_names_are_cut_and_hashed_as_the_provider_does() {
    assert_eq!(&*node_claim_value("consolidation-step-scale-2lrzf"), "consolidation-step-153e601a");
    assert_eq!(node_claim_value("consolidation-step-scale-fkrd7"), node_claim_value("consolidation-step-scale-pstrm"));
}

#[test]
fn an_empty_value_is_no_claim() {
    assert!(!is_claimed(&["karpenter.sh/nodeclaim=", "karpenter.sh/nodeclaims=x"].into_iter().collect()));
    assert!(is_claimed(&["karpenter.sh/nodeclaim=x"].into_iter().collect()));
}

proptest! {
    #[test]
    fn a_nodeclaim_tag_fits(name in "[a-z0-9-]{1,63}") {
        prop_assert!(of_node_claim(&name).len() <= LENGTH_MAX);
        prop_assert!(name.len() > 27 || *node_claim_value(&name) == *name);
    }

    #[test]
    fn joining_again_changes_nothing(a in proptest::collection::vec("[a-c]{1,2}", 0..6), b in proptest::collection::vec("[a-c]{1,2}", 0..6)) {
        let (a, b): (Tags, Tags) = (a.iter().map(|tag| tag.as_str()).collect(), b.iter().map(|tag| tag.as_str()).collect());
        let once = joined([&a, &b], []);
        prop_assert_eq!(joined([&once, &b], []), once.clone());
        prop_assert!(a.iter().chain(b.iter()).all(|tag| once.has(tag)));
    }
}
