//! One run of a search: a case, and what came of it.

use crate::mechanism::{self, Moment};
use crate::notes::Scribe;
use crate::palette::{Drawn, Palette};
use crate::portfolio;
use lkesim_judge::Outcome;
use lkesim_judge::outcome::{InvariantOutcome, Violation};
use lkesim_kernel::{Deviations, KernelError};
use lkesim_lke::Design;
use lkesim_runtime::Seed;
use lkesim_scenario::Scenario;
use lkesim_sim::{Order, Plan, Ran, Request, RunError, Simulator};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// What a panic of a run counts as, beside the invariants.
pub const PANIC: &str = "no-panic";

/// What a run counts as whose tasks wake each other without end, beside the invariants.
pub const SPINNING: &str = "no-spinning";

/// All that a run depends on.
#[derive(Clone)]
pub struct Case {
    /// What to call the scenario.
    pub name: String,
    /// The scenario. Its expectations count for nothing.
    pub scenario: Scenario,
    /// The design.
    pub design: &'static Design,
    /// The seed of all luck.
    pub seed: u64,
    /// The order of ready tasks.
    pub order: Order,
}

impl Case {
    /// What a seed draws.
    pub fn drawn(palette: &Palette, design: &'static Design, seed: u64) -> Case {
        let Drawn { name, scenario } = palette.draw(seed, design);
        Case { name, scenario, design, seed, order: portfolio::order(seed) }
    }
}

/// Something that broke.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Breach {
    /// The invariant.
    pub invariant: String,
    /// The signature of how it broke.
    pub mechanism: String,
    /// When, in virtual milliseconds.
    pub at_ms: u64,
    /// What happened, in words.
    pub text: String,
    /// The objects involved.
    pub objects: Vec<String>,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub enum Ending {
    /// It was judged.
    Judged {
        /// How long it took in virtual time.
        virtual_ms: u64,
        /// How many steps it took.
        steps: u64,
        /// A hash of everything that happened.
        digest: String,
        /// How often each hard case occurred.
        sometimes: BTreeMap<String, u64>,
    },
    /// It panicked, or did not end.
    Broken,
    /// It asked for something that is not modelled.
    NotModelled(String),
}

/// What came of a case.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The seed.
    pub seed: u64,
    /// How it ended.
    pub ending: Ending,
    /// What broke: of each mechanism the first breach, in the order of invariants.
    pub breaches: Vec<Breach>,
    /// Lines of a replayed list that changed nothing.
    pub unmatched: Vec<String>,
}

/// Tries one case after the other in the same memory.
#[derive(Default)]
pub struct Trier {
    simulator: Simulator,
    scribe: Rc<RefCell<Scribe>>,
}

impl Trier {
    /// A trier for this thread.
    pub fn new() -> Trier {
        Trier::default()
    }

    /// Every departure from first-in-first-out of the last run, also of one that did not end. With the case they repeat
    /// it.
    pub fn deviations(&self) -> Deviations {
        self.simulator.deviations()
    }

    /// Runs a case to its end.
    pub fn run(&mut self, case: &Case) -> Trial {
        self.scribe.borrow_mut().clear();
        let scribe = self.scribe.clone();
        let follower = Box::new(move |event: &_, judge: &_| scribe.borrow_mut().see(event, judge));
        let simulator = &mut self.simulator;
        let ran = catch_unwind(AssertUnwindSafe(|| {
            let request = Request {
                plan: Rc::new(Plan::new(&case.scenario)),
                name: case.name.clone(),
                design: case.design,
                seed: Seed(case.seed),
                order: case.order.clone(),
                as_written: false,
            };
            simulator.follow(&request, follower)
        }));
        match ran {
            Ok(Ok(ran)) => judged(case.seed, ran, &self.scribe.borrow()),
            Ok(Err(RunError::NotModelled(what))) => ended(case.seed, Ending::NotModelled(what), None),
            Ok(Err(RunError::Kernel(error))) => ended(case.seed, Ending::Broken, Some(broken(error))),
            Ok(Err(error @ RunError::Trace(_))) => {
                ended(case.seed, Ending::Broken, Some(panicked(0, &error.to_string())))
            }
            Err(panic) => {
                // What it left behind can't be trusted.
                *self = Trier::new();
                let words = panic.downcast_ref::<String>().cloned();
                let words = words.or_else(|| panic.downcast_ref::<&str>().map(|words| (*words).to_owned()));
                ended(case.seed, Ending::Broken, Some(panicked(0, &words.unwrap_or_default())))
            }
        }
    }
}

