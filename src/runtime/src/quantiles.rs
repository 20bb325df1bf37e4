//! A delay given by a few of its quantiles, drawn without floats.

use crate::random::Word;
use std::time::Duration;

/// A quantile's place, in parts per million: the median is 500,000.
pub type PlacePpm = u32;

/// A distribution of delays: known quantiles, with straight lines between them.
///
/// A missing p0 is 0, a missing p100 is the last point given. Integers alone decide, as `ln` and `exp` differ between
/// platforms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantiles {
    /// At least two points, the first at 0 ppm and the last at 1,000,000 ppm, rising in both.
    points: Vec<(PlacePpm, u64)>,
}

/// Why points do not describe a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantilesError {
    /// No point was given.
    Empty,
    /// The point at this place is lower than one before it, or stands twice.
    NotRising(PlacePpm),
    /// The place is above 1,000,000 ppm.
    Beyond(PlacePpm),
}

impl Quantiles {
    /// No delay at all.
    pub fn zero() -> Quantiles {
        Quantiles::constant(Duration::ZERO)
    }

    /// Always the same delay.
    pub fn constant(delay: Duration) -> Quantiles {
        let nanos = nanos(delay);
        Quantiles { points: vec![(0, nanos), (1_000_000, nanos)] }
    }

    /// The distribution through `points`, given in any order.
    pub fn through(points: &[(PlacePpm, Duration)]) -> Result<Quantiles, QuantilesError> {
        let mut points: Vec<_> = points.iter().map(|&(place, delay)| (place, nanos(delay))).collect();
        points.sort_unstable_by_key(|&(place, _)| place);
        let last = *points.last().ok_or(QuantilesError::Empty)?;
        if last.0 > 1_000_000 {
            return Err(QuantilesError::Beyond(last.0));
        }
        if points[0].0 > 0 {
            points.insert(0, (0, 0));
        }
        if last.0 < 1_000_000 {
            points.push((1_000_000, last.1));
        }
        match points.windows(2).find(|pair| pair[0].0 == pair[1].0 || pair[0].1 > pair[1].1) {
            Some(pair) => Err(QuantilesError::NotRising(pair[1].0)),
            None => Ok(Quantiles { points }),
        }
    }

    /// Whether every draw is zero.
    pub fn is_zero(&self) -> bool {
        self.points.iter().all(|&(_, nanos)| nanos == 0)
    }

    /// The smallest delay that can be drawn.
    pub fn min(&self) -> Duration {
        Duration::from_nanos(self.points[0].1)
    }

    /// The largest delay that can be drawn.
    pub fn max(&self) -> Duration {
        Duration::from_nanos(self.points[self.points.len() - 1].1)
    }

    /// The points, as (place in ppm, delay), from p0 to p100.
    pub fn points(&self) -> impl Iterator<Item = (PlacePpm, Duration)> + '_ {
        self.points.iter().map(|&(place, nanos)| (place, Duration::from_nanos(nanos)))
    }

    /// The delay that `word` draws.
    #[inline]
    pub fn draw(&self, word: Word) -> Duration {
        if let [(_, low), (_, high)] = self.points[..]
            && low == high
        {
            return Duration::from_nanos(low);
        }
        // Billionths, so that a draw falls finely between two points.
        let place = word.below(1_000_000_001);
        let above =
            self.points.iter().position(|&(at, _)| u64::from(at) * 1_000 >= place).unwrap_or(self.points.len() - 1);
        let (high_place, high) = self.points[above];
        if above == 0 {
            return Duration::from_nanos(high);
        }
        let (low_place, low) = self.points[above - 1];
        let width = u128::from(high_place - low_place) * 1_000;
        let along = u128::from(place - u64::from(low_place) * 1_000);
        Duration::from_nanos(low + (u128::from(high - low) * along / width) as u64)
    }
}

fn nanos(delay: Duration) -> u64 {
    u64::try_from(delay.as_nanos()).unwrap_or(u64::MAX)
}
