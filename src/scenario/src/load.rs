//! From text to a checked scenario, or to all that is wrong with it.

use crate::builtin::Manifests;
use crate::check::{self, Finding};
use crate::decode::{self, MAX_MISTAKES, Mistake, What, list_names};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::files::{self, Embedded, Files, Given};
use crate::index::{self, Index, Limits};
use crate::manifest::Severity;
use crate::parse::parse;
use crate::path::Path;
use crate::set::{self, Override};
use crate::suggest::nearest;
use crate::tree::Node;
use crate::{Names, Scenario};

/// A scenario to read, and what comes with it.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The file's name in diagnostics.
    pub name: &'a str,
    /// Its bytes; none for a scenario that consists of manifests alone.
    pub bytes: Option<&'a [u8]>,
    /// Overrides, each `PATH=VALUE`.
    pub sets: &'a [String],
    /// Files with Kubernetes objects that stand beside those that the scenario names.
    pub manifests: &'a [Given],
    /// Whether fields that would matter and are not modelled are mistakes.
    pub strict: bool,
    /// Where the files are that the scenario names.
    pub files: &'a dyn Files,
    /// Whether this program wrote it, and checked it by then.
    pub is_recorded: bool,
}

impl<'a> Input<'a> {
    /// A scenario alone, which may name files that come with the program.
    pub fn new(name: &'a str, bytes: &'a [u8]) -> Input<'a> {
        let bytes = Some(bytes);
        Input { name, bytes, sets: &[], manifests: &[], strict: false, files: &Manifests, is_recorded: false }
    }
}

/// A scenario that was read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The scenario.
    pub scenario: Scenario,
    /// What is to be known of it: warnings and notes.
    pub remarks: Diagnostics,
}

/// Reads a scenario from `text`, lays the overrides `sets` (each `PATH=VALUE`) over it, and checks all of it.
///
/// `source_name` is the file's name in diagnostics. It may name
/// files that come with the program; others are read by [`load_input`].
///
/// # Errors
/// Every mistake that can be found at once, each with its line and path, or the override that made it.
pub fn load(source_name: &str, text: &str, sets: &[String], names: &Names<'_>) -> Result<Scenario, Diagnostics> {
    load_bytes(source_name, text.as_bytes(), sets, names)
}

/// Reads a scenario with the files that it names and those that are given beside it.
///
/// # Errors
/// As [`load`]; what a file has wrong is told with the file's name and line.
pub fn load_input(input: &Input<'_>, names: &Names<'_>) -> Result<Loaded, Diagnostics> {
    let text = input.bytes.map_or(Ok(""), |bytes| as_text(input.name, bytes))?;
    if !input.is_recorded
        && let Some(at) = kubernetes_object(text)
    {
        let message = "this is a Kubernetes object, and no scenario".to_owned();
        let help = "objects go with `-f`: `lkesim run -f FILE`".to_owned();
        let found = Diagnostic::in_text(input.name, text, at, message).with_help(Some(help));
        return Err(Diagnostics::new(vec![found], false));
    }
    let (index, mut tree) = match input.bytes {
        Some(_) => read(input, text).map_err(|diagnostic| Diagnostics::new(vec![*diagnostic], false))?,
        None => (Index::default(), files::around(input.manifests)),
    };
    let mut found = Vec::new();
    if tree == Node::Null {
        found.push(Diagnostic::in_text(input.name, text, 0..0, "the file is empty; expected a scenario".to_owned()));
        return Err(Diagnostics::new(found, false));
    }
    let embedded = files::embed(&mut tree, input, &index, text, &mut found);
    let mut overrides = Vec::new();
    for text in input.sets {
        match set::apply(&mut tree, text) {
            Ok(applied) => overrides.push(applied),
            Err(diagnostic) => found.push(*diagnostic),
        }
    }
    let places = Places { source_name: input.name, text, index: &index, embedded: &embedded, overrides: &overrides };
    for (path, span) in &index.duplicates {
        let message = "this key stands twice in one map; the first would count".to_owned();
        found.push(places.in_file(span.clone(), message).with_path(path));
    }
    let (scenario, cut_short) = judge(&mut tree, names, &places, &mut found);
    if input.strict {
        for one in found.iter_mut().filter(|one| one.severity == Severity::Warning) {
            one.severity = Severity::Error;
            one.message.push_str(" (`--strict` makes it an error)");
        }
    }
    let is_wrong = |one: &Diagnostic| one.severity == Severity::Error;
    match scenario {
        Some(scenario) if !found.iter().any(is_wrong) => {
            Ok(Loaded { scenario, remarks: Diagnostics::new(found, cut_short) })
        }
        _ => {
            found.retain(is_wrong);
            Err(Diagnostics::new(found, cut_short))
        }
    }
}

