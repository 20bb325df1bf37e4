//! A page for a pull request.

use super::{Page, Part};
use crate::style::harmless;
use crate::table::escaped;
use std::io::{self, Write};

pub fn write(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# {}\n", escaped(&page.title))?;
    for (_, sentence) in &page.lead {
        writeln!(out, "- {}", escaped(sentence))?;
    }
    for section in page.sections.iter().filter(|section| !section.is_empty()) {
        writeln!(out, "\n## {}", escaped(&section.title))?;
        for part in &section.parts {
            match part {
                Part::Text(text) => writeln!(out, "\n{}", escaped(text))?,
                Part::Command(command) => writeln!(out, "\n    {}", harmless(command))?,
                Part::Table(table) => write!(out, "\n{}", table.markdown())?,
                Part::Chart(chart) => writeln!(out, "\n{}", escaped(&chart.about))?,
            }
        }
    }
    Ok(())
}
