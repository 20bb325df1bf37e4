//! From samples to the document of a screening: does a verdict stand wherever the truth about a guess may be?
//!
//! The same comparison is made at the defaults and with one knob at a time at another value. A figure *turns* where one
//! is better at the defaults and worse there; it is *lost* where no difference is shown there, and *gained* where none
//! is shown at the defaults. Each point is judged as a comparison of its own, so that of twenty points one may lose or
//! gain a figure by chance. None turns by chance, as both sides have to be shown.

use crate::comparing::{Differ, corrected_for, smallest_effect_percent};
use crate::document::{Called, SCREEN, Screened, ScreenedBreach, ScreenedFigure, ScreenedPoint, ScreenedSide};
use crate::sample::Sample;
use crate::tallies::invariants;
use std::collections::BTreeMap;

/// How many points a sentence names.
const NAMED: usize = 4;

/// A screening that is given its samples point by point.
pub struct Screening {
    /// The version of the program.
    pub version: String,
    /// The scenario's name.
    pub scenario: String,
    /// What was set in it, as `PATH=VALUE`.
    pub set: Vec<String>,
    /// The first seed.
    pub start_seed: u64,
    /// The design, where values of a field are compared and not designs.
    pub design: Option<String>,
    /// What is compared; the first is the reference.
    pub sides: Vec<String>,
    /// Each knob with a value.
    pub points: Vec<(String, String)>,
    /// Knobs that were left out, as the scenario states their values.
    pub stated: Vec<String>,
    /// A change below this share is called none, in millionths.
    pub smallest_effect_ppm: u64,
    /// The defaults first, then by point; by side, in the order of seeds.
    samples: Vec<Vec<Vec<Sample>>>,
}

impl Screening {
    /// A screening without samples.
    pub fn new(version: &str, scenario: &str, sides: Vec<String>, points: Vec<(String, String)>) -> Screening {
        Screening {
            version: version.to_owned(),
            scenario: scenario.to_owned(),
            set: Vec::new(),
            start_seed: 1,
            design: None,
            samples: vec![vec![Vec::new(); sides.len()]; points.len() + 1],
            sides,
            points,
            stated: Vec::new(),
            smallest_effect_ppm: 10_000,
        }
    }

    /// Adds a run: of the defaults at place 0, of the n-th point at place n. They come in the order of seeds.
    ///
    /// # Panics
    /// If there is no such place or side.
    pub fn add(&mut self, place: usize, side: usize, sample: Sample) {
        self.samples[place][side].push(sample);
    }

    /// The document.
    pub fn finish(mut self) -> Screened {
        let fewest = self.samples.iter().flatten().map(Vec::len).min().unwrap_or(0);
        self.samples.iter_mut().flatten().for_each(|samples| samples.truncate(fewest));
        let corrected_for = corrected_for(self.sides.len(), 1);
        let mut differ = Differ::new(corrected_for, self.smallest_effect_ppm);
        let mut all: Vec<Vec<ScreenedSide>> =
            self.samples.iter().map(|samples| sides(&self.sides, samples, &mut differ)).collect();
        let defaults = all.remove(0);
        let points: Vec<ScreenedPoint> = self
            .points
            .into_iter()
            .zip(all)
            .map(|((knob, value), sides)| point(knob, value, sides, &defaults))
            .collect();
        Screened {
            schema: SCREEN.to_owned(),
            version: self.version,
            scenario: self.scenario,
            set: self.set,
            start_seed: self.start_seed,
            seeds: fewest as u64,
            design: self.design,
            compared: self.sides,
            smallest_effect_percent: smallest_effect_percent(self.smallest_effect_ppm),
            corrected_for,
            verdict: words(&defaults, &points),
            defaults,
            points,
            stated: self.stated,
        }
    }
}

/// What each side is, beside the first.
fn sides(names: &[String], samples: &[Vec<Sample>], differ: &mut Differ) -> Vec<ScreenedSide> {
    let Some((reference, _)) = samples.split_first() else { return Vec::new() };
    let side = |(place, (name, samples)): (usize, (&String, &Vec<Sample>))| {
        let called = if place == 0 { Vec::new() } else { differ.deciding(reference, samples) };
        let those = |which: Called| {
            called.iter().filter(|(_, called)| *called == which).map(|(figure, _)| figure.name.to_owned()).collect()
        };
        ScreenedSide {
            name: name.clone(),
            better: those(Called::Better),
            worse: those(Called::Worse),
            invariants_broken_per_1000: invariants(samples),
        }
    };
    names.iter().zip(samples).enumerate().map(side).collect()
}

