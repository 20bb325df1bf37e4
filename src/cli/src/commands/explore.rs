//! `lkesim explore`: searches many seeds for what breaks a design.

mod exhaust;
mod junit;
pub mod keep;
mod page;
mod progress;
mod text;

use super::many::{no_seed_twice, once_from_input, put_page, scenarios as scenarios_of};
use crate::args::many::Paged;
use crate::args::{Explore as Args, First, Shard};
use crate::output::{Output, write_whole};
use crate::pace::Pace;
use crate::{Failure, Terminal, catalogue, exit, input, interrupt, runner};
use lkesim_explore::explored::Ended;
use lkesim_explore::{Explored, Palette, Part, Search, Verdict};
use lkesim_lke::Design;
use lkesim_report::repeat::quoted;
use lkesim_report::style::Style;
use std::io::Write;
use std::path::Path;

/// How many seeds run where neither their number nor a time is given.
const DEFAULT_SEEDS: u64 = 1_000;

/// Runs the command.
pub fn explore(args: &Args, terminal: &mut Terminal) -> Result<u8, Failure> {
    if let Some(departures) = args.exhaustive {
        return exhaust::exhaust(args, departures, terminal);
    }
    let (search, part) = search(args, terminal)?;
    if let Some(folder) = &args.keep {
        // Better now than after the search.
        std::fs::create_dir_all(folder).map_err(|error| Failure::write(folder.display(), error))?;
    }
    let repro = |seed| repro(args, search.design, seed);
    let explored = run(&search, part, args, &repro, terminal);
    let (explored, kept) = match &args.keep {
        Some(folder) => keep::keep(&search, explored, folder),
        None => (explored, Ok(())),
    };
    // What cannot be kept is still reported.
    let code = conclude(&explored, args.format, args.junit.as_deref(), terminal)?;
    kept.map(|()| code)
}

/// Reports what a search found, and gives its exit code.
pub fn conclude(
    explored: &Explored,
    format: Paged,
    junit: Option<&Path>,
    terminal: &mut Terminal,
) -> Result<u8, Failure> {
    let written = write_junit(&junit::of_search(explored), junit, terminal);
    let code = match (explored.verdict, explored.ended) {
        (_, Ended::Stopped) if interrupt::was_asked() => exit::INTERRUPTED,
        (Verdict::Pass, _) => exit::OK,
        // What can't be modelled is a mistake of the scenario, unless something broke as well.
        (Verdict::Fail, _) if explored.findings.is_empty() && explored.missing.is_empty() => exit::WRONG_INPUT,
        (Verdict::Fail, _) => exit::FAILED,
    };
    let style: Style = terminal.style;
    let reported = match format {
        Paged::Text => terminal.put(|out| text::write(explored, style, out)),
        Paged::Json => terminal.print_json(explored),
        format => put_page(&page::of_search(explored), format, terminal),
    };
    reported.map_err(|failure| failure.with_code(code))?;
    // A file that can't be written costs its exit code, not the report.
    written.map(|()| code)
}

fn write_junit(suite: &junit::Suite, path: Option<&Path>, terminal: &Terminal) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    let (output, mut file) = Output::begin(path, terminal)?;
    let written = junit::write(suite, &mut file).and_then(|()| file.flush());
    written.map_err(|error| Failure::write(output.name(), error))?;
    drop(file);
    output.finish()
}

fn search(args: &Args, terminal: &mut Terminal) -> Result<(Search, Option<Part>), Failure> {
    let designs: Vec<String> = args.design.iter().cloned().collect();
    let mut scenarios = Vec::new();
    let named =
        if args.file.is_empty() && args.scenario.is_empty() { Vec::new() } else { scenarios_of(&args.scenario) };
    once_from_input(&args.scenario, &args.file, 1)?;
    for scenario in named {
        let wanted = input::Wanted { scenario, files: &args.file, sets: &[], designs: &designs, strict: false };
        let loaded = input::read(&wanted, terminal)?;
        scenarios.push((loaded.name, loaded.scenario));
    }
    let own = scenarios.iter().find_map(|(_, scenario)| scenario.design.clone());
    let name = args.design.clone().or(own).unwrap_or_else(|| catalogue::DEFAULT_DESIGN.to_owned());
    let (start_seed, seeds, part) = seeds(args)?;
    let palette = if scenarios.is_empty() { Palette::General } else { Palette::Around(scenarios.into()) };
    let search = Search {
        palette: palette.twisted(args.twist()),
        design: input::design(&name)?,
        start_seed,
        seeds,
        jobs: runner::jobs(args.jobs),
        stop_on_first: args.stop_on_first,
    };
    Ok((search, part))
}

/// The first seed, and how many: all, or those of a shard.
fn seeds(args: &Args) -> Result<(u64, Option<u64>, Option<Part>), Failure> {
    let all = args.seeds.or(args.time.is_none().then_some(DEFAULT_SEEDS));
    no_seed_twice(args.start_seed, all.unwrap_or_default())?;
    let (Some(Shard { index, of }), Some(all)) = (args.shard, all) else {
        // A time may be enough for all seeds that there are.
        return Ok((args.start_seed, all.or((u64::MAX - args.start_seed).checked_add(1)), None));
    };
    // Shards are equally long but for one seed.
    let border = |index: u64| (u128::from(all) * u128::from(index) / u128::from(of)) as u64;
    let seeds = border(index + 1) - border(index);
    Ok((args.start_seed.saturating_add(border(index)), Some(seeds), Some(Part { index, of, seeds })))
}

/// Searches, and shows how it goes.
fn run(
    search: &Search,
    part: Option<Part>,
    args: &Args,
    repro: &dyn Fn(u64) -> String,
    terminal: &mut Terminal,
) -> Explored {
    let mut pace = Pace::start();
    let is_over = is_over(args, pace);
    let mut merged = |_: &_, _: bool, tally: &_| {
        if pace.is_due() {
            terminal.tell(&progress::line(tally, &pace));
        }
    };
    interrupt::patiently();
    without_panics_told(|| search.run_part(part, &is_over, &mut merged, repro))
}

/// Whether a search ends: it was interrupted, or has had its time.
fn is_over(args: &Args, pace: Pace) -> impl Fn() -> bool + Sync {
    let time = args.time.map(|span| span.get());
    move || interrupt::was_asked() || time.is_some_and(|time| pace.has_lasted(time))
}

/// A panic of a run is a finding, so that it is not told as it happens.
fn without_panics_told<R>(work: impl FnOnce() -> R) -> R {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let result = work();
    std::panic::set_hook(usual);
    result
}

/// The command that runs one seed again and keeps what it finds.
fn repro(args: &Args, design: &Design, seed: u64) -> String {
    let mut words = vec!["lkesim explore".to_owned()];
    words.extend(args.scenario.iter().map(|path| quoted(&path.display().to_string())));
    words.extend(args.file.iter().map(|path| format!("-f {}", quoted(&path.display().to_string()))));
    if let Some(times) = args.stretch_lags {
        words.push(format!("--stretch-lags {times}"));
    }
    match args.first {
        None => {}
        Some(First::Members) => words.push("--first members".to_owned()),
        Some(First::List) => words.push("--first list".to_owned()),
    }
    let design = quoted(design.facts.name);
    words.push(format!("--design {design} --start-seed {seed} --seeds 1 --keep found"));
    words.join(" ")
}

/// Writes a small file of a folder, whole or not at all.
pub fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    write_whole(path, text.as_bytes()).map_err(|error| Failure::write(path.display(), error))
}
