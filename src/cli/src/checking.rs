//! Property tests of a design, in a `#[test]`: many drawn scenarios, and a failure that can be read and repeated.

use lkesim_explore::explored::Finding;
use lkesim_explore::shrink::{Shrunk, Target, shrink};
use lkesim_explore::trial::Trier;
use lkesim_explore::{Explored, Palette, Search, Verdict};
use lkesim_judge::Outcome;
use lkesim_judge::invariants::INVARIANTS;
use lkesim_lke::Design;
use lkesim_report::units::clock;
use lkesim_runtime::Seed;
use lkesim_scenario::{Scenario, to_yaml};
use lkesim_sim::{Order, Plan, Request, RunError, Simulator};
use std::cell::Cell;
use std::fmt::Write;
use std::rc::Rc;

/// How many seeds a check has where nobody says.
const SEEDS: u64 = 200;

/// How many runs may go into making a failure small: some seconds in a debug build.
const SHRINKING_RUNS: u64 = 300;

/// The environment variable that names the one seed to run, as a failure's message does.
const SEED: &str = "LKESIM_SEED";

/// Looks for what breaks a design in 200 drawn scenarios, each with an order of tasks of its own.
///
/// # Panics
/// When an invariant breaks that the design promises: with what broke, how, and the smallest scenario that shows it.
pub fn check(design: &'static Design) {
    Check::of(design).holds();
}

/// A check with settings of its own.
///
/// ```no_run
/// fn holds_in_2000_scenarios(my_design: &'static lkesim::lke::Design) {
///     lkesim::Check::of(my_design).seeds(2_000).holds();
/// }
/// ```
#[derive(Clone)]
pub struct Check {
    search: Search,
}

impl Check {
    /// A check of this design with the palette `general`, which covers all that is modelled.
    pub fn of(design: &'static Design) -> Check {
        let jobs = crate::runner::jobs(None);
        let seeds = Some(SEEDS);
        let search = Search { palette: Palette::General, design, start_seed: 1, seeds, jobs, stop_on_first: false };
        Check { search }
    }

    /// With so many seeds. From 1000 on, every declared hard case has to occur.
    pub fn seeds(mut self, seeds: u64) -> Check {
        self.search.seeds = Some(seeds);
        self
    }

    /// From this seed on.
    pub fn from_seed(mut self, seed: u64) -> Check {
        self.search.start_seed = seed;
        self
    }

    /// With what is near this scenario, in place of all that is modelled.
    pub fn around(mut self, name: &str, scenario: &Scenario) -> Check {
        self.search.palette = Palette::Around([(name.to_owned(), scenario.clone())].into());
        self
    }

    /// What is found. `LKESIM_SEED`, where it is set, names the only seed to run.
    pub fn search(&self) -> Explored {
        let mut search = self.search.clone();
        if let Some(seed) = std::env::var(SEED).ok().and_then(|seed| seed.parse().ok()) {
            (search.start_seed, search.seeds) = (seed, Some(1));
        }
        search.run(&|| false, &mut |_, _, _| {}, &|seed| format!("{SEED}={seed} cargo test"))
    }

    /// # Panics
    /// When something broke, something is not modelled, or a declared hard case never occurred.
    pub fn holds(&self) {
        let explored = self.search();
        if explored.verdict == Verdict::Fail {
            panic!("{}", self.told(&explored));
        }
    }

    /// All findings in short, and the first with the smallest scenario that shows it.
    fn told(&self, explored: &Explored) -> String {
        let Explored { design, runs, failed_runs, findings, .. } = explored;
        let mut text = format!("{design} broke something in {failed_runs} of {runs} runs\n");
        for finding in findings {
            let Finding { invariant, mechanism, count, first_seed, at_ms, text: what, repro } = finding;
            let _ = write!(
                text,
                "\n{invariant}, in {count} runs, first with seed {first_seed} at {}:\n  {what}\n  how: {mechanism}\n  \
                 again: {repro}\n",
                clock(*at_ms)
            );
        }
        if let Some((finding, small)) = findings.first().and_then(|finding| Some((finding, self.small(finding)?))) {
            let Finding { invariant, first_seed, .. } = finding;
            let indented = |text: &str| text.lines().map(|line| format!("  {line}\n")).collect::<String>();
            let yaml = indented(&to_yaml(&small.scenario));
            let _ = write!(text, "\nThe smallest scenario that breaks {invariant}, with seed {first_seed}:\n{yaml}");
            if !small.deviations.list.is_empty() {
                let order = indented(&small.deviations.to_string());
                let _ = write!(text, "with these departures from first in, first out:\n{order}");
            }
        }
        for case in &explored.missing {
            let _ = writeln!(text, "\n{case}: a declared hard case that never occurred");
        }
        for (what, runs) in &explored.not_modelled {
            let _ = writeln!(text, "\nnot modelled, in {runs} runs: {what}");
        }
        text
    }

    fn small(&self, finding: &Finding) -> Option<Shrunk> {
        let case = self.search.case(finding.first_seed);
        let mut trier = Trier::new();
        trier.run(&case);
        let target = Target { invariant: finding.invariant.clone(), mechanism: finding.mechanism.clone() };
        let runs = Cell::new(0);
        let is_over = || {
            runs.set(runs.get() + 1);
            runs.get() > SHRINKING_RUNS
        };
        shrink(&case, &trier.deviations(), &target, &is_over)
    }
}

/// Runs one scenario under a design, first in, first out.
///
/// # Errors
/// When something that it asks for is not modelled, or a task of it panics.
pub fn run(design: &'static Design, scenario: &Scenario, seed: u64) -> Result<Outcome, RunError> {
    let request = Request {
        plan: Rc::new(Plan::new(scenario)),
        name: scenario.about.clone(),
        design,
        seed: Seed(seed),
        order: Order::Fifo,
        as_written: false,
    };
    Simulator::new().run(&request, None).map(|ran| ran.outcome)
}

/// # Panics
/// When this invariant broke, or there is none of this name.
pub fn assert_holds(outcome: &Outcome, invariant: &str) {
    let names = || INVARIANTS.iter().map(|invariant| invariant.name).collect::<Vec<_>>().join(", ");
    let Some(judged) = outcome.invariants.iter().find(|judged| judged.name == invariant) else {
        panic!("there is no invariant `{invariant}`; there is {}", names());
    };
    assert!(judged.held, "{}", broken(outcome, invariant));
}

/// # Panics
/// When an invariant broke that the design promises.
pub fn assert_all_hold(outcome: &Outcome) {
    let mut promised = outcome.invariants.iter().filter(|judged| !judged.held && !judged.not_promised).peekable();
    if promised.peek().is_some() {
        panic!("{}", promised.map(|judged| broken(outcome, &judged.name)).collect::<Vec<_>>().join("\n"));
    }
}

/// What broke an invariant first.
fn broken(outcome: &Outcome, invariant: &str) -> String {
    let judged = outcome.invariants.iter().find(|judged| judged.name == invariant);
    let first = judged.and_then(|judged| judged.violations.first());
    let first = first.map_or_else(String::new, |first| format!(", first at {}: {}", clock(first.at_ms), first.text));
    format!("{invariant} broke under {}, seed {}{first}", outcome.design, outcome.seed)
}
