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

/// A sliding window would see three within 60: the limiter sees two and two.
#[test]
fn a_window_opens_with_the_first_request_after_the_last_one() {
    assert_eq!(peak_of(60, &[0, 50, 61, 70]), 2);
}

#[test]
fn without_requests_the_peak_is_zero() {
    assert_eq!(peak_of(60, &[]), 0);
}

/// The limiter's own words, as plainly as can be.
fn fullest(window: u64, times: &[u64]) -> u64 {
    let (mut end, mut used, mut peak) = (0, 0, 0);
    for &at in times {
        if at >= end {
            (end, used) = (at + window, 0);
        }
        used += 1;
        peak = peak.max(used);
    }
    peak
}

proptest! {
    #[test]
    fn the_peak_is_that_of_the_limiters_windows_in_whatever_order_arrivals_are_told(
        window in 1_u64..50,
        times in prop::collection::vec(0_u64..200, 0..80),
    ) {
        let mut sorted = times.clone();
        sorted.sort_unstable();
        prop_assert_eq!(peak_of(window, &times), fullest(window, &sorted));
    }
}

#[test]
fn many_arrivals_are_counted_as_they_grow_old() {
    let second = 1_000_000_000;
    let times: Vec<u64> = (0..20_000).map(|n| n * second / 4).collect();
    assert_eq!(peak_of(60 * second, &times), 240);
}
