//! One model of a table for every format.

mod markdown;
mod text;

pub use markdown::escaped;
pub use text::beside;

use crate::style::Tone;

/// Where a column's cells stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// What stands in it.
    pub text: String,
    /// How it is meant.
    pub tone: Tone,
}

impl Cell {
    /// A cell in a tone.
    pub fn toned(text: impl ToString, tone: Tone) -> Cell {
        Cell { text: text.to_string(), tone }
    }

    /// A number, faint where it is 0.
    pub fn number(n: u64) -> Cell {
        Cell::toned(n, if n == 0 { Tone::Faint } else { Tone::Plain })
    }

    /// A number that should be 0.
    pub fn trouble(n: u64) -> Cell {
        Cell::toned(n, if n == 0 { Tone::Faint } else { Tone::Warn })
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::toned(text, Tone::Plain)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell { text, tone: Tone::Plain }
    }
}

/// Rows under headings. The first column is words, the others are numbers unless they are told otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The heading of each column. The first says what the table is about.
    pub headings: Vec<String>,
    /// Columns beside the first that are words.
    pub words: Vec<usize>,
    /// The rows, each as long as `headings`.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub fn new(headings: &[&str]) -> Table {
        Table { headings: headings.iter().map(ToString::to_string).collect(), words: Vec::new(), rows: Vec::new() }
    }

    /// The same with words in a column that would be numbers.
    pub fn words_in(mut self, column: usize) -> Table {
        self.words.push(column);
        self
    }

    /// Adds a row, which is cut or filled to the table's width.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut row: Vec<Cell> = cells.into_iter().collect();
        row.resize(self.headings.len(), Cell::default());
        self.rows.push(row);
    }

    /// Where a column's cells stand.
    pub fn align(&self, column: usize) -> Align {
        if column == 0 || self.words.contains(&column) { Align::Left } else { Align::Right }
    }
}