fn ended(seed: u64, ending: Ending, breach: Option<Breach>) -> Trial {
    Trial { seed, ending, breaches: breach.into_iter().collect(), unmatched: Vec::new() }
}

fn judged(seed: u64, ran: Ran, scribe: &Scribe) -> Trial {
    let Ran { outcome, unmatched, .. } = ran;
    let Outcome { virtual_ms, events, digest, sometimes, invariants, .. } = outcome;
    let promised = invariants.iter().filter(|invariant| !invariant.held && !invariant.not_promised);
    let mut breaches: Vec<Breach> = promised.flat_map(|invariant| breaches(invariant, scribe)).collect();
    drop_consequences(&mut breaches);
    Trial { seed, ending: Ending::Judged { virtual_ms, steps: events, digest, sometimes }, breaches, unmatched }
}

/// What another invariant says already of the same object is no finding of its own. That the state does not agree in
/// the end is what most breaches lead to; and a Linode that garbage collection took from its holder is a delete of
/// another's.
fn drop_consequences(breaches: &mut Vec<Breach>) {
    const LEADS_TO: [(&str, Option<&str>); 2] =
        [("state-agrees", None), ("delete-removes-only-its-target", Some("gc-spares-the-claimed"))];
    let all = breaches.clone();
    breaches.retain(|breach| {
        let Some((own, from)) = LEADS_TO.iter().find(|(own, _)| breach.invariant == *own) else {
            return true;
        };
        let leads = |other: &&Breach| {
            from.map_or(other.invariant != *own, |from| other.invariant == from && other.at_ms == breach.at_ms)
        };
        !all.iter().filter(leads).any(|other| other.objects.iter().any(|object| breach.objects.contains(object)))
    });
}

/// Of each mechanism by which an invariant broke, the first breach.
fn breaches(invariant: &InvariantOutcome, scribe: &Scribe) -> Vec<Breach> {
    let mut found: Vec<Breach> = Vec::new();
    for (nth, violation) in (0..).zip(&invariant.violations) {
        let mark = scribe.marks.iter().find(|mark| mark.invariant == invariant.name && mark.nth == nth);
        let moment = mark.map_or(Moment::End, |mark| Moment::At(mark.note));
        let mechanism = mechanism::of(&scribe.notes, moment, &invariant.name, &violation.text, &violation.objects);
        if !found.iter().any(|breach| breach.mechanism == mechanism) {
            let Violation { at_ms, text, objects } = violation.clone();
            found.push(Breach { invariant: invariant.name.clone(), mechanism, at_ms, text, objects });
        }
    }
    found
}

fn broken(error: KernelError) -> Breach {
    match error {
        KernelError::Panicked { task, at, message } => {
            let breach = panicked(at.as_millis(), &message);
            let mechanism = format!("{} panicked: {}", kind(task.as_str()), breach.mechanism);
            Breach { mechanism, objects: vec![task.to_string()], ..breach }
        }
        KernelError::Spinning { task, at, polls } => Breach {
            invariant: SPINNING.to_owned(),
            mechanism: format!("{} spins", kind(task.as_str())),
            at_ms: at.as_millis(),
            text: format!("{task} spins: {polls} polls and the instant has not ended"),
            objects: vec![task.to_string()],
        },
    }
}

fn panicked(at_ms: u64, message: &str) -> Breach {
    let mechanism = without_numbers(message);
    Breach { invariant: PANIC.to_owned(), mechanism, at_ms, text: message.to_owned(), objects: Vec::new() }
}

/// The kinds in a task's path, without the objects.
fn kind(path: &str) -> String {
    let kinds = path.split(':').map(|part| part.split(['/', '#']).next().unwrap_or_default());
    kinds.collect::<Vec<_>>().join(":")
}

/// Text in which every number is an `N`, and no more of it than tells one panic from another.
fn without_numbers(text: &str) -> String {
    const LONGEST: usize = 120;
    let mut short = String::new();
    let mut in_number = false;
    for c in text.lines().next().unwrap_or_default().chars() {
        match (c.is_ascii_digit(), in_number) {
            (true, true) => {}
            (true, false) => short.push('N'),
            (false, _) => short.push(c),
        }
        in_number = c.is_ascii_digit();
        if short.len() >= LONGEST {
            break;
        }
    }
    short
}

#[cfg(test)]
mod tests;
