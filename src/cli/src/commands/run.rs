//! `lkesim run`: runs a scenario under one design or several, and reports.

use crate::args::Run as Args;
use crate::output::Output;
use crate::runner::{self, Job, RunError};
use crate::sink::{Both, Memory};
use crate::{Failure, Terminal, exit, input, progress};
use lkesim_judge::Outcome;
use lkesim_judge::outcome::Verdict;
use lkesim_judge::trace::Trace;
use lkesim_report::style::{Style, harmless};
use lkesim_report::{Run, format, repeat};
use lkesim_sim::Sink;
use std::path::Path;

/// Runs the command.
pub fn run(args: &Args, terminal: &mut Terminal) -> Result<u8, Failure> {
    let format =
        format::find(&args.format).ok_or_else(|| Failure::Usage(format!("there is no format `{}`", args.format)))?;
    input::once_each("--design", &args.design)?;
    if let Some(trace) = &args.trace {
        args.scenario.iter().chain(&args.file).try_for_each(|input| not_the_scenario(input, trace))?;
    }
    let wanted = input::Wanted {
        scenario: args.scenario.as_deref(),
        files: &args.file,
        sets: &args.set,
        designs: &args.design,
        strict: args.strict,
    };
    let loaded = input::read(&wanted, terminal)?;
    let designs = input::design_names(&args.design, loaded.scenario.design.as_ref());
    if designs.len() > 1 && args.trace.is_some() {
        let text = "--trace takes one run: name one design, or leave --trace out";
        return Err(Failure::Usage(text.to_owned()));
    }
    let deviations = args.deviations.as_deref().map(|path| input::deviations(path, terminal)).transpose()?;
    let (mut outcomes, mut traces) = (Vec::new(), Vec::new());
    let is_drawn = format.draws() && designs.len() == 1;
    for design in &designs {
        let job = Job {
            scenario: &loaded.scenario,
            name: &loaded.name,
            sets: &args.set,
            design,
            seed: args.seed,
            order: args.order,
            deviations: deviations.as_ref(),
        };
        let (outcome, trace) = one(&job, args.trace.as_deref(), is_drawn, terminal)?;
        outcomes.push(outcome);
        traces.push(trace);
    }
    let code = match outcomes.iter().all(|outcome| outcome.verdict == Verdict::Pass) {
        true => exit::OK,
        false => exit::FAILED,
    };
    let clusters_have_their_own = loaded.scenario.clusters.iter().any(|cluster| cluster.design.is_some());
    let repeat = |outcome: &Outcome| {
        let design = Some(outcome.design.as_str()).filter(|_| !clusters_have_their_own);
        let order = match &args.deviations {
            Some(path) => repeat::Order::Deviations(path.display().to_string()),
            None => repeat::Order::Named(args.order.name()),
        };
        let scenario = args.scenario.is_some().then_some(loaded.name.as_str());
        let files: Vec<String> = args.file.iter().map(|file| file.display().to_string()).collect();
        repeat::with_files(scenario, &files, design, outcome.seed, &order, &args.set)
    };
    let repeats: Vec<String> = outcomes.iter().map(repeat).collect();
    let runs = outcomes.iter().zip(&repeats).zip(&traces);
    let runs: Vec<Run<'_>> =
        runs.map(|((outcome, repeat), trace)| Run { outcome, repeat, trace: trace.as_ref() }).collect();
    report(format, &runs, args.trace.as_deref(), terminal).map_err(|failure| failure.with_code(code))?;
    Ok(code)
}

/// A trace does not replace the scenario that it is of.
fn not_the_scenario(scenario: &Path, trace: &Path) -> Result<(), Failure> {
    let file = |path: &Path| path.canonicalize().ok().filter(|path| path.is_file());
    match (file(scenario), file(trace)) {
        (Some(scenario), Some(trace)) if scenario == trace => {
            let text = format!("--trace would overwrite {}: name another file", trace.display());
            Err(Failure::Usage(text))
        }
        _ => Ok(()),
    }
}

/// Runs a job. Its trace stands under its final name only when it is whole; what is drawn needs it too.
fn one(
    job: &Job<'_>,
    trace: Option<&Path>,
    is_drawn: bool,
    terminal: &mut Terminal,
) -> Result<(Outcome, Option<Trace>), Failure> {
    let (output, sink) = match trace {
        Some(path) => {
            let (output, sink) = Output::begin(path, terminal)?;
            (Some(output), Some(sink))
        }
        None => (None, None),
    };
    let memory = is_drawn.then(Memory::default);
    let sink: Option<Sink> = match (sink, &memory) {
        (Some(file), Some(memory)) => Some(Box::new(Both(file, memory.clone()))),
        (None, Some(memory)) => Some(Box::new(memory.clone())),
        (sink, None) => sink,
    };
    let follower = progress::of_run(job.scenario, terminal.err.clone());
    let name = output.as_ref().map_or("", Output::name).to_owned();
    let (outcome, unmatched) = runner::run(job, sink, Some(follower)).map_err(|error| match error {
        RunError::UnknownDesign(_) => Failure::Usage(error.to_string()),
        RunError::NotModelled(what) => Failure::NotModelled(what),
        RunError::Trace(error) if trace.is_some_and(|path| path.as_os_str() == "-") => Failure::stdout(error),
        RunError::Trace(error) => Failure::write(name, error),
        RunError::Internal(what) => Failure::Bug(what),
    })?;
    output.map_or(Ok(()), Output::finish)?;
    for line in unmatched {
        terminal.tell(&format!("warning: the departure `{}` matched nothing", harmless(&line)));
    }
    let kept = memory.map(|memory| Trace::read("the run", &memory.take()[..])).transpose();
    Ok((outcome, kept.map_err(|error| Failure::Bug(error.to_string()))?))
}

/// Reports to standard output, or to standard error where the trace took it.
fn report(
    format: &dyn format::Format,
    runs: &[Run<'_>],
    trace: Option<&Path>,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    if trace.is_some_and(|path| path.as_os_str() == "-") {
        let mut text = Vec::new();
        let style = terminal.err_style;
        format::write(format, runs, style, &mut text).map_err(|error| Failure::write("the report", error))?;
        terminal.tell(&String::from_utf8_lossy(&text));
        return Ok(());
    }
    let style: Style = terminal.style;
    terminal.put(|out| format::write(format, runs, style, out))
}
