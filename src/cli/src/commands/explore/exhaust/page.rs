//! What all orders came to, as a page.

use super::{course, proved, word};
use lkesim_explore::Exhausted;
use lkesim_explore::exhaustive::Proof;
use lkesim_report::page::{Page, Part, Section};
use lkesim_report::style::Tone;
use lkesim_report::table::{Cell, Table};
use lkesim_report::units::{clock, count};

/// The page of an exhaustive search.
pub fn of_all_orders(exhausted: &Exhausted) -> Page {
    let (word, tone) = word(exhausted.verdict);
    let mut lead = vec![(tone, format!("{word}: {}", course(exhausted)))];
    lead.extend(proved(exhausted).map(|text| (Tone::Plain, text.to_owned())));
    let not_modelled = |(what, runs): (&String, &u64)| (Tone::Warn, format!("not modelled: {what}, in {runs} orders"));
    lead.extend(exhausted.not_modelled.iter().map(not_modelled));
    let mut orders = Table::new(&["departures", "orders"]);
    for (departures, tried) in exhausted.orders.iter().enumerate() {
        orders.row([Cell::from(departures.to_string()), Cell::number(*tried)]);
    }
    let mut sections = vec![
        Section::shown("Findings", vec![Part::Table(findings(&exhausted.findings))]),
        Section::shown("Orders that were tried", vec![Part::Table(orders)]),
    ];
    let again: Vec<Part> = exhausted.findings.iter().flat_map(again).collect();
    if !again.is_empty() {
        sections.push(Section::more("To see each again", again));
    }
    Page { title: format!("All orders of {}", exhausted.scenario), lead, sections }
}

fn findings(findings: &[Proof]) -> Table {
    let mut table = Table::new(&["invariant", "orders", "mechanism", "departures", "at", "what happened"]);
    table = table.words_in(2).words_in(5);
    for proof in findings {
        table.row([
            Cell::toned(&proof.invariant, Tone::Bad),
            Cell::number(proof.count),
            Cell::from(proof.mechanism.as_str()),
            Cell::number(proof.deviations.len() as u64),
            Cell::from(clock(proof.at_ms)),
            Cell::from(proof.text.as_str()),
        ]);
    }
    table
}

fn again(proof: &Proof) -> [Part; 2] {
    let least = count(proof.deviations.len() as u64, "departure");
    [Part::Text(format!("{}, with {least}: {}", proof.invariant, proof.mechanism)), Part::Command(proof.repro.clone())]
}
