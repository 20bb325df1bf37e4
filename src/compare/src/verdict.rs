//! A comparison in plain words.

use crate::document::{Called, Compared, DifferenceRow, ScenarioCompared};
use crate::figure::{FIGURES, Figure, place};
use lkesim_judge::outcome::Quantity;

/// How many figures a sentence names.
const NAMED: usize = 4;

/// Sentences, the most important first: what breaks, then what is better and worse, design by design.
pub fn words(compared: &Compared) -> Vec<String> {
    let mut sentences = Vec::new();
    if compared.seeds == 0 {
        return vec!["No seed was run to its end, so nothing can be said.".to_owned()];
    }
    for scenario in &compared.scenarios {
        let name = named(scenario, compared.scenarios.len());
        sentences.extend(broken(scenario, &name));
        for design in compared.designs.iter().skip(1) {
            sentences.push(beside(scenario, &name, design, &compared.designs[0]));
        }
    }
    sentences
}

fn named(scenario: &ScenarioCompared, of: usize) -> String {
    match (of, &scenario.set[..]) {
        (1, _) => String::new(),
        (_, []) => format!("{}: ", scenario.scenario),
        (_, set) => format!("{} with {}: ", scenario.scenario, set.join(", ")),
    }
}

fn broken(scenario: &ScenarioCompared, name: &str) -> Option<String> {
    let broke = scenario.designs.iter().filter(|design| design.broken_per_1000.0 > 0);
    let words = broke.map(|design| {
        let of = design.invariants_broken_per_1000.keys().cloned().collect::<Vec<_>>().join(", ");
        format!("{} breaks invariants {} ({of})", design.design, in_runs(design.broken_per_1000, design.runs))
    });
    let all: Vec<String> = words.collect();
    (!all.is_empty()).then(|| format!("{name}{}.", all.join("; ")))
}

/// How many runs of so many, from how many of a thousand: runs are whole.
pub(crate) fn in_runs(of_1000: Quantity, runs: u64) -> String {
    let broke = (i128::from(of_1000.0) * i128::from(runs) + 500_000_000) / 1_000_000_000;
    format!("in {broke} of {}", grouped_runs(runs))
}

fn grouped_runs(runs: u64) -> String {
    if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") }
}

fn beside(scenario: &ScenarioCompared, name: &str, design: &str, reference: &str) -> String {
    let rows = scenario.differences.iter().filter(|row| row.design == design);
    let deciding =
        rows.filter_map(|row| Some((&FIGURES[place(&row.figure)?], row))).filter(|(figure, _)| figure.decides);
    let (mut better, mut worse) = (Vec::new(), Vec::new());
    for (figure, row) in deciding {
        match row.called {
            Called::Better => better.push(change(figure, row)),
            Called::Worse => worse.push(change(figure, row)),
            Called::Same => {}
        }
    }
    let all = match (better.is_empty(), worse.is_empty()) {
        (true, true) => format!("shows no difference from {reference}"),
        (false, true) => format!("is better than {reference} in {}", list(better)),
        (true, false) => format!("is worse than {reference} in {}", list(worse)),
        (false, false) => format!("is better than {reference} in {}, and worse in {}", list(better), list(worse)),
    };
    format!("{name}{design} {all}.")
}

fn change(figure: &Figure, row: &DifferenceRow) -> String {
    match row.change_percent {
        Some(percent) => format!("{} ({}{percent} %)", figure.name, if percent.0 > 0 { "+" } else { "" }),
        None => format!("{} (from nothing to {})", figure.name, row.change),
    }
}

fn list(mut all: Vec<String>) -> String {
    let rest = all.len().saturating_sub(NAMED);
    all.truncate(NAMED);
    match rest {
        0 => all.join(", "),
        rest => format!("{} and {rest} more", all.join(", ")),
    }
}
