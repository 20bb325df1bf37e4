use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Values that a model tries: a set is what it allows of them.
const VALUES: [&str; 8] = ["a", "b", "c", "1", "2", "3", "9", "-4"];

fn selector() -> impl Strategy<Value = Selector> {
    let values = prop::collection::vec(prop::sample::select(VALUES.to_vec()), 0..4);
    (0..8, values, -5_i64..10).prop_map(|(kind, values, bound)| {
        let bound = [bound.to_string()];
        match kind {
            0 | 1 => Selector::any_of("k", values),
            2 => Selector::new("k", Operator::NotIn, values),
            3 => Selector::new("k", Operator::Exists, [""; 0]),
            4 => Selector::new("k", Operator::DoesNotExist, [""; 0]),
            5 => Selector::new("k", Operator::Gt, bound),
            6 => Selector::new("k", Operator::Lt, bound),
            _ => Selector::new("k", Operator::Gte, bound),
        }
    })
}

fn allowed(allows: impl Fn(&str) -> bool) -> BTreeSet<&'static str> {
    VALUES.into_iter().filter(|value| allows(value)).collect()
}

proptest! {
    #[test]
    fn it_allows_what_its_selector_allows(one in selector()) {
        let requirement = Requirement::new(&one);
        let model = |value: &str| one.allows(Some(value));
        prop_assert_eq!(allowed(|value| requirement.has(value)), allowed(model));
    }

    #[test]
    fn an_intersection_allows_what_both_allow(one in selector(), other in selector()) {
        let (first, second) = (Requirement::new(&one), Requirement::new(&other));
        let both = first.intersection(&second);
        prop_assert_eq!(allowed(|value| both.has(value)), allowed(|value| first.has(value) && second.has(value)));
        prop_assert_eq!(both.clone(), second.intersection(&first));
        if !both.is_empty() && both.len().is_some() {
            prop_assert!(first.has_intersection(&second));
        }
        if both.is_empty() {
            prop_assert!(!first.has_intersection(&second));
        }
    }
}

#[test]
fn it_is_shown_as_upstream_shows_it() {
    let table = [
        (Selector::any_of("k", ["b", "a"]), "k In [a b]"),
        (Selector::any_of("k", ["1", "2", "3", "4", "5", "6", "7"]), "k In [1 2 3 4 5 and 2 others]"),
        (Selector::new("k", Operator::Gt, ["5"]), "k Exists >=6"),
        (Selector::new("k", Operator::Lt, ["5"]), "k Exists <=4"),
        (Selector::new("k", Operator::DoesNotExist, [""; 0]), "k DoesNotExist"),
        (Selector { min_values: Some(2), ..Selector::any_of("k", ["a"]) }, "k In [a] minValues 2"),
        (Selector::any_of("beta.kubernetes.io/arch", ["arm64"]), "kubernetes.io/arch In [arm64]"),
    ];
    for (selector, expected) in table {
        assert_eq!(Requirement::new(&selector).to_string(), expected);
    }
}
