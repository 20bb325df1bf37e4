use super::*;
use lkesim_runtime::random::Entity;
use proptest::prelude::*;

/// Values whose true mean is 0, with a long tail to one side, as times have.
fn skewed(test: u64, n: usize) -> Vec<i64> {
    let key = Seed(test).key("values");
    let one = |place: usize| {
        let word = key.draw(Entity::named("value"), place as u64);
        // The least of two dice squared has a mean that is known: about a sixth of the square.
        let (a, b) = (word.0 % 1_000, (word.0 >> 32) % 1_000);
        let (a, b) = (i64::try_from(a).unwrap_or(0), i64::try_from(b).unwrap_or(0));
        a * a - b * b
    };
    (0..n).map(one).collect()
}

#[test]
fn an_interval_of_95_percent_misses_the_true_mean_in_3_to_7_of_100_tests() {
    for seeds in [15, 30, 100] {
        let bootstrap = Bootstrap::new(seeds, 1_000);
        let missed = (0..1_000).filter(|&test| {
            let [(low, high)] = bootstrap.intervals(&skewed(test, seeds), [1]).expect("there are values");
            low > 0 || high < 0
        });
        let missed = missed.count();
        assert!((30..=70).contains(&missed), "{missed} of 1000, at {seeds} seeds");
    }
}

#[test]
fn few_seeds_widen_an_interval_as_student_does() {
    // sqrt(n / (n - 1)) * t / z by tables of both quantiles.
    for (n, together, percent) in [(10, 1, 122), (20, 1, 110), (40, 1, 105), (200, 1, 101), (20, 8, 115), (40, 8, 107)]
    {
        let widened = widening_ppm(n, together);
        assert!((widened - percent * 10_000).abs() <= 10_000, "{n} seeds, {together} together: {widened}");
    }
    assert_eq!(widening_ppm(1, 1), 1_000_000);
}

#[test]
fn equal_values_leave_no_doubt() {
    assert_eq!(Bootstrap::new(5, 200).intervals(&[7; 5], [10]), Some([(7, 7)]));
}

#[test]
fn no_values_have_no_interval() {
    assert_eq!(Bootstrap::new(0, 200).intervals(&[], [1]), None);
}

proptest! {
    #[test]
    fn more_intervals_together_are_wider(values in prop::collection::vec(-1_000_000_000i64..1_000_000_000, 1..40)) {
        let bootstrap = Bootstrap::new(values.len(), 400);
        let [alone, together] = bootstrap.intervals(&values, [1, 8]).expect("there are values");
        prop_assert!(together.0 <= alone.0 && alone.1 <= together.1);
        let middle = mean(values.iter().copied());
        prop_assert!(alone.0 <= middle + 1 && middle <= alone.1 + 1);
    }

    #[test]
    fn a_mean_is_rounded_as_on_paper(values in prop::collection::vec(-1_000i64..1_000, 1..50)) {
        let exact = values.iter().sum::<i64>() as f64 / values.len() as f64;
        prop_assert!((mean(values.iter().copied()) as f64 - exact).abs() <= 0.5);
    }
}
