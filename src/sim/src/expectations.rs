//! What a scenario expects, in the judge's terms.

use crate::plan::Plan;
use lkesim_judge::expect::{Bound, Expectations, FigureExpectation, Violates};
use lkesim_scenario::expect::Violation;
use lkesim_scenario::{Expected, Span};

impl Plan {
    /// What the scenario expects of this design.
    pub(crate) fn expectations(&self, design: &str) -> Expectations {
        let expect = &self.scenario.expect;
        let named =
            |(path, expected): (&str, Expected)| FigureExpectation { figure: path.to_owned(), bound: bound(&expected) };
        let sometimes = expect
            .sometimes(design)
            .map(|(case, expected)| FigureExpectation { figure: format!("sometimes.{case}"), bound: bound(&expected) });
        Expectations {
            violates: expect.violations(design).map(violates).collect(),
            figures: expect.figures(design).map(named).chain(sometimes).collect(),
        }
    }
}

/// The scenario's bound in millionths of the figure's unit. Figures are whole there, so "above" is "at least one more".
fn bound(expected: &Expected) -> Bound {
    let text = expected.to_string();
    let (min, max) = match *expected {
        Expected::Exactly(figure) => (Some(figure.micros()), Some(figure.micros())),
        Expected::Within(low, high) => (Some(low.micros()), Some(high.micros())),
        Expected::AtLeast(figure) => (Some(figure.micros()), None),
        Expected::AtMost(figure) => (None, Some(figure.micros())),
        Expected::Above(figure) => (Some(figure.micros() + 1), None),
        Expected::Below(figure) => (None, Some(figure.micros() - 1)),
    };
    Bound { min, max, text }
}

fn violates(violation: &Violation) -> Violates {
    let millionths = |number: u64| i128::from(number) * 1_000_000;
    let count = violation.detail.count.map(|count| Bound {
        min: count.low.map(millionths),
        max: count.high.map(millionths),
        text: count.to_string(),
    });
    let nanos = |span: Span| span.get().as_nanos() as i128;
    let first_ms = violation.detail.first.map(|first| Bound {
        min: first.low.map(nanos),
        max: first.high.map(nanos),
        text: first.to_string(),
    });
    Violates { invariant: violation.invariant.clone(), count, first_ms }
}
