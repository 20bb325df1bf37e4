//! What was found so far, merged in the order of seeds.

use crate::explored::{self, Ended, Explored, Finding, Part, SCHEMA, Verdict};
use crate::fold::fold;
use crate::trial::{Breach, Ending, Trial};
use std::collections::BTreeMap;

/// What was found so far.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How many runs there were.
    pub runs: u64,
    /// How many broke something.
    pub failed_runs: u64,
    /// Their virtual time.
    pub virtual_ms: u64,
    steps: u64,
    found: BTreeMap<(String, String), Found>,
    hard_cases: BTreeMap<String, u64>,
    not_modelled: BTreeMap<String, u64>,
}

#[derive(Clone, Debug)]
struct Found {
    count: u64,
    first_seed: u64,
    breach: Breach,
}

/// What a search was for.
pub(crate) struct About {
    pub palette: Vec<String>,
    pub palette_hash: String,
    pub design: String,
    pub start_seed: u64,
    pub ended: Ended,
    /// Hard cases that have to occur, from so many runs on.
    pub declared: (Vec<String>, u64),
    /// Which part of a search this is, where it is one.
    pub part: Option<Part>,
}

impl Tally {
    /// Takes the next seed's trial, and says whether it broke something in a way that no seed before did.
    pub fn take(&mut self, trial: &Trial) -> bool {
        self.runs += 1;
        match &trial.ending {
            Ending::Judged { virtual_ms, steps, sometimes, .. } => {
                self.virtual_ms += virtual_ms;
                self.steps += steps;
                for (case, count) in sometimes {
                    match self.hard_cases.get_mut(case) {
                        Some(sum) => *sum += count,
                        None => drop(self.hard_cases.insert(case.clone(), *count)),
                    }
                }
            }
            Ending::NotModelled(what) => *self.not_modelled.entry(what.clone()).or_default() += 1,
            Ending::Broken => {}
        }
        self.failed_runs += u64::from(!trial.breaches.is_empty());
        let mut is_new = false;
        for breach in &trial.breaches {
            let found = self.found.entry((breach.invariant.clone(), breach.mechanism.clone()));
            let found = found.or_insert_with(|| Found { count: 0, first_seed: trial.seed, breach: breach.clone() });
            found.count += 1;
            is_new |= found.count == 1;
        }
        is_new
    }

    /// How many mechanisms of each invariant were found.
    pub fn by_invariant(&self) -> BTreeMap<&str, u64> {
        let mut counts = BTreeMap::new();
        for (invariant, _) in self.found.keys() {
            *counts.entry(invariant.as_str()).or_default() += 1;
        }
        counts
    }

    /// How many hard cases occurred, and of how many.
    pub fn hard_cases_seen(&self) -> (usize, usize) {
        (self.hard_cases.values().filter(|count| **count > 0).count(), self.hard_cases.len())
    }

    /// The document. `repro` gives the command that repeats a finding, by its first seed.
    pub(crate) fn explored(self, about: About, repro: &dyn Fn(u64) -> String) -> Explored {
        let findings: Vec<Finding> = self
            .found
            .into_iter()
            .map(|((invariant, mechanism), Found { count, first_seed, breach })| Finding {
                invariant,
                mechanism,
                count,
                first_seed,
                at_ms: breach.at_ms,
                text: breach.text,
                repro: repro(first_seed),
            })
            .collect();
        let findings = match about.part {
            None => fold(findings),
            // Which failures are one finding is known once all parts are.
            Some(_) => explored::sorted(findings),
        };
        let (declared, declared_from) = about.declared;
        let mut explored = Explored {
            schema: SCHEMA.to_owned(),
            version: crate::VERSION.to_owned(),
            palette: about.palette,
            palette_hash: about.palette_hash,
            design: about.design,
            start_seed: about.start_seed,
            runs: self.runs,
            ended: about.ended,
            verdict: Verdict::Pass,
            virtual_ms: self.virtual_ms,
            steps: self.steps,
            failed_runs: self.failed_runs,
            findings,
            hard_cases: self.hard_cases,
            declared,
            declared_from,
            missing: Vec::new(),
            not_modelled: self.not_modelled,
            shard: about.part,
        };
        explored.judge();
        explored
    }
}
