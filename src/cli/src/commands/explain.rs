//! `lkesim explain`: all that is known about a name, or every assumption about Linode.

use crate::args::Explain as Args;
use crate::{Failure, Terminal, catalogue, exit};
use lkesim_lke::DESIGNS;
use lkesim_report::style::{Style, Tone};
use lkesim_report::table::{Cell, Table};
use lkesim_scenario::Span;
use lkesim_scenario::presets::{Mark, Row, SETTINGS, Setting, TABLE, ranges};
use std::time::Duration;

/// The name that stands for all assumptions.
const ASSUMPTIONS: &str = "assumptions";

/// The longest line of prose, in characters.
const WIDTH: usize = 100;

/// Runs the command.
pub fn explain(args: &Args, terminal: &mut Terminal) -> Result<u8, Failure> {
    let style = terminal.style;
    if args.name == ASSUMPTIONS {
        terminal.print(&assumptions(style))?;
        return Ok(exit::OK);
    }
    let all = catalogue::everything();
    let found: Vec<_> = all.iter().filter(|entry| entry.name == args.name).collect();
    if found.is_empty() {
        let knobs = assumptions_about(&args.name, style);
        if !knobs.is_empty() {
            terminal.print(&knobs)?;
            return Ok(exit::OK);
        }
        let names = all.iter().map(|entry| entry.name.as_str()).chain([ASSUMPTIONS]);
        let mentions = mentions(&args.name, &all);
        let help = match catalogue::did_you_mean(&args.name, names) {
            none if none.is_empty() && !mentions.is_empty() => {
                format!("; `lkesim explain` speaks of it under {}", mentions.join(", "))
            }
            none if none.is_empty() => {
                "; `lkesim list` names what there is, `lkesim explain assumptions` the settings".to_owned()
            }
            near => near,
        };
        return Err(Failure::Usage(format!("there is nothing called `{}`{help}", args.name)));
    }
    for entry in found {
        let name = style.paint(Tone::Strong, &entry.name);
        terminal.print(&format!("{name}\n\n{}\n", folded(&entry.text)))?;
    }
    Ok(exit::OK)
}

/// Entries whose text has this word, parts of scenarios first; at most three.
fn mentions(name: &str, all: &[catalogue::Entry]) -> Vec<String> {
    let is_part_of_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let has = |entry: &&catalogue::Entry| entry.text.split(|c| !is_part_of_word(c)).any(|word| word == name);
    all.iter().rev().filter(has).map(|entry| format!("`{}`", entry.name)).take(3).collect()
}

/// Paragraphs and items of lists in lines of at most [`WIDTH`], whatever their lines were; what is laid out already,
/// which its indent tells, stays as it is.
fn folded(text: &str) -> String {
    let mut folded = String::new();
    // How far the line is used, and how much of it the lines of an item leave free.
    let (mut used, mut indent) = (0, "");
    for line in text.lines() {
        let is_item = line.starts_with("- ");
        if line.is_empty() || line.starts_with(' ') || is_item {
            if used > 0 {
                folded.push('\n');
            }
            (used, indent) = (0, if is_item { "  " } else { "" });
        }
        if line.is_empty() || line.starts_with(' ') {
            folded.push_str(line);
            folded.push('\n');
            continue;
        }
        for word in line.split(' ') {
            let length = word.chars().count();
            let full = used + 1 + length > WIDTH;
            match (used, full) {
                (0, _) => used = length,
                (_, true) => {
                    folded.push('\n');
                    folded.push_str(indent);
                    used = indent.len() + length;
                }
                (_, false) => {
                    folded.push(' ');
                    used += 1 + length;
                }
            }
            folded.push_str(word);
        }
    }
    folded.trim_end().to_owned()
}

/// Every delay of the presets and every other default, with its mark and source.
/// The assumptions about one setting, or about all below it, such as `cloud.lags`.
fn assumptions_about(name: &str, style: Style) -> String {
    let is_meant = |knob: &str| knob == name || knob.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    let mut text = String::new();
    let mut table = knob_table();
    TABLE.iter().filter(|row| is_meant(row.knob)).for_each(|row| table.row(assumption(row)));
    if !table.rows.is_empty() {
        put(&mut text, &table, style);
    }
    let mut table = setting_table();
    SETTINGS.iter().filter(|setting| is_meant(setting.knob)).for_each(|setting| table.row(setting_row(setting)));
    if !table.rows.is_empty() {
        put(&mut text, &table, style);
    }
    let table = ranges_about(is_meant);
    if !table.rows.is_empty() {
        text.push('\n');
        put(&mut text, &table, style);
    }
    text
}

