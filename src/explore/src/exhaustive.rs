//! Every order of a tiny scenario with at most so many departures from first-in-first-out.
//!
//! A search over seeds can miss an order; this misses none within its bound, so that what does not break in it can't
//! break in it. A *departure* is one choice at which another task goes than the one that became ready first. A run
//! tells how many tasks were ready at each of its choices, and for each place among them there is one more order to
//! try, with one more departure. So orders are tried by their number of departures: those without, with one, with two.
//!
//! What is tried is exact: it has one scenario, one seed of all luck and the moments at which things are due. Orders
//! among things that are due at different moments are no part of it. A scenario for it has delays that tie (the preset
//! `document` has no latency at all), or asks what its own moments allow.
//!
//! Results do not depend on the number of threads: runs are merged in the order in which their departures stand.

mod bound;
mod level;
mod report;

pub use bound::too_large;
pub use report::{Covering, Exhausted, Proof, SCHEMA};

use crate::threads::in_order;
use crate::trial::{Breach, Case, Ending, Trial, Trier};
use level::{Level, Node};
use lkesim_kernel::{Deviations, Guide, Turn};
use lkesim_lke::Design;
use lkesim_scenario::Scenario;
use lkesim_sim::Order;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// All orders of one scenario with few departures.
#[derive(Clone)]
pub struct Exhaustive {
    /// What to call the scenario.
    pub name: String,
    /// The scenario.
    pub scenario: Scenario,
    /// The design.
    pub design: &'static Design,
    /// The seed of all luck.
    pub seed: u64,
    /// How many departures at most.
    pub departures: u32,
    /// How many threads.
    pub jobs: usize,
}

/// What was found so far.
#[derive(Clone, Debug, Default)]
pub struct Tried {
    /// How many orders ran, by their number of departures.
    pub orders: Vec<u64>,
    /// How many orders there are with as many departures as run at present, once that is known.
    pub of: u64,
    /// How many broke something.
    pub failed: u64,
    /// The virtual time of all runs.
    pub virtual_ms: u64,
    /// How many tasks had to be chosen among where nothing departed: the choices of the plain run.
    choices: u64,
    found: BTreeMap<(String, String), Found>,
    not_modelled: BTreeMap<String, u64>,
}

#[derive(Clone, Debug)]
struct Found {
    count: u64,
    turns: Vec<Turn>,
    breach: Breach,
}

impl Exhaustive {
    /// Tries all orders, and says whether all were tried. `is_over` is asked after each run; `merged` hears of each.
    /// `repro` gives the command that repeats the order of these departures.
    pub fn run(
        &self,
        is_over: &(dyn Fn() -> bool + Sync),
        merged: &mut dyn FnMut(&Tried),
        repro: &dyn Fn(&Deviations) -> String,
    ) -> Exhausted {
        let mut tried = Tried::default();
        let mut parents = vec![Node::root()];
        let mut is_covered = true;
        for departures in 0..=self.departures {
            let level = Level::new(departures, &parents);
            tried.orders.push(0);
            tried.of = level.len();
            let (nodes, is_whole) = self.level(level, departures < self.departures, &mut tried, is_over, merged);
            is_covered = is_whole;
            if !is_whole {
                break;
            }
            parents = nodes;
        }
        self.report(tried, is_covered, repro)
    }

    /// The deviations of an order, as `run --deviations` reads them.
    pub fn deviations(&self, turns: &[Turn]) -> Deviations {
        let (guide, mut trier) = (Guide::default(), Trier::new());
        let case = self.case(&guide);
        guide.begin(turns);
        trier.run(&case);
        trier.deviations()
    }

    fn case(&self, guide: &Guide) -> Case {
        Case {
            name: self.name.clone(),
            scenario: self.scenario.clone(),
            design: self.design,
            seed: self.seed,
            order: Order::Guided(guide.clone()),
        }
    }

