//! Looks for what breaks a design of the suite.

use crate::accused::excuse;
use crate::defects::Entry;
use lkesim_explore::shrink::{Target, shrink};
use lkesim_explore::trial::{Case, Trier};
use lkesim_explore::{Breach, Ending, Palette, Search};
use lkesim_scenario::{Scenario, Step};
use std::cell::Cell;
use std::collections::BTreeMap;

/// How many runs may go into making a failure small.
const SHRINKING_RUNS: u64 = 2_000;

/// How many of the seeds that break a design are told.
const NAMED: usize = 10;

/// How far to look.
#[derive(Clone, Copy, Debug)]
pub struct Hunt {
    /// So many seeds are run in any case: they give the share that breaks it.
    pub least: u64,
    /// At most so many, where nothing has broken by then.
    pub most: u64,
    /// Threads.
    pub jobs: usize,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Hunted {
    /// How many seeds ran.
    pub runs: u64,
    /// How many broke it.
    pub failed: u64,
    /// The first seed that broke it, and what it broke first.
    pub first: Option<(u64, Breach)>,
    /// The first seeds that broke it, at most [`NAMED`].
    pub seeds: Vec<u64>,
    /// By invariant, the seeds that broke it.
    pub by_invariant: BTreeMap<String, u64>,
    /// By invariant, the first seed that broke it and nothing else.
    pub alone: BTreeMap<String, u64>,
    /// By how it broke, the breaches that were excused.
    pub excused: BTreeMap<&'static str, u64>,
    /// Runs that asked for what is not modelled.
    pub not_modelled: u64,
}

impl Hunt {
    /// Looks, from seed 1 on.
    pub fn run(&self, entry: &'static Entry) -> Hunted {
        self.telling(entry, &mut |_, _| {})
    }

    /// Looks, and tells of each seed that broke the design as soon as it is known, with what it broke first.
    pub fn telling(&self, entry: &'static Entry, told: &mut dyn FnMut(u64, &Breach)) -> Hunted {
        let search = Search {
            palette: Palette::General,
            design: &entry.design,
            start_seed: 1,
            seeds: Some(self.least),
            jobs: self.jobs,
            stop_on_first: false,
        };
        let mut hunted = Hunted::default();
        self.part(&search, &mut hunted, told);
        if hunted.first.is_none() && self.most > self.least {
            let rest = Search { start_seed: self.least + 1, seeds: Some(self.most - self.least), ..search };
            self.part(&rest, &mut hunted, told);
        }
        hunted
    }

    fn part(&self, search: &Search, hunted: &mut Hunted, told: &mut dyn FnMut(u64, &Breach)) {
        let is_rest = search.start_seed > 1;
        let over = std::sync::atomic::AtomicBool::new(false);
        let is_over = || over.load(std::sync::atomic::Ordering::Relaxed);
        let mut merged = |trial: &lkesim_explore::Trial, _: bool, _: &lkesim_explore::Tally| {
            if is_over() {
                return;
            }
            hunted.runs += 1;
            hunted.not_modelled += u64::from(matches!(trial.ending, Ending::NotModelled(_)));
            if trial.breaches.is_empty() {
                return;
            }
            let case = search.case(trial.seed);
            let mut accused = Vec::new();
            for breach in &trial.breaches {
                match excuse(&case, breach) {
                    Some(excuse) => *hunted.excused.entry(excuse.how).or_default() += 1,
                    None => accused.push(breach),
                }
            }
            if let Some(first) = hunted.take(trial.seed, &accused) {
                told(trial.seed, first);
            }
            over.store(is_rest && hunted.first.is_some(), std::sync::atomic::Ordering::Relaxed);
        };
        search.run(&is_over, &mut merged, &|_| String::new());
    }
}

impl Hunted {
    /// Takes what a seed broke, and gives what came first.
    fn take<'a>(&mut self, seed: u64, accused: &[&'a Breach]) -> Option<&'a Breach> {
        let first = *accused.iter().min_by_key(|breach| breach.at_ms)?;
        self.failed += 1;
        if self.seeds.len() < NAMED {
            self.seeds.push(seed);
        }
        self.first.get_or_insert_with(|| (seed, first.clone()));
        let mut invariants: Vec<&str> = accused.iter().map(|breach| &*breach.invariant).collect();
        invariants.sort_unstable();
        invariants.dedup();
        for invariant in &invariants {
            *self.by_invariant.entry((*invariant).to_owned()).or_default() += 1;
        }
        if let [only] = invariants[..] {
            self.alone.entry(only.to_owned()).or_insert(seed);
        }
        Some(first)
    }
}

/// The size of a failure made small.
#[derive(Clone, Debug)]
pub struct Small {
    /// The scenario.
    pub scenario: Scenario,
    /// NodeClaims, at the start and made later.
    pub claims: u64,
    /// Faults, crashes and hands.
    pub faults: u64,
    /// Departures from first-in-first-out.
    pub deviations: u64,
}

/// Makes a failure small.
pub fn small(entry: &'static Entry, seed: u64, breach: &Breach) -> Option<Small> {
    let case = Case::drawn(&Palette::General, &entry.design, seed);
    let mut trier = Trier::new();
    trier.run(&case);
    let target = Target { invariant: breach.invariant.clone(), mechanism: breach.mechanism.clone() };
    let runs = Cell::new(0);
    let is_over = || {
        runs.set(runs.get() + 1);
        runs.get() > SHRINKING_RUNS
    };
    let shrunk = shrink(&case, &trier.deviations(), &target, &is_over)?;
    let scenario = shrunk.scenario;
    let made = scenario.workload.iter().map(|step| match step {
        Step::Create(create) => u64::from(create.claims),
        _ => 0,
    });
    let at_start: u64 = scenario.start.lke_pools.iter().map(|lke_pool| u64::from(lke_pool.claims)).sum();
    let claims = made.sum::<u64>() + at_start + scenario.start.claims.len() as u64;
    let faults = (scenario.faults.len() + scenario.chaos.len() + scenario.by_hand.len()) as u64;
    Some(Small { claims, faults, deviations: shrunk.deviations.list.len() as u64, scenario })
}
