//! A runtime with something put before it: what is changed is said, all else goes through.

use lkesim_runtime::{Driver, GroupId, Runtime, Task, TaskName, Time, TimerId};
use std::rc::Rc;
use std::task::Waker;

/// What stands between a process and its runtime.
pub(crate) trait Around: 'static {
    /// What the clock on the wall shows, where it would show `shown`.
    fn wall_clock(&self, shown: Time) -> Time {
        shown
    }

    /// A task as it is to be run.
    fn task(&self, task: Task) -> Task {
        task
    }
}

/// The runtime with `around` before it.
pub(crate) fn before(runtime: &Runtime, around: impl Around) -> Runtime {
    Runtime::new(Rc::new(Wrapped { around, driver: runtime.driver().clone() }))
}

struct Wrapped<A> {
    around: A,
    driver: Rc<dyn Driver>,
}

impl<A: Around> Driver for Wrapped<A> {
    fn now(&self) -> Time {
        self.driver.now()
    }

    fn wall_clock(&self) -> Time {
        self.around.wall_clock(self.driver.wall_clock())
    }

    fn register(&self, at: Time, waker: &Waker) -> TimerId {
        self.driver.register(at, waker)
    }

    fn poll_timer(&self, timer: TimerId, at: Time, waker: &Waker) -> Option<TimerId> {
        self.driver.poll_timer(timer, at, waker)
    }

    fn cancel(&self, timer: TimerId) {
        self.driver.cancel(timer);
    }

    fn spawn(&self, group: GroupId, name: TaskName, task: Task) {
        self.driver.spawn(group, name, self.around.task(task));
    }

    fn open_group(&self, parent: GroupId, name: &str) -> GroupId {
        self.driver.open_group(parent, name)
    }

    fn cancel_group(&self, group: GroupId) {
        self.driver.cancel_group(group);
    }
}
