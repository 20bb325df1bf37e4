//! Layouts of pages as formats of a run.

use super::Format;
use crate::Run;
use crate::page::Layout;
use crate::ran;
use crate::style::Style;
use std::io::{self, Write};

/// A format that is a page in a layout.
pub struct Paged {
    name: &'static str,
    summary: &'static str,
    layout: Layout,
    draws: bool,
}

/// Markdown.
pub const MARKDOWN: Paged = Paged {
    name: "markdown",
    summary: "all tables, for a pull request or a page",
    layout: Layout::Markdown,
    draws: false,
};

/// CSV.
pub const CSV: Paged =
    Paged { name: "csv", summary: "all tables, for a spreadsheet", layout: Layout::Csv, draws: false };

/// HTML.
pub const HTML: Paged = Paged {
    name: "html",
    summary: "one file with tables and charts, for a browser; it fetches nothing",
    layout: Layout::Html,
    draws: true,
};

impl Format for Paged {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn draws(&self) -> bool {
        self.draws
    }

    fn one(&self, run: &Run<'_>, _: Style, out: &mut dyn Write) -> io::Result<()> {
        ran::page(run).write(self.layout, out)
    }

    fn several(&self, runs: &[Run<'_>], _: Style, out: &mut dyn Write) -> io::Result<()> {
        ran::page_of_several(runs).write(self.layout, out)
    }
}
