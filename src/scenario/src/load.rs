//! From text to a checked scenario, or to all that is wrong with it.

use crate::check::{self, Finding};
use crate::decode::{self, MAX_MISTAKES, Mistake, What, list_names};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::index::{self, Index};
use crate::parse::parse;
use crate::path::Path;
use crate::set::{self, Override};
use crate::suggest::nearest;
use crate::tree::Node;
use crate::{Names, Scenario};

/// Reads a scenario from `text`, lays the overrides `sets` (each `PATH=VALUE`) over it, and checks all of it.
///
/// `source_name` is the file's name in diagnostics.
///
/// # Errors
/// Every mistake that can be found at once, each with its line and path, or the override that made it.
pub fn load(source_name: &str, text: &str, sets: &[String], names: &Names<'_>) -> Result<Scenario, Diagnostics> {
    // Some editors begin a file with a byte order mark, which says nothing in UTF-8.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (index, mut tree) = read(source_name, text).map_err(|diagnostic| Diagnostics::new(vec![*diagnostic], false))?;
    let mut found = Vec::new();
    let mut overrides = Vec::new();
    for text in sets {
        match set::apply(&mut tree, text) {
            Ok(applied) => overrides.push(applied),
            Err(diagnostic) => found.push(*diagnostic),
        }
    }
    let places = Places { source_name, text, index: &index, overrides: &overrides };
    for (path, span) in &index.duplicates {
        let message = "this key stands twice in one map; the first would count".to_owned();
        found.push(places.in_file(span.clone(), message).with_path(path));
    }
    if tree == Node::Null {
        found.push(places.in_file(0..0, "the file is empty; expected a scenario".to_owned()));
        return Err(Diagnostics::new(found, false));
    }
    let (scenario, cut_short) = judge(&mut tree, names, &places, &mut found);
    match scenario {
        Some(scenario) if found.is_empty() => Ok(scenario),
        _ => Err(Diagnostics::new(found, cut_short)),
    }
}

/// The places and the tree of a text.
fn read(source_name: &str, text: &str) -> Result<(Index, Node), Box<Diagnostic>> {
    let fail = |span, message| Box::new(Diagnostic::in_text(source_name, text, span, message));
    let index = index::scan(text).map_err(|refused| fail(refused.span, refused.message))?;
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
    match std::str::from_utf8(bytes) {
        Ok(text) => load(source_name, text, sets, names),
        Err(error) => {
            let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
            let message = format!("line {line} is not UTF-8 text; expected YAML");
            Err(Diagnostics::new(vec![Diagnostic::of_source(source_name, message)], false))
        }
    }
}

/// The bytes from a line and column on, both from 1.
fn span_of(text: &str, line: usize, column: usize) -> std::ops::Range<usize> {
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
                Some(set) if !self.index.has(path) => set.diagnostic(true, message),
                _ => Diagnostic::in_text(self.source_name, self.text, self.index.span(path, at_key), message),
            },
        };
        diagnostic.with_path(path)
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
        self.diagnostic(&mistake.path, mistake.at_key, message).with_help(help)
    }

    fn finding(&self, tree: &Node, finding: Finding) -> Diagnostic {
        let path = tree.in_file(&finding.path);
        self.diagnostic(&path, finding.at_key, finding.message).with_help(finding.help)
    }
}

/// Fields that the language will have, and that nothing simulates yet.
const NOT_MODELLED: &[&str] =
    &["availability_rows", "capacity", "join_taint", "pods", "pool_tag_resync", "replace", "schedulable"];

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
