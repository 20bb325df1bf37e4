//! The page of a run, and of several of one scenario: everything that they have to say, for layouts with room.

use crate::page::{Page, Part, Section};
use crate::style::Tone;
use crate::summary::{self, Finding};
use crate::table::{Cell, Table};
use crate::{Run, side_by_side, timeline};
use lkesim_judge::outcome::Verdict;

/// The page of a run. Its charts need its trace.
pub fn page(run: &Run<'_>) -> Page {
    let outcome = run.outcome;
    let mut lead = vec![verdict(run)];
    if !outcome.about.is_empty() {
        lead.push((Tone::Plain, outcome.about.clone()));
    }
    lead.push((Tone::Faint, summary::course(outcome)));
    let mut sections = broken(run, "");
    sections.extend(charts(run));
    let tables = [
        ("What became", summary::facts(outcome)),
        ("Times", summary::times(outcome)),
        ("Rate limits", summary::limits(outcome)),
        ("Calls by endpoint", summary::endpoints(outcome)),
        ("Calls by operation, beside the document's budget", summary::budgets(outcome)),
        ("Calls by cause", summary::causes(outcome)),
        ("Calls by client", summary::clients(outcome)),
        ("Expected", summary::expectations(outcome)),
        ("Hard cases", summary::cases(outcome)),
    ];
    sections.extend(tables.map(|(title, table)| Section::shown(title, vec![Part::Table(table)])));
    let title = format!("{} under {}, seed {}", outcome.scenario, summary::designs(outcome), outcome.seed);
    Page { title, lead, sections }
}

/// The page of several runs of one scenario.
pub fn page_of_several(runs: &[Run<'_>]) -> Page {
    let scenario = runs.first().map_or("nothing", |run| &run.outcome.scenario);
    let mut sections = vec![
        Section::shown("Figures", vec![Part::Table(side_by_side::figures(runs))]),
        Section::shown("Calls/budget by operation", vec![Part::Table(side_by_side::budgets(runs))]),
    ];
    sections.extend(runs.iter().flat_map(|run| broken(run, &format!("{}: ", run.outcome.design))));
    let title = format!("Designs side by side: {scenario}");
    Page { title, lead: runs.iter().map(verdict).collect(), sections }
}

fn verdict(run: &Run<'_>) -> (Tone, String) {
    let (word, tone) = summary::verdict(run.outcome);
    (tone, format!("{word}: {}", summary::headline(run.outcome)))
}

/// What broke or was not met, and how to see it again.
fn broken(run: &Run<'_>, of: &str) -> Vec<Section> {
    let findings = summary::findings(run.outcome);
    let mut sections = Vec::new();
    if !findings.is_empty() {
        sections.push(Section::shown(&format!("{of}What is to be said"), vec![Part::Table(said(&findings))]));
    }
    if run.outcome.verdict == Verdict::Fail {
        sections.push(Section::shown(&format!("{of}Repeat it"), vec![Part::Command(run.repeat.to_owned())]));
    }
    sections
}

/// As many details of a finding are shown; JSON has all that were kept.
const DETAILS: usize = 5;

/// A row for each finding, and one for each of its first details.
fn said(findings: &[Finding]) -> Table {
    let mut table = Table::new(&["", "of", "what"]).words_in(1).words_in(2);
    for finding in findings {
        let mark = Cell::toned(finding.mark, finding.tone);
        table.row([mark, Cell::from(finding.name.as_str()), Cell::from(finding.text.as_str())]);
        let mut detail = |text: Cell| table.row([Cell::default(), Cell::default(), text]);
        finding.details.iter().take(DETAILS).for_each(|text| detail(Cell::from(text.as_str())));
        if let Some(more @ 1..) = finding.details.len().checked_sub(DETAILS) {
            detail(Cell::toned(format!("… {more} more: --format json has them"), Tone::Faint));
        }
    }
    table
}

fn charts(run: &Run<'_>) -> Vec<Section> {
    let Some(trace) = run.trace else {
        return Vec::new();
    };
    let calls = timeline::calls(trace).into_iter().map(Part::Chart).collect();
    vec![
        Section::more("Calls against the limits", calls),
        Section::more("NodeClaims and Linodes over time", vec![Part::Chart(timeline::population(trace))]),
        Section::more("NodeClaim by NodeClaim", vec![Part::Chart(timeline::lanes(trace))]),
    ]
}
