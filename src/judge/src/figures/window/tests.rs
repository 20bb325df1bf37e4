use super::WindowPeak;
use lkesim_runtime::Time;
use proptest::prelude::*;
use std::time::Duration;

fn peak_of(window: u64, times: &[u64]) -> u64 {
    let mut peak = WindowPeak::new(Duration::from_nanos(window));
    for &at in times {
        peak.add(Time::from_nanos(at));
    }
    peak.peak()
}

#[test]
fn requests_a_whole_window_apart_share_none() {
    assert_eq!(peak_of(60, &[0, 59]), 2);
    assert_eq!(peak_of(60, &[0, 60]), 1);
}

#[test]
fn without_requests_the_peak_is_zero() {
    assert_eq!(peak_of(60, &[]), 0);
}

proptest! {
    #[test]
    fn the_peak_is_that_of_the_fullest_window_that_begins_with_a_request(
        window in 1_u64..50,
        mut times in prop::collection::vec(0_u64..200, 0..80),
    ) {
        times.sort_unstable();
        let in_window = |from: u64| times.iter().filter(|&&at| from <= at && at < from + window).count() as u64;
        let fullest = times.iter().map(|&from| in_window(from)).max().unwrap_or(0);
        prop_assert_eq!(peak_of(window, &times), fullest);
    }

    #[test]
    fn no_row_of_fixed_windows_has_a_fuller_one(
        window in 1_u64..50,
        start in 0_u64..50,
        mut times in prop::collection::vec(50_u64..250, 0..80),
    ) {
        times.sort_unstable();
        let mut fixed = std::collections::BTreeMap::<u64, u64>::new();
        for at in &times {
            *fixed.entry((at - start) / window).or_default() += 1;
        }
        prop_assert!(fixed.into_values().max().unwrap_or(0) <= peak_of(window, &times));
    }
}
