//! The kernel as its owner sees it.

use crate::departures::{Key, Recorded};
use crate::deviations::{Deviation, Deviations, PollKey, Verb};
use crate::driver::Core;
use crate::error::KernelError;
use crate::path::TaskPath;
use crate::ready::NOWHERE;
use crate::schedule::Schedule;
use lkesim_runtime::{Runtime, Time};
use std::rc::Rc;
use std::time::Duration;

/// How many polls one instant may have, unless [`Kernel::limit_polls_per_instant`] says otherwise.
pub(crate) const POLLS_PER_INSTANT_MAX: u64 = 1_000_000;

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It is the deadline, and its instant is over. More timers wait behind it.
    Deadline,
    /// A stop was asked for. The instant may not be over; a next run goes on with it.
    Stopped,
    /// No task is ready and no timer waits: without help from outside nothing happens any more. The clock stays.
    Idle,
}

/// A task that lives, for diagnosis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The task.
    pub task: TaskPath,
    /// The name of its process; empty for the run itself.
    pub process: String,
    /// How often it was polled.
    pub polls: u32,
    /// Whether it is ready, rather than waiting for something.
    pub ready: bool,
}

/// Runs tasks on a virtual clock. See the crate's documentation.
///
/// A kernel belongs to the thread that made it. [`Kernel::reset`] begins another run in the memory of the last one; the
/// result is the same as with a new kernel. Dropping it drops all tasks.
pub struct Kernel {
    core: Rc<Core>,
}

impl Kernel {
    /// A kernel at time 0, without tasks, first in first out.
    pub fn new() -> Kernel {
        Kernel::with(Schedule::fifo())
    }

    /// A kernel at time 0, without tasks, with this schedule.
    pub fn with(schedule: Schedule) -> Kernel {
        Kernel { core: Rc::new(Core::new(schedule)) }
    }

    /// Drops all tasks, group by group in the order of their spawns, and begins another run at time 0.
    ///
    /// # Panics
    /// When called by a task.
    pub fn reset(&mut self, schedule: Schedule) {
        self.core.reset(schedule);
    }

    /// The runtime for the run's own tasks. It stays good over resets.
    pub fn runtime(&self) -> Runtime {
        Runtime::new(self.core.clone())
    }

    /// What simulated code may hold, to stop the run and to feed the hash.
    pub fn handle(&self) -> Handle {
        Handle { core: self.core.clone() }
    }

    /// Runs all that happens up to and at `deadline`. [`Time::MAX`] means until idle.
    ///
    /// # Panics
    /// When called by a task, and when the schedule panics.
    pub fn run_until(&self, deadline: Time) -> Result<Stop, KernelError> {
        self.core.run(deadline, None::<fn() -> bool>)
    }

    /// Runs until `until` is true, asked after each poll, or nothing is left to do.
    ///
    /// # Panics
    /// When called by a task, and when `until` or the schedule panics.
    pub fn run(&self, until: impl FnMut() -> bool) -> Result<Stop, KernelError> {
        self.core.run(Time::MAX, Some(until))
    }

    /// The present.
    pub fn now(&self) -> Time {
        self.core.now.get()
    }

    /// The hash over (time, task path, choice) of each poll so far and all that was mixed in. Equal runs have equal
    /// hashes.
    pub fn hash(&self) -> u64 {
        self.core.state.borrow().hash.word()
    }

    /// Polls of this run so far.
    pub fn polls(&self) -> u64 {
        self.core.polls.get()
    }

    /// Tasks that live.
    pub fn live_tasks(&self) -> usize {
        self.core.state.borrow().tasks.live()
    }

    /// Timers that wait.
    pub fn live_timers(&self) -> usize {
        self.core.state.borrow().timers.live()
    }

    /// The tasks that live, group by group in the order of their spawns.
    pub fn pending(&self) -> Vec<Pending> {
        let state = self.core.state.borrow();
        let mut pending = Vec::with_capacity(state.tasks.live());
        for group in state.groups.iter() {
            let mut at = group.head;
            while at != NOWHERE {
                let slot = state.tasks.get(at);
                pending.push(Pending {
                    task: state.paths.text(slot.path),
                    process: group.name.clone(),
                    polls: slot.polls,
                    ready: slot.is_ready(),
                });
                at = slot.next;
            }
        }
        pending
    }

    /// All departures from first-in-first-out of this run so far, delays included: what [`Schedule::replay`] repeats it
    /// from.
    pub fn deviations(&self) -> Deviations {
        let state = self.core.state.borrow();
        let key = |key: Key| PollKey { task: state.paths.text(key.path()), poll: key.poll() };
        let list = state.departures.kept().map(|recorded| match recorded {
            Recorded::Departure(departure) => {
                Deviation { key: key(departure.taken), verb: Verb::Before(key(departure.first)) }
            }
            Recorded::Delayed(delayed) => {
                Deviation { key: key(delayed.poll), verb: Verb::Delay(Duration::from_nanos(delayed.nanos)) }
            }
        });
        Deviations { list: list.collect() }
    }

    /// The replayed deviations that have changed nothing so far; none if this is no replay.
    pub fn unmatched(&self) -> Vec<Deviation> {
        match &self.core.state.borrow().schedule {
            Schedule::Replay(replay) => replay.unmatched(),
            _ => Vec::new(),
        }
    }

    /// Paths that are held.
    #[cfg(test)]
    pub(crate) fn core_paths(&self) -> usize {
        self.core.state.borrow().paths.len()
    }

    /// Sets how many polls one instant may have before the run ends with [`KernelError::Spinning`]. Resets keep it.
    pub fn limit_polls_per_instant(&mut self, polls: u64) {
        self.core.polls_per_instant_max.set(polls);
    }
}

impl Default for Kernel {
    fn default() -> Kernel {
        Kernel::new()
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        // Tasks hold runtimes, and these the core: without this the circle would stay.
        self.core.shut_down();
    }
}

/// The kernel as code inside the run may hold it. Clones are cheap.
#[derive(Clone)]
pub struct Handle {
    core: Rc<Core>,
}

impl Handle {
    /// Ends the run when the present poll returns. Without a run it does nothing.
    pub fn stop(&self) {
        self.core.stop.set(true);
        self.core.polls_watch.set(0);
    }

    /// Adds an event of the simulation to the run's hash.
    #[inline]
    pub fn mix_in(&self, word: u64) {
        self.core.state.borrow_mut().hash.mix_in(word);
    }

    /// The present.
    #[inline]
    pub fn now(&self) -> Time {
        self.core.now.get()
    }

    /// Polls of this run so far.
    pub fn polls(&self) -> u64 {
        self.core.polls.get()
    }

    /// The path of the task that runs; empty outside of one.
    pub fn current(&self) -> TaskPath {
        let state = self.core.state.borrow();
        state.paths.text(self.core.current(&state))
    }
}
