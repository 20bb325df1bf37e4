//! `lkesim list`: names and a line about each.

use crate::args::List as Args;
use crate::{Failure, Terminal, catalogue, exit};
use lkesim_report::style::Tone;
use std::io::Write;

/// Runs the command.
pub fn list(args: &Args, terminal: &mut Terminal) -> Result<u8, Failure> {
    let entries = catalogue::entries(args.kind);
    let width = entries.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0);
    let style = terminal.style;
    terminal.put(|out| {
        for entry in &entries {
            let name = style.paint(Tone::Strong, format!("{:<width$}", entry.name));
            match first_sentence(&entry.summary) {
                none if none.is_empty() => writeln!(out, "{}", style.paint(Tone::Strong, &entry.name))?,
                words => writeln!(out, "{name}  {words}")?,
            }
        }
        Ok(())
    })?;
    Ok(exit::OK)
}

/// A line has room for one sentence; `lkesim explain` has the rest.
fn first_sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = [". ", "? "].iter().filter_map(|end| text.find(end)).min();
    end.map_or(text.as_str(), |end| &text[..=end]).to_owned()
}
