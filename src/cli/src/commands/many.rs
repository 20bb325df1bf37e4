//! What commands over many seeds have in common: reading what varies, running a grid, reporting a page.

use crate::args::many::{Many, Paged};
use crate::pace::Pace;
use crate::{Failure, Terminal, exit, input, interrupt};
use lkesim_compare::Sample;
use lkesim_explore::{Grid, Spot, Stuck, Why};
use lkesim_lke::Design;
use lkesim_report::page::{Layout, Page};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A field of the scenario and the values that it takes.
pub struct Varied {
    /// Its path.
    pub path: String,
    /// Its values, as YAML.
    pub values: Vec<String>,
}

impl Varied {
    /// Reads `PATH=V1,V2,...`. A comma inside of brackets belongs to the value.
    pub fn parse(option: &str, text: &str) -> Result<Varied, Failure> {
        let wrong = |what: &str| {
            Failure::Usage(format!(
                "{option} {text}: {what}; expected PATH=V1,V2,..., such as cloud.lags.instance_seen=5s,60s"
            ))
        };
        let (path, values) = text.split_once('=').ok_or_else(|| wrong("there is no `=`"))?;
        let values = split(values);
        if path.trim() == "design" {
            return Err(wrong(
                "a design is no field of the scenario that can be varied; `lkesim compare` sets designs side by side",
            ));
        }
        if path.trim().is_empty() || values.iter().any(|value| value.is_empty()) {
            return Err(wrong("a path or a value is empty"));
        }
        if let Some((place, value)) = values.iter().enumerate().find(|(place, value)| values[..*place].contains(value))
        {
            return Err(wrong(&format!("the value `{value}` is there twice, the second time as number {}", place + 1)));
        }
        Ok(Varied { path: path.trim().to_owned(), values })
    }

    /// The override that gives it its n-th value.
    pub fn set(&self, place: usize) -> String {
        format!("{}={}", self.path, self.values[place])
    }
}

/// Refuses a design among the overrides: which run is what `option` says.
pub fn without_design(sets: &[String], option: &str) -> Result<(), Failure> {
    match sets.iter().find(|set| set.split('=').next().is_some_and(|path| path.trim() == "design")) {
        Some(set) => Err(Failure::Usage(format!("--set {set} has no effect here; name the designs with {option}"))),
        None => Ok(()),
    }
}

/// The parts between commas that stand in no brackets.
fn split(text: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0_u32);
    for c in text.chars() {
        match c {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts.iter().map(|part| part.trim().to_owned()).collect()
}

/// Refuses seeds beyond the last one: they would begin anew.
pub fn no_seed_twice(start_seed: u64, seeds: u64) -> Result<(), Failure> {
    match start_seed.checked_add(seeds.saturating_sub(1)) {
        Some(_) => Ok(()),
        None => {
            let last = u64::MAX;
            let text = format!("--start-seed {start_seed} and --seeds {seeds} lead beyond the last seed, {last}");
            Err(Failure::Usage(text))
        }
    }
}

/// Designs by their names, each once.
pub fn designs(option: &str, names: &[String]) -> Result<Vec<&'static Design>, Failure> {
    input::once_each(option, names)?;
    names.iter().map(|name| input::design(name)).collect()
}

/// Runs a grid, and shows how it goes. Gives whether it was interrupted.
pub fn run(grid: &Grid, terminal: &mut Terminal, each: &mut dyn FnMut(Spot, Sample)) -> Result<bool, Failure> {
    interrupt::patiently();
    let (mut pace, mut done) = (Pace::start(), 0_u64);
    let read = |ran: lkesim_sim::Ran| Sample::of(&ran.outcome, ran.lasted);
    let ended = grid.run(&interrupt::was_asked, &read, &mut |spot, sample| {
        each(spot, sample);
        done += 1;
        if pace.is_due() {
            terminal.tell(&format!("{done} of {} runs, {} a second", grid.runs(), pace.per_second(done)));
        }
    });
    ended.map_err(stuck)?;
    Ok(interrupt::was_asked() && done < grid.runs())
}

fn stuck(stuck: Stuck) -> Failure {
    let Stuck { scenario, design, seed, why } = stuck;
    let run = format!("{scenario} under {design}, seed {seed}");
    match why {
        Why::NotModelled(what) => Failure::NotModelled(format!("{what}, in {run}")),
        Why::Bug(what) => Failure::Bug(format!("{run}: {what}")),
    }
}

/// Writes a document or its page to standard output.
pub fn report(
    document: &impl Serialize,
    page: impl FnOnce() -> Page,
    many: &Many,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    match many.format {
        Paged::Json => terminal.print_json(document),
        format => put_page(&page(), format, terminal),
    }
}

/// Writes a page to standard output. What is for programs is no page, and gets the text.
pub fn put_page(page: &Page, format: Paged, terminal: &mut Terminal) -> Result<(), Failure> {
    let layout = match format {
        Paged::Text | Paged::Json => Layout::Text(terminal.style),
        Paged::Markdown => Layout::Markdown,
        Paged::Csv => Layout::Csv,
        Paged::Html => Layout::Html,
    };
    terminal.put(|out| page.write(layout, out))
}

/// The exit code of what was interrupted or not.
pub fn code(interrupted: bool) -> u8 {
    if interrupted { exit::INTERRUPTED } else { exit::OK }
}

/// The scenarios that are named; where none is, one of files alone.
pub fn scenarios(named: &[PathBuf]) -> Vec<Option<&Path>> {
    match named {
        [] => vec![None],
        named => named.iter().map(|path| Some(path.as_path())).collect(),
    }
}

/// Standard input is read once. Each of the scenarios is read so many times, and with it all the files.
pub fn once_from_input(scenarios: &[PathBuf], files: &[PathBuf], times: usize) -> Result<(), Failure> {
    let of_input = |paths: &[PathBuf]| paths.iter().filter(|path| path.as_os_str() == "-").count();
    let reads = (of_input(scenarios) + of_input(files) * scenarios.len().max(1)) * times;
    if reads > 1 {
        let text = "standard input can be read once: give the scenario as a file to run it with several values";
        return Err(Failure::Usage(text.to_owned()));
    }
    Ok(())
}