fn knob_table() -> Table {
    let headings = ["knob", "tier", "presets", "default", "how sure", "source"];
    (1..headings.len()).fold(Table::new(&headings), Table::words_in)
}

fn setting_table() -> Table {
    let headings = ["setting", "default", "how sure", "source"];
    (1..headings.len()).fold(Table::new(&headings), Table::words_in)
}

fn range_table() -> Table {
    let headings = ["unknown knob", "tier", "screened at", "because"];
    (1..headings.len()).fold(Table::new(&headings), Table::words_in)
}

/// What `lkesim screen` tries, and what it does not, of knobs that are meant.
fn ranges_about(is_meant: impl Fn(&str) -> bool) -> Table {
    let mut table = range_table();
    for range in ranges::RANGES.iter().filter(|range| is_meant(range.knob)) {
        let tier = range.tier.map_or("both".to_owned(), |tier| format!("{tier:?}").to_lowercase());
        table.row(vec![range.knob.into(), tier.into(), range.values.join(", ").into(), range.reason.into()]);
    }
    for (knob, reason) in ranges::UNSCREENED.iter().filter(|(knob, _)| is_meant(knob)) {
        table.row(vec![(*knob).into(), "both".into(), Cell::toned("-", Tone::Faint), (*reason).into()]);
    }
    table
}

fn setting_row(setting: &Setting) -> Vec<Cell> {
    vec![setting.knob.into(), setting.default.into(), sure(setting.mark), setting.source.into()]
}

fn assumptions(style: Style) -> String {
    let mut table = knob_table();
    TABLE.iter().for_each(|row| table.row(assumption(row)));
    let mut text = String::from(
        "What is assumed about Linode and Kubernetes where a scenario does not say otherwise. A preset without a row for a knob \
         lets it take no time.\n\n",
    );
    put(&mut text, &table, style);
    let mut table = setting_table();
    SETTINGS.iter().for_each(|setting| table.row(setting_row(setting)));
    text.push('\n');
    put(&mut text, &table, style);
    text.push_str(
        "\nWhere the truth about the unknown ones may be; `lkesim screen` tries whether it would turn a verdict.\n\n",
    );
    put(&mut text, &ranges_about(|_| true), style);
    let headings = ["setting of a design", "design", "default", "how sure", "source"];
    let mut table = (1..headings.len()).fold(Table::new(&headings), Table::words_in);
    for design in DESIGNS {
        for setting in design.settings.iter().filter(|setting| !setting.fixed) {
            let (name, default) = (format!("provider.{}", setting.name), setting.value.to_string());
            let of = design.facts.name.into();
            table.row(vec![name.into(), of, default.into(), setting.mark().into(), setting.source.into()]);
        }
    }
    text.push('\n');
    put(&mut text, &table, style);
    text.push_str("\nWhat a design has fixed is under its own name: `lkesim explain documented`.\n");
    text
}

fn put(text: &mut String, table: &Table, style: Style) {
    for line in table.lines(style) {
        text.push_str(&line);
        text.push('\n');
    }
}

fn sure(mark: Mark) -> Cell {
    let tone = match mark {
        Mark::Unknown => Tone::Warn,
        _ => Tone::Plain,
    };
    Cell::toned(mark.name(), tone)
}

fn assumption(row: &Row) -> Vec<Cell> {
    let tier = row.tier.map_or("both".to_owned(), |tier| format!("{tier:?}").to_lowercase());
    let presets: Vec<&str> = row.presets.iter().map(|preset| preset.name()).collect();
    vec![
        row.knob.into(),
        tier.into(),
        presets.join(", ").into(),
        points(row.points).into(),
        sure(row.mark),
        row.source.into(),
    ]
}

/// As a scenario writes it.
fn points(points: &[(u32, u64)]) -> String {
    let span = |ms: u64| Span::from(Duration::from_millis(ms));
    match points {
        [(_, ms)] => span(*ms).to_string(),
        _ => {
            let all: Vec<String> = points.iter().map(|(place, ms)| format!("p{place}: {}", span(*ms))).collect();
            format!("{{{}}}", all.join(", "))
        }
    }
}