/// Where a text begins to be a Kubernetes object, if it is one and no scenario.
fn kubernetes_object(text: &str) -> Option<std::ops::Range<usize>> {
    let find = |key: &str| {
        let mut lines = text.split_inclusive('\n').scan(0, |at, line| {
            let from = *at;
            *at += line.len();
            Some((from, line))
        });
        lines.find(|(_, line)| line.starts_with(key)).map(|(from, _)| from..from + key.len())
    };
    let at = find("apiVersion")?;
    (find("kind").is_some() && find("about").is_none() && find("workload").is_none()).then_some(at)
}

/// The places and the tree of a text.
fn read(input: &Input<'_>, text: &str) -> Result<(Index, Node), Box<Diagnostic>> {
    let fail = |span, message| Box::new(Diagnostic::in_text(input.name, text, span, message));
    let limits = if input.is_recorded { Limits::RECORDED } else { Limits::SCENARIO };
    let index = index::scan(text, limits).map_err(|refused| fail(refused.span, refused.message))?;
    let tree = parse(text).map_err(|error| {
        let span = error.at.map_or(0..0, |at| span_of(text, at.line, at.column));
        fail(span, format!("not YAML: {}", error.message))
    })?;
    Ok((index, tree))
}

/// Reads the tree into a scenario and checks what can be read of it. Tells too whether the search ended early.
fn judge(
    tree: &mut Node,
    names: &Names<'_>,
    places: &Places<'_>,
    found: &mut Vec<Diagnostic>,
) -> (Option<Scenario>, bool) {
    let placeholders = [("about", Node::Text("…".to_owned())), ("workload", Node::List(Vec::new()))];
    let mut mistakes = Vec::new();
    let scenario: Option<Scenario> = decode::decode(tree, &placeholders, &mut mistakes);
    found.extend(mistakes.iter().map(|mistake| places.mistake(mistake)));
    let damaged: Vec<Path> = mistakes.iter().map(Mistake::damaged).collect();
    let Some(scenario) = scenario else {
        // A file that is no map at all has one mistake, and that is it.
        let whole_is_wrong = damaged.iter().any(|path| path.0.is_empty());
        return (None, !whole_is_wrong);
    };
    let findings = check::check(&scenario, names, &|path| {
        let path = tree.in_file(path);
        damaged.iter().any(|bad| path.holds(bad) || bad.holds(&path))
    });
    let cut_short = findings.len() > MAX_MISTAKES;
    let mut findings = findings;
    // What is cut off is what matters least.
    findings.sort_by_key(|finding| finding.severity);
    let first = findings.into_iter().take(MAX_MISTAKES);
    found.extend(first.map(|finding| places.finding(tree, finding)));
    (Some(scenario), cut_short)
}

/// The same for a file's bytes, which may be no text.
///
/// # Errors
/// As [`load`]; bytes that are not UTF-8 are refused.
pub fn load_bytes(
    source_name: &str,
    bytes: &[u8],
    sets: &[String],
    names: &Names<'_>,
) -> Result<Scenario, Diagnostics> {
    let input = Input { sets, ..Input::new(source_name, bytes) };
    load_input(&input, names).map(|loaded| loaded.scenario)
}

/// The byte order mark.
const MARK: char = '\u{feff}';

/// The text of a file. Some editors begin one with a byte order mark, which says nothing in UTF-8.
pub fn as_text<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a str, Diagnostics> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix(MARK).unwrap_or(text)),
        Err(error) => {
            let shown = String::from_utf8_lossy(bytes);
            let without_mark = shown.strip_prefix(MARK).unwrap_or(&shown);
            // Up to there the text that is shown is the file's.
            let start = error.valid_up_to() - (shown.len() - without_mark.len());
            let span = start..start + char::REPLACEMENT_CHARACTER.len_utf8();
            let message = "this is not UTF-8 text; expected YAML".to_owned();
            Err(Diagnostics::new(vec![Diagnostic::in_text(name, without_mark, span, message)], false))
        }
    }
}

