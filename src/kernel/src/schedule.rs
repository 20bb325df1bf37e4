//! Schedules: who goes next among the tasks that are ready.
//!
//! One file a schedule. The kernel knows the [`Strategy`] trait; the schedules that most runs use are variants of
//! [`Schedule`] too, so that their choice is no call through a table.

mod fifo;
mod random;
mod replay;

pub use fifo::Fifo;
pub use random::Random;
pub(crate) use random::Ranks;
pub use replay::Replay;

use crate::ready::Ready;
use lkesim_runtime::{Seed, Time};

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
}

/// The schedule of a run.
pub enum Schedule {
    /// First in, first out: what tokio's current-thread runtime does.
    Fifo(Fifo),
    /// A seeded random order.
    Random(Random),
    /// First-in-first-out with recorded departures.
    Replay(Replay),
    /// Any other.
    Other(Box<dyn Strategy>),
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

    /// The run that `deviations` were recorded in.
    pub fn replay(deviations: &crate::Deviations) -> Schedule {
        Schedule::Replay(Replay::new(deviations))
    }

    /// The random order's, if this is one: it goes by ranks.
    pub(crate) fn ranks(&self) -> Option<Ranks> {
        match self {
            Schedule::Random(random) => Some(random.ranks()),
            _ => None,
        }
    }

    /// Whom to poll of two or more.
    pub(crate) fn pick(&mut self, ready: &[Ready], now: Time) -> usize {
        let choice = Choice { now };
        match self {
            Schedule::Fifo(fifo) => fifo.pick(ready, &choice),
            Schedule::Random(random) => random.pick(ready, &choice),
            Schedule::Replay(replay) => replay.pick(ready, &choice),
            Schedule::Other(other) => other.pick(ready, &choice),
        }
    }
}
