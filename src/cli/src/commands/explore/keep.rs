//! Keeps findings: a folder for each, with all that repeats its first run.

use super::write_file;
use crate::Failure;
use lkesim_explore::explored::Finding;
use lkesim_explore::trial::Trier;
use lkesim_explore::{Explored, Kept, Search};
use lkesim_kernel::Deviations;
use lkesim_report::repeat::{Order, command};
use lkesim_runtime::Entity;
use lkesim_scenario::{Scenario, to_yaml};
use std::path::Path;

/// The files of a folder.
pub const SCENARIO: &str = "scenario.yaml";
pub const DEVIATIONS: &str = "deviations.txt";
pub const COMMAND: &str = "command";
pub const FINDING: &str = "finding.json";

/// Writes the folders, and gives the findings with the commands that run what is in them. Those from the first folder
/// on that can't be written keep the command that draws them again.
pub fn keep(search: &Search, mut explored: Explored, folder: &Path) -> (Explored, Result<(), Failure>) {
    let mut trier = Trier::new();
    for finding in &mut explored.findings {
        let case = search.case(finding.first_seed);
        trier.run(&case);
        let Finding { invariant, mechanism, text, .. } = finding;
        let kept = Kept {
            design: case.design.facts.name.to_owned(),
            seed: case.seed,
            invariant: invariant.clone(),
            mechanism: mechanism.clone(),
            text: text.clone(),
        };
        match keep_one(folder, &kept, &case.scenario, &trier.deviations()) {
            Ok(repro) => finding.repro = repro,
            Err(failure) => return (explored, Err(failure)),
        }
    }
    (explored, Ok(()))
}

/// Writes the folder of one finding, and gives the command that runs what is in it. A new folder that can't have all of
/// its files goes again: it would bear a finding's name and be none.
pub fn keep_one(folder: &Path, kept: &Kept, scenario: &Scenario, deviations: &Deviations) -> Result<String, Failure> {
    let own = folder.join(name(&kept.invariant, &kept.mechanism));
    let is_new = !own.exists();
    let written = write_all(&own, kept, scenario, deviations);
    if written.is_err() && is_new {
        // The first failure is the one to tell of.
        drop(std::fs::remove_dir_all(&own));
    }
    written
}

fn write_all(own: &Path, kept: &Kept, scenario: &Scenario, deviations: &Deviations) -> Result<String, Failure> {
    std::fs::create_dir_all(own).map_err(|error| Failure::write(own.display(), error))?;
    let (scenario_file, deviations_file) = (own.join(SCENARIO), own.join(DEVIATIONS));
    write_file(&scenario_file, &to_yaml(scenario))?;
    write_file(&deviations_file, &deviations.to_string())?;
    let order = Order::Deviations(deviations_file.display().to_string());
    let repro = command(&scenario_file.display().to_string(), Some(&kept.design), kept.seed, &order, &[]);
    write_file(&own.join(COMMAND), &format!("{repro}\n"))?;
    write_kept(own, kept)?;
    Ok(repro)
}

/// What `shrink` has to know of the finding in a folder.
pub fn write_kept(folder: &Path, kept: &Kept) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(kept).map_err(|error| Failure::Bug(error.to_string()))?;
    write_file(&folder.join(FINDING), &format!("{text}\n"))
}

/// The invariant, and eight digits that tell the mechanism.
fn name(invariant: &str, mechanism: &str) -> String {
    let mechanism = Entity::named(mechanism).as_u64();
    format!("{invariant}-{:08x}", mechanism >> 32)
}
