use super::fold;
use crate::explored::Finding;

fn finding(invariant: &str, mechanism: &str, count: u64, first_seed: u64) -> Finding {
    let (invariant, mechanism) = (invariant.to_owned(), mechanism.to_owned());
    Finding { invariant, mechanism, count, first_seed, at_ms: 0, text: String::new(), repro: String::new() }
}

fn folded(findings: &[(&str, &str, u64, u64)]) -> Vec<(String, u64, u64)> {
    let findings =
        findings.iter().map(|(invariant, how, count, seed)| finding(invariant, how, *count, *seed)).collect();
    fold(findings).into_iter().map(|finding| (finding.mechanism, finding.count, finding.first_seed)).collect()
}

#[test]
fn what_broke_under_more_is_counted_where_fewer_were_enough() {
    let found = folded(&[
        ("leak", "x; under a, b", 3, 1),
        ("leak", "x; under a", 2, 7),
        ("leak", "x; under b, c", 1, 4),
        ("leak", "x; under c, d", 1, 5),
    ]);
    let expected = [("x; under a", 5, 7), ("x; under b, c", 1, 4), ("x; under c, d", 1, 5)];
    assert_eq!(found, expected.map(|(how, count, seed)| (how.to_owned(), count, seed)));
}

#[test]
fn what_broke_without_any_hindrance_is_one_finding() {
    let found = folded(&[("leak", "x; under a", 3, 1), ("leak", "x", 1, 9), ("leak", "y; under a", 1, 2)]);
    let expected = [("x", 4, 9), ("y; under a", 1, 2)];
    assert_eq!(found, expected.map(|(how, count, seed)| (how.to_owned(), count, seed)));
}

#[test]
fn causes_and_invariants_are_kept_apart_and_parts_of_a_search_add_up() {
    let all = [("a", "x", 1, 3), ("b", "x", 1, 2), ("a", "x", 2, 1)];
    assert_eq!(folded(&all), [("x".to_owned(), 3, 1), ("x".to_owned(), 1, 2)]);
}
