//! What is wrong, where, and what was expected, shown beside the line it stands on.

use crate::decode::shortened;
use crate::manifest::Severity;
use crate::parse::parse;
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Message, Renderer, Snippet};
use std::fmt;
use std::ops::Range;

/// A place in a text: line and column, both from 1. Columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong and what was expected.
    pub message: String,
    /// The path of the field, as `--set` takes it; empty where there is none.
    pub path: String,
    /// The file's name, or the `--set …` that says it.
    pub source: String,
    /// Where it stands in the source; none where nothing can be read.
    pub at: Option<Position>,
    /// What to do about it, such as the nearest right name.
    pub help: Option<String>,
    /// The line, and what of it is meant, in bytes.
    pub excerpt: Option<(String, Range<usize>)>,
    /// How bad it is.
    pub severity: Severity,
}

/// Longer messages and paths are cut: names in them may be as long as the file.
const LONGEST_MESSAGE: usize = 600;
const LONGEST_PATH: usize = 120;

/// A longer line is cut, to this many characters on each side of what is meant.
const LONGEST_LINE: usize = 160;
const EXCERPT_SIDE: usize = 60;

/// How a message begins about a number where none, or another one, should be.
const NUMBER_FOUND: &str = "found the number `";

impl Diagnostic {
    /// A mistake that stands at the bytes `span` of `text`.
    pub(crate) fn in_text(source: &str, text: &str, span: Range<usize>, message: String) -> Diagnostic {
        let start = floor_boundary(text, span.start.min(text.len()));
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        let line = text[line_start..line_end].trim_end_matches('\r');
        let column = text[line_start..start].chars().count() + 1;
        let meant = start - line_start..floor_boundary(text, span.end.clamp(start, line_end)) - line_start;
        Diagnostic {
            message,
            path: String::new(),
            source: source.to_owned(),
            at: Some(Position { line: text[..start].bytes().filter(|byte| *byte == b'\n').count() + 1, column }),
            help: None,
            excerpt: Some(excerpt(line, meant)),
            severity: Severity::Error,
        }
    }

    pub(crate) fn with_path(mut self, path: impl fmt::Display) -> Diagnostic {
        self.path = path.to_string();
        self
    }

    /// Quotes a number as it stands in the source: `1e3`, and all digits of a long one, not the value that was read.
    pub(crate) fn quoting_as_written(mut self) -> Diagnostic {
        let written = self.excerpt.as_ref().and_then(|(line, meant)| line.get(meant.clone())).map(str::trim);
        let read = self.message.strip_prefix(NUMBER_FOUND).and_then(|rest| rest.split_once('`'));
        if let (Some(written), Some((value, rest))) = (written, read)
            && written != value
            && parse(written).is_ok_and(|node| node.number_text() == value)
        {
            self.message = format!("{NUMBER_FOUND}{}`{rest}", shortened(written));
        }
        self
    }

    pub(crate) fn with_severity(mut self, severity: Severity) -> Diagnostic {
        self.severity = severity;
        self
    }

    pub(crate) fn with_help(mut self, help: Option<String>) -> Diagnostic {
        self.help = help;
        self
    }

    /// The mistake beside its line, with colour if `colour`.
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let message = cut(&one_line(&self.message), LONGEST_MESSAGE);
        let path = cut(&one_line(&self.path), LONGEST_PATH);
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let title = level.primary_title(&message);
        let mut group = match (&self.excerpt, self.path.is_empty()) {
            (Some((line, span)), _) if !line.is_empty() => {
                let annotation = AnnotationKind::Primary.span(span.clone()).label(&path);
                title.element(Snippet::source(line).line_start(self.line()).annotation(annotation))
            }
            (_, false) => title.element(Level::NOTE.message(format!("at `{path}`"))),
            (_, true) => title.elements(None::<Message<'_>>),
        };
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(cut(&one_line(help), LONGEST_MESSAGE)));
        }
        self.with_origin(&renderer.decor_style(DecorStyle::Ascii).render(&[group]))
    }

    fn line(&self) -> usize {
        self.at.map_or(1, |at| at.line)
    }

    /// Puts the place below the title. The renderer would count columns in the excerpt, which may begin inside the
    /// line.
    fn with_origin(&self, rendered: &str) -> String {
        let pad = " ".repeat(self.line().to_string().len());
        let origin = one_line(&self.source);
        let origin = match self.at {
            Some(at) => format!("{pad}--> {origin}:{}:{}", at.line, at.column),
            None => format!("{pad}--> {origin}"),
        };
        match rendered.split_once('\n') {
            Some((title, rest)) => format!("{title}\n{origin}\n{rest}"),
            None => format!("{rendered}\n{origin}"),
        }
    }
}

/// The start of a text that is longer than so many characters.
fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A text without line breaks and other control characters, which a terminal would obey.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The part of a line around what is meant.
fn excerpt(line: &str, meant: Range<usize>) -> (String, Range<usize>) {
    if line.len() <= LONGEST_LINE && !line.contains(char::is_control) {
        return (line.to_owned(), meant);
    }
    let from = line[..meant.start].char_indices().rev().nth(EXCERPT_SIDE).map_or(0, |(at, _)| at);
    let to = line[meant.start..].char_indices().nth(EXCERPT_SIDE).map_or(line.len(), |(at, _)| meant.start + at);
    let before = one_line(&line[from..meant.start]);
    let inside = one_line(&line[meant.start..meant.end.min(to)]);
    let after = one_line(&line[meant.end.min(to)..to]);
    let span = before.len()..before.len() + inside.len();
    (before + &inside + &after, span)
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

/// All mistakes that were found, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    found: Vec<Diagnostic>,
    /// Whether the search ended before everything was looked at.
    pub cut_short: bool,
}

impl Diagnostics {
    pub(crate) fn new(mut found: Vec<Diagnostic>, cut_short: bool) -> Diagnostics {
        let is_set = |diagnostic: &Diagnostic| diagnostic.source.starts_with(crate::set::OPTION);
        found.sort_by(|a, b| (is_set(a), a.at, &a.path, &a.message).cmp(&(is_set(b), b.at, &b.path, &b.message)));
        found.dedup();
        Diagnostics { found, cut_short }
    }

    /// The mistakes, at least one.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Diagnostic> {
        self.found.iter()
    }

    /// All of them beside their lines, with colour if `colour`.
    pub fn render(&self, colour: bool) -> String {
        let mut shown: Vec<_> = self.found.iter().map(|diagnostic| diagnostic.render(colour)).collect();
        if self.cut_short {
            shown.push("more mistakes may follow: mend these first".to_owned());
        }
        shown.join("\n\n")
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Diagnostics {}
