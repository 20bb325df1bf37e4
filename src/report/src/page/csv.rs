//! A page for a spreadsheet: the rows of every table, each with its section before it, as RFC 4180 has them.

use super::{Page, Part};
use std::borrow::Cow;
use std::io::{self, Write};

pub fn write(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    for section in &page.sections {
        let tables = section.parts.iter().filter_map(|part| match part {
            Part::Table(table) if !table.rows.is_empty() => Some(table),
            _ => None,
        });
        for table in tables {
            line(&section.title, table.headings.iter().map(String::as_str), out)?;
            for row in &table.rows {
                line(&section.title, row.iter().map(|cell| cell.text.as_str()), out)?;
            }
        }
    }
    Ok(())
}

fn line<'a>(section: &'a str, cells: impl Iterator<Item = &'a str>, out: &mut dyn Write) -> io::Result<()> {
    let all: Vec<Cow<'_, str>> = std::iter::once(section).chain(cells).map(quoted).collect();
    write!(out, "{}\r\n", all.join(","))
}

/// A field in quotes, where something in it would end it or a spreadsheet would take it for a formula.
fn quoted(text: &str) -> Cow<'_, str> {
    let is_formula = text.starts_with(['=', '@']) || text.starts_with(['+', '-']) && text.parse::<f64>().is_err();
    let text = if is_formula { format!("'{text}").into() } else { Cow::from(text) };
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")).into(),
        false => text,
    }
}
