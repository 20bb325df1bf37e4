//! Reads scenarios and traces: from a path, by the name of a built-in scenario, or from standard input.

use crate::{Failure, Terminal, catalogue};
use lkesim_judge::trace::{Trace, TraceError};
use lkesim_kernel::{Deviations, ParseError};
use lkesim_lke::Design;
use lkesim_report::style::harmless;
use lkesim_scenario::{Files, Given, Input, Scenario, builtin};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

/// A scenario's text may have this many bytes. The reader of YAML has bounds of its own; this keeps an endless input
/// from filling the memory.
const LARGEST_SCENARIO: u64 = 16 << 20;

/// The same for a file with Kubernetes objects.
const LARGEST_MANIFEST: u64 = 64 << 20;

/// A scenario and what to call it.
pub struct Loaded {
    /// The name in reports, and in the command that repeats a run.
    pub name: String,
    /// The scenario.
    pub scenario: Scenario,
}

/// What to read, and how.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// The scenario; none where there are files alone.
    pub scenario: Option<&'a Path>,
    /// Files with Kubernetes objects.
    pub files: &'a [PathBuf],
    /// Overrides.
    pub sets: &'a [String],
    /// The designs that are to run in place of those that the scenario names.
    pub designs: &'a [String],
    /// Whether what would matter and is not modelled is a mistake.
    pub strict: bool,
}

/// Reads and checks a scenario, which `designs` are to run in place of those that it names. A path beats a built-in
/// name.
pub fn scenario(
    argument: &Path,
    sets: &[String],
    designs: &[String],
    terminal: &mut Terminal,
) -> Result<Loaded, Failure> {
    read(&Wanted { scenario: Some(argument), files: &[], sets, designs, strict: false }, terminal)
}

/// Reads and checks a scenario with the files beside it. What is to be known of it goes to standard error.
pub fn read(wanted: &Wanted<'_>, terminal: &mut Terminal) -> Result<Loaded, Failure> {
    wanted.designs.iter().try_for_each(|name| design(name).map(drop))?;
    let of_input = wanted.files.iter().map(PathBuf::as_path).chain(wanted.scenario);
    if of_input.filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(Failure::Usage("standard input, `-`, can be read once alone".to_owned()));
    }
    let (name, bytes, folder) = match wanted.scenario {
        Some(argument) => {
            let (name, bytes, folder) = scenario_text(argument, terminal)?;
            (Some(name), Some(bytes), folder)
        }
        None => (None, None, None),
    };
    let manifests = wanted.files.iter().map(|path| given(path, terminal)).collect::<Result<Vec<_>, _>>()?;
    let first = manifests.first().map_or("", |given| given.name.as_str());
    let source = name.as_deref().map_or(first, |name| if name == "-" { "standard input" } else { name });
    let known = catalogue::known();
    let running: Vec<&str> = wanted.designs.iter().map(String::as_str).collect();
    let names = lkesim_scenario::Names { running: &running, ..known.names() };
    let beside = Beside { folder };
    let input = Input {
        name: &harmless(source),
        bytes: bytes.as_deref(),
        sets: wanted.sets,
        manifests: &manifests,
        strict: wanted.strict,
        files: &beside,
        is_recorded: false,
    };
    match lkesim_scenario::load_input(&input, &names) {
        Ok(lkesim_scenario::Loaded { mut scenario, remarks }) => {
            if !wanted.designs.is_empty() {
                scenario.clusters.iter_mut().for_each(|cluster| cluster.design = None);
            }
            if remarks.iter().len() > 0 {
                terminal.tell(&remarks.render(terminal.err_style.colour));
            }
            if wanted.scenario.is_none() && scenario.objects(0).is_nothing() {
                let expected = "expected NodePools, workloads, pods or nodes, as `kubectl get -o yaml` prints them";
                return Err(Failure::Input(format!("{source} has no Kubernetes object to run; {expected}")));
            }
            let name = name.unwrap_or_else(|| wanted.files.first().map_or("", |_| first).to_owned());
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

/// The files that a scenario names: beside its own, or among those that come with the program.
struct Beside {
    folder: Option<PathBuf>,
}

impl Files for Beside {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let Some(folder) = &self.folder else { return builtin::Manifests.read(path) };
        let whole = folder.join(path);
        let read = open(&whole).map_err(|error| missing(path, error));
        let read = read.and_then(|mut file| limited_to(LARGEST_MANIFEST, path, &mut file));
        read.map_err(|failure| format!("can't be read: {failure}"))
    }
}

/// Kubernetes objects; `-` is standard input.
fn given(path: &Path, terminal: &mut Terminal) -> Result<Given, Failure> {
    let name = path.display().to_string();
    if name == "-" {
        let name = "standard input".to_owned();
        return Ok(Given { bytes: limited_to(LARGEST_MANIFEST, &name, &mut terminal.input)?, name });
    }
    let mut file = open(path).map_err(|error| missing(&name, error))?;
    Ok(Given { bytes: limited_to(LARGEST_MANIFEST, &name, &mut file)?, name: harmless(&name).into_owned() })
}

/// The name of a scenario, its bytes, and its folder if it has one.
type Text = (String, Vec<u8>, Option<PathBuf>);

fn scenario_text(argument: &Path, terminal: &mut Terminal) -> Result<Text, Failure> {
    let name = argument.display().to_string();
    if name == "-" {
        let bytes = limited("standard input", &mut terminal.input)?;
        return Ok((name, bytes, Some(PathBuf::new())));
    }
    let built_in = |found: builtin::Builtin| (found.name.to_owned(), found.text.as_bytes().to_vec(), None);
    match open(argument) {
        Ok(mut file) => {
            let folder = argument.parent().unwrap_or(Path::new("")).to_owned();
            Ok((name.clone(), limited(&name, &mut file)?, Some(folder)))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => match builtin::find(&name) {
            Some(found) => Ok(built_in(found)),
            None => Err(no_scenario(&name)),
        },
        Err(error) => match (builtin::find(&name), unusable(&name, error)) {
            // A folder that happens to have a built-in scenario's name hides it not.
            (Some(found), Failure::Input(_)) => Ok(built_in(found)),
            (_, failure) => Err(failure),
        },
    }
}

/// Of how many names that begin like a wrong one a message tells.
const MOST_LONGER: usize = 6;

fn no_scenario(name: &str) -> Failure {
    let longer: Vec<String> = builtin::all()
        .iter()
        .filter(|own| !name.is_empty() && own.name.starts_with(name))
        .map(|own| format!("`{}`", own.name))
        .collect();
    let help = match (builtin::nearest(name), &longer[..]) {
        (_, [first @ .., last]) if (1..MOST_LONGER).contains(&first.len()) => {
            format!("; did you mean {} or {last}?", first.join(", "))
        }
        (_, [only]) => format!("; did you mean {only}?"),
        (Some(near), _) => format!("; did you mean `{near}`?"),
        (None, _) => "; `lkesim list scenarios` names those that are built in".to_owned(),
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
    limited_to(LARGEST_SCENARIO, name, input)
}

fn limited_to(largest: u64, name: &str, input: &mut dyn Read) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = BufReader::new(input).take(largest + 1).read_to_end(&mut bytes);
    read.map_err(|error| unusable(name, error))?;
    if bytes.len() as u64 > largest {
        return Err(Failure::Input(format!("{name} is larger than {} MiB, which no such file is", largest >> 20)));
    }
    Ok(bytes)
}
