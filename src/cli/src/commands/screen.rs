//! `lkesim screen`: a comparison at the defaults, and with one unknown knob at a time at another value.

use super::many::{self, Varied};
use crate::args::many::Screen as Args;
use crate::{Failure, Terminal, catalogue, input, runner};
use lkesim_compare::Screening;
use lkesim_explore::Grid;
use lkesim_report::screened;
use lkesim_scenario::Scenario;
use lkesim_scenario::presets::ranges;
use serde_json::Value;
use std::path::Path;

/// Runs the command.
pub fn screen(args: &Args, terminal: &mut Terminal) -> Result<u8, Failure> {
    many::without_design(&args.set, "--designs")?;
    let vary = args.vary.as_deref().map(|text| Varied::parse("--vary", text)).transpose()?;
    if args.scenario == Path::new("-") {
        return Err(Failure::Usage("standard input can be read once: give the scenario as a file".to_owned()));
    }
    let base = input::scenario(&args.scenario, &args.set, &args.designs, terminal)?;
    let designs = input::design_names(&args.designs, base.scenario.design.as_ref());
    let sides = sides(&designs, vary.as_ref())?;
    let Knobs { points, stated } = knobs(args, &base.scenario, vary.as_ref())?;
    let fields = vary.as_ref().map_or(1, |vary| vary.values.len());
    let mut scenarios = Vec::new();
    for point in std::iter::once(None).chain(points.iter().map(Some)) {
        for place in 0..fields {
            let mut sets = args.set.clone();
            sets.extend(vary.as_ref().map(|vary| vary.set(place)));
            sets.extend(point.map(|(knob, value)| format!("{knob}={value}")));
            let loaded = input::scenario(&args.scenario, &sets, &args.designs, terminal)?;
            scenarios.push((loaded.name, loaded.scenario));
        }
    }
    many::no_seed_twice(args.many.start_seed, args.many.seeds)?;
    let grid = Grid {
        scenarios,
        designs: many::designs("--designs", &designs)?,
        start_seed: args.many.start_seed,
        seeds: args.many.seeds,
        jobs: runner::jobs(args.many.jobs.map(usize::from)),
    };
    let mut screening = Screening::new(env!("CARGO_PKG_VERSION"), &base.name, sides, points);
    screening.set = args.set.clone();
    screening.start_seed = args.many.start_seed;
    screening.design = vary.is_some().then(|| designs[0].clone());
    screening.stated = stated;
    screening.smallest_effect_ppm = args.many.smallest_effect;
    let interrupted = many::run(&grid, terminal, &mut |spot, sample| {
        let side = spot.scenario % fields * grid.designs.len() + spot.design;
        screening.add(spot.scenario / fields, side, sample);
    })?;
    let screened = screening.finish();
    many::report(&screened, || screened::screened(&screened), &args.many, terminal)?;
    Ok(many::code(interrupted))
}

/// What is compared: several designs, or several values under one.
fn sides(designs: &[String], vary: Option<&Varied>) -> Result<Vec<String>, Failure> {
    match (designs, vary) {
        ([_], Some(vary)) if vary.values.len() > 1 => Ok((0..vary.values.len()).map(|place| vary.set(place)).collect()),
        (_, Some(vary)) if vary.values.len() < 2 => {
            Err(Failure::Usage(format!("--vary {} has one value; expected what is to be compared", vary.path)))
        }
        (_, Some(_)) => {
            Err(Failure::Usage("--vary compares values under one design; name one with --designs".to_owned()))
        }
        ([_], None) => {
            let help = "name several with --designs, or vary a field with --vary";
            Err(Failure::Usage(format!("there is nothing to compare {} with; {help}", designs[0])))
        }
        (designs, None) => Ok(designs.to_vec()),
    }
}

/// What is tried.
struct Knobs {
    /// Each knob with a value.
    points: Vec<(String, String)>,
    /// Knobs that the scenario states.
    stated: Vec<String>,
}

/// The unknown knobs of the scenario's tier with their ranges, or those that were named.
fn knobs(args: &Args, scenario: &Scenario, vary: Option<&Varied>) -> Result<Knobs, Failure> {
    let mut knobs = Knobs { points: Vec::new(), stated: Vec::new() };
    if args.knob.is_empty() {
        knobs.add_ranges(|_| true, scenario, vary);
    }
    for wanted in &args.knob {
        match wanted.split_once('=') {
            Some(_) => {
                let Varied { path, values } = Varied::parse("--knob", wanted)?;
                knobs.points.extend(values.into_iter().map(|value| (path.clone(), value)));
            }
            None => {
                let is_meant = |knob: &str| {
                    knob == wanted || knob.strip_prefix(&**wanted).is_some_and(|rest| rest.starts_with('.'))
                };
                if !knobs.add_ranges(is_meant, scenario, vary) {
                    return Err(without_range(wanted, scenario));
                }
            }
        }
    }
    match knobs.points.iter().enumerate().find(|(place, point)| knobs.points[..*place].contains(point)) {
        Some((_, (knob, value))) => Err(Failure::Usage(format!("--knob: {knob}={value} is there twice"))),
        None if knobs.points.is_empty() => Err(Failure::Usage(format!(
            "there is nothing to try: the scenario states {}; give values with --knob PATH=V1,V2",
            knobs.stated.join(", ")
        ))),
        None => Ok(knobs),
    }
}

impl Knobs {
    /// Adds the ranges of these knobs, but for what is stated. Gives whether there is any such knob.
    fn add_ranges(&mut self, is_meant: impl Fn(&str) -> bool, scenario: &Scenario, vary: Option<&Varied>) -> bool {
        let (scenario_has, default_has) = (as_value(scenario), as_value(&Scenario::new("")));
        let mut found = false;
        for range in ranges::of(scenario.cloud.tier).filter(|range| is_meant(range.knob)) {
            found = true;
            let is_varied = vary.is_some_and(|vary| vary.path == range.knob);
            if is_varied || at(&scenario_has, range.knob) != at(&default_has, range.knob) {
                self.stated.push(range.knob.to_owned());
            } else {
                let values = range.values.iter().map(|value| (range.knob.to_owned(), (*value).to_owned()));
                self.points.extend(values);
            }
        }
        found
    }
}

fn without_range(wanted: &str, scenario: &Scenario) -> Failure {
    let near = catalogue::did_you_mean(wanted, ranges::of(scenario.cloud.tier).map(|range| range.knob));
    let help = if near.is_empty() { "; `lkesim explain assumptions` names them".to_owned() } else { near };
    Failure::Usage(format!(
        "--knob {wanted}: there is no unknown knob of that name on this tier{help}, or give values: {wanted}=V1,V2"
    ))
}

/// The scenario as its file would say it.
fn as_value(scenario: &Scenario) -> Value {
    serde_json::to_value(scenario).unwrap_or_default()
}

/// What is at a path.
fn at<'a>(value: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(value, |value, key| &value[key])
}
