use super::*;
use crate::pods::Night;
use lkesim_runtime::Seed;
use proptest::prelude::*;
use std::time::Duration;

fn rate(text: &str) -> Rate {
    text.parse().unwrap()
}

fn times(pace: Pace, until: Time, seed: u64) -> Vec<Time> {
    let arrivals = Arrivals {
        name: "pod".into(),
        namespace: "default".into(),
        template: Rc::default(),
        runs_for: None,
        when: When::Poisson { from: Time::ZERO, until, pace },
        most: usize::MAX,
    };
    arrivals.times(Seed(seed).key("arrivals"))
}

#[test]
fn the_logarithm_is_right_to_a_billionth() {
    let known = [(u64::MAX, 0), (1 << 63, LN_2), (1 << 62, 2 * LN_2), (1, 64 * LN_2)];
    for (word, expected) in known {
        assert!(exponential(Word(word)).abs_diff(expected) <= 8, "{word}: {} {expected}", exponential(Word(word)));
    }
    // The logarithm of 3/4 is -0.287682072.
    assert!(exponential(Word(3 << 62)).abs_diff(1_235_585_093) < 8, "{}", exponential(Word(3 << 62)));
}

#[test]
fn gaps_are_exponential() {
    let pace = Pace { rate: rate("10/1s"), night: None };
    let times = times(pace, Time::from_secs(10_000), 1);
    // 100,000 are expected, with a standard deviation of 316.
    assert!(times.len().abs_diff(100_000) < 1_500, "{}", times.len());
    let gaps: Vec<Duration> = times.windows(2).map(|pair| pair[1].since(pair[0])).collect();
    // Of exponential gaps, 36.8% are longer than the mean, and 13.5% longer than twice the mean.
    let longer = |than: u64| gaps.iter().filter(|gap| **gap > Duration::from_millis(than)).count() * 1_000 / gaps.len();
    assert!(longer(100).abs_diff(368) < 8 && longer(200).abs_diff(135) < 8, "{} {}", longer(100), longer(200));
}

#[test]
fn fewer_arrive_at_night() {
    let hours = |hours: u64| Span::mins(hours * 60);
    let night = Night { rate: rate("10/1h"), from: hours(20), until: hours(8), day: hours(24) };
    let pace = Pace { rate: rate("100/1h"), night: Some(night) };
    let times = times(pace, Time::from_secs(100 * 24 * 3_600), 1);
    let is_day = |at: &&Time| (8..20).contains(&(at.as_secs() / 3_600 % 24));
    let by_day = times.iter().filter(is_day).count();
    assert!(by_day.abs_diff(120_000) < 2_000, "{by_day}");
    assert!((times.len() - by_day).abs_diff(12_000) < 600, "{}", times.len() - by_day);
}

proptest! {
    #[test]
    fn arrivals_rise_end_in_time_and_are_the_same_each_time(
        calls in 1..1_000_u32, window in 1..10_000_u64, until in 1..100_000_u64, seed in any::<u64>(), night in any::<bool>(),
        from in 0..60_u64, to in 0..60_u64,
    ) {
        prop_assume!(u64::from(calls) * until / window < 10_000);
        let night = night.then(|| Night {
            rate: Rate::new(1, Span::secs(window)), from: Span::secs(from), until: Span::secs(to), day: Span::secs(60),
        });
        let pace = Pace { rate: Rate::new(calls, Span::secs(window)), night };
        let until = Time::from_secs(until);
        let first = times(pace, until, seed);
        prop_assert!(first.is_sorted());
        prop_assert!(first.iter().all(|at| *at < until));
        prop_assert_eq!(&first, &times(pace, until, seed));
        // A longer run begins alike.
        let longer = times(pace, until + Duration::from_secs(1_000), seed);
        prop_assert_eq!(&longer[..first.len()], &first[..]);
    }

    #[test]
    fn twice_the_rate_halves_the_same_gaps(seed in any::<u64>(), calls in 1..1_000_u32) {
        let until = Time::from_secs(1_000);
        let one = times(Pace { rate: Rate::new(calls, Span::secs(100)), night: None }, until, seed);
        let two = times(Pace { rate: Rate::new(2 * calls, Span::secs(100)), night: None }, until, seed);
        for (one, two) in one.iter().zip(&two) {
            let (one, two) = (one.since(Time::ZERO).as_nanos(), two.since(Time::ZERO).as_nanos());
            prop_assert!(one.abs_diff(2 * two) <= 2 * 10_000, "{one} {two}");
        }
    }
}
