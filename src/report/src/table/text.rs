//! A table as aligned lines.

use super::{Align, Cell, Table};
use crate::style::{Style, Tone, harmless};

/// What stands between columns.
const GAP: &str = "  ";

impl Table {
    /// The heading line and one line a row, without trailing spaces.
    pub fn lines(&self, style: Style) -> Vec<String> {
        let widths = self.widths();
        let headings: Vec<Cell> = self.headings.iter().map(|text| Cell::toned(text, Tone::Strong)).collect();
        let mut lines = vec![self.line(&headings, &widths, style)];
        lines.extend(self.rows.iter().map(|row| self.line(row, &widths, style)));
        lines
    }

    fn widths(&self) -> Vec<usize> {
        let cells = |column: usize| self.rows.iter().map(move |row| width(&row[column].text));
        let headings = self.headings.iter().enumerate();
        headings.map(|(column, heading)| cells(column).max().unwrap_or(0).max(width(heading))).collect()
    }

    fn line(&self, row: &[Cell], widths: &[usize], style: Style) -> String {
        let mut line = String::new();
        let mut owed = 0;
        for (column, (cell, &wanted)) in row.iter().zip(widths).enumerate() {
            let fill = wanted - width(&cell.text).min(wanted);
            let (before, after) = match self.align(column) {
                Align::Left => (0, fill),
                Align::Right => (fill, 0),
            };
            let gap = if column == 0 { 0 } else { GAP.len() };
            if !cell.text.is_empty() {
                // Spaces are owed until text follows them, so that no line ends in some.
                line.extend(std::iter::repeat_n(' ', owed + gap + before));
                line.push_str(&style.paint(cell.tone, harmless(&cell.text)).to_string());
                owed = after;
            } else {
                owed += gap + before + after;
            }
        }
        line
    }
}

/// Two blocks of lines side by side: the shorter one is filled up.
pub fn beside(left: &Table, right: &Table, style: Style) -> Vec<String> {
    let plain = left.lines(Style::PLAIN);
    let column = plain.iter().map(|line| width(line)).max().unwrap_or(0) + 4;
    let (left, right) = (left.lines(style), right.lines(style));
    (0..left.len().max(right.len()))
        .map(|at| {
            let shown = left.get(at).map_or("", String::as_str);
            match right.get(at) {
                Some(other) => {
                    let fill = column - plain.get(at).map_or(0, |line| width(line));
                    format!("{shown}{}{other}", " ".repeat(fill))
                }
                None => shown.to_owned(),
            }
        })
        .collect()
}

fn width(text: &str) -> usize {
    text.chars().count()
}
