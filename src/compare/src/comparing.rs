//! From samples to the document of a comparison.

use crate::bootstrap::{Bootstrap, rounded};
use crate::document::{COMPARE, Called, Compared, DesignMeasured, DifferenceRow, ScenarioCompared};
use crate::figure::{FIGURES, Figure};
use crate::growth::Growing;
use crate::pair::{Difference, Pairs};
use crate::sample::Sample;
use crate::{summary, tallies, verdict};
use lkesim_judge::outcome::Quantity;
use std::collections::BTreeMap;

/// What a comparison depends on beside its samples.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The version of the program.
    pub version: String,
    /// The designs; the first is the reference.
    pub designs: Vec<String>,
    /// The first seed.
    pub start_seed: u64,
    /// A change below this share of the reference is called none, in millionths.
    pub smallest_effect_ppm: u64,
}

/// One scenario's samples.
struct Compare {
    scenario: String,
    set: Vec<String>,
    /// By design, in the order of seeds.
    samples: Vec<Vec<Sample>>,
}

/// A comparison that is given its samples scenario by scenario.
pub struct Comparing {
    settings: Settings,
    scenarios: Vec<Compare>,
}

impl Comparing {
    /// A comparison without samples.
    pub fn new(settings: Settings) -> Comparing {
        Comparing { settings, scenarios: Vec::new() }
    }

    /// Begins a scenario, in which something may have been set.
    pub fn scenario(&mut self, name: &str, set: Vec<String>) {
        let samples = vec![Vec::new(); self.settings.designs.len()];
        self.scenarios.push(Compare { scenario: name.to_owned(), set, samples });
    }

    /// Adds a run of a scenario, by its place, and a design. They come in the order of seeds.
    ///
    /// # Panics
    /// If there is no such scenario or design.
    pub fn add(&mut self, scenario: usize, design: usize, sample: Sample) {
        self.scenarios[scenario].samples[design].push(sample);
    }

    /// The document. `growing` tells which scenarios are one with a field at several values.
    pub fn finish(mut self, growing: Option<&Growing>) -> Compared {
        let seeds = self.cut();
        let designs = self.settings.designs.clone();
        let corrected_for = corrected_for(designs.len(), self.scenarios.len());
        let mut differ = Differ::new(corrected_for, self.settings.smallest_effect_ppm);
        let scenarios: Vec<ScenarioCompared> =
            self.scenarios.iter().map(|one| one.compared(&designs, &mut differ)).collect();
        let summary = summary::rows(&scenarios, &designs);
        let mut compared = Compared {
            schema: COMPARE.to_owned(),
            version: self.settings.version,
            start_seed: self.settings.start_seed,
            seeds,
            designs,
            smallest_effect_percent: smallest_effect_percent(self.settings.smallest_effect_ppm),
            corrected_for,
            verdict: Vec::new(),
            growth: growing.map(|growing| growing.lines(&scenarios)),
            scenarios,
            summary,
        };
        compared.verdict = verdict::words(&compared);
        compared
    }

    /// Leaves as many seeds everywhere as each has: an interrupted comparison compares equals.
    fn cut(&mut self) -> u64 {
        let lists = || self.scenarios.iter().flat_map(|one| &one.samples);
        let fewest = lists().map(Vec::len).min().unwrap_or(0);
        for one in &mut self.scenarios {
            one.samples.iter_mut().for_each(|samples| samples.truncate(fewest));
        }
        fewest as u64
    }
}

impl Compare {
    fn compared(&self, designs: &[String], differ: &mut Differ) -> ScenarioCompared {
        let measured: Vec<DesignMeasured> =
            designs.iter().zip(&self.samples).map(|(design, samples)| tallies::measured(design, samples)).collect();
        let mut differences = Vec::new();
        if let Some((reference, others)) = self.samples.split_first() {
            for (design, other) in designs[1..].iter().zip(others) {
                differences.extend(differ.rows(design, reference, other));
            }
        }
        ScenarioCompared { scenario: self.scenario.clone(), set: self.set.clone(), designs: measured, differences }
    }
}

/// How many intervals a verdict speaks of, with so many designs and scenarios.
pub fn corrected_for(designs: usize, scenarios: usize) -> u64 {
    let deciding = FIGURES.iter().filter(|figure| figure.decides).count();
    (deciding * designs.saturating_sub(1).max(1) * scenarios.max(1)) as u64
}

/// The smallest change that matters, as documents tell it.
pub fn smallest_effect_percent(ppm: u64) -> Quantity {
    Quantity(i64::try_from(ppm * 100).unwrap_or(i64::MAX))
}

/// Makes rows of differences. Resamples are drawn once for each number of pairs.
pub struct Differ {
    together: u64,
    smallest_ppm: u64,
    bootstraps: BTreeMap<usize, Bootstrap>,
}

impl Differ {
    pub fn new(together: u64, smallest_ppm: u64) -> Differ {
        Differ { together, smallest_ppm, bootstraps: BTreeMap::new() }
    }

    /// A row for each figure that both have under some seed.
    pub fn rows(&mut self, design: &str, reference: &[Sample], other: &[Sample]) -> Vec<DifferenceRow> {
        (0..FIGURES.len()).filter_map(|place| self.row(place, design, reference, other)).collect()
    }

    /// The figures of the verdict that both have under some seed, and what each is called.
    pub fn deciding(&mut self, reference: &[Sample], other: &[Sample]) -> Vec<(&'static Figure, Called)> {
        let mut called = Vec::new();
        for (place, figure) in FIGURES.iter().enumerate().filter(|(_, figure)| figure.decides) {
            if let Some(difference) = self.difference(&pairs(place, reference, other)) {
                called.push((figure, self.call(&difference, figure)));
            }
        }
        called
    }

    /// What the pairs of a figure show; none without any.
    pub fn difference(&mut self, pairs: &[(i64, i64)]) -> Option<Difference> {
        let new = || Bootstrap::new(pairs.len(), Bootstrap::RESAMPLES);
        let bootstrap = self.bootstraps.entry(pairs.len()).or_insert_with(new);
        Difference::of(pairs, bootstrap, self.together)
    }

    /// Whether a difference is one.
    pub fn call(&self, difference: &Difference, figure: &Figure) -> Called {
        difference.call(figure, self.smallest_ppm)
    }

    fn row(&mut self, place: usize, design: &str, reference: &[Sample], other: &[Sample]) -> Option<DifferenceRow> {
        let difference = self.difference(&pairs(place, reference, other))?;
        let figure = &FIGURES[place];
        Some(DifferenceRow {
            design: design.to_owned(),
            figure: figure.name.to_owned(),
            n: difference.n,
            reference: difference.reference,
            change: difference.change,
            change_percent: percent(difference.change, difference.reference),
            interval: difference.interval.into(),
            corrected: difference.corrected.into(),
            smallest_shown: difference.smallest_shown(),
            called: self.call(&difference, figure),
            variance_saved_percent: difference.variance_saved_percent,
        })
    }
}

/// The values of a figure under the seeds in which both have it.
fn pairs(place: usize, reference: &[Sample], other: &[Sample]) -> Pairs {
    let both = |(one, two): (&Sample, &Sample)| Some((one.values[place]?.0, two.values[place]?.0));
    reference.iter().zip(other).filter_map(both).collect()
}

/// A change as a share of what it is a change of, to a tenth of a percent.
fn percent(change: Quantity, of: Quantity) -> Option<Quantity> {
    let tenths = (of.0 != 0).then(|| rounded(i128::from(change.0) * 1_000, i128::from(of.0.abs())))?;
    Some(Quantity(tenths.saturating_mul(100_000)))
}
