use super::*;
use crate::figure::{FIGURES, place};
use lkesim_runtime::Seed;
use lkesim_runtime::random::Entity;

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

/// A kind of figure: its values as runs spread them, from two numbers below 1000.
type Spread = (&'static str, fn(i64, i64) -> i64);

const SPREADS: &[Spread] = &[
    ("calls", |a, b| 7_000_000 + (a + b) * 400),
    ("times with a tail", |a, b| 40_000_000_000 + a * a * 20_000 + b * 5_000_000),
    ("times with a long tail", |a, b| 30_000_000_000_000 / (a + 30) + b),
    ("mostly nothing", |a, b| (a - 850).max(0) * b * 1_000),
    ("now and then one", |a, _| i64::from(a < 120) * 1_000_000),
    ("a few", |a, b| (a * b / 250_000) * 1_000_000),
];

/// The value of a run, by its number.
fn value((_, spread): &Spread, run: u64) -> i64 {
    let word = Seed(7).key("runs").draw(Entity::named("value"), run).0;
    let digits = |number: u64| i64::try_from(number % 1_000).unwrap_or(0);
    spread(digits(word), digits(word >> 32))
}

#[test]
fn two_copies_of_a_design_differ_in_3_to_7_of_100_tests() {
    let bootstrap = Bootstrap::new(200, 500);
    for spread in SPREADS {
        let differs = |test: &u64| {
            let pair = |n| (value(spread, test * 400 + n), value(spread, test * 400 + 200 + n));
            let pairs: Pairs = (0..200).map(pair).collect();
            let (low, high) = Difference::of(&pairs, &bootstrap, 1).expect("there are pairs").interval;
            low.0 > 0 || high.0 < 0
        };
        let differ = (0..1_000).filter(differs).count();
        assert!((30..=70).contains(&differ), "{}: {differ} of 1000", spread.0);
    }
}

#[test]
fn a_tenth_more_is_shown_at_200_seeds_even_where_luck_is_not_shared() {
    for spread in &SPREADS[..2] {
        for experiment in 0..20u64 {
            let run = |n: u64| value(spread, experiment * 400 + n);
            let pairs: Pairs = (0..200).map(|n| (run(n), run(200 + n) * 11 / 10)).collect();
            assert_eq!(difference(&pairs).call(lists(), 10_000), Called::Worse, "{}, {experiment}", spread.0);
        }
    }
}
