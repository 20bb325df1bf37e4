//! The formats of a report: one file each behind one trait, and a table of them.

mod json;
mod page;
mod text;

use crate::Run;
use crate::style::Style;
use std::io::{self, Write};

/// A way to write what came of runs.
pub trait Format {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// What it is for, in a line.
    fn summary(&self) -> &'static str;

    /// Whether it draws a run over its time, for which it needs the run's trace.
    fn draws(&self) -> bool {
        false
    }

    /// Writes one run.
    fn one(&self, run: &Run<'_>, style: Style, out: &mut dyn Write) -> io::Result<()>;

    /// Writes several runs of one scenario, side by side.
    fn several(&self, runs: &[Run<'_>], style: Style, out: &mut dyn Write) -> io::Result<()>;
}

/// All formats, the default first.
pub const FORMATS: &[&dyn Format] = &[&text::Text, &json::Json, &page::MARKDOWN, &page::CSV, &page::HTML];

/// The format of this name.
pub fn find(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}

/// Writes one run, or several side by side.
pub fn write(format: &dyn Format, runs: &[Run<'_>], style: Style, out: &mut dyn Write) -> io::Result<()> {
    match runs {
        [run] => format.one(run, style, out),
        _ => format.several(runs, style, out),
    }
}
