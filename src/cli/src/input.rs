//! Reads scenarios and traces: from a path, by the name of a built-in scenario, or from standard input.

use crate::{Failure, Terminal, catalogue};
use lkesim_judge::trace::{Trace, TraceError};
use lkesim_kernel::{Deviations, ParseError};
use lkesim_lke::Design;
use lkesim_report::style::harmless;
use lkesim_scenario::{Scenario, builtin};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

/// A scenario's text may have this many bytes. The reader of YAML has bounds of its own; this keeps an endless input
/// from filling the memory.
const LARGEST_SCENARIO: u64 = 16 << 20;

/// A scenario and what to call it.
pub struct Loaded {
    /// The name in reports, and in the command that repeats a run.
    pub name: String,
    /// The scenario.
    pub scenario: Scenario,
}

/// Reads and checks a scenario, which `designs` are to run in place of those that it names. A path beats a built-in
/// name.
pub fn scenario(
    argument: &Path,
    sets: &[String],
    designs: &[String],
    terminal: &mut Terminal,
) -> Result<Loaded, Failure> {
    designs.iter().try_for_each(|name| design(name).map(drop))?;
    let (name, bytes) = scenario_text(argument, terminal)?;
    let known = catalogue::known();
    let running: Vec<&str> = designs.iter().map(String::as_str).collect();
    let names = lkesim_scenario::Names { running: &running, ..known.names() };
    let source = if name == "-" { "standard input" } else { &name };
    let loaded = lkesim_scenario::load_bytes(&harmless(source), &bytes, sets, &names);
    match loaded {
        Ok(mut scenario) => {
            if !designs.is_empty() {
                scenario.clusters.iter_mut().for_each(|cluster| cluster.design = None);
            }
            Ok(Loaded { name, scenario })
        }
        Err(mistakes) => Err(Failure::Scenario(mistakes.render(terminal.err_style.colour))),
    }
}

/// The design of this name.
pub fn design(name: &str) -> Result<&'static Design, Failure> {
    if let Some(design) = lkesim_lke::design(name) {
        return Ok(design);
    }
    let names: Vec<&str> = lkesim_lke::DESIGNS.iter().map(|design| design.facts.name).collect();
    let help = match catalogue::did_you_mean(name, names.iter().copied()) {
        none if none.is_empty() => format!("; there is {}", names.join(", ")),
        near => near,
    };
    Err(Failure::Usage(format!("there is no design `{name}`{help}")))
}

/// A design beside itself would compare nothing.
pub fn once_each(option: &str, designs: &[String]) -> Result<(), Failure> {
    match designs.iter().enumerate().find(|(place, design)| designs[..*place].contains(design)) {
        None => Ok(()),
        Some((_, design)) => Err(Failure::Usage(format!("{option} names `{design}` twice; expected each design once"))),
    }
}

/// The designs that are named, or the scenario's own, or the usual one.
pub fn design_names(named: &[String], own: Option<&String>) -> Vec<String> {
    match (named, own) {
        ([], Some(own)) => vec![own.clone()],
        ([], None) => vec![catalogue::DEFAULT_DESIGN.to_owned()],
        (named, _) => named.to_vec(),
    }
}

