//! What a search found, as a page.

use super::text::headline;
use lkesim_explore::explored::Finding;
use lkesim_explore::{Explored, Verdict};
use lkesim_report::page::chart::{Bar, Chart, Drawn};
use lkesim_report::page::{Page, Part, Section};
use lkesim_report::style::Tone;
use lkesim_report::table::{Cell, Table};
use lkesim_report::units::{clock, count};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The page of a search.
pub fn of_search(explored: &Explored) -> Page {
    let (word, tone) = match explored.verdict {
        Verdict::Pass => ("PASS", Tone::Good),
        Verdict::Fail => ("FAIL", Tone::Bad),
    };
    let mut lead = vec![(tone, format!("{word}: {}", headline(explored)))];
    let missing = |case: &String| (Tone::Bad, format!("{case}: a declared hard case that never occurred"));
    lead.extend(explored.missing.iter().map(missing));
    let not_modelled = |(what, runs): (&String, &u64)| (Tone::Warn, format!("not modelled: {what}, in {runs} runs"));
    lead.extend(explored.not_modelled.iter().map(not_modelled));
    let sections = vec![
        Section::shown("Findings", vec![Part::Table(findings(&explored.findings))]),
        Section::more("Findings by invariant", vec![Part::Chart(by_invariant(explored))]),
        Section::more("To see each again", explored.findings.iter().flat_map(again).collect()),
        Section::shown("Hard cases", vec![Part::Table(hard_cases(explored))]),
    ];
    let title = format!("What breaks {}", explored.design);
    Page { title, lead, sections: sections.into_iter().filter(|section| !section.parts.is_empty()).collect() }
}

fn findings(findings: &[Finding]) -> Table {
    let mut table = Table::new(&["invariant", "runs", "mechanism", "first seed", "at", "what happened"]);
    table = table.words_in(2).words_in(5);
    for finding in findings {
        table.row([
            Cell::toned(&finding.invariant, Tone::Bad),
            Cell::number(finding.count),
            Cell::from(finding.mechanism.as_str()),
            Cell::from(finding.first_seed.to_string()),
            Cell::from(clock(finding.at_ms)),
            Cell::from(finding.text.as_str()),
        ]);
    }
    table
}

fn again(finding: &Finding) -> [Part; 2] {
    let text = format!("{}: {}", finding.invariant, finding.mechanism);
    [Part::Text(text), Part::Command(finding.repro.clone())]
}

fn by_invariant(explored: &Explored) -> Chart {
    let mut runs = BTreeMap::<&str, (u64, u64)>::new();
    for finding in &explored.findings {
        let (mechanisms, of) = runs.entry(&finding.invariant).or_default();
        *mechanisms += 1;
        *of += finding.count;
    }
    let mut all: Vec<_> = runs.into_iter().collect();
    all.sort_by_key(|(invariant, (_, runs))| (Reverse(*runs), *invariant));
    let about = match all.first() {
        None => "Nothing broke.".to_owned(),
        Some((invariant, (mechanisms, runs))) => format!(
            "Most often {invariant}: {} of {}, by {}. A run may break several.",
            runs,
            count(explored.runs, "run"),
            count(*mechanisms, "mechanism"),
        ),
    };
    let bar = |(invariant, (mechanisms, runs)): (&str, (u64, u64))| {
        let value = i64::try_from(runs).unwrap_or(i64::MAX);
        let words = format!("{runs}, by {}", count(mechanisms, "mechanism"));
        Bar { label: invariant.to_owned(), value, interval: (value, value), words }
    };
    Chart {
        title: "Which invariants break, and how often?".to_owned(),
        about,
        across: format!("findings of {}", count(explored.runs, "run")),
        up: String::new(),
        drawn: Drawn::Bars(all.into_iter().map(bar).collect()),
    }
}

fn hard_cases(explored: &Explored) -> Table {
    let mut table = Table::new(&["hard case", "times"]);
    for (case, times) in &explored.hard_cases {
        table.row([Cell::from(case.as_str()), Cell::number(*times)]);
    }
    table
}
