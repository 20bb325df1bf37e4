//! From samples to the document of a sweep.

use crate::comparing::Differ;
use crate::document::{Called, Point, SWEEP, Swept};
use crate::figure::FIGURES;
use crate::sample::Sample;
use crate::verdict::in_runs;
use crate::{pareto, tallies};

/// A sweep that is given its samples point by point.
pub struct Sweeping {
    /// The version of the program.
    pub version: String,
    /// The scenario's name.
    pub scenario: String,
    /// The first seed.
    pub start_seed: u64,
    /// The fields that vary.
    pub fields: Vec<String>,
    /// The combinations of values.
    pub values: Vec<Vec<String>>,
    /// The designs.
    pub designs: Vec<String>,
    /// Two figures that pull against each other.
    pub pareto: [String; 2],
    /// A change below this share is called none, in millionths.
    pub smallest_effect_ppm: u64,
    /// By combination and design, in the order of seeds.
    pub samples: Vec<Vec<Vec<Sample>>>,
}

impl Sweeping {
    /// Adds a run of a combination and a design, by their places. They come in the order of seeds.
    ///
    /// # Panics
    /// If there is no such design.
    pub fn add(&mut self, combination: usize, design: usize, sample: Sample) {
        let designs = self.designs.len();
        if self.samples.len() <= combination {
            self.samples.resize(combination + 1, vec![Vec::new(); designs]);
        }
        self.samples[combination][design].push(sample);
    }

    /// The document.
    pub fn finish(mut self) -> Swept {
        let designs = self.designs.len();
        self.samples.resize(self.values.len(), vec![Vec::new(); designs]);
        let fewest = self.samples.iter().flatten().map(Vec::len).min().unwrap_or(0);
        self.samples.iter_mut().flatten().for_each(|samples| samples.truncate(fewest));
        let points = self.points();
        let front = (points.len() > 1).then(|| pareto::front(&points, [&self.pareto[0], &self.pareto[1]]));
        Swept {
            schema: SWEEP.to_owned(),
            version: self.version,
            scenario: self.scenario,
            start_seed: self.start_seed,
            seeds: fewest as u64,
            verdict: words(&points, &self.fields),
            fields: self.fields,
            points,
            front,
        }
    }

    fn points(&self) -> Vec<Point> {
        let deciding = FIGURES.iter().filter(|figure| figure.decides).count();
        let others = self.values.len().saturating_sub(1).max(1);
        let mut differ = Differ::new((deciding * others * self.designs.len()) as u64, self.smallest_effect_ppm);
        let mut points = Vec::new();
        for (place, values) in self.values.iter().enumerate() {
            for (design, name) in self.designs.iter().enumerate() {
                let samples = &self.samples[place][design];
                let differences = match place {
                    0 => Vec::new(),
                    _ => differ.rows(name, &self.samples[0][design], samples),
                };
                points.push(Point { values: values.clone(), measured: tallies::measured(name, samples), differences });
            }
        }
        points
    }
}

/// Which figures of the verdict change over the sweep, and where invariants break.
fn words(points: &[Point], fields: &[String]) -> Vec<String> {
    let mut sentences = Vec::new();
    for point in points.iter().filter(|point| point.measured.broken_per_1000.0 > 0) {
        let names: Vec<&str> = point.measured.invariants_broken_per_1000.keys().map(String::as_str).collect();
        sentences.push(format!(
            "{} with {} breaks invariants {} ({}).",
            point.measured.design,
            named(fields, &point.values),
            in_runs(point.measured.broken_per_1000, point.measured.runs),
            names.join(", "),
        ));
    }
    for figure in FIGURES.iter().filter(|figure| figure.decides) {
        let rows = points.iter().flat_map(|point| &point.differences).filter(|row| row.figure == figure.name);
        let (mut better, mut worse) = (0, 0);
        for row in rows {
            better += u64::from(row.called == Called::Better);
            worse += u64::from(row.called == Called::Worse);
        }
        if better + worse > 0 {
            let name = figure.name;
            sentences
                .push(format!("{name} is better than at the first point at {better} points, and worse at {worse}."));
        }
    }
    if sentences.is_empty() {
        sentences.push(format!("No figure of the verdict changes with {}.", fields.join(" and ")));
    }
    sentences
}

/// Fields with their values.
pub fn named(fields: &[String], values: &[String]) -> String {
    fields.iter().zip(values).map(|(field, value)| format!("{field}={value}")).collect::<Vec<_>>().join(", ")
}
