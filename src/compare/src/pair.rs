//! Two designs under the same luck: the differences seed by seed.

use crate::bootstrap::{Bootstrap, mean, rounded};
use crate::document::Called;
use crate::figure::{Better, Figure};
use lkesim_judge::outcome::Quantity;

/// What the differences of one figure over seeds come to, all in the figure's unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// How many seeds have the figure under both.
    pub n: u64,
    /// The reference's mean over these seeds.
    pub reference: Quantity,
    /// The mean difference; above 0 where the other design has more.
    pub change: Quantity,
    /// Where the true difference is with 95 %.
    pub interval: (Quantity, Quantity),
    /// The same, wide enough that all figures of the verdict hold together with 95 %.
    pub corrected: (Quantity, Quantity),
    /// The part of the variance that the pairing took away, in percent: of the variance that the difference of
    /// independent runs would have. Below 0 where the same luck treats the designs in opposite ways; none where
    /// nothing varies.
    pub variance_saved_percent: Option<i64>,
}

/// The pairs of a figure: the reference's value and the other's for each seed that has both.
pub type Pairs = Vec<(i64, i64)>;

impl Difference {
    /// What the pairs show; none without any. `together` is how many intervals the verdict speaks of.
    pub fn of(pairs: &[(i64, i64)], bootstrap: &Bootstrap, together: u64) -> Option<Difference> {
        let differences: Vec<i64> = pairs.iter().map(|(reference, other)| other - reference).collect();
        let [interval, corrected] = bootstrap.intervals(&differences, [1, together])?;
        let quantities = |(low, high)| (Quantity(low), Quantity(high));
        Some(Difference {
            n: pairs.len() as u64,
            reference: Quantity(mean(pairs.iter().map(|(reference, _)| *reference))),
            change: Quantity(mean(differences.iter().copied())),
            interval: quantities(interval),
            corrected: quantities(corrected),
            variance_saved_percent: variance_saved(pairs),
        })
    }

    /// Whether the interval, as it is corrected, leaves no doubt, and the change is as large as matters: a share of the
    /// reference in millionths. Against nothing at all, every change matters.
    pub fn call(&self, figure: &Figure, smallest_ppm: u64) -> Called {
        let (low, high) = self.corrected;
        let is_sure = low.0 > 0 || high.0 < 0;
        let share = i128::from(self.change.0.unsigned_abs()) * 1_000_000;
        if !is_sure || share < i128::from(self.reference.0.unsigned_abs()) * i128::from(smallest_ppm) {
            return Called::Same;
        }
        match (figure.better, self.change.0 > 0) {
            (Better::Lower, true) | (Better::Higher, false) => Called::Worse,
            (Better::Lower, false) | (Better::Higher, true) => Called::Better,
        }
    }

    /// Half of the interval as it is corrected: about the smallest difference that these seeds could have shown.
    pub fn smallest_shown(&self) -> Quantity {
        Quantity((self.corrected.1.0.saturating_sub(self.corrected.0.0)) / 2)
    }
}

/// How much less the differences vary than those of independent runs: 1 - Var(other - reference) / (Var(reference) +
/// Var(other)), in percent.
fn variance_saved(pairs: &[(i64, i64)]) -> Option<i64> {
    let (reference, other) = (pairs.iter().map(|pair| pair.0), pairs.iter().map(|pair| pair.1));
    let independent = spread(reference).saturating_add(spread(other));
    if independent == 0 {
        return None;
    }
    let paired = spread(pairs.iter().map(|(reference, other)| other - reference));
    Some(rounded((independent - paired).saturating_mul(100), independent))
}

/// The sum of squared distances from the mean, as far as it can be told.
fn spread(values: impl Iterator<Item = i64> + Clone) -> i128 {
    let middle = i128::from(mean(values.clone()));
    let square = |value: i64| (i128::from(value) - middle).saturating_pow(2);
    values.map(square).fold(0, i128::saturating_add)
}

#[cfg(test)]
mod tests;
