//! A table as GitHub's Markdown.

use super::{Align, Table};
use crate::style::harmless;
use std::fmt::Write;

impl Table {
    /// The table, with a line's end at its end.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        let headings: Vec<String> = self.headings.iter().map(|heading| escaped(heading)).collect();
        let rules = (0..self.headings.len()).map(|column| match self.align(column) {
            Align::Left => "---",
            Align::Right => "---:",
        });
        let rules: Vec<&str> = rules.collect();
        let _ = writeln!(text, "| {} |\n| {} |", headings.join(" | "), rules.join(" | "));
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(|cell| escaped(&cell.text)).collect();
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        text
    }
}

/// Text that Markdown would read as something else is marked.
pub fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for c in harmless(text).chars() {
        if matches!(c, '|' | '\\' | '*' | '_' | '`' | '<' | '[') {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}
