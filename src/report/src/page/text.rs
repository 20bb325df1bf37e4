//! A page for a terminal.

use super::chart::Chart;
use super::{Page, Part};
use crate::style::{Style, Tone, harmless};
use std::io::{self, Write};

pub fn write(page: &Page, style: Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", style.paint(Tone::Strong, harmless(&page.title)))?;
    for (tone, sentence) in &page.lead {
        writeln!(out, "  {}", style.paint(*tone, harmless(sentence)))?;
    }
    for section in page.sections.iter().filter(|section| section.on_screen && !section.is_empty()) {
        writeln!(out, "\n{}", style.paint(Tone::Strong, harmless(&section.title)))?;
        for part in &section.parts {
            match part {
                Part::Text(text) => writeln!(out, "{}", style.paint(Tone::Faint, harmless(text)))?,
                Part::Command(command) => writeln!(out, "  {}", harmless(command))?,
                Part::Table(table) => table.lines(style).iter().try_for_each(|line| writeln!(out, "{line}"))?,
                Part::Chart(chart) => bars(chart, out)?,
            }
        }
    }
    Ok(())
}

/// The longest bar, in characters.
const WIDTH: i128 = 40;

/// Bars of blocks, where the chart is one number for each of some things; otherwise its words.
fn bars(chart: &Chart, out: &mut dyn Write) -> io::Result<()> {
    let Some(bars) = chart.as_bars() else {
        return writeln!(out, "{}", harmless(&chart.about));
    };
    let most = bars.iter().map(|(_, value, _)| i128::from(*value)).max().unwrap_or(0).max(1);
    let labels = bars.iter().map(|(label, ..)| label.chars().count()).max().unwrap_or(0);
    for (label, value, words) in bars {
        let length = usize::try_from(i128::from(value.max(0)) * WIDTH / most).unwrap_or(0);
        writeln!(out, "  {:labels$}  {} {words}", harmless(&label), "▇".repeat(length))?;
    }
    Ok(())
}
