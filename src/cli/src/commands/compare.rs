//! `lkesim compare`: designs side by side over many seeds.

use super::many::{self, Varied};
use crate::args::many::Compare as Args;
use crate::{Failure, Terminal, exit, input, runner};
use lkesim_compare::document::{COMPARE, Compared};
use lkesim_compare::{Baseline, Comparing, Growing, Regression, Settings};
use lkesim_explore::Grid;
use lkesim_report::compared;
use std::path::Path;

/// Runs the command.
pub fn compare(args: &Args, terminal: &mut Terminal) -> Result<u8, Failure> {
    many::without_design(&args.set, "--designs")?;
    let designs = many::designs("--designs", &args.designs)?;
    many::no_seed_twice(args.many.start_seed, args.many.seeds)?;
    let scale = args.scale.as_deref().map(|text| Varied::parse("--scale", text)).transpose()?;
    many::once_from_input(&args.scenario, &args.file, scale.as_ref().map_or(1, |scale| scale.values.len()))?;
    let baseline = args.baseline.as_deref().map(|path| baseline(path, terminal)).transpose()?;
    let mut comparing = Comparing::new(Settings {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        designs: args.designs.clone(),
        start_seed: args.many.start_seed,
        smallest_effect_ppm: args.many.smallest_effect,
    });
    let mut scenarios = Vec::new();
    for scenario in many::scenarios(&args.scenario) {
        for place in 0..scale.as_ref().map_or(1, |scale| scale.values.len()) {
            let mut sets = args.set.clone();
            sets.extend(scale.as_ref().map(|scale| scale.set(place)));
            let (files, designs) = (&args.file, &args.designs);
            let wanted = input::Wanted { scenario, files, sets: &sets, designs, strict: false };
            let loaded = input::read(&wanted, terminal)?;
            comparing.scenario(&loaded.name, sets);
            scenarios.push((loaded.name, loaded.scenario));
        }
    }
    let grid = Grid {
        scenarios,
        designs,
        start_seed: args.many.start_seed,
        seeds: args.many.seeds,
        jobs: runner::jobs(args.many.jobs.map(usize::from)),
    };
    let interrupted =
        many::run(&grid, terminal, &mut |spot, sample| comparing.add(spot.scenario, spot.design, sample))?;
    let growing = scale.map(|Varied { path, values }| Growing { path, values });
    let compared = comparing.finish(growing.as_ref());
    let code = match &baseline {
        Some((name, baseline)) => against(name, baseline, &compared, terminal)?,
        None => exit::OK,
    };
    many::report(&compared, || compared::compared(&compared), &args.many, terminal)
        .map_err(|failure| failure.with_code(code))?;
    Ok(if interrupted { many::code(true) } else { code })
}

/// Reads an earlier comparison.
fn baseline(path: &Path, terminal: &mut Terminal) -> Result<(String, Baseline), Failure> {
    let (name, text) = input::document(path, terminal)?;
    let wrong = |what: String| {
        let help = "expected what `lkesim compare --format json` printed";
        Failure::Input(format!("{name} is no comparison: {what}; {help}"))
    };
    let earlier: Compared = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    if earlier.schema != COMPARE {
        return Err(wrong(format!("its schema is `{}`, not `{COMPARE}`", earlier.schema)));
    }
    Ok((name, Baseline::new(earlier)))
}

/// Tells what changed since the baseline, and whether anything got worse.
fn against(name: &str, baseline: &Baseline, compared: &Compared, terminal: &mut Terminal) -> Result<u8, Failure> {
    let changed = baseline.against(compared).map_err(|why| Failure::Input(format!("{name}: {}", why.0)))?;
    for Regression { scenario, design, figure, before, change, is_worse } in &changed {
        let word = if *is_worse { "worse" } else { "better" };
        let sign = if change.0 > 0 { "+" } else { "" };
        terminal.tell(&format!("{word} than {name}: {scenario} under {design}: {figure} was {before}, {sign}{change}"));
    }
    if changed.is_empty() {
        terminal.tell(&format!("no figure differs from {name}"));
    }
    Ok(if changed.iter().any(|change| change.is_worse) { exit::FAILED } else { exit::OK })
}