/// The bytes from a line and column on, both from 1.
pub fn span_of(text: &str, line: usize, column: usize) -> std::ops::Range<usize> {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let within = text[start..].char_indices().nth(column.saturating_sub(1));
    let at = within.map_or(text.len(), |(at, _)| start + at);
    at..at + 1
}

/// Turns paths into places.
struct Places<'a> {
    source_name: &'a str,
    text: &'a str,
    index: &'a Index,
    embedded: &'a [Embedded],
    overrides: &'a [Override],
}

impl Places<'_> {
    fn in_file(&self, span: std::ops::Range<usize>, message: String) -> Diagnostic {
        Diagnostic::in_text(self.source_name, self.text, span, message)
    }

    /// What said the thing at `path`: the last override that it lies in, else the file, else an override that leads
    /// below it.
    fn diagnostic(&self, path: &Path, at_key: bool, message: String) -> Diagnostic {
        let mut last_first = self.overrides.iter().rev();
        let above = last_first.find(|set| set.path.holds(path));
        let below = || self.overrides.iter().rev().find(|set| path.holds(&set.path));
        let diagnostic = match above {
            // Within the value that was set the key is part of the value.
            Some(set) => set.diagnostic(at_key && set.path == *path, message),
            None => match below() {
                _ if self.embedded.iter().any(|file| file.at.holds(path)) => self.in_embedded(path, at_key, message),
                Some(set) if !self.index.has(path) => set.diagnostic(true, message),
                _ => Diagnostic::in_text(self.source_name, self.text, self.index.span(path, at_key), message),
            },
        };
        diagnostic.with_path(path)
    }

    /// What stands in a file that was read into the scenario.
    fn in_embedded(&self, path: &Path, at_key: bool, message: String) -> Diagnostic {
        let file = self.embedded.iter().find(|file| file.at.holds(path));
        file.map_or_else(|| self.in_file(0..0, message.clone()), |file| file.diagnostic(path, at_key, message.clone()))
    }

    fn mistake(&self, mistake: &Mistake) -> Diagnostic {
        let (message, help) = words(mistake);
        if let What::Missing(field) = &mistake.what {
            // What is missing may have been set to nothing.
            let path = mistake.path.key(field);
            if let Some(set) = self.overrides.iter().rev().find(|set| set.path == path) {
                return set.diagnostic(false, message).with_path(path);
            }
        }
        self.diagnostic(&mistake.path, mistake.at_key, message).quoting_as_written().with_help(help)
    }

    fn finding(&self, tree: &Node, finding: Finding) -> Diagnostic {
        let path = tree.in_file(&finding.path);
        let diagnostic = self.diagnostic(&path, finding.at_key, finding.message).quoting_as_written();
        diagnostic.with_help(finding.help).with_severity(finding.severity)
    }
}

/// Fields that the language will have, and that nothing simulates yet.
const NOT_MODELLED: &[&str] = &["pods", "replace"];

/// A mistake in words: what is wrong with what was expected, and help.
fn words(mistake: &Mistake) -> (String, Option<String>) {
    let path = &mistake.path;
    match &mistake.what {
        What::Unknown { name, .. } if NOT_MODELLED.contains(&name.as_str()) => {
            (format!("`{name}` is not modelled yet"), None)
        }
        What::Unknown { field, name, known } => {
            let kind = match (field, mistake.at_key) {
                (true, _) => "field",
                (false, true) => "kind",
                (false, false) => "value",
            };
            let expected = match known.len() {
                1 => format!("expected {}", list_names(known)),
                _ => format!("expected one of {}", list_names(known)),
            };
            let help = nearest(name, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
            (format!("unknown {kind} `{}`; {expected}", decode::shortened(name)), help)
        }
        What::Missing(field) => {
            let within = if path.0.is_empty() { "the scenario".to_owned() } else { format!("`{path}`") };
            (format!("{within} has no `{field}`, which has no default"), None)
        }
        What::Mismatch { found, expected } => (format!("found {found}; expected {expected}"), None),
        What::Other(message) => (message.clone(), None),
    }
}
