//! Times of many runs in one histogram.

use hdrhistogram::Histogram;
use lkesim_judge::figures::Reached;
use lkesim_judge::outcome::Times;

/// Times in milliseconds, within a thousandth of what they were.
pub struct TimesOf {
    all: Histogram<u64>,
    finished: u64,
}

/// Digits that are kept of a time.
const DIGITS: u8 = 3;

impl TimesOf {
    pub fn new() -> TimesOf {
        TimesOf { all: Histogram::new(DIGITS).expect("three digits are possible"), finished: 0 }
    }

    /// Adds the times of a run.
    pub fn add(&mut self, reached: &Reached) {
        self.finished += reached.finished;
        for &time in &reached.all_ms {
            self.all.record(time).expect("it grows with what it is given");
        }
    }

    pub fn quantiles(&self) -> Times {
        Times {
            n: self.finished,
            of: self.all.len(),
            p50_ms: self.at(50),
            p90_ms: self.at(90),
            p99_ms: self.at(99),
            max_ms: self.all.max(),
        }
    }

    /// By the nearest rank, as the quantiles of one run.
    fn at(&self, percent: u64) -> u64 {
        let rank = (percent * self.all.len()).div_ceil(100);
        let mut seen = 0;
        let reaches = |step: &hdrhistogram::iterators::IterationValue<u64>| {
            seen += step.count_since_last_iteration();
            seen >= rank
        };
        // A bucket is told by its upper end, which may be beyond all that is in it.
        self.all.iter_recorded().find(reaches).map_or(0, |step| step.value_iterated_to().min(self.all.max()))
    }
}
