//! Several designs in one table: a row a figure, a column a design, and with two designs the change between them.

use crate::Run;
use crate::style::Tone;
use crate::summary::{self, Quantile};
use crate::table::{Cell, Table};
use crate::units::{delta_in, length};
use lkesim_judge::Outcome;
use lkesim_judge::outcome::{BudgetRow, ClientUse, Dollars, Times};
use std::collections::{BTreeMap, BTreeSet};

/// A figure of an outcome.
struct Figure {
    name: &'static str,
    of: Of,
}

/// Where a figure stands, which tells how it is shown.
enum Of {
    Number(fn(&Outcome) -> u64),
    Time(fn(&Outcome) -> &Times, Quantile),
    Money(fn(&Outcome) -> u64),
}

impl Figure {
    fn value(&self, outcome: &Outcome) -> u64 {
        match self.of {
            Of::Number(of) | Of::Money(of) => of(outcome),
            Of::Time(of, quantile) => quantile.of(of(outcome)),
        }
    }

    fn words(&self, outcome: &Outcome) -> String {
        match self.of {
            Of::Number(of) => of(outcome).to_string(),
            Of::Time(of, quantile) => quantile.words(of(outcome), outcome.virtual_ms),
            Of::Money(of) => self.amount(of(outcome)),
        }
    }

    /// An amount of what it counts.
    fn amount(&self, amount: u64) -> String {
        match self.of {
            Of::Number(_) => amount.to_string(),
            Of::Time(..) => length(amount),
            Of::Money(_) => format!("${}", Dollars(amount)),
        }
    }
}

const fn number(name: &'static str, of: fn(&Outcome) -> u64) -> Figure {
    Figure { name, of: Of::Number(of) }
}

const fn time(name: &'static str, of: fn(&Outcome) -> &Times, quantile: Quantile) -> Figure {
    Figure { name, of: Of::Time(of, quantile) }
}

const fn money(name: &'static str, of: fn(&Outcome) -> u64) -> Figure {
    Figure { name, of: Of::Money(of) }
}

const FIGURES: &[Figure] = &[
    number("NodeClaims requested", |outcome| outcome.claims.requested),
    number("NodeClaims launched", |outcome| outcome.claims.launched),
    number("NodeClaims initialized", |outcome| outcome.claims.initialized),
    number("NodeClaims failed", |outcome| outcome.claims.failed),
    time("time to launch, p50", |outcome| &outcome.time_to.launch, Quantile::P50),
    time("time to launch, p99", |outcome| &outcome.time_to.launch, Quantile::P99),
    time("time to ready, p50", |outcome| &outcome.time_to.ready, Quantile::P50),
    time("time to ready, p99", |outcome| &outcome.time_to.ready, Quantile::P99),
    number("API calls", |outcome| outcome.api.calls),
    number("API calls throttled", |outcome| outcome.api.throttled),
    number("Linodes created", |outcome| outcome.instances.created),
    number("Linodes, peak", |outcome| outcome.instances.peak),
    number("Linodes unclaimed at the end", |outcome| outcome.instances.unclaimed_at_end),
    number("unclaimed minutes", |outcome| outcome.instances.unclaimed_minutes),
    money("cost", |outcome| outcome.cost.total_usd.0),
    money("cost of unclaimed Linodes", |outcome| outcome.cost.unclaimed_usd.0),
];

