//! `lkesim shrink`: makes a finding small, and tells it.

use super::explore::keep::{COMMAND, DEVIATIONS, FINDING, SCENARIO, write_kept};
use super::explore::write_file;
use crate::args::Shrink as Args;
use crate::output::Output;
use crate::runner::{self, Job, Ready, RunError};
use crate::{Failure, Terminal, exit, input, interrupt};
use lkesim_explore::Kept;
use lkesim_explore::shrink::{Shrunk, Target, shrink as made_small};
use lkesim_explore::trial::Case;
use lkesim_judge::trace::Trace;
use lkesim_report::repeat::{Order, command};
use lkesim_report::story;
use lkesim_report::units::{clock, count};
use lkesim_scenario::to_yaml;
use std::path::Path;

/// The most events that a story tells: with what stands around them it has at most 25 lines.
const EVENTS: usize = 14;

/// Runs the command.
pub fn shrink(args: &Args, terminal: &mut Terminal) -> Result<u8, Failure> {
    let kept = read_kept(&args.folder.join(FINDING))?;
    let designs = [kept.design.clone()];
    let loaded = input::scenario(&args.folder.join(SCENARIO), &[], &designs, terminal)?;
    let deviations = input::deviations(&args.folder.join(DEVIATIONS), terminal)?;
    let case = Case {
        name: loaded.name,
        scenario: loaded.scenario,
        design: input::design(&kept.design)?,
        seed: kept.seed,
        order: lkesim_sim::Order::Fifo,
    };
    let target = Target { invariant: kept.invariant.clone(), mechanism: kept.mechanism.clone() };
    interrupt::patiently();
    let small = made_small(&case, &deviations, &target, &interrupt::was_asked);
    let Some(small) = small else {
        let text = format!("{} does not break {} as it says it does", args.folder.display(), kept.invariant);
        terminal.tell(&format!("error: {text}"));
        return Ok(exit::DIVERGED);
    };
    let folder = args.to.clone().unwrap_or_else(|| args.folder.join("small"));
    std::fs::create_dir_all(&folder).map_err(|error| Failure::write(folder.display(), error))?;
    let story = write(&folder, &case, &small, terminal)?;
    terminal.print(&story)?;
    Ok(if interrupt::was_asked() { exit::INTERRUPTED } else { exit::OK })
}

fn read_kept(path: &Path) -> Result<Kept, Failure> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
            Failure::Input(format!("there is no {name}: expected a folder that `lkesim explore --keep` wrote"))
        }
        _ => Failure::read(&name, error),
    })?;
    serde_json::from_str(&text).map_err(|error| Failure::Input(format!("{name}: {error}")))
}

/// Writes all that repeats and tells the failure, and gives the story.
fn write(folder: &Path, case: &Case, small: &Shrunk, terminal: &Terminal) -> Result<String, Failure> {
    let design = case.design.facts.name;
    let (scenario, deviations) = (folder.join(SCENARIO), folder.join(DEVIATIONS));
    write_file(&scenario, &to_yaml(&small.scenario))?;
    write_file(&deviations, &small.deviations.to_string())?;
    let breach = &small.breach;
    let kept = Kept {
        design: design.to_owned(),
        seed: case.seed,
        invariant: breach.invariant.clone(),
        mechanism: breach.mechanism.clone(),
        text: breach.text.clone(),
    };
    write_kept(folder, &kept)?;
    let name = scenario.display().to_string();
    let order = match small.deviations.list.is_empty() {
        true => Order::Named("fifo"),
        false => Order::Deviations(deviations.display().to_string()),
    };
    let repeat = command(&name, Some(design), case.seed, &order, &[]);
    write_file(&folder.join(COMMAND), &format!("{repeat}\n"))?;
    let trace = folder.join("trace.jsonl");
    let job = Job {
        scenario: &small.scenario,
        name: &name,
        sets: &[],
        design,
        seed: case.seed,
        order: Ready::Fifo,
        deviations: Some(&small.deviations),
    };
    let events = trace_of(&job, &trace, terminal)?;
    let mut lines = head(small, design, case.seed);
    lines.extend(events.map_or_else(Vec::new, |trace| story::short(&trace, &breach.objects, breach.at_ms, EVENTS)));
    lines.extend([String::new(), repeat]);
    let story = lines.join("\n") + "\n";
    write_file(&folder.join("story.txt"), &story)?;
    Ok(story)
}

/// Runs it once more for its trace. A run that panics has none.
fn trace_of(job: &Job<'_>, path: &Path, terminal: &Terminal) -> Result<Option<Trace>, Failure> {
    let (output, sink) = Output::begin(path, terminal)?;
    match runner::run(job, Some(sink), None) {
        Ok(_) => {}
        Err(RunError::Trace(error)) => return Err(Failure::write(output.name(), error)),
        Err(_) => return Ok(None),
    }
    output.finish()?;
    let name = path.display().to_string();
    let file = std::fs::File::open(path).map_err(|error| Failure::read(&name, error))?;
    Trace::read(&name, std::io::BufReader::new(file)).map(Some).map_err(|error| Failure::Bug(error.to_string()))
}

/// What broke, and in what circumstances.
fn head(small: &Shrunk, design: &str, seed: u64) -> Vec<String> {
    let breach = &small.breach;
    let lines = count(small.deviations.list.len() as u64, "line");
    let faults: Vec<&str> = small.scenario.faults.iter().map(|fault| fault.kind()).collect();
    let faults = if faults.is_empty() { "no fault".to_owned() } else { faults.join(", ") };
    vec![
        format!("{} breaks under {design}, seed {seed}, at {}:", breach.invariant, clock(breach.at_ms)),
        format!("  {}", breach.text),
        format!("  how: {}", breach.mechanism),
        format!("  with {faults}, and {lines} of departures from first-in-first-out",),
        String::new(),
    ]
}
