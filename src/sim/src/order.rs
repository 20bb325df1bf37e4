//! The order of a run as a plain value: by which rule ready tasks are chosen, and which timers fire late.

use lkesim_kernel::{Delays, Deviations, Guide, Schedule};
use lkesim_runtime::{Ppm, Seed};
use std::fmt;
use std::time::Duration;

/// Tasks that play the world and end the acts. What they do happens when the scenario says it does.
const ON_TIME: [&str; 5] = ["acts", "cloud", "workload.create", "workload.delete", "by_hand"];

/// Which of the tasks that are ready goes first.
#[derive(Clone, Debug, Default)]
pub enum Order {
    /// The one that became ready first.
    #[default]
    Fifo,
    /// Any, drawn from this seed.
    Random(Seed),
    /// As a rule says, drawn from this seed, with timers that fire late if there are any.
    Drawn(Seed, Rule, Option<Late>),
    /// First-in-first-out, with these recorded departures.
    Replay(Deviations),
    /// First-in-first-out, but for the turns of a guide, which learns what choices there were.
    Guided(Guide),
}

/// A rule by which a task is chosen of those that are ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The one that became ready first.
    Fifo,
    /// Any.
    Random,
    /// The one that was polled last goes on with this chance, or else any.
    Sticky {
        /// The chance.
        stay: Ppm,
    },
    /// By random priorities, of which few change.
    Priorities {
        /// How many fall.
        changes: u32,
        /// Among how many choices.
        choices: u64,
    },
    /// The one that became ready first, save for few that are put off to the end of their instant.
    DelayBounded {
        /// How many.
        puts_off: u32,
        /// Among how many choices.
        choices: u64,
    },
}

/// Timers that fire late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Late {
    /// How likely a poll's timers are late.
    pub chance: Ppm,
    /// By how much: one of these.
    pub lengths: Vec<Duration>,
}

impl Order {
    /// The kernel's schedule.
    pub fn schedule(&self) -> Schedule {
        match self {
            Order::Fifo => Schedule::fifo(),
            Order::Random(seed) => Schedule::random(*seed),
            Order::Replay(deviations) => Schedule::replay(deviations),
            Order::Guided(guide) => Schedule::guided(guide.clone()),
            Order::Drawn(seed, rule, None) => rule.schedule(*seed),
            Order::Drawn(seed, rule, Some(late)) => {
                rule.schedule(*seed).delaying(Delays::new(*seed, late.chance, &late.lengths).sparing(&ON_TIME))
            }
        }
    }
}

impl Rule {
    fn schedule(self, seed: Seed) -> Schedule {
        match self {
            Rule::Fifo => Schedule::fifo(),
            Rule::Random => Schedule::random(seed),
            Rule::Sticky { stay } => Schedule::sticky(seed, stay),
            Rule::Priorities { changes, choices } => Schedule::priorities(seed, changes, choices),
            Rule::DelayBounded { puts_off, choices } => Schedule::delay_bounded(seed, puts_off, choices),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::Fifo => f.write_str("first in, first out"),
            Rule::Random => f.write_str("random"),
            Rule::Sticky { stay } => write!(f, "sticky, {} %", stay.0 / 10_000),
            Rule::Priorities { changes, choices } => write!(f, "priorities, {changes} changes in {choices} choices"),
            Rule::DelayBounded { puts_off, choices } => write!(f, "delay-bounded, {puts_off} of {choices} choices"),
        }
    }
}

impl fmt::Display for Late {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lengths: Vec<String> = self.lengths.iter().map(|length| format!("{length:?}")).collect();
        write!(f, "{} in a million timers late by {}", self.chance.0, lengths.join(" or "))
    }
}
