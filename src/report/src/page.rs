//! A page: what there is to say of many runs, once for all formats.
//!
//! Documents become pages, and each layout writes any page: sentences first, then sections of text, tables and charts.
//! A chart is data with words that say what it shows; what can't draw writes the words.

pub mod chart;
mod csv;
mod html;
mod markdown;
mod text;

use crate::style::{Style, Tone};
use crate::table::Table;
use chart::Chart;
use std::io::{self, Write};

/// A page.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// What it is about, in a line.
    pub title: String,
    /// The verdict, a sentence each.
    pub lead: Vec<(Tone, String)>,
    /// The rest.
    pub sections: Vec<Section>,
}

/// A part of a page under a heading.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// Whether it belongs on a screen too, and not only in layouts that have room.
    pub on_screen: bool,
    /// What is in it.
    pub parts: Vec<Part>,
}

/// A piece of a section.
#[derive(Clone, Debug)]
pub enum Part {
    /// A sentence or a few.
    Text(String),
    /// What is typed in a terminal.
    Command(String),
    /// A table.
    Table(Table),
    /// A chart.
    Chart(Chart),
}

impl Section {
    /// A section that a screen shows too.
    pub fn shown(title: &str, parts: Vec<Part>) -> Section {
        Section { title: title.to_owned(), on_screen: true, parts }
    }

    /// A section for layouts with room.
    pub fn more(title: &str, parts: Vec<Part>) -> Section {
        Section { title: title.to_owned(), on_screen: false, parts }
    }

    fn is_empty(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Table(table) if table.rows.is_empty()))
    }
}

/// A way to write a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// For a terminal.
    Text(Style),
    /// For a pull request.
    Markdown,
    /// For a spreadsheet: every table, with its section in the first column.
    Csv,
    /// One file for a browser, which works without a network.
    Html,
}

impl Page {
    /// Writes it.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write(&self, layout: Layout, out: &mut dyn Write) -> io::Result<()> {
        match layout {
            Layout::Text(style) => text::write(self, style, out),
            Layout::Markdown => markdown::write(self, out),
            Layout::Csv => csv::write(self, out),
            Layout::Html => html::write(self, out),
        }
    }
}

#[cfg(test)]
mod tests;
