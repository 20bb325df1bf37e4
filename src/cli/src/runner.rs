//! Runs a scenario and replays a trace: the one place that knows the simulator.

use crate::log;
use crate::sink::Memory;
use lkesim_judge::Outcome;
use lkesim_judge::trace::{Header, Schedule, Trace};
use lkesim_kernel::Deviations;
use lkesim_report::style::harmless;
use lkesim_runtime::Seed;
use lkesim_scenario::Scenario;
use lkesim_sim::{Follower, Order, Plan, Ran, Recorded, Request, Simulator, Sink};
use std::io;
use std::rc::Rc;

/// How many threads: as many as asked for, or one for each core.
pub fn jobs(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// What to run.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The scenario, checked.
    pub scenario: &'a Scenario,
    /// What to call it.
    pub name: &'a str,
    /// The overrides that it has in it already.
    pub sets: &'a [String],
    /// The design's name.
    pub design: &'a str,
    /// The seed.
    pub seed: u64,
    /// Which of the tasks that are ready together goes first.
    pub order: Ready,
    /// The departures from first-in-first-out, in place of an order.
    pub deviations: Option<&'a Deviations>,
}

impl Job<'_> {
    /// Whether it is what the scenario's expectations were written for.
    fn is_as_written(&self) -> bool {
        let in_order = self.order == Ready::Fifo && self.deviations.is_none_or(|deviations| deviations.list.is_empty());
        self.sets.is_empty() && self.seed == DEFAULT_SEED && in_order
    }
}

/// Which of the tasks that are ready together goes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Ready {
    /// The one that became ready first
    #[default]
    Fifo,
    /// Any, drawn from the seed
    Random,
}

impl Ready {
    /// Its name in traces and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Ready::Fifo => "fifo",
            Ready::Random => "random",
        }
    }
}

/// The seed that expectations are written for.
pub const DEFAULT_SEED: u64 = 1;

/// Why a run has no outcome.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// There is no such design.
    #[error("there is no design `{0}`")]
    UnknownDesign(String),
    /// The scenario asks for something that nothing models.
    #[error("not modelled: {0}")]
    NotModelled(String),
    /// The trace could not be written.
    #[error("the trace could not be written: {0}")]
    Trace(io::Error),
    /// A bug.
    #[error("{0}")]
    Internal(String),
}

/// Runs a job, and writes its trace if asked to, which is flushed at the end. Gives too the departures that matched
/// nothing.
///
/// `follower` hears of each event.
pub fn run(job: &Job<'_>, trace: Option<Sink>, follower: Option<Follower>) -> Result<(Outcome, Vec<String>), RunError> {
    let order = match (job.deviations, job.order) {
        (Some(deviations), _) => Order::Replay(deviations.clone()),
        (None, Ready::Fifo) => Order::Fifo,
        (None, Ready::Random) => Order::Random(Seed(job.seed)),
    };
    run_in_order(job, order, trace, follower).map(|ran| (ran.outcome, ran.unmatched))
}

fn run_in_order(job: &Job<'_>, order: Order, trace: Option<Sink>, follower: Option<Follower>) -> Result<Ran, RunError> {
    let design = lkesim_lke::design(job.design).ok_or_else(|| RunError::UnknownDesign(job.design.to_owned()))?;
    let trace = match (trace, log::is_on()) {
        (sink, true) => Some(Box::new(log::Follow(sink)) as Sink),
        (sink, false) => sink,
    };
    let trace = match trace {
        Some(sink) => Some((sink, header(job)?)),
        None => None,
    };
    let request = Request {
        plan: Rc::new(Plan::new(job.scenario)),
        name: job.name.to_owned(),
        design,
        seed: Seed(job.seed),
        order,
        as_written: job.is_as_written(),
    };
    let ran = Simulator::new().run_followed(&request, trace, follower).map_err(|error| match error {
        lkesim_sim::RunError::NotModelled(what) => RunError::NotModelled(what),
        lkesim_sim::RunError::Trace(error) => RunError::Trace(error),
        other => RunError::Internal(other.to_string()),
    })?;
    match ran.recorded {
        Recorded::Failed(error) => Err(RunError::Trace(error)),
        Recorded::Done(_) | Recorded::Nothing => Ok(Ran { recorded: Recorded::Nothing, ..ran }),
    }
}

fn header(job: &Job<'_>) -> Result<Header, RunError> {
    let scenario = serde_json::to_value(job.scenario).map_err(|error| RunError::Internal(error.to_string()))?;
    let mut header = Header::new(job.name, job.design, job.seed, scenario);
    header.sets = job.sets.to_vec();
    header.schedule = Schedule { name: job.order.name().to_owned() };
    Ok(header)
}

/// Why a trace can't be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The scenario in its header is none that this program reads.
    #[error("{0}")]
    Scenario(String),
    /// The schedule in its header is none that this program knows.
    #[error("the trace's schedule can't be replayed: {0}")]
    Schedule(String),
    /// The run failed.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// A trace that was run again.
pub struct Replayed {
    /// What was recorded this time.
    pub trace: Trace,
    /// Recorded departures from first-in-first-out that matched nothing.
    pub unmatched: Vec<String>,
}

/// Runs what a trace holds, and gives the new trace to compare.
pub fn replay(recorded: &Trace, names: &lkesim_scenario::Names<'_>) -> Result<Replayed, ReplayError> {
    let header = &recorded.header;
    // JSON is YAML: the scenario is read and checked as from a file.
    let text = header.scenario.to_string();
    let source = harmless(&recorded.source);
    let input = lkesim_scenario::Input { is_recorded: true, ..lkesim_scenario::Input::new(&source, text.as_bytes()) };
    let scenario = lkesim_scenario::load_input(&input, names)
        .map_err(|mistakes| ReplayError::Scenario(mistakes.render(false)))?
        .scenario;
    let job = Job {
        scenario: &scenario,
        name: &header.name,
        sets: &header.sets,
        design: &header.design,
        seed: header.seed,
        order: ready(&header.schedule)?,
        deviations: None,
    };
    let memory = Memory::default();
    let ran = run_in_order(&job, order(&recorded.footer.deviations)?, Some(Box::new(memory.clone())), None)?;
    let bytes = memory.take();
    let trace = Trace::read("the replay", &bytes[..]).map_err(|error| RunError::Internal(error.to_string()))?;
    Ok(Replayed { trace, unmatched: ran.unmatched })
}

fn ready(schedule: &Schedule) -> Result<Ready, ReplayError> {
    let known = [Ready::Fifo, Ready::Random].into_iter().find(|ready| ready.name() == schedule.name);
    known.ok_or_else(|| ReplayError::Schedule(format!("there is no order `{}`", schedule.name)))
}

/// The order that the recorded departures make, whatever drew them.
fn order(deviations: &[String]) -> Result<Order, ReplayError> {
    if deviations.is_empty() {
        return Ok(Order::Fifo);
    }
    let deviations = Deviations::of_lines(deviations.iter().map(String::as_str));
    deviations.map(Order::Replay).map_err(|error| ReplayError::Schedule(error.to_string()))
}
