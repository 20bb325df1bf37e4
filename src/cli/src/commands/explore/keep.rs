//! Keeps findings: a folder for each, with all that repeats its first run.

use super::write_file;
use crate::Failure;
use lkesim_explore::explored::Finding;
use lkesim_explore::trial::Trier;
use lkesim_explore::{Explored, Kept, Search};
use lkesim_report::repeat::{Order, command};
use lkesim_runtime::Entity;
use lkesim_scenario::to_yaml;
use std::path::Path;

/// The files of a folder.
pub const SCENARIO: &str = "scenario.yaml";
pub const DEVIATIONS: &str = "deviations.txt";
pub const COMMAND: &str = "command";
pub const FINDING: &str = "finding.json";

/// Writes the folders, and gives the findings with the commands that run what is in them.
pub fn keep(search: &Search, mut explored: Explored, folder: &Path) -> Result<Explored, Failure> {
    let mut trier = Trier::new();
    for finding in &mut explored.findings {
        let own = folder.join(name(finding));
        std::fs::create_dir_all(&own).map_err(|error| Failure::write(own.display(), error))?;
        let case = search.case(finding.first_seed);
        trier.run(&case);
        let (scenario, deviations) = (own.join(SCENARIO), own.join(DEVIATIONS));
        write_file(&scenario, &to_yaml(&case.scenario))?;
        write_file(&deviations, &trier.deviations().to_string())?;
        let order = Order::Deviations(deviations.display().to_string());
        let design = Some(case.design.facts.name);
        finding.repro = command(&scenario.display().to_string(), design, case.seed, &order, &[]);
        write_file(&own.join(COMMAND), &format!("{}\n", finding.repro))?;
        let kept = Kept {
            design: case.design.facts.name.to_owned(),
            seed: case.seed,
            invariant: finding.invariant.clone(),
            mechanism: finding.mechanism.clone(),
            text: finding.text.clone(),
        };
        write_kept(&own, &kept)?;
    }
    Ok(explored)
}

/// What `shrink` has to know of the finding in a folder.
pub fn write_kept(folder: &Path, kept: &Kept) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(kept).map_err(|error| Failure::Bug(error.to_string()))?;
    write_file(&folder.join(FINDING), &format!("{text}\n"))
}

/// The invariant, and eight digits that tell the mechanism.
fn name(finding: &Finding) -> String {
    let mechanism = Entity::named(&finding.mechanism).as_u64();
    format!("{}-{:08x}", finding.invariant, mechanism >> 32)
}
