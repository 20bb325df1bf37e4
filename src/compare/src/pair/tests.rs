use super::*;
use crate::figure::{FIGURES, place};

fn difference(pairs: &[(i64, i64)]) -> Difference {
    Difference::of(pairs, &Bootstrap::new(pairs.len(), 1_000), 9).expect("there are pairs")
}

fn lists() -> &'static Figure {
    &FIGURES[place("list_calls_per_launch").expect("there is one")]
}

/// Noise that both share, and a tenth more of it all on one side.
fn with_more(percent: i64) -> Pairs {
    let base = |seed: i64| 5_000_000 + (seed * 7_919 % 97) * 40_000;
    let own = |seed: i64| (seed * 6_151 % 89 - 44) * 3_000;
    (0..200).map(|seed| (base(seed), base(seed) * (100 + percent) / 100 + own(seed))).collect()
}

#[test]
fn a_tenth_more_calls_is_shown_worse_at_200_seeds() {
    let shown = difference(&with_more(10));
    assert_eq!(shown.call(lists(), 10_000), Called::Worse);
    assert_eq!(difference(&with_more(-10)).call(lists(), 10_000), Called::Better);
}

#[test]
fn no_more_calls_are_no_difference() {
    assert_eq!(difference(&with_more(0)).call(lists(), 10_000), Called::Same);
}

#[test]
fn a_difference_too_small_to_matter_is_none_however_sure() {
    let pairs: Pairs = (0..50).map(|_| (1_000_000, 1_000_100)).collect();
    assert_eq!(difference(&pairs).call(lists(), 10_000), Called::Same);
    assert_eq!(difference(&pairs).call(lists(), 0), Called::Worse);
}

#[test]
fn against_nothing_every_sure_change_matters() {
    let pairs: Pairs = (0..50).map(|_| (0, 1)).collect();
    assert_eq!(difference(&pairs).call(lists(), 10_000), Called::Worse);
}

#[test]
fn shared_luck_saves_variance_and_opposite_luck_costs_it() {
    let shared: Pairs = (0..100).map(|seed| (seed * 1_000, seed * 1_000 + 5)).collect();
    assert_eq!(difference(&shared).variance_saved_percent, Some(100));
    let opposite: Pairs = (0..100).map(|seed| (seed * 1_000, -seed * 1_000)).collect();
    assert_eq!(difference(&opposite).variance_saved_percent, Some(-100));
    assert_eq!(difference(&[(3, 4), (3, 4)]).variance_saved_percent, None);
}
