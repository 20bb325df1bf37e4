use super::Screening;
use crate::document::{Screened, ScreenedBreach, ScreenedFigure};
use crate::figure::{FIGURES, place};
use crate::sample::{Calls, Sample};
use lkesim_judge::figures::Lasted;
use lkesim_judge::outcome::Quantity;
use proptest::prelude::*;

const FIGURE: &str = "list_calls_per_launch";

/// A run with so many list calls a launch, in millionths, that broke these invariants.
fn sample(seed: u64, value: i64, broken: &[&str]) -> Sample {
    let mut values = vec![None; FIGURES.len()];
    values[place(FIGURE).expect("there is one")] = Some(Quantity(value));
    let broken = broken.iter().map(|name| (*name).to_owned()).collect();
    let (calls, budgets, lasted) = (Calls::default(), Vec::new(), Lasted::default());
    Sample { seed, values, launched: 1, calls, budgets, broken, lasted }
}

/// A screening in which `b` has so many list calls beside `a`'s 100, at the defaults and at one point.
fn screened(at_defaults: i64, there: i64, broken: &[&str]) -> Screened {
    let points = vec![("cloud.lags.deletion".to_owned(), "3m".to_owned())];
    let mut screening = Screening::new("0.0.0", "some", vec!["a".to_owned(), "b".to_owned()], points);
    for seed in 1..=20 {
        for (place, value, broken) in [(0, at_defaults, &[][..]), (1, there, broken)] {
            screening.add(place, 0, sample(seed, 100_000_000, &[]));
            screening.add(place, 1, sample(seed, value * 1_000_000, broken));
        }
    }
    screening.finish()
}

fn list_calls_of_b() -> Vec<ScreenedFigure> {
    vec![ScreenedFigure { name: "b".to_owned(), figure: FIGURE.to_owned() }]
}

proptest! {
    /// The obvious rule, on numbers without noise: fewer is better, and a change below 1 % is none.
    #[test]
    fn a_point_is_what_two_comparisons_say(at_defaults in 50_i64..150, there in 50_i64..150) {
        let point = &screened(at_defaults, there, &[]).points[0];
        let (before, after) = ((at_defaults - 100).signum(), (there - 100).signum());
        let turned = before * after == -1;
        prop_assert_eq!(&point.turned, &if turned { list_calls_of_b() } else { Vec::new() });
        prop_assert_eq!(&point.lost, &if before != 0 && after == 0 { list_calls_of_b() } else { Vec::new() });
        prop_assert_eq!(&point.gained, &if before == 0 && after != 0 { list_calls_of_b() } else { Vec::new() });
    }
}

#[test]
fn what_turns_is_said_first_with_both_ways() {
    let turned = screened(50, 150, &[]);
    let first = "cloud.lags.deletion=3m turns list_calls_per_launch of b: better at the defaults, worse there.";
    assert_eq!(turned.verdict[0], first);
    assert_eq!(
        screened(150, 50, &[]).verdict[0],
        first.replace("better", "x").replace("worse", "better").replace('x', "worse")
    );
    assert_eq!(screened(50, 60, &[]).verdict[0], "None of 1 point turns a figure of the verdict.");
}

#[test]
fn what_stands_everywhere_and_what_does_not_are_told_apart() {
    assert!(screened(50, 60, &[]).verdict.contains(&format!("b is better at every point in {FIGURE}.")));
    let lost = format!("b is better in {FIGURE}, which is not shown with cloud.lags.deletion=3m.");
    assert!(screened(50, 100, &[]).verdict.contains(&lost));
}

#[test]
fn an_invariant_that_holds_at_the_defaults_alone_is_told() {
    let found = screened(50, 50, &["one-claim-per-instance"]);
    let (name, invariant) = ("b".to_owned(), "one-claim-per-instance".to_owned());
    assert_eq!(found.points[0].broken, [ScreenedBreach { name, invariant }]);
    let said = "b breaks what it holds at the defaults: one-claim-per-instance with cloud.lags.deletion=3m.";
    assert_eq!(found.verdict[1], said);
}

#[test]
fn seeds_that_one_side_lacks_count_for_none() {
    let mut screening = Screening::new("0.0.0", "some", vec!["a".to_owned(), "b".to_owned()], Vec::new());
    (1..=3).for_each(|seed| screening.add(0, 0, sample(seed, 1, &[])));
    screening.add(0, 1, sample(1, 1, &[]));
    assert_eq!(screening.finish().seeds, 1);
}
