//! Schedules: who goes next among the tasks that are ready.
//!
//! One file a schedule. The kernel knows the [`Strategy`] trait; the schedules that most runs use are variants of
//! [`Schedule`] too, so that their choice is no call through a table.
//!
//! A schedule may also delay timers ([`Delays`], over any order): with latencies of nanoseconds few timers are due at
//! one instant, and what happens at nearly equal times would otherwise never change places.

mod delay_bounded;
mod delays;
mod fifo;
mod guided;
mod priorities;
mod random;
mod replay;
mod sticky;

pub use delay_bounded::DelayBounded;
pub use delays::Delays;
pub use fifo::Fifo;
pub use guided::{Guide, Guided, Turn};
pub use priorities::Priorities;
pub use random::Random;
pub(crate) use random::Ranks;
pub use replay::Replay;
pub use sticky::Sticky;

use crate::ready::Ready;
use lkesim_runtime::{Ppm, Seed, Time};
use std::time::Duration;

/// What a choice can go by, beside the ready tasks themselves.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The present.
    pub now: Time,
}

/// A way to choose among ready tasks.
///
/// The kernel asks before each poll for which at least two tasks are ready. `ready` is the whole of the instant so far:
/// all that its timers woke, and all that was woken or spawned since, in that order; index 0 is first-in-first-out's
/// choice. The choice may depend on what was given and on the strategy's own seed, and on nothing else.
pub trait Strategy {
    /// The index in `ready` of the task to poll. One out of bounds is a panic.
    fn pick(&mut self, ready: &[Ready], choice: &Choice) -> usize;

    /// Whether it ever delays a timer. Asked once, as a run begins.
    fn delays(&self) -> bool {
        false
    }

    /// How much later the timers fire that a poll sets. Asked as the poll sets its first timer; what it says holds for
    /// the others of the same poll too.
    fn delay(&mut self, _: &Setting) -> Duration {
        Duration::ZERO
    }
}

/// A poll that sets a timer.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The hash of the task's path.
    pub task: u64,
    /// Which of its polls.
    pub poll: u32,
    /// How far ahead its first timer is.
    pub wait: Duration,
}

/// The schedule of a run.
pub enum Schedule {
    /// First in, first out: what tokio's current-thread runtime does.
    Fifo(Fifo),
    /// A seeded random order.
    Random(Random),
    /// First-in-first-out with recorded departures.
    Replay(Replay),
    /// Another schedule, with timers that fire late.
    Delaying(Box<Schedule>, Delays),
    /// Any other.
    Other(Box<dyn Strategy>),
}

/// How the table of the few that are ready finds whom a schedule wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The first of them.
    First,
    /// That of the highest rank.
    Highest,
    /// The one that the schedule picks when it is asked.
    Asked,
}

impl Schedule {
    /// First in, first out.
    pub fn fifo() -> Schedule {
        Schedule::Fifo(Fifo)
    }

    /// A random order, the same for the same seed.
    pub fn random(seed: Seed) -> Schedule {
        Schedule::Random(Random::new(seed))
    }

    /// A random order in which the task that was polled last goes on with this chance.
    pub fn sticky(seed: Seed, stay: Ppm) -> Schedule {
        Schedule::Other(Box::new(Sticky::new(seed, stay)))
    }

    /// An order by random priorities of tasks, of which `changes` fall among the first `choices` choices.
    pub fn priorities(seed: Seed, changes: u32, choices: u64) -> Schedule {
        Schedule::Other(Box::new(Priorities::new(seed, changes, choices)))
    }

    /// First in, first out, but that at `puts_off` of the first `choices` choices the first in line is put off to the
    /// end of its instant.
    pub fn delay_bounded(seed: Seed, puts_off: u32, choices: u64) -> Schedule {
        Schedule::Other(Box::new(DelayBounded::new(seed, puts_off, choices)))
    }

    /// First in, first out, but for the turns of a guide.
    pub fn guided(guide: Guide) -> Schedule {
        Schedule::Other(Box::new(Guided::new(guide)))
    }

    /// The same order, with timers that fire late.
    pub fn delaying(self, delays: Delays) -> Schedule {
        Schedule::Delaying(Box::new(self), delays)
    }

    /// The run that `deviations` were recorded in.
    pub fn replay(deviations: &crate::Deviations) -> Schedule {
        Schedule::Replay(Replay::new(deviations))
    }

    pub(crate) fn way(&self) -> Way {
        match self {
            Schedule::Fifo(_) => Way::First,
            Schedule::Random(_) => Way::Highest,
            Schedule::Delaying(order, _) => order.way(),
            Schedule::Replay(_) | Schedule::Other(_) => Way::Asked,
        }
    }

    /// The random order's, if this is one: it goes by ranks.
    pub(crate) fn ranks(&self) -> Option<Ranks> {
        match self {
            Schedule::Random(random) => Some(random.ranks()),
            Schedule::Delaying(order, _) => order.ranks(),
            _ => None,
        }
    }

    /// Whether timers may be delayed.
    pub(crate) fn delays(&self) -> bool {
        match self {
            Schedule::Fifo(_) | Schedule::Random(_) => false,
            Schedule::Replay(replay) => replay.delays(),
            Schedule::Delaying(..) => true,
            Schedule::Other(other) => other.delays(),
        }
    }

    /// How much later the timers of a poll fire.
    pub(crate) fn delay(&mut self, setting: &Setting) -> Duration {
        match self {
            Schedule::Fifo(_) | Schedule::Random(_) => Duration::ZERO,
            Schedule::Replay(replay) => replay.delay(setting),
            Schedule::Delaying(order, delays) => delays.of(setting).max(order.delay(setting)),
            Schedule::Other(other) => other.delay(setting),
        }
    }

    /// Whom to poll of two or more.
    pub(crate) fn pick(&mut self, ready: &[Ready], now: Time) -> usize {
        let choice = Choice { now };
        match self {
            Schedule::Fifo(fifo) => fifo.pick(ready, &choice),
            Schedule::Random(random) => random.pick(ready, &choice),
            Schedule::Replay(replay) => replay.pick(ready, &choice),
            Schedule::Delaying(order, _) => order.pick(ready, now),
            Schedule::Other(other) => other.pick(ready, &choice),
        }
    }
}
