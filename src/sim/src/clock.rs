//! The clock on the wall of a process's machine, which may be set. Timers go on as they went.

use crate::around::{self, Around};
use lkesim_judge::event::Turn;
use lkesim_runtime::{Runtime, Time};
use std::cell::Cell;
use std::rc::Rc;
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
        around::before(runtime, self.clone())
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

impl Around for Rc<Clock> {
    fn wall_clock(&self, shown: Time) -> Time {
        self.offset.get().seen(shown)
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
