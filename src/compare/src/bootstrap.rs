//! How far a mean over seeds may be off: the percentile bootstrap, widened for few seeds, in integers.
//!
//! A resample takes as many seeds as there are, with replacement, and has a mean of its own; the means of many
//! resamples spread as the mean itself would over other sets of seeds. The draws are keyed by the number of the
//! resample and nothing else, so that the same seeds give the same interval, in whatever order figures are asked for.
//!
//! Few seeds spread less than all seeds would, so that the percentiles alone leave out the true mean too often: at 20
//! seeds in 9 of 100 tests in place of 5. The interval is therefore widened about the mean as Student's interval is
//! beside the normal one, by `sqrt(n / (n - 1)) * t / z` (Hesterberg, "What teachers should know about the bootstrap",
//! 2015, "expanded percentile interval").

use lkesim_runtime::Seed;
use lkesim_runtime::random::Entity;

/// Which seeds each resample takes.
pub struct Bootstrap {
    of: usize,
    /// Resample after resample, `of` indices each.
    taken: Vec<u32>,
}

/// Half of the part of resamples that an interval of 95 % leaves out, in millionths.
const TAIL_PPM: u64 = 25_000;

impl Bootstrap {
    /// Resamples enough for documents: the widest interval that a comparison asks for has a dozen of them outside.
    pub const RESAMPLES: usize = 10_000;

    /// So many resamples of `of` seeds.
    pub fn new(of: usize, resamples: usize) -> Bootstrap {
        let key = Seed(0).key("bootstrap");
        let index = |resample: usize, n: usize| {
            let word = key.draw(Entity::numbered(resample as u64), n as u64);
            u32::try_from(word.below(of as u64)).unwrap_or(u32::MAX)
        };
        let taken = (0..resamples).flat_map(|resample| (0..of).map(move |n| index(resample, n)));
        Bootstrap { of, taken: taken.collect() }
    }

    /// The interval that holds the mean of `values` with 95 %, for each of these numbers of intervals that shall hold
    /// together (Bonferroni). None without values. One value alone shows no spread: its interval is that value.
    ///
    /// # Panics
    /// If there are not as many values as the resamples are of.
    pub fn intervals<const N: usize>(&self, values: &[i64], together: [u64; N]) -> Option<[(i64, i64); N]> {
        assert_eq!(values.len(), self.of, "resamples of another number of seeds");
        if values.is_empty() {
            return None;
        }
        let mut means: Vec<i64> = self.taken.chunks(self.of).map(|taken| resampled(values, taken)).collect();
        means.sort_unstable();
        let resamples = means.len() as u64;
        let middle = mean(values.iter().copied());
        Some(together.map(|together| {
            let outside = resamples * TAIL_PPM / 1_000_000 / together.max(1);
            let outside = usize::try_from(outside.min((resamples - 1) / 2)).unwrap_or(0);
            let factor_ppm = widening_ppm(self.of as u64, together);
            let widened = |end: i64| {
                let from_middle = i128::from(end) - i128::from(middle);
                rounded(i128::from(middle) * 1_000_000 + from_middle * factor_ppm, 1_000_000)
            };
            (widened(means[outside]), widened(means[means.len() - 1 - outside]))
        }))
    }
}

/// The square of the normal quantile that leaves out 5 % in all, in thousandths, for 1, 2, 4, 8, ... intervals that hold
/// together.
const NORMAL_SQUARED: [i128; 11] = [3_841, 5_024, 6_239, 7_477, 8_733, 10_003, 11_285, 12_577, 13_876, 15_181, 16_493];

/// By how much an interval over `n` seeds is wider than its percentiles, in millionths: `sqrt(n / (n - 1)) * t / z`, with
/// the first terms of Student's quantile in powers of 1 / (n - 1) (Abramowitz and Stegun, 26.7.5).
fn widening_ppm(n: u64, together: u64) -> i128 {
    const ONE: i128 = 1_000_000;
    if n < 2 {
        return ONE;
    }
    let freedom = i128::from(n - 1);
    let powers = together.max(1).next_power_of_two().trailing_zeros() as usize;
    let square = NORMAL_SQUARED[powers.min(NORMAL_SQUARED.len() - 1)];
    let first = (square + 1_000) * 1_000 / (4 * freedom);
    let second = (5 * square * square + 16_000 * square + 3_000_000) / (96 * freedom * freedom);
    let of_spread = (ONE * ONE * i128::from(n) / freedom).isqrt();
    of_spread * (ONE + first + second) / ONE
}

fn resampled(values: &[i64], taken: &[u32]) -> i64 {
    let sum: i128 = taken.iter().map(|&index| i128::from(values[index as usize])).sum();
    rounded(sum, taken.len() as i128)
}

/// The mean, rounded half away from zero; 0 without values.
pub fn mean(values: impl IntoIterator<Item = i64>) -> i64 {
    let (sum, n) = values.into_iter().fold((0, 0), |(sum, n), value| (sum + i128::from(value), n + 1));
    rounded(sum, n)
}

/// A quotient, rounded half away from zero; 0 where nothing is divided.
pub fn rounded(sum: i128, by: i128) -> i64 {
    if by == 0 {
        return 0;
    }
    let half = by / 2 * sum.signum();
    let quotient = (sum + half) / by;
    i64::try_from(quotient).unwrap_or(if quotient < 0 { i64::MIN } else { i64::MAX })
}

#[cfg(test)]
mod tests;
