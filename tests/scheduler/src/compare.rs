//! Outcomes of ours beside those of Karpenter's scheduler.

use crate::decode;
use crate::outcome::Outcome;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::{Error, ErrorKind};

/// What Karpenter's scheduler printed of one problem.
#[derive(Clone, Debug, Deserialize)]
pub struct Line {
    /// The problem.
    pub name: String,
    /// What it decided: several where chance decided.
    pub results: Vec<Outcome>,
}

/// What ours decides.
pub fn ours(problem: &Value) -> Outcome {
    let (problem, options) = decode::problem(problem);
    let results = lkesim_scheduling::solve(&problem, &options, false).expect("problems are sound");
    Outcome::of(&results)
}

fn lines(path: &str) -> Result<Vec<Line>, Error> {
    let text = std::fs::read_to_string(path)?;
    let line = |line: &str| serde_json::from_str(line).map_err(|error| Error::new(ErrorKind::InvalidData, error));
    text.lines().map(line).collect()
}

/// A report on problems and results, and whether all is equal or listed.
pub fn files(problems: &str, results: &str, listed: Option<&str>) -> Result<(String, bool), Error> {
    let results: BTreeMap<String, Line> = lines(results)?.into_iter().map(|line| (line.name.clone(), line)).collect();
    let listed = listed.map(std::fs::read_to_string).transpose()?.unwrap_or_default();
    let (mut report, mut tally) = (String::new(), Tally::default());
    for text in std::fs::read_to_string(problems)?.lines() {
        let problem: Value = serde_json::from_str(text).map_err(|error| Error::new(ErrorKind::InvalidData, error))?;
        let name = problem["name"].as_str().unwrap_or_default();
        let ours = ours(&problem);
        tally.problems += 1;
        tally.pods += problem["pods"].as_array().map_or(0, Vec::len);
        tally.claims += ours.claims.len();
        tally.unplaced += ours.errors.len();
        let Some(theirs) = results.get(name) else {
            let _ = writeln!(report, "differs  {name}: no result");
            tally.differ += 1;
            continue;
        };
        let theirs: Vec<Outcome> = theirs.results.iter().cloned().map(Outcome::comparable).collect();
        tally.by_chance += usize::from(theirs.len() > 1);
        if let Some(same) = theirs.iter().find(|one| one.decides_as(&ours)) {
            tally.texts += usize::from(same.errors == ours.errors);
        } else if listed.contains(&format!("`{name}`")) {
            tally.listed += 1;
        } else {
            tally.differ += 1;
            let _ = writeln!(
                report,
                "differs  {name}: {}",
                theirs.first().map_or_else(String::new, |one| one.differs(&ours))
            );
        }
    }
    let _ = writeln!(report, "{tally}");
    Ok((report, tally.differ == 0))
}

/// What was compared.
#[derive(Debug, Default)]
struct Tally {
    problems: usize,
    pods: usize,
    claims: usize,
    unplaced: usize,
    differ: usize,
    listed: usize,
    by_chance: usize,
    texts: usize,
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let equal = self.problems - self.differ - self.listed;
        write!(
            f,
            "{} problems with {} pods: {equal} equal ({} of them with equal texts of failures), {} listed, {} differ; {} NodeClaims, {} pods that \
             fit nowhere, {} problems that chance decides",
            self.problems, self.pods, self.texts, self.listed, self.differ, self.claims, self.unplaced, self.by_chance
        )
    }
}

/// A line a result: the problem's name and the digest of what was decided.
pub fn kept(results: &str) -> Result<String, Error> {
    let line = |line: Line| {
        let first = line.results.into_iter().next().unwrap_or_default().comparable();
        format!("{} {:016x}\n", line.name, first.digest())
    };
    Ok(lines(results)?.into_iter().map(line).collect())
}

/// What ours decides of each problem, one a line.
pub fn solved(problems: &str) -> Result<String, Error> {
    let mut found = String::new();
    for text in std::fs::read_to_string(problems)?.lines() {
        let problem: Value = serde_json::from_str(text).map_err(|error| Error::new(ErrorKind::InvalidData, error))?;
        let _ = writeln!(found, "{}", serde_json::to_string(&ours(&problem)).expect("an outcome is JSON"));
    }
    Ok(found)
}
