//! What is wrong, where, and what was expected, shown beside the line it stands on.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};
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
}

/// An excerpt of a long line shows this many characters on each side.
const EXCERPT_SIDE: usize = 60;

impl Diagnostic {
    /// A mistake that stands at the bytes `span` of `text`.
    pub(crate) fn in_text(
        source: &str,
        text: &str,
        span: Range<usize>,
        message: String,
    ) -> Diagnostic {
        let start = floor_boundary(text, span.start.min(text.len()));
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..]
            .find('\n')
            .map_or(text.len(), |newline| start + newline);
        let line = text[line_start..line_end].trim_end_matches('\r');
        let column = text[line_start..start].chars().count() + 1;
        let meant =
            start - line_start..floor_boundary(text, span.end.clamp(start, line_end)) - line_start;
        Diagnostic {
            message,
            path: String::new(),
            source: source.to_owned(),
            at: Some(Position {
                line: text[..start].bytes().filter(|byte| *byte == b'\n').count() + 1,
                column,
            }),
            help: None,
            excerpt: Some(excerpt(line, meant)),
        }
    }

    /// A mistake of a whole source.
    pub(crate) fn of_source(source: &str, message: String) -> Diagnostic {
        Diagnostic {
            message,
            path: String::new(),
            source: source.to_owned(),
            at: None,
            help: None,
            excerpt: None,
        }
    }

    pub(crate) fn with_path(mut self, path: impl fmt::Display) -> Diagnostic {
        self.path = path.to_string();
        self
    }

    pub(crate) fn with_help(mut self, help: Option<String>) -> Diagnostic {
        self.help = help;
        self
    }

    /// The mistake beside its line, with colour if `colour`.
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let origin = match self.at {
            Some(at) => format!("{}:{}:{}", self.source, at.line, at.column),
            None => self.source.clone(),
        };
        let mut group = Level::ERROR
            .primary_title(&self.message)
            .element(Origin::path(origin));
        if let Some((line, span)) = &self.excerpt {
            let annotation = AnnotationKind::Primary.span(span.clone()).label(&self.path);
            group = group.element(
                Snippet::source(line)
                    .line_start(self.at.map_or(1, |at| at.line))
                    .annotation(annotation),
            );
        } else if !self.path.is_empty() {
            group = group.element(Level::NOTE.message(format!("at `{}`", self.path)));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help));
        }
        renderer.decor_style(DecorStyle::Ascii).render(&[group])
    }
}

/// The part of a line around what is meant, without control characters, which a terminal would obey.
fn excerpt(line: &str, meant: Range<usize>) -> (String, Range<usize>) {
    let from = line[..meant.start]
        .char_indices()
        .rev()
        .nth(EXCERPT_SIDE)
        .map_or(0, |(at, _)| at);
    let to = line[meant.start..]
        .char_indices()
        .nth(EXCERPT_SIDE)
        .map_or(line.len(), |(at, _)| meant.start + at);
    let clean = |text: &str| -> String {
        text.chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect()
    };
    let before = clean(&line[from..meant.start]);
    let inside = clean(&line[meant.start..meant.end.min(to)]);
    let after = clean(&line[meant.end.min(to)..to]);
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
        found.sort_by(|a, b| {
            (is_set(a), a.at, &a.path, &a.message).cmp(&(is_set(b), b.at, &b.path, &b.message))
        });
        found.dedup();
        Diagnostics { found, cut_short }
    }

    /// The mistakes, at least one.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Diagnostic> {
        self.found.iter()
    }

    /// All of them beside their lines, with colour if `colour`.
    pub fn render(&self, colour: bool) -> String {
        let mut shown: Vec<_> = self
            .found
            .iter()
            .map(|diagnostic| diagnostic.render(colour))
            .collect();
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
