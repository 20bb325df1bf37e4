//! Whether a run came out as the scenario expects: figures within bounds, and the listed invariants broken.
//!
//! A scenario may show a design failing, so that a pass is "what broke is what was listed" and not "nothing broke". The
//! figures and the list were written down for one seed; with another, or with a field overridden, what is listed may
//! break or hold and figures are reported without deciding, but an invariant that is not listed must hold all the same.

mod figure_path;

pub use figure_path::{figure, figure_paths};

use crate::outcome::{ExpectationOutcome, InvariantOutcome, Outcome, Quantity, Verdict};

/// What a figure has to be, both ends included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bound {
    /// The least, in millionths of the figure's unit.
    pub min: Option<i128>,
    /// The most, in millionths of the figure's unit.
    pub max: Option<i128>,
    /// The bound as the scenario writes it.
    pub text: String,
}

impl Bound {
    /// From one whole number to another, written `low..high`.
    pub fn between(low: i64, high: i64) -> Bound {
        Bound {
            min: Some(i128::from(low) * 1_000_000),
            max: Some(i128::from(high) * 1_000_000),
            text: if low == high { low.to_string() } else { format!("{low}..{high}") },
        }
    }

    /// Whether a figure lies within.
    pub fn holds(&self, actual: Quantity) -> bool {
        let actual = i128::from(actual.0);
        self.min.is_none_or(|min| actual >= min) && self.max.is_none_or(|max| actual <= max)
    }
}

/// A figure that has to be within a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FigureExpectation {
    /// Its path in the outcome.
    pub figure: String,
    /// The bound.
    pub bound: Bound,
}

/// An invariant that has to break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violates {
    /// Its name.
    pub invariant: String,
    /// How often.
    pub count: Option<Bound>,
    /// When for the first time, in milliseconds.
    pub first_ms: Option<Bound>,
}

/// What a scenario expects of one design. The default expects that no invariant breaks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectations {
    /// The invariants that have to break; all others have to hold.
    pub violates: Vec<Violates>,
    /// The figures.
    pub figures: Vec<FigureExpectation>,
}

impl Expectations {
    /// Writes into the outcome which invariants were listed, how each expectation came out, and the verdict.
    ///
    /// `as_written` says that seed and settings are those that the scenario's author had. An invariant that the design
    /// does not promise never fails a run, listed or not, whether it broke or held.
    pub fn judge(&self, outcome: &mut Outcome, as_written: bool) {
        for invariant in &mut outcome.invariants {
            invariant.expected_to_break = self.violates.iter().any(|listed| listed.invariant == invariant.name);
        }
        let mut rows = Vec::new();
        for listed in &self.violates {
            rows.extend(violation_rows(listed, outcome, as_written));
        }
        for FigureExpectation { figure: path, bound } in &self.figures {
            rows.push(row(path.clone(), bound, figure(&figure_path::part(outcome, path), path), as_written));
        }
        let as_listed = outcome.invariants.iter().all(|invariant| is_as_listed(invariant, as_written));
        let figures_hold = rows.iter().all(|row| row.held || !row.decides);
        outcome.expectations = rows;
        outcome.verdict = if as_listed && figures_hold { Verdict::Pass } else { Verdict::Fail };
    }
}

/// Whether an invariant did what was listed.
fn is_as_listed(invariant: &InvariantOutcome, as_written: bool) -> bool {
    match (invariant.not_promised, invariant.expected_to_break) {
        (true, _) => true,
        (false, true) => !invariant.held || !as_written,
        (false, false) => invariant.held,
    }
}

/// The bounds on an invariant that has to break. One that was not judged at all is a row that does not hold.
fn violation_rows(listed: &Violates, outcome: &Outcome, as_written: bool) -> Vec<ExpectationOutcome> {
    let name = &listed.invariant;
    let path = |member: &str| format!("invariants.{name}.{member}");
    let Some(invariant) = outcome.invariants.iter().find(|invariant| invariant.name == *name) else {
        let at_least_once = Bound { min: Some(1_000_000), max: None, text: ">= 1".to_owned() };
        let bound = listed.count.as_ref().unwrap_or(&at_least_once);
        return vec![row(path("count"), bound, None, as_written)];
    };
    let decides = as_written && !invariant.not_promised;
    let count = listed.count.as_ref().map(|bound| {
        let actual = quantity(invariant.count);
        row(path("count"), bound, Some(actual), decides)
    });
    let first = listed.first_ms.as_ref().map(|bound| {
        let actual = invariant.violations.first().map(|violation| quantity(violation.at_ms));
        row(path("first_ms"), bound, actual, decides)
    });
    count.into_iter().chain(first).collect()
}

fn quantity(number: u64) -> Quantity {
    Quantity::whole(i64::try_from(number).unwrap_or(i64::MAX))
}

fn row(figure: String, bound: &Bound, actual: Option<Quantity>, decides: bool) -> ExpectationOutcome {
    ExpectationOutcome {
        figure,
        expected: bound.text.clone(),
        actual,
        held: actual.is_some_and(|actual| bound.holds(actual)),
        decides,
    }
}

#[cfg(test)]
mod tests;
