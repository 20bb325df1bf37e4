//! One document of those of a search that ran in parts.
//!
//! The parts give back, byte for byte, what the whole would have given: counts are added, failures of one mechanism are
//! one finding with the least seed, and whether declared hard cases occurred is judged once, over all. What would not
//! be one search is refused: seeds that lack or stand twice, another design, palette or version.

use crate::explored::{Ended, Explored, Finding, Part, SCHEMA};
use crate::fold::fold;
use std::collections::{BTreeMap, BTreeSet};

/// Why documents are not the parts of one search.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotOne {
    /// There are none.
    #[error("there is nothing to merge")]
    Nothing,
    /// One is of another format.
    #[error("{file} is of the format `{schema}`, not `{SCHEMA}`")]
    Format {
        /// Which.
        file: String,
        /// Its format.
        schema: String,
    },
    /// Two are about different things.
    #[error("{first} and {file} are not parts of one search: the {what} is {one} in one, and {other} in the other")]
    Differ {
        /// The first document.
        first: String,
        /// The one that differs.
        file: String,
        /// In what.
        what: &'static str,
        /// What it is in the first.
        one: String,
        /// What it is in the other.
        other: String,
    },
    /// A part did not run to its end.
    #[error("{file}, shard {index} of {of}, ended after {runs} of {seeds} seeds: run it again to its end")]
    Unfinished {
        /// Which.
        file: String,
        /// Its number.
        index: u64,
        /// Of how many.
        of: u64,
        /// How many seeds it ran.
        runs: u64,
        /// How many it had to run.
        seeds: u64,
    },
    /// A search ended at its first finding.
    #[error("{file} stopped at its first finding: what it did not run can't be added")]
    StoppedAtFirst {
        /// Which.
        file: String,
    },
    /// Parts lack.
    #[error("of {of} shards these are missing: {missing}")]
    Missing {
        /// Of how many.
        of: u64,
        /// Their numbers.
        missing: String,
    },
    /// Seeds ran in two.
    #[error("{first} and {file} both ran seed {seed}")]
    Twice {
        /// The one.
        first: String,
        /// The other.
        file: String,
        /// The first seed of both.
        seed: u64,
    },
    /// Seeds ran in none.
    #[error("no document has seed {from} to {to}, between {first} and {file}")]
    Gap {
        /// The one before.
        first: String,
        /// The one behind.
        file: String,
        /// The first seed that lacks.
        from: u64,
        /// The last.
        to: u64,
    },
}

/// One document of several, each with the name of its file.
///
/// # Errors
/// When they are not the parts of one search, all of them, each once.
pub fn merge(mut documents: Vec<(String, Explored)>) -> Result<Explored, NotOne> {
    documents.sort_by_key(|(_, explored)| (explored.start_seed, explored.runs));
    check(&documents)?;
    let mut all = documents.into_iter().map(|(_, explored)| explored);
    let mut whole = all.next().ok_or(NotOne::Nothing)?;
    let mut found = BTreeMap::new();
    add_findings(&mut found, std::mem::take(&mut whole.findings));
    for part in all {
        whole.runs += part.runs;
        whole.virtual_ms += part.virtual_ms;
        whole.steps += part.steps;
        whole.failed_runs += part.failed_runs;
        add(&mut whole.hard_cases, part.hard_cases);
        add(&mut whole.not_modelled, part.not_modelled);
        if part.ended != Ended::Done {
            whole.ended = part.ended;
        }
        add_findings(&mut found, part.findings);
    }
    whole.findings = fold(found.into_values().collect());
    whole.shard = None;
    whole.judge();
    Ok(whole)
}

fn add(sums: &mut BTreeMap<String, u64>, more: BTreeMap<String, u64>) {
    for (name, count) in more {
        *sums.entry(name).or_default() += count;
    }
}

/// Parts come by their seeds, so that the first to have a mechanism has its least seed.
fn add_findings(found: &mut BTreeMap<(String, String), Finding>, more: Vec<Finding>) {
    for finding in more {
        let key = (finding.invariant.clone(), finding.mechanism.clone());
        match found.get_mut(&key) {
            Some(first) => first.count += finding.count,
            None => drop(found.insert(key, finding)),
        }
    }
}

fn check(documents: &[(String, Explored)]) -> Result<(), NotOne> {
    let (first, head) = documents.first().ok_or(NotOne::Nothing)?;
    for (file, explored) in documents {
        if explored.schema != SCHEMA {
            return Err(NotOne::Format { file: file.clone(), schema: explored.schema.clone() });
        }
        let (ours, theirs) = (facts(head), facts(explored));
        let differing = ours.into_iter().zip(theirs).find(|(one, other)| one != other);
        if let Some(((what, one), (_, other))) = differing {
            return Err(NotOne::Differ { first: first.clone(), file: file.clone(), what, one, other });
        }
        if explored.ended == Ended::FirstFinding {
            return Err(NotOne::StoppedAtFirst { file: file.clone() });
        }
        if let Some(Part { index, of, seeds }) = explored.shard
            && explored.runs != seeds
        {
            return Err(NotOne::Unfinished { file: file.clone(), index, of, runs: explored.runs, seeds });
        }
    }
    all_there(documents)?;
    contiguous(documents)
}

/// What has to be the same in all.
fn facts(explored: &Explored) -> [(&'static str, String); 6] {
    let shards = explored.shard.map_or_else(|| "none".to_owned(), |part| part.of.to_string());
    [
        ("version", explored.version.clone()),
        ("palette", explored.palette.join(", ")),
        ("hash of the palette", explored.palette_hash.clone()),
        ("design", explored.design.clone()),
        ("list of declared hard cases", explored.declared.join(", ")),
        ("number of shards", shards),
    ]
}

fn contiguous(documents: &[(String, Explored)]) -> Result<(), NotOne> {
    for pair in documents.windows(2) {
        let [(first, one), (file, other)] = pair else { continue };
        let end = one.start_seed.wrapping_add(one.runs);
        let (first, file) = (first.clone(), file.clone());
        if other.start_seed < end {
            return Err(NotOne::Twice { first, file, seed: other.start_seed });
        }
        if other.start_seed > end {
            return Err(NotOne::Gap { first, file, from: end, to: other.start_seed - 1 });
        }
    }
    Ok(())
}

fn all_there(documents: &[(String, Explored)]) -> Result<(), NotOne> {
    let parts: Vec<Part> = documents.iter().filter_map(|(_, explored)| explored.shard).collect();
    let Some(of) = parts.first().map(|part| part.of) else { return Ok(()) };
    let there: BTreeSet<u64> = parts.iter().map(|part| part.index).collect();
    let missing = of.saturating_sub(there.len() as u64);
    if missing == 0 {
        return Ok(());
    }
    const SHOWN: usize = 10;
    let names = (0..of).filter(|index| !there.contains(index)).take(SHOWN);
    let mut names = names.map(|index| index.to_string()).collect::<Vec<_>>().join(", ");
    if missing > SHOWN as u64 {
        names.push_str(&format!(" and {} more", missing - SHOWN as u64));
    }
    Err(NotOne::Missing { of, missing: names })
}

#[cfg(test)]
mod tests;
