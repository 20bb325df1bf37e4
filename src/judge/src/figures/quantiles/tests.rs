use super::times;
use crate::figures::Reached;
use crate::outcome::Times;
use proptest::prelude::*;
use std::time::Duration;

fn of_millis(finished: &[u64], unfinished: usize, horizon: u64) -> Times {
    let finished = finished.iter().map(|&ms| Duration::from_millis(ms));
    times(&Reached::of(finished, unfinished, Duration::from_millis(horizon)))
}

/// The definition: the least value that at least `percent` of a hundred values do not exceed.
fn nearest_rank(values: &[u64], percent: usize) -> u64 {
    let reaches = |limit: u64| values.iter().filter(|&&value| value <= limit).count() * 100 >= percent * values.len();
    values.iter().copied().filter(|&limit| reaches(limit)).min().unwrap_or(0)
}

#[test]
fn of_no_times_all_are_zero() {
    assert_eq!(of_millis(&[], 0, 1_000), Times::default());
}

#[test]
fn of_one_time_all_are_that_time() {
    let times = of_millis(&[7], 0, 1_000);
    assert_eq!((times.p50_ms, times.p90_ms, times.p99_ms, times.max_ms), (7, 7, 7, 7));
}

#[test]
fn what_did_not_finish_counts_as_the_horizon() {
    let times = of_millis(&[10, 20, 30], 1, 3_600_000);
    assert_eq!((times.n, times.of), (3, 4));
    assert_eq!((times.p50_ms, times.p90_ms, times.max_ms), (20, 3_600_000, 3_600_000));
}

proptest! {
    #[test]
    fn quantiles_are_those_of_the_definition(
        finished in prop::collection::vec(0_u64..1_000, 0..150),
        unfinished in 0_usize..20,
    ) {
        let mut all = finished.clone();
        all.extend(std::iter::repeat_n(2_000, unfinished));
        let times = of_millis(&finished, unfinished, 2_000);
        prop_assert_eq!(times.p50_ms, nearest_rank(&all, 50));
        prop_assert_eq!(times.p90_ms, nearest_rank(&all, 90));
        prop_assert_eq!(times.p99_ms, nearest_rank(&all, 99));
        prop_assert_eq!(times.max_ms, nearest_rank(&all, 100));
        prop_assert_eq!((times.n, times.of), (finished.len() as u64, all.len() as u64));
    }
}
