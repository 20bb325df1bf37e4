//! The kernel: a single-threaded, deterministic executor for async tasks on a virtual clock.
//!
//! It implements [`lkesim_runtime::Driver`], so code that holds a [`lkesim_runtime::Runtime`] runs on it unchanged.
//!
//! - **An instant at a time.** When nothing is ready, the clock jumps to the next timer, and all timers of that instant
//!   fire together. Their tasks are ready at once, and a [`Schedule`] chooses among them: firing them one by one would
//!   hide every race between them. Idle time costs nothing.
//! - **Departures are the artefact.** Every choice that is not first-in-first-out is recorded as one [`Deviation`],
//!   keyed by task path and number of poll. The list replays the run to the same hash, whichever schedule made it.
//! - **A hash, always.** Time, path and choice of each poll are mixed into 64 bits, and whatever the simulation adds.
//! - **Tasks are indices.** A waker is a number (kernel, generation, slot); waking is a push into a thread-local list.
//!   There is nothing to count or to free, and a stale or foreign wake finds nobody.
//!
//! The kernel knows nothing of what the tasks do, and nothing of faults: those belong to the simulation.

mod departures;
mod deviations;
mod driver;
mod error;
mod groups;
mod hash;
mod kernel;
mod path;
mod prefetch;
mod ready;
mod run;
pub mod schedule;
mod tasks;
mod timers;
mod waker;

pub use deviations::{Deviation, Deviations, ParseError, PollKey, Verb};
pub use error::KernelError;
pub use kernel::{Handle, Kernel, Pending, Stop};
pub use path::TaskPath;
pub use ready::Ready;
pub use schedule::{Choice, Delays, Guide, Schedule, Setting, Strategy, Turn};
pub use waker::foreign_wakes;

#[cfg(test)]
mod tests;