    /// Runs the orders of one number of departures, and gives those from which more depart. Whether all ran.
    fn level(
        &self,
        level: Level<'_>,
        is_parent: bool,
        tried: &mut Tried,
        is_over: &(dyn Fn() -> bool + Sync),
        merged: &mut dyn FnMut(&Tried),
    ) -> (Vec<Node>, bool) {
        let all = level.len();
        let worker = || {
            let (guide, mut trier) = (Guide::default(), Trier::new());
            let case = self.case(&guide);
            move |turns: Vec<Turn>| {
                guide.begin(&turns);
                let trial = trier.run(&case);
                let ready = if is_parent || turns.is_empty() { guide.ready() } else { Vec::new() };
                Done { turns, ready, trial }
            }
        };
        let (mut nodes, mut ran) = (Vec::new(), 0);
        in_order(self.jobs, level, is_over, &worker, |Done { turns, ready, trial }| {
            ran += 1;
            tried.take(&turns, &trial, &ready);
            if is_parent {
                nodes.push(Node { turns, ready });
            }
            merged(tried);
            ControlFlow::Continue(())
        });
        (nodes, ran == all)
    }

    fn report(&self, tried: Tried, is_covered: bool, repro: &dyn Fn(&Deviations) -> String) -> Exhausted {
        let proof = |((invariant, mechanism), found): ((String, String), Found)| {
            let deviations = self.deviations(&found.turns);
            Proof {
                invariant,
                mechanism,
                count: found.count,
                at_ms: found.breach.at_ms,
                text: found.breach.text,
                repro: repro(&deviations),
                deviations: deviations.list.iter().map(ToString::to_string).collect(),
            }
        };
        let mut findings: Vec<(Vec<Turn>, Proof)> =
            tried.found.into_iter().map(|(key, found)| (found.turns.clone(), proof((key, found)))).collect();
        // The one that needs least comes first.
        findings.sort_by(|(a, one), (b, other)| {
            (a.len(), std::cmp::Reverse(one.count)).cmp(&(b.len(), std::cmp::Reverse(other.count)))
        });
        let verdict = match findings.is_empty() && tried.not_modelled.is_empty() {
            false => Covering::Fail,
            true if is_covered => Covering::Pass,
            true => Covering::NotCovered,
        };
        Exhausted {
            schema: SCHEMA.to_owned(),
            version: crate::VERSION.to_owned(),
            scenario: self.name.clone(),
            design: self.design.facts.name.to_owned(),
            seed: self.seed,
            departures: self.departures,
            choices: tried.choices,
            runs: tried.orders.iter().sum(),
            orders: tried.orders,
            covered: is_covered,
            verdict,
            failed_runs: tried.failed,
            findings: findings.into_iter().map(|(_, proof)| proof).collect(),
            not_modelled: tried.not_modelled,
        }
    }
}

/// A run that is over.
struct Done {
    turns: Vec<Turn>,
    ready: Vec<u32>,
    trial: Trial,
}

impl Tried {
    /// Takes the next order's run.
    fn take(&mut self, turns: &[Turn], trial: &Trial, ready: &[u32]) {
        if turns.is_empty() {
            self.choices = ready.len() as u64;
        }
        if let Some(orders) = self.orders.last_mut() {
            *orders += 1;
        }
        match &trial.ending {
            Ending::Judged { virtual_ms, .. } => self.virtual_ms += virtual_ms,
            Ending::NotModelled(what) => *self.not_modelled.entry(what.clone()).or_default() += 1,
            Ending::Broken => {}
        }
        self.failed += u64::from(!trial.breaches.is_empty());
        for breach in &trial.breaches {
            let found = self.found.entry((breach.invariant.clone(), breach.mechanism.clone()));
            let first = || Found { count: 0, turns: turns.to_vec(), breach: breach.clone() };
            found.or_insert_with(first).count += 1;
        }
    }

    /// How many mechanisms of each invariant were found.
    pub fn by_invariant(&self) -> BTreeMap<&str, u64> {
        let mut counts = BTreeMap::new();
        for (invariant, _) in self.found.keys() {
            *counts.entry(invariant.as_str()).or_default() += 1;
        }
        counts
    }
}

#[cfg(test)]
mod tests;
