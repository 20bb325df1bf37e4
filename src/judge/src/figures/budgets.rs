//! The design document's budget line by line, beside what each run of an operation asked.
//!
//! A line is a function of a run's own work (attempts, nodes scanned, pages), so that each run has an allowance of its
//! own. Runs that asked nothing and were allowed nothing are not noted: they are what is missing from the number of
//! runs.

use super::FiguresSettings;
use crate::outcome::{BudgetRow, Spread};
use lkesim_linode_api::budget::{Budget, Work};
use lkesim_linode_api::{Endpoint, Operation};
use std::collections::BTreeMap;

/// What stands where a design's file does not explain a difference. No built-in scenario comes to it.
pub const NO_REASON: &str = "the design's file gives no reason";

/// First tries by call.
pub(super) type Counts = [u32; Endpoint::PROVIDER.len()];

/// A line of the budget, or a call that no line names.
#[derive(Clone)]
struct Line {
    operation: Operation,
    endpoint: Endpoint,
    or: Option<Endpoint>,
    /// Several lines for one call add up.
    budgets: Vec<&'static Budget>,
    /// How many runs made so many calls, and were allowed so many.
    runs: BTreeMap<(u64, u64), u64>,
}

/// All lines of the tier, by operation.
#[derive(Clone)]
pub(super) struct Lines([Vec<Line>; Operation::ALL.len()]);

/// What all runs of an operation did.
pub(super) struct Totals<'a> {
    pub work: &'a Work,
    pub first: Counts,
    pub again: Counts,
}

impl Lines {
    pub fn new(settings: &FiguresSettings) -> Lines {
        let mut lines: [Vec<Line>; Operation::ALL.len()] = Default::default();
        let of_tier = |budget: &&'static Budget| budget.tier.is_none_or(|tier| tier == settings.tier);
        for budget in settings.budgets.iter().filter(of_tier) {
            let lines = &mut lines[budget.operation as usize];
            match lines.iter_mut().find(|line| line.endpoint == budget.endpoint) {
                Some(line) => line.budgets.push(budget),
                None => {
                    let Budget { operation, endpoint, or, .. } = *budget;
                    let budgets = vec![budget];
                    lines.push(Line { operation, endpoint, or, budgets, runs: BTreeMap::new() });
                }
            }
        }
        Lines(lines)
    }

    /// A run of the operation ended.
    pub fn ended(&mut self, operation: Operation, work: &Work, calls: &Counts) {
        let lines = &mut self.0[operation as usize];
        let mut unnamed = *calls;
        for line in lines.iter_mut() {
            line.endpoints().for_each(|endpoint| unnamed[endpoint as usize] = 0);
            line.ran(work, calls);
        }
        if unnamed == Counts::default() {
            return;
        }
        for endpoint in Endpoint::PROVIDER.into_iter().filter(|&endpoint| unnamed[endpoint as usize] > 0) {
            let mut line = Line { operation, endpoint, or: None, budgets: Vec::new(), runs: BTreeMap::new() };
            line.ran(work, calls);
            lines.push(line);
        }
    }

    /// The rows of the operations that ran, in the order of reports.
    pub fn rows<'a>(&self, totals: impl Fn(Operation) -> Totals<'a>) -> Vec<BudgetRow> {
        let mut lines: Vec<&Line> = self.0.iter().flatten().collect();
        lines.sort_by_key(|line| (line.operation as usize, line.budgets.is_empty(), line.endpoint as usize));
        let row = |line: &Line| {
            let totals = totals(line.operation);
            (totals.work.runs > 0).then(|| line.row(&totals))
        };
        lines.into_iter().filter_map(row).collect()
    }
}

impl Line {
    fn endpoints(&self) -> impl Iterator<Item = Endpoint> + use<> {
        std::iter::once(self.endpoint).chain(self.or)
    }

    fn allowed(&self, work: &Work) -> u64 {
        self.budgets.iter().map(|budget| (budget.calls)(work)).sum()
    }

    fn made(&self, calls: &Counts) -> u64 {
        self.endpoints().map(|endpoint| u64::from(calls[endpoint as usize])).sum()
    }

    fn ran(&mut self, work: &Work, calls: &Counts) {
        let (made, allowed) = (self.made(calls), self.allowed(work));
        if (made, allowed) != (0, 0) {
            *self.runs.entry((made, allowed)).or_default() += 1;
        }
    }

    fn row(&self, totals: &Totals<'_>) -> BudgetRow {
        let is_named = !self.budgets.is_empty();
        let (runs, calls) = (totals.work.runs, self.made(&totals.first));
        let budget = is_named.then(|| self.allowed(totals.work));
        let names: Vec<&str> = self.endpoints().map(Endpoint::name).collect();
        let call = names.join(" or ");
        let over = self.runs.iter().filter(|((made, allowed), _)| is_named && made > allowed).map(|(_, n)| n);
        let runs_over = over.sum();
        let mut row = BudgetRow {
            name: format!("{}.{call}", self.operation.name()),
            operation: self.operation.name().to_owned(),
            call,
            stated: is_named.then(|| self.words(|budget| budget.text)),
            runs,
            calls,
            retries: self.made(&totals.again),
            budget,
            a_run: self.spread(runs, |(made, _)| made),
            allowed_a_run: is_named.then(|| self.spread(runs, |(_, allowed)| allowed)),
            runs_over,
            difference: None,
        };
        row.difference = self.difference(&row);
        row
    }

    fn words(&self, of: fn(&Budget) -> &'static str) -> String {
        let words = self.budgets.iter().map(|budget| of(budget)).filter(|words| !words.is_empty());
        words.collect::<Vec<_>>().join(", ")
    }

    /// Over all runs; those that were not noted count as 0.
    fn spread(&self, runs: u64, of: fn((u64, u64)) -> u64) -> Spread {
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        for (&run, n) in &self.runs {
            *counts.entry(of(run)).or_default() += n;
        }
        let noted: u64 = counts.values().sum();
        *counts.entry(0).or_default() += runs.saturating_sub(noted);
        counts.retain(|_, n| *n > 0);
        let (first, last) = (counts.first_key_value(), counts.last_key_value());
        let mut rank = runs.max(noted).div_ceil(2);
        let median = counts.iter().find(|(_, n)| {
            let here = rank <= **n;
            rank = rank.saturating_sub(**n);
            here
        });
        let value = |found: Option<(&u64, &u64)>| found.map_or(0, |(value, _)| *value);
        Spread { min: value(first), median: value(median), max: value(last) }
    }

    fn difference(&self, row: &BudgetRow) -> Option<String> {
        let Some(budget) = row.budget else {
            return Some("the document names no such call".to_owned());
        };
        let why = |of| match self.words(of) {
            none if none.is_empty() => NO_REASON.to_owned(),
            why => why,
        };
        let (fewer, over) = (why(|budget| budget.fewer), why(|budget| budget.over));
        match row.calls.cmp(&budget) {
            std::cmp::Ordering::Equal if row.runs_over == 0 => None,
            std::cmp::Ordering::Less if row.runs_over == 0 => Some(format!("{} fewer: {fewer}", budget - row.calls)),
            _ => Some(format!("over in {} of {} runs: {over}", row.runs_over, row.runs)),
        }
    }
}

#[cfg(test)]
mod tests;
