//! What breaks a design over many seeds, told by pairs: the invariant, and the fault that nobody can hold it under.

use crate::accused::excuse;
use lkesim_explore::{Explored, Search, Trial};
use serde::Serialize;
use std::collections::BTreeMap;

/// What came of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pairs {
    /// The design.
    pub design: String,
    /// What was drawn from.
    pub palette: Vec<String>,
    /// Its hash.
    pub palette_hash: String,
    /// The first seed.
    pub start_seed: u64,
    /// How many seeds ran.
    pub runs: u64,
    /// How many of them broke something.
    pub failed_runs: u64,
    /// What is held against nobody.
    pub listed: Vec<Pair>,
    /// What is held against the design.
    pub accused: Vec<Pair>,
}

/// An invariant and how it broke.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pair {
    /// The invariant.
    pub invariant: String,
    /// The fault; of an accusation, its mechanism.
    pub by: String,
    /// In how many runs.
    pub runs: u64,
    /// The first of them.
    pub first_seed: u64,
}

type Counts = BTreeMap<(String, String), (u64, u64)>;

/// Searches, and tells what broke. `merged` hears of each seed in turn.
pub fn pairs(search: &Search, merged: &mut dyn FnMut(&Trial)) -> (Pairs, Explored) {
    let (mut listed, mut accused) = (Counts::new(), Counts::new());
    let mut take = |trial: &Trial, _: bool, _: &lkesim_explore::Tally| {
        if !trial.breaches.is_empty() {
            let case = search.case(trial.seed);
            let excuses = trial.breaches.iter().map(|breach| (breach, excuse(&case, breach)));
            let (mut own, mut own_accused) = (Vec::new(), Vec::new());
            for (breach, excuse) in excuses {
                match excuse {
                    Some(excuse) => own.push((breach.invariant.clone(), excuse.how.to_owned())),
                    None => own_accused.push((breach.invariant.clone(), breach.mechanism.clone())),
                }
            }
            add(&mut listed, own, trial.seed);
            add(&mut accused, own_accused, trial.seed);
        }
        merged(trial);
    };
    let explored = search.run(&|| false, &mut take, &|_| String::new());
    let pairs = Pairs {
        design: explored.design.clone(),
        palette: explored.palette.clone(),
        palette_hash: explored.palette_hash.clone(),
        start_seed: explored.start_seed,
        runs: explored.runs,
        failed_runs: explored.failed_runs,
        listed: told(listed),
        accused: told(accused),
    };
    (pairs, explored)
}

/// A run counts once for each pair.
fn add(counts: &mut Counts, mut pairs: Vec<(String, String)>, seed: u64) {
    pairs.sort_unstable();
    pairs.dedup();
    for pair in pairs {
        counts.entry(pair).or_insert((0, seed)).0 += 1;
    }
}

fn told(counts: Counts) -> Vec<Pair> {
    let pair = |((invariant, by), (runs, first_seed))| Pair { invariant, by, runs, first_seed };
    let mut all: Vec<Pair> = counts.into_iter().map(pair).collect();
    all.sort_by_key(|pair| (std::cmp::Reverse(pair.runs), pair.first_seed));
    all
}
