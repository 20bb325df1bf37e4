//! Figures over several scenarios.
//!
//! A mean of ratios breaks where a scenario has nothing of a figure, and few have throttled calls. So the change is
//! taken as a share of the middle between both designs: bounded, the same both ways, and 0 where both have nothing.

use crate::bootstrap::{mean, rounded};
use crate::document::{Called, DifferenceRow, ScenarioCompared, SummaryRow};
use crate::figure::FIGURES;
use lkesim_judge::outcome::Quantity;

/// A row for each design beside the reference and each figure; none of one scenario alone.
pub fn rows(scenarios: &[ScenarioCompared], designs: &[String]) -> Vec<SummaryRow> {
    if scenarios.len() < 2 {
        return Vec::new();
    }
    let of_design = |design: &String| {
        let design = design.clone();
        FIGURES.iter().filter_map(move |figure| row(scenarios, &design, figure.name))
    };
    designs.iter().skip(1).flat_map(of_design).collect()
}

fn row(scenarios: &[ScenarioCompared], design: &str, figure: &str) -> Option<SummaryRow> {
    let is_row = |row: &&DifferenceRow| row.design == design && row.figure == figure;
    let found: Vec<&DifferenceRow> = scenarios.iter().filter_map(|one| one.differences.iter().find(is_row)).collect();
    if found.is_empty() {
        return None;
    }
    let called = |called: Called| found.iter().filter(|row| row.called == called).count() as u64;
    // To a tenth of a percent.
    let change = Quantity(mean(found.iter().map(|row| symmetric(row) * 100_000)));
    Some(SummaryRow {
        design: design.to_owned(),
        figure: figure.to_owned(),
        better: called(Called::Better),
        worse: called(Called::Worse),
        same: called(Called::Same),
        mean_change_percent: change,
    })
}

/// The change as a share of the middle between both, in tenths of a percent.
fn symmetric(row: &DifferenceRow) -> i64 {
    let (reference, change) = (i128::from(row.reference.0), i128::from(row.change.0));
    let both = reference.abs() + (reference + change).abs();
    rounded(change * 2_000, both)
}
