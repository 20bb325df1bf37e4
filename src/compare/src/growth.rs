//! How the calls for each launch grow with a field of the scenario.

use crate::bootstrap::rounded;
use crate::document::{DesignMeasured, Growth, GrowthLine, GrowthPoint, ScenarioCompared};
use lkesim_judge::outcome::Quantity;
use std::collections::BTreeSet;

/// Which scenarios of a comparison are one with a field at several values: one after the other, value by value.
#[derive(Clone, Debug)]
pub struct Growing {
    /// The field.
    pub path: String,
    /// Its values.
    pub values: Vec<String>,
}

impl Growing {
    /// A line for each call of each design, and for all of them together.
    pub(crate) fn lines(&self, scenarios: &[ScenarioCompared]) -> Growth {
        let mut lines = Vec::new();
        for one in scenarios.chunks(self.values.len().max(1)) {
            for design in 0..one.first().map_or(0, |first| first.designs.len()) {
                let points: Vec<&DesignMeasured> = one.iter().map(|scenario| &scenario.designs[design]).collect();
                let calls: BTreeSet<&String> = points.iter().flat_map(|point| point.calls.by_endpoint.keys()).collect();
                let of = |measured: &DesignMeasured, call: &str| measured.calls.by_endpoint.get(call).copied();
                for call in calls {
                    lines.push(self.line(&one[0].scenario, &points, call, |measured| of(measured, call)));
                }
                let all =
                    |measured: &DesignMeasured| Some(Quantity(measured.calls.by_class.values().map(|n| n.0).sum()));
                lines.push(self.line(&one[0].scenario, &points, "all", all));
            }
        }
        Growth { path: self.path.clone(), lines }
    }

    fn line(
        &self,
        scenario: &str,
        points: &[&DesignMeasured],
        call: &str,
        of: impl Fn(&DesignMeasured) -> Option<Quantity>,
    ) -> GrowthLine {
        let calls = points.iter().map(|point| of(point).unwrap_or_default());
        let values = self.values.iter().cloned().zip(calls);
        let per_launch: Vec<GrowthPoint> = values.map(|(value, calls)| GrowthPoint { value, calls }).collect();
        GrowthLine {
            scenario: scenario.to_owned(),
            design: points.first().map_or_else(String::new, |point| point.design.clone()),
            call: call.to_owned(),
            exponent: exponent(&per_launch),
            per_launch,
        }
    }
}

/// The slope from the first point to the last on logarithmic scales, to a hundredth.
fn exponent(points: &[GrowthPoint]) -> Option<Quantity> {
    let (first, last) = (points.first()?, points.last()?);
    let value = |point: &GrowthPoint| point.value.parse::<u64>().ok().filter(|value| *value > 0);
    let calls = |point: &GrowthPoint| u64::try_from(point.calls.0).ok().filter(|calls| *calls > 0);
    let along = log2(value(last)?) - log2(value(first)?);
    let up = log2(calls(last)?) - log2(calls(first)?);
    let hundredths = (along != 0).then(|| rounded(i128::from(up) * 100, along.into()))?;
    Some(Quantity(hundredths * 10_000))
}

/// The logarithm of a number above 0, times 2^16. By squaring, as no float may decide a digit.
fn log2(number: u64) -> i64 {
    const FRACTION: u32 = 16;
    let whole = number.ilog2();
    let mut log = i64::from(whole) << FRACTION;
    // In 1..2, with 62 bits behind the point.
    let mut rest = (u128::from(number) << 62) >> whole;
    for bit in (0..FRACTION).rev() {
        rest = (rest * rest) >> 62;
        if rest >> 63 != 0 {
            rest >>= 1;
            log |= 1 << bit;
        }
    }
    log
}

#[cfg(test)]
mod tests;
