use super::{distance, nearest};
use proptest::prelude::*;

/// The same by its definition, on the ends of both texts.
fn by_definition(a: &[char], b: &[char]) -> usize {
    match (a, b) {
        ([], rest) | (rest, []) => rest.len(),
        ([first, a_rest @ ..], [other, b_rest @ ..]) => {
            let changed = by_definition(a_rest, b_rest) + usize::from(first != other);
            let moved = by_definition(a_rest, b).min(by_definition(a, b_rest)) + 1;
            match (a_rest, b_rest) {
                ([second, a_rest @ ..], [next, b_rest @ ..]) if first == next && second == other => {
                    changed.min(moved).min(by_definition(a_rest, b_rest) + 1)
                }
                _ => changed.min(moved),
            }
        }
    }
}

proptest! {
    #[test]
    fn a_bounded_distance_is_the_distance_or_beyond_the_bound(a in "[abc]{0,6}", b in "[abc]{0,6}", most in 0..7_usize) {
        let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
        let whole = by_definition(&a, &b);
        prop_assert_eq!(distance(&a, &b, most), (whole <= most).then_some(whole));
    }
}

#[test]
fn the_nearest_is_found_and_the_first_of_equals() {
    assert_eq!(nearest("launchTimeout", ["retry_delay", "launch_timeout"]), Some("launch_timeout"));
    assert_eq!(nearest("claim-7", ["claim-1", "claim-07", "claim-2"]), Some("claim-1"));
    assert_eq!(nearest("api.clals", ["api.calms", "api.calls"]), Some("api.calls"));
}

#[test]
fn a_far_or_endless_name_has_none() {
    assert_eq!(nearest("something", ["else", "again"]), None);
    let long = "x".repeat(100);
    assert_eq!(nearest(&long, [long.as_str()]), None);
    assert_eq!(nearest("İİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİ", [long.as_str()]), None);
}
