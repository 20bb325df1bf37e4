//! Where two records differ, and which differences are known.

use super::case::{Case, Job, cases};
use super::normal::Normal;
use super::record::Record;
use super::steps::drive;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use super::normal::{Normal as Lines, NormalStep as LinesOfStep};

/// The folder of the differential test, from the workspace's root.
pub const FOLDER: &str = "tests/conformance/karpenter-provider-linode";

/// A place where two records differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where, such as `steps[2].calls[1]`.
    pub place: String,
    /// The real provider's line; empty where it has none.
    pub theirs: String,
    /// The design's line; empty where it has none.
    pub ours: String,
}

/// Where the design's record differs from the real provider's.
pub fn compare(theirs: &Normal, ours: &Normal) -> Vec<Difference> {
    let mut found = Vec::new();
    lines(&mut found, "boot", &theirs.boot, &ours.boot);
    for index in 0..theirs.steps.len().max(ours.steps.len()) {
        let step = |normal: &Normal| normal.steps.get(index).map(|step| (step.results.clone(), step.calls.clone()));
        let (theirs, ours) = (step(theirs).unwrap_or_default(), step(ours).unwrap_or_default());
        lines(&mut found, &format!("steps[{index}].results"), &theirs.0, &ours.0);
        lines(&mut found, &format!("steps[{index}].calls"), &theirs.1, &ours.1);
    }
    lines(&mut found, "lke_pools", &theirs.lke_pools, &ours.lke_pools);
    lines(&mut found, "instances", &theirs.instances, &ours.instances);
    lines(&mut found, "tagged", &theirs.tagged, &ours.tagged);
    lines(&mut found, "nodes", &theirs.nodes, &ours.nodes);
    found
}

fn lines(found: &mut Vec<Difference>, list: &str, theirs: &[String], ours: &[String]) {
    for index in 0..theirs.len().max(ours.len()) {
        let (one, other) = (theirs.get(index), ours.get(index));
        if one != other {
            found.push(Difference {
                place: format!("{list}[{index}]"),
                theirs: one.cloned().unwrap_or_default(),
                ours: other.cloned().unwrap_or_default(),
            });
        }
    }
}

/// What came of holding a design to a release.
#[derive(Debug, Default)]
pub struct Report {
    /// The cases that are equal.
    pub equal: Vec<String>,
    /// The cases that differ as `DIFFERENCES.md` lists.
    pub listed: Vec<String>,
    /// What is wrong: differences that nobody lists, listed ones that are none, cases without a record.
    pub wrong: Vec<String>,
}

impl Report {
    /// How many cases there are.
    pub fn cases(&self) -> usize {
        self.equal.len() + self.listed.len() + self.wrong.len()
    }
}

/// The design's own records.
///
/// # Errors
/// What is wrong with a case.
pub fn our_records(folder: &Path, design: &str, only: &str) -> Result<Vec<(Job, Record)>, String> {
    let found = lkesim_lke::design(design).ok_or_else(|| format!("no design {design}"))?;
    let jobs = cases(&folder.join("cases"))?;
    let chosen = jobs.into_iter().filter(|job| job.is_for(design) && job.name.contains(only));
    let driven = chosen.map(|job| {
        let record = drive(&job, found).map_err(|error| format!("{}: {error}", job.id()))?;
        Ok((job, record))
    });
    driven.collect()
}

/// The real provider's record of a case, as the driver wrote it.
///
/// # Errors
/// Where it can't be read.
pub fn driven(folder: &Path, id: &str, case: &Case) -> Result<Normal, String> {
    let record: Record = read(&folder.join(format!("{id}.json")))?;
    Ok(Normal::of(&record, case))
}

/// The same as it is committed.
///
/// # Errors
/// Where it can't be read.
pub fn recorded(folder: &Path, id: &str) -> Result<Normal, String> {
    read(&folder.join(format!("{id}.json")))
}

fn read<T: serde::de::DeserializeOwned>(path: &PathBuf) -> Result<T, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// The folder of the records of the release that a design is held to.
pub fn release_of(design: &str) -> &str {
    if design == "shipped" { "e1c5200" } else { design }
}

/// Holds a design to the records that `theirs` gives for each case.
///
/// # Errors
/// What is wrong with a case or with `DIFFERENCES.md`.
pub fn hold(
    folder: &Path,
    design: &str,
    only: &str,
    theirs: impl Fn(&Job) -> Result<Normal, String>,
) -> Result<Report, String> {
    let known = known_differences(folder)?;
    let mut report = Report::default();
    for (job, record) in our_records(folder, design, only)? {
        let id = job.id();
        let is_known = known.contains(&(id.clone(), design.to_owned()));
        let differences = match theirs(&job) {
            Ok(theirs) => compare(&theirs, &Normal::of(&record, &job.case)),
            Err(error) => {
                report.wrong.push(format!("{id}: no record of the real provider: {error}"));
                continue;
            }
        };
        match (differences.is_empty(), is_known) {
            (true, false) => report.equal.push(id),
            (false, true) if job.has_faults() => report.listed.push(id),
            (false, true) => report.wrong.push(format!("{id}: a listed difference in a case without faults")),
            (true, true) => report.wrong.push(format!("{id}: DIFFERENCES.md lists a difference that is none")),
            (false, false) => report.wrong.push(told(&id, &differences)),
        }
    }
    Ok(report)
}

fn told(id: &str, differences: &[Difference]) -> String {
    const MOST: usize = 12;
    let mut text = format!("{id}: {} lines differ", differences.len());
    for Difference { place, theirs, ours } in differences.iter().take(MOST) {
        text.push_str(&format!("\n    {place}\n      theirs: {theirs}\n      ours:   {ours}"));
    }
    if differences.len() > MOST {
        text.push_str("\n    …");
    }
    text
}

/// The cases that `DIFFERENCES.md` lists, by case and design: rows of its table begin with both; the rest of a row
/// is for people.
fn known_differences(folder: &Path) -> Result<BTreeSet<(String, String)>, String> {
    let path = folder.join("DIFFERENCES.md");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let cell = |cells: &[&str], at: usize| cells.get(at).map_or("", |cell| cell.trim()).trim_matches('`').to_owned();
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    let known: BTreeSet<_> = rows
        .map(|line| {
            let cells: Vec<&str> = line.split('|').skip(1).collect();
            (cell(&cells, 0), cell(&cells, 1))
        })
        .collect();
    match known.len() > 5 {
        true => Err(format!("{}: {} differences; five are the most", path.display(), known.len())),
        false => Ok(known),
    }
}

/// Writes the lines of the driver's records to the folder of a release.
///
/// # Errors
/// Where a record can't be read or written.
pub fn keep(folder: &Path, design: &str, from: &Path) -> Result<usize, String> {
    let into = folder.join("recorded").join(release_of(design));
    std::fs::create_dir_all(&into).map_err(|error| format!("{}: {error}", into.display()))?;
    let jobs = cases(&folder.join("cases"))?;
    let mut kept = 0;
    for job in jobs.into_iter().filter(|job| job.is_for(design)) {
        let normal = driven(from, &job.id(), &job.case)?;
        let value: Value = serde_json::to_value(&normal).map_err(|error| error.to_string())?;
        let path = into.join(format!("{}.json", job.id()));
        std::fs::write(&path, format!("{value:#}\n")).map_err(|error| format!("{}: {error}", path.display()))?;
        kept += 1;
    }
    Ok(kept)
}
