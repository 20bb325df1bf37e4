//! What code under study may ask of the world: the time, a sleep, a task.
//!
//! Controllers, provider designs and clients hold a [`Runtime`] and nothing else. The simulation's kernel implements
//! its [`Driver`], and so does a tokio `LocalSet` (feature `real`), so the same code runs on both and can't tell them
//! apart.
//!
//! Everything is single-threaded (`!Send`): one run, one thread.

mod bell;
pub mod large;
pub mod quantiles;
pub mod random;
#[cfg(feature = "real")]
pub mod real;
mod sleep;
mod tally;
mod task;
pub mod time;

pub use bell::{Bell, Heard};
pub use quantiles::Quantiles;
pub use random::{Entity, Key, Ppm, Seed, Word};
pub use sleep::{Elapsed, Sleep, Timeout};
pub use tally::Tally;
pub use task::{LocalFuture, Slab, Task};
pub use time::Time;

use std::cell::Cell;
use std::future::Future;
use std::mem::ManuallyDrop;
use std::num::NonZeroU64;
use std::rc::Rc;
use std::task::Waker;
use std::time::Duration;

/// A timer that a [`Driver`] knows. Its meaning is the driver's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerId(pub NonZeroU64);

/// A group of tasks that ends together: a process. Group 0 is the run itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupId(pub u32);

/// How a task is called below the task that spawned it: a kind, and whose it is.
///
/// The driver makes a path of it: `lifecycle/claim-3#2` is the second task of this name below the same parent. Paths
/// are the same under every schedule, which makes recorded schedules portable between runs.
#[derive(Clone, Debug)]
pub struct TaskName {
    /// The kind of task: a controller's name, say.
    pub kind: &'static str,
    /// The object that it works on, if any.
    pub object: Option<Rc<str>>,
    /// Whether its path begins with it, whoever spawns it.
    pub of_run: bool,
}

impl From<&'static str> for TaskName {
    fn from(kind: &'static str) -> TaskName {
        TaskName { kind, object: None, of_run: false }
    }
}

impl TaskName {
    /// A task of this kind that works on `object`.
    pub fn on(kind: &'static str, object: Rc<str>) -> TaskName {
        TaskName { kind, object: Some(object), of_run: false }
    }

    /// The same as a task of the run itself, not of the task that happens to spawn it. Tasks of which each spawns the
    /// next would otherwise have ever longer paths.
    pub fn of_run(self) -> TaskName {
        TaskName { of_run: true, ..self }
    }
}

/// What runs the tasks: the kernel, or tokio.
pub trait Driver {
    /// The present.
    fn now(&self) -> Time;
    /// What the clock on the wall shows, which somebody may have set: the present, unless the driver knows better.
    fn wall_clock(&self) -> Time {
        self.now()
    }
    /// Wakes `waker` once it is `at` or later. A point in the past means the present instant, after what is ready.
    fn register(&self, at: Time, waker: &Waker) -> TimerId;
    /// Polls a sleep until `at` whose timer is `timer`. None means that it is over, and its timer forgotten. Otherwise
    /// the timer returned wakes `waker`; it may be another one.
    ///
    /// A driver may do better than this: a sleep that is polled for another reason keeps its timer.
    fn poll_timer(&self, timer: TimerId, at: Time, waker: &Waker) -> Option<TimerId> {
        self.cancel(timer);
        if self.now() >= at { None } else { Some(self.register(at, waker)) }
    }
    /// Forgets a timer. One that fired already, or was forgotten, is no error.
    fn cancel(&self, timer: TimerId);
    /// Starts a task in `group`. In a cancelled group it is dropped at once, unpolled.
    fn spawn(&self, group: GroupId, name: TaskName, task: Task);
    /// A new group, whose tasks end together. It ends with the group that it was opened from.
    fn open_group(&self, parent: GroupId, name: &str) -> GroupId;
    /// Drops all tasks of a group, in the order in which they were spawned, and all that they spawn while being
    /// dropped; then the same for the groups that were opened from it. A task may cancel its own group: it is then
    /// dropped when its present poll returns.
    fn cancel_group(&self, group: GroupId);
}

/// The world as a task sees it. Clones are cheap and share everything.
#[derive(Clone)]
pub struct Runtime {
    driver: Rc<dyn Driver>,
    group: GroupId,
}

impl Runtime {
    /// The runtime of the run itself, on `driver`.
    pub fn new(driver: Rc<dyn Driver>) -> Runtime {
        Runtime { driver, group: GroupId(0) }
    }

    /// What runs the tasks, for who puts a driver of its own before it.
    pub fn driver(&self) -> &Rc<dyn Driver> {
        &self.driver
    }

    /// The present.
    #[inline]
    pub fn now(&self) -> Time {
        self.driver.now()
    }

    /// What the clock of the process's machine shows. Code asks it where it compares with a time that somebody else wrote,
    /// or writes one: Go's `time.Now()` without its monotonic part. All else goes by [`Runtime::now`], which nobody sets.
    #[inline]
    pub fn wall_clock(&self) -> Time {
        self.driver.wall_clock()
    }

    /// Waits for `length`. A sleep of zero still lets every ready task go first.
    #[inline]
    pub fn sleep(&self, length: Duration) -> Sleep {
        self.sleep_until(self.now() + length)
    }

    /// Waits until it is `deadline`.
    #[inline]
    pub fn sleep_until(&self, deadline: Time) -> Sleep {
        Sleep::new(self.driver.clone(), deadline)
    }

    /// Runs `future` for at most `length`. Where both end in the same instant, the future's result counts.
    #[inline]
    pub fn timeout<F: Future>(&self, length: Duration, future: F) -> Timeout<F> {
        // Asking the clock could unwind, for all that the compiler knows, and would then drop the future: it would be
        // copied about to have an address for that.
        let future = ManuallyDrop::new(future);
        let sleep = self.sleep(length);
        Timeout::new(ManuallyDrop::into_inner(future), sleep)
    }

    /// Starts a task in this runtime's group.
    pub fn spawn(&self, name: impl Into<TaskName>, task: impl Future<Output = ()> + 'static) {
        self.driver.spawn(self.group, name.into(), Task::new(task));
    }

    /// A new process: a runtime whose tasks, and what they spawn, end when its [`Process`] is stopped, or the process
    /// that opened it.
    pub fn process(&self, name: &str) -> (Runtime, Process) {
        let group = self.driver.open_group(self.group, name);
        let runtime = Runtime { driver: self.driver.clone(), group };
        (runtime, Process { driver: self.driver.clone(), group, stopped: Cell::new(false) })
    }
}

/// A running process. Dropping it leaves the process alone; only [`Process::stop`] ends it.
pub struct Process {
    driver: Rc<dyn Driver>,
    group: GroupId,
    stopped: Cell<bool>,
}

impl Process {
    /// Ends the process as a crash does: its tasks stop where they stand. Again is no error.
    pub fn stop(&self) {
        if !self.stopped.replace(true) {
            self.driver.cancel_group(self.group);
        }
    }
}

#[cfg(test)]
mod tests;