fn scenario_text(argument: &Path, terminal: &mut Terminal) -> Result<(String, Vec<u8>), Failure> {
    let name = argument.display().to_string();
    if name == "-" {
        let bytes = limited("standard input", &mut terminal.input)?;
        return Ok((name, bytes));
    }
    match open(argument) {
        Ok(mut file) => Ok((name.clone(), limited(&name, &mut file)?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match builtin::find(&name) {
            Some(found) => Ok((found.name.to_owned(), found.text.as_bytes().to_vec())),
            None => Err(no_scenario(&name)),
        },
        Err(error) => match (builtin::find(&name), unusable(&name, error)) {
            // A folder that happens to have a built-in scenario's name hides it not.
            (Some(found), Failure::Input(_)) => Ok((found.name.to_owned(), found.text.as_bytes().to_vec())),
            (_, failure) => Err(failure),
        },
    }
}

fn no_scenario(name: &str) -> Failure {
    let help = match builtin::nearest(name) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => "; `lkesim list scenarios` names those that are built in".to_owned(),
    };
    Failure::Input(format!("there is no file and no built-in scenario `{name}`{help}"))
}

/// Reads a file that is no scenario; `-` is standard input.
fn bytes(argument: &Path, terminal: &mut Terminal) -> Result<Vec<u8>, Failure> {
    let name = argument.display().to_string();
    match name.as_str() {
        "-" => limited("standard input", &mut terminal.input),
        _ => limited(&name, &mut open(argument).map_err(|error| missing(&name, error))?),
    }
}

/// Reads a list of departures from first-in-first-out; `-` is standard input.
pub fn deviations(argument: &Path, terminal: &mut Terminal) -> Result<Deviations, Failure> {
    let name = argument.display().to_string();
    let bytes = bytes(argument, terminal)?;
    let text = String::from_utf8_lossy(&bytes);
    text.parse().map_err(|error: ParseError| Failure::Input(format!("{name}: {error}")))
}

/// Reads a document that this program wrote; `-` is standard input. Gives its name too.
pub fn document(argument: &Path, terminal: &mut Terminal) -> Result<(String, String), Failure> {
    let bytes = bytes(argument, terminal)?;
    Ok((argument.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()))
}

fn missing(name: &str, error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::NotFound => Failure::Input(format!("there is no file {name}")),
        _ => unusable(name, error),
    }
}

/// Reads a trace; `-` is standard input.
pub fn trace(argument: &Path, terminal: &mut Terminal) -> Result<Trace, Failure> {
    let name = argument.display().to_string();
    let read = if name == "-" {
        after_mark(BufReader::new(&mut terminal.input)).map_or_else(
            |error| Err(TraceError::Io { source_name: "standard input".to_owned(), error }),
            |input| Trace::read("standard input", input),
        )
    } else {
        let file = open(argument).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Failure::Input(format!("there is no trace {name}")),
            _ => unusable(&name, error),
        })?;
        after_mark(BufReader::new(file)).map_or_else(
            |error| Err(TraceError::Io { source_name: name.clone(), error }),
            |input| Trace::read(&name, input),
        )
    };
    read.map_err(|error| match error {
        TraceError::Io { source_name, error } => unusable(&source_name, error),
        TraceError::NoTrace { .. } if name.ends_with(".yaml") || name.ends_with(".yml") => {
            Failure::Input(format!("{error}; a scenario is for `lkesim run`, which writes a trace with `--trace FILE`"))
        }
        other => Failure::Input(other.to_string()),
    })
}

/// The input without a byte order mark at its start, which some editors write and which says nothing in UTF-8.
fn after_mark<R: BufRead>(mut input: R) -> io::Result<impl BufRead> {
    let mut start = Vec::new();
    input.by_ref().take(MARK.len() as u64).read_to_end(&mut start)?;
    if start == MARK {
        start.clear();
    }
    Ok(Cursor::new(start).chain(input))
}

/// The byte order mark in UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Opens what can be read to an end: a file, or a pipe such as a shell makes.
fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(file)
}

/// What is not a file is wrong input; what can't be read though it is there is an error of its own.
fn unusable(name: &str, error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::IsADirectory => Failure::Input(format!("{name} is a folder, not a file")),
        io::ErrorKind::NotADirectory | io::ErrorKind::InvalidInput | io::ErrorKind::InvalidFilename => {
            Failure::Input(format!("there is no file {name}: {error}"))
        }
        _ => Failure::read(name, error),
    }
}

fn limited(name: &str, input: &mut dyn Read) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = BufReader::new(input).take(LARGEST_SCENARIO + 1).read_to_end(&mut bytes);
    read.map_err(|error| unusable(name, error))?;
    if bytes.len() as u64 > LARGEST_SCENARIO {
        return Err(Failure::Input(format!("{name} is larger than 16 MiB, which no such file is")));
    }
    Ok(bytes)
}
