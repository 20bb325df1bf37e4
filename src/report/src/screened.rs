//! The page of a screening.

use crate::page::{Page, Part, Section};
use crate::style::Tone;
use crate::table::{Cell, Table};
use crate::units::count;
use lkesim_compare::document::{Screened, ScreenedBreach, ScreenedFigure, ScreenedSide};

/// The page of a screening.
pub fn screened(of: &Screened) -> Page {
    let under = of.design.as_ref().map_or_else(String::new, |design| format!(" under {design}"));
    let title = format!("{}{under}: {} over {}", of.scenario, of.compared.join(", "), count(of.seeds, "seed"));
    let lead = of.verdict.iter().map(|sentence| (tone(sentence), sentence.clone())).collect();
    let note = format!(
        "Each point is a comparison of its own with {}; a change is shown with 95 % for {} together, from {} % on.",
        of.compared.first().map_or("", String::as_str),
        count(of.corrected_for, "figure"),
        of.smallest_effect_percent,
    );
    let mut shown = vec![Part::Table(points(of)), Part::Text(note)];
    if !of.stated.is_empty() {
        shown.push(Part::Text(format!("Left out, as the scenario states them: {}.", of.stated.join(", "))));
    }
    let sections = vec![
        Section::shown("At the defaults", vec![Part::Table(sides(&of.defaults))]),
        Section::shown("With one knob elsewhere", shown),
    ];
    Page { title, lead, sections }
}

fn tone(sentence: &str) -> Tone {
    if sentence.contains(" turns ") && !sentence.starts_with("None") || sentence.contains(" breaks what ") {
        Tone::Warn
    } else {
        Tone::Plain
    }
}

fn sides(sides: &[ScreenedSide]) -> Table {
    let headings = ["", "better in", "worse in", "breaks, of 1,000 runs"];
    let mut table = (1..headings.len()).fold(Table::new(&headings), Table::words_in);
    for side in sides {
        let broken = side.invariants_broken_per_1000.iter().map(|(name, rate)| format!("{name} {rate}"));
        table.row([
            Cell::from(side.name.as_str()),
            some(side.better.clone(), Tone::Good),
            some(side.worse.clone(), Tone::Bad),
            some(broken.collect(), Tone::Warn),
        ]);
    }
    table
}

fn points(of: &Screened) -> Table {
    let headings = ["knob", "at", "turned", "no longer shown", "shown besides", "broken besides"];
    let mut table = (1..headings.len()).fold(Table::new(&headings), Table::words_in);
    for point in &of.points {
        table.row([
            Cell::from(point.knob.as_str()),
            Cell::from(point.value.as_str()),
            some(figures(&of.compared, &point.turned), Tone::Bad),
            some(figures(&of.compared, &point.lost), Tone::Plain),
            some(figures(&of.compared, &point.gained), Tone::Plain),
            some(breaches(&of.compared, &point.broken), Tone::Warn),
        ]);
    }
    table
}

/// Side by side: its name, and the figures.
fn figures(sides: &[String], figures: &[ScreenedFigure]) -> Vec<String> {
    by_side(sides, figures, |of| (&of.name, &of.figure))
}

fn breaches(sides: &[String], breaches: &[ScreenedBreach]) -> Vec<String> {
    by_side(sides, breaches, |of| (&of.name, &of.invariant))
}

fn by_side<T>(sides: &[String], all: &[T], of: fn(&T) -> (&String, &String)) -> Vec<String> {
    let named = |side: &String| {
        let own: Vec<&str> =
            all.iter().map(of).filter(|(name, _)| *name == side).map(|(_, what)| what.as_str()).collect();
        (!own.is_empty()).then(|| format!("{side}: {}", own.join(", ")))
    };
    sides.iter().filter_map(named).collect()
}

/// Words, or that there are none.
fn some(words: Vec<String>, tone: Tone) -> Cell {
    if words.is_empty() { Cell::toned("-", Tone::Faint) } else { Cell::toned(words.join("; "), tone) }
}