/// The main figures of each run.
pub fn figures(runs: &[Run<'_>]) -> Table {
    let mut table = headed("figure", runs);
    for figure in FIGURES {
        let values: Vec<u64> = runs.iter().map(|run| figure.value(run.outcome)).collect();
        let cells = runs.iter().map(|run| Cell::from(figure.words(run.outcome)));
        table.row(row(figure.name, cells, &values, |amount| figure.amount(amount)));
    }
    let classes = runs.iter().flat_map(|run| run.outcome.api.by_class.keys());
    for class in classes.collect::<BTreeSet<_>>() {
        let uses = runs.iter().map(|run| run.outcome.api.by_class.get(class));
        let values: Vec<u64> = uses.map(|class| class.map_or(0, |class| class.peak_in_window)).collect();
        let limit = runs.iter().find_map(|run| run.outcome.api.by_class.get(class)?.limit);
        let name = match limit {
            Some(limit) => format!("peak of `{class}` calls (limit {limit})"),
            None => format!("peak of `{class}` calls"),
        };
        let cells = values.iter().map(|&n| match limit {
            Some(limit) if n > limit => Cell::toned(n, Tone::Warn),
            _ => Cell::number(n),
        });
        table.row(row(&name, cells, &values, plain));
    }
    for client in clients(runs) {
        let used = |run: &Run<'_>| run.outcome.api.by_client.get(client).copied().unwrap_or_default();
        for (name, of) in CLIENT_FIGURES {
            let values: Vec<u64> = runs.iter().map(|run| of(&used(run))).collect();
            let cells = values.iter().map(|&n| Cell::number(n));
            table.row(row(&format!("{name} of `{client}`"), cells, &values, plain));
        }
    }
    table
}

/// A figure's words, and where it is read.
type ClientFigure = (&'static str, fn(&ClientUse) -> u64);

const CLIENT_FIGURES: [ClientFigure; 2] =
    [("API calls", |used| used.calls), ("API calls throttled", |used| used.throttled)];

/// The clients, where one of the runs has several.
fn clients<'a>(runs: &[Run<'a>]) -> BTreeSet<&'a String> {
    let by_client = || runs.iter().map(|run| &run.outcome.api.by_client);
    match by_client().any(|clients| clients.len() > 1) {
        true => by_client().flat_map(BTreeMap::keys).collect(),
        false => BTreeSet::new(),
    }
}

/// Calls of each operation beside its budget, as `calls/budget+retries`.
pub fn budgets(runs: &[Run<'_>]) -> Table {
    let mut table = headed("calls/budget+retries", runs);
    let mut lines: Vec<(String, String)> = Vec::new();
    for run in runs {
        let rows = run.outcome.budgets.iter();
        lines.extend(rows.map(|row| (row.operation.clone(), row.call.clone())));
    }
    let mut seen = BTreeMap::new();
    lines.retain(|line| seen.insert(line.clone(), ()).is_none());
    // Operations keep the order of reports; lines of later designs join theirs.
    let order: Vec<String> = lines.iter().map(|(operation, _)| operation.clone()).collect();
    lines.sort_by_key(|(operation, call)| (order.iter().position(|other| other == operation), call.clone()));
    for (operation, call) in lines {
        let is_line = |row: &&BudgetRow| row.operation == operation && row.call == call;
        let line = |run: &Run<'_>| run.outcome.budgets.iter().find(is_line).cloned();
        let values: Vec<u64> = runs.iter().filter_map(|run| line(run).map(|line| line.calls)).collect();
        let cells = runs.iter().map(|run| match line(run) {
            None => Cell::toned("-", Tone::Faint),
            Some(line) => {
                let budget = line.budget.map_or("-".to_owned(), |budget| budget.to_string());
                let retries = match line.retries {
                    0 => String::new(),
                    retries => format!("+{retries}"),
                };
                Cell::toned(format!("{}/{budget}{retries}", line.calls), summary::spent(&line))
            }
        });
        table.row(row(&format!("{operation}: {call}"), cells, &values, plain));
    }
    table
}

fn headed(first: &str, runs: &[Run<'_>]) -> Table {
    let mut headings = vec![first];
    headings.extend(runs.iter().map(|run| run.outcome.design.as_str()));
    if runs.len() == 2 {
        headings.push("change");
    }
    Table::new(&headings)
}

/// A row with the change between two values, in their unit's words; none where a run has no such figure.
fn row(name: &str, cells: impl Iterator<Item = Cell>, values: &[u64], words: impl Fn(u64) -> String) -> Vec<Cell> {
    let mut row = vec![Cell::from(name)];
    row.extend(cells);
    if let [from, to] = *values {
        let change = delta_in(from.into(), to.into(), words);
        let tone = if from == to { Tone::Faint } else { Tone::Plain };
        row.push(Cell::toned(change, tone));
    }
    row
}

fn plain(amount: u64) -> String {
    amount.to_string()
}