/// What differs at a point from the defaults.
fn point(knob: String, value: String, sides: Vec<ScreenedSide>, defaults: &[ScreenedSide]) -> ScreenedPoint {
    let (mut turned, mut lost, mut gained, mut broken) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (side, default) in sides.iter().zip(defaults) {
        let figure = |figure: &String| ScreenedFigure { name: side.name.clone(), figure: figure.clone() };
        for (was, other, same, opposite) in [
            (&default.better, &default.worse, &side.better, &side.worse),
            (&default.worse, &default.better, &side.worse, &side.better),
        ] {
            turned.extend(was.iter().filter(|of| opposite.contains(of)).map(figure));
            lost.extend(was.iter().filter(|of| !same.contains(of) && !opposite.contains(of)).map(figure));
            gained.extend(same.iter().filter(|of| !was.contains(of) && !other.contains(of)).map(figure));
        }
        let is_more = |invariant: &&String| !default.invariants_broken_per_1000.contains_key(*invariant);
        let more = side.invariants_broken_per_1000.keys().filter(is_more);
        broken.extend(more.map(|invariant| ScreenedBreach { name: side.name.clone(), invariant: invariant.clone() }));
    }
    ScreenedPoint { knob, value, sides, turned, lost, gained, broken }
}

/// What turns first; then what is broken besides; then how much of what the defaults show stands everywhere.
fn words(defaults: &[ScreenedSide], points: &[ScreenedPoint]) -> Vec<String> {
    let mut sentences = Vec::new();
    for point in points {
        sentences.extend(point.turned.iter().map(|ScreenedFigure { name, figure }| {
            let is_better = defaults.iter().any(|side| side.name == *name && side.better.contains(figure));
            let (was, is) = if is_better { ("better", "worse") } else { ("worse", "better") };
            format!("{} turns {figure} of {name}: {was} at the defaults, {is} there.", at(point))
        }));
    }
    if sentences.is_empty() {
        sentences.push(format!("None of {} turns a figure of the verdict.", counted(points.len(), "point")));
    }
    sentences.extend(defaults.iter().filter_map(|side| broken(&side.name, points)));
    for side in defaults.iter().skip(1) {
        for (figures, word) in [(&side.better, "better"), (&side.worse, "worse")] {
            sentences.extend(standing(&side.name, figures, word, points));
        }
    }
    sentences
}

/// What a side breaks at some point and not at the defaults.
fn broken(name: &str, points: &[ScreenedPoint]) -> Option<String> {
    let mut invariants: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for point in points {
        for breach in point.broken.iter().filter(|breach| breach.name == name) {
            invariants.entry(&breach.invariant).or_default().push(at(point));
        }
    }
    let words: Vec<String> =
        invariants.into_iter().map(|(invariant, points)| format!("{invariant} with {}", some(points))).collect();
    (!words.is_empty()).then(|| format!("{name} breaks what it holds at the defaults: {}.", words.join("; ")))
}

/// The first few points.
fn some(mut points: Vec<String>) -> String {
    let more = points.len().saturating_sub(NAMED);
    points.truncate(NAMED);
    let more = if more == 0 { String::new() } else { format!(" and at {more} more") };
    format!("{}{more}", points.join(", "))
}

/// Which of these figures stand at every point, and where each other one does not.
fn standing(name: &str, figures: &[String], word: &str, points: &[ScreenedPoint]) -> Vec<String> {
    let gone = |figure: &String| {
        let of = ScreenedFigure { name: name.to_owned(), figure: figure.clone() };
        let gone = points.iter().filter(|point| point.turned.contains(&of) || point.lost.contains(&of));
        gone.map(at).collect::<Vec<_>>()
    };
    let (everywhere, elsewhere): (Vec<_>, Vec<_>) =
        figures.iter().map(|figure| (figure, gone(figure))).partition(|(_, gone)| gone.is_empty());
    let everywhere: Vec<&str> = everywhere.iter().map(|(figure, _)| figure.as_str()).collect();
    let first =
        (!everywhere.is_empty()).then(|| format!("{name} is {word} at every point in {}.", everywhere.join(", ")));
    let others = elsewhere
        .into_iter()
        .map(|(figure, gone)| format!("{name} is {word} in {figure}, which is not shown with {}.", some(gone)));
    first.into_iter().chain(others).collect()
}

/// A point as an override.
fn at(point: &ScreenedPoint) -> String {
    format!("{}={}", point.knob, point.value)
}

fn counted(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

#[cfg(test)]
mod tests;
