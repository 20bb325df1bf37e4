//! The clock on the wall of a process's machine, which may be set. Timers go on as they went.

use lkesim_judge::event::Turn;
use lkesim_runtime::{Driver, GroupId, Runtime, Task, TaskName, Time, TimerId};
use std::cell::Cell;
use std::rc::Rc;
use std::task::Waker;
use std::time::Duration;

/// How far a machine's clock is from the true time. It outlives the processes of the machine.
#[derive(Default)]
pub(crate) struct Clock {
    offset: Cell<Offset>,
}

/// By how much a clock is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Offset {
    /// So much it shows more.
    pub ahead: Duration,
    /// So much it shows less.
    pub behind: Duration,
}

impl Offset {
    /// What a clock with this fault shows. A run has no times before its beginning.
    pub fn seen(self, now: Time) -> Time {
        let behind = u64::try_from(self.behind.as_nanos()).unwrap_or(u64::MAX);
        Time::from_nanos((now + self.ahead).as_nanos().saturating_sub(behind))
    }

    /// In milliseconds, ahead if above 0.
    pub fn ahead_ms(self) -> i64 {
        let ms = |of: Duration| i64::try_from(of.as_millis()).unwrap_or(i64::MAX);
        ms(self.ahead) - ms(self.behind)
    }
}

impl Clock {
    /// A runtime whose tasks look at this clock.
    pub fn before(self: &Rc<Clock>, runtime: &Runtime) -> Runtime {
        Runtime::new(Rc::new(Clocked { clock: self.clone(), driver: runtime.driver().clone() }))
    }

    /// Whether it shows another time than the true one.
    pub fn is_wrong(&self) -> bool {
        self.offset.get() != Offset::default()
    }

    /// What its processes are told of it.
    pub fn turn(&self) -> Turn {
        Turn::ClockSet { ahead_ms: self.offset.get().ahead_ms() }
    }

    /// Sets it. Whether it was otherwise before.
    pub fn set(&self, offset: Offset) -> bool {
        self.offset.replace(offset) != offset
    }
}

struct Clocked {
    clock: Rc<Clock>,
    driver: Rc<dyn Driver>,
}

impl Driver for Clocked {
    fn now(&self) -> Time {
        self.driver.now()
    }

    fn wall_clock(&self) -> Time {
        self.clock.offset.get().seen(self.driver.now())
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
        self.driver.spawn(group, name, task);
    }

    fn open_group(&self, parent: GroupId, name: &str) -> GroupId {
        self.driver.open_group(parent, name)
    }

    fn cancel_group(&self, group: GroupId) {
        self.driver.cancel_group(group);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_shows_more_or_less_and_never_less_than_nothing() {
        let now = Time::from_secs(100);
        let of = |ahead, behind| Offset { ahead: Duration::from_secs(ahead), behind: Duration::from_secs(behind) };
        assert_eq!(of(0, 0).seen(now), now);
        assert_eq!(of(40, 0).seen(now), Time::from_secs(140));
        assert_eq!(of(0, 40).seen(now), Time::from_secs(60));
        assert_eq!(of(0, 400).seen(now), Time::ZERO);
        assert_eq!((of(40, 0).ahead_ms(), of(0, 40).ahead_ms()), (40_000, -40_000));
    }
}
