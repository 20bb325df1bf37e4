//! `--set PATH=VALUE`: one field put in place of the file's, and checked like it; `null` takes it back.

use crate::decode::shortened;
use crate::diagnostic::Diagnostic;
use crate::index::{self, Limits};
use crate::parse::parse;
use crate::path::{Path, Segment};
use crate::tree::{CannotSet, Node};
use std::ops::Range;

/// What a diagnostic about an override names as its source.
pub const OPTION: &str = "--set";

/// One override, in place.
pub struct Override {
    /// The field.
    pub path: Path,
    /// `PATH=VALUE`, as given.
    text: String,
    /// Where the value begins in it.
    value_at: usize,
}

impl Override {
    /// A mistake in the value, or in the path if `at_key`.
    pub fn diagnostic(&self, at_key: bool, message: String) -> Diagnostic {
        let span = if at_key { 0..self.value_at.saturating_sub(1) } else { self.value_at..self.text.len() };
        about(&self.text, span, message)
    }
}

/// A mistake in an override, shown as one line.
fn about(text: &str, span: Range<usize>, message: String) -> Diagnostic {
    let mut diagnostic = Diagnostic::in_text(OPTION, text, span, message);
    diagnostic.source = format!("{OPTION} {}", shortened(text));
    diagnostic.at = None;
    diagnostic
}

/// Lays one override over the tree.
///
/// # Errors
/// A diagnostic that names the override.
pub fn apply(tree: &mut Node, text: &str) -> Result<Override, Box<Diagnostic>> {
    let fail = |span: Range<usize>, message: String| Err(Box::new(about(text, span, message)));
    let Some(equals) = equals_sign(text) else {
        return fail(0..text.len(), "no `=`; expected `PATH=VALUE`, such as `cloud.lags.boot=60s`".to_owned());
    };
    let value_at = equals + 1;
    let path = match Path::parse(&text[..equals]) {
        Ok(path) => path,
        Err(why) => {
            return fail(0..equals, format!("{why}; expected a path such as `workload[0].create.claims`"));
        }
    };
    if text[value_at..].trim().is_empty() {
        return fail(0..text.len(), "no value; `null` takes a field back, as if nobody had written it".to_owned());
    }
    let value = match index::scan(&text[value_at..], Limits::SCENARIO) {
        Ok(index) if index.duplicates.is_empty() => parse(&text[value_at..]).map_err(|error| error.message),
        Ok(_) => Err("a key stands twice".to_owned()),
        Err(refused) => Err(refused.message),
    };
    let value = match value {
        Ok(value) => value,
        Err(message) => return fail(value_at..text.len(), message),
    };
    if let Err(error) = tree.set(&path, value) {
        return fail(0..equals, describe(&error, &path))
            .map_err(|diagnostic: Box<Diagnostic>| Box::new(diagnostic.with_path(path)));
    }
    Ok(Override { path, text: text.to_owned(), value_at })
}

/// The first `=` outside quotes: names of figures may have one.
fn equals_sign(text: &str) -> Option<usize> {
    let mut quoted = false;
    text.bytes().position(|byte| {
        quoted ^= byte == b'"';
        byte == b'=' && !quoted
    })
}

fn describe(error: &CannotSet, wanted: &Path) -> String {
    let name = |path: &Path| {
        if path.0.is_empty() { "the scenario".to_owned() } else { format!("`{path}`") }
    };
    match error {
        CannotSet::NoMap(path) => {
            let number = match wanted.0.get(path.0.len()) {
                Some(Segment::Key(key)) if key.bytes().all(|byte| byte.is_ascii_digit()) => {
                    format!("; write `{path}[{key}]`")
                }
                _ => String::new(),
            };
            format!("{} is no map, so it has no fields{number}", name(path))
        }
        CannotSet::NoList(path) => {
            format!("{} is no list, so it has no numbered entries", name(path))
        }
        CannotSet::TooShort(path, 0) => {
            format!("{} has no entries; the first is `[0]`", name(path))
        }
        CannotSet::TooShort(path, 1) => format!("{} has one entry, `[0]`; `[1]` would add one at its end", name(path)),
        CannotSet::TooShort(path, length) => {
            format!(
                "{} has {length} entries, `[0]` to `[{}]`; one more can be added at its end",
                name(path),
                length - 1
            )
        }
    }
}
