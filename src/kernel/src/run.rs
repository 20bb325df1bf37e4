//! The loop: choose a ready task, poll it, and when none is ready move the clock.

use crate::departures::Departure;
use crate::driver::{Core, State};
use crate::error::KernelError;
use crate::hash::RunHash;
use crate::kernel::Stop;
use crate::path::PathId;
use crate::ready::NOWHERE;
use crate::timers::Next;
use crate::waker::TaskWord;
use lkesim_runtime::{LocalFuture, Time};
use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::task::Context;

/// How many polls beyond the bound are watched to see who spins.
const SUSPECT_POLLS: u64 = 1_024;

impl Core {
    /// Runs until `deadline`, or until `until` says so after a poll, or a stop is asked for.
    pub(crate) fn run(
        &self,
        deadline: Time,
        until: impl FnMut() -> bool,
    ) -> Result<Stop, KernelError> {
        assert!(!self.running.replace(true), "the kernel runs already");
        self.current.set(PathId::ROOT);
        self.stop.set(false);
        // Once around the loop: a frame for each poll would cost as much as the poll.
        let ended = catch_unwind(AssertUnwindSafe(|| self.turns(deadline, until)));
        self.running.set(false);
        let current = self.current.replace(PathId::ROOT);
        match ended {
            Ok(ended) => ended,
            // Not a task's: the harness's own code, or a schedule's.
            Err(panic) if current == PathId::ROOT => resume_unwind(panic),
            Err(panic) => Err(self.panicked(current, &*panic)),
        }
    }

    fn turns(&self, deadline: Time, mut until: impl FnMut() -> bool) -> Result<Stop, KernelError> {
        let mut suspects = BTreeMap::new();
        loop {
            let Some((at, task, mut future)) = self.take_next() else {
                match self.advance(deadline) {
                    None => continue,
                    Some(stop) => return Ok(stop),
                }
            };
            let waker = task.waker();
            if future
                .as_mut()
                .poll(&mut Context::from_waker(&waker))
                .is_pending()
            {
                self.keep(at, future);
            } else {
                drop(future);
                self.bury(at);
            }
            self.current.set(PathId::ROOT);
            if until() || self.stop.get() {
                return Ok(Stop::Stopped);
            }
            if self.instant_polls.get() > self.polls_per_instant_max.get() {
                self.suspect(at, &mut suspects)?;
            }
        }
    }

    /// Chooses among the ready tasks and takes out the future of the one chosen.
    #[inline]
    fn take_next(&self) -> Option<(u32, TaskWord, LocalFuture)> {
        let state = &mut *self.state.borrow_mut();
        self.seat.drain(|task| state.wake(task));
        let index = match state.ready.len() {
            0 => return None,
            1 => 0,
            _ => state.choose(self.now.get()),
        };
        let ready = state.ready.take(index);
        let slot = state.tasks.at(ready.slot);
        slot.ready = false;
        slot.polls = ready.poll;
        state.polls += 1;
        self.instant_polls.set(self.instant_polls.get() + 1);
        state.hash.poll(ready.task, ready.poll, index > 0);
        self.current.set(slot.path);
        self.polling.set(ready.slot);
        let task = TaskWord::new(self.seat.kernel, slot.generation, ready.slot);
        let future = slot.future.take().expect("a ready task has a future");
        Some((ready.slot, task, future))
    }

    /// The task waits: its future goes back, unless its group ended meanwhile.
    #[inline]
    fn keep(&self, at: u32, future: LocalFuture) {
        let doomed = {
            let state = &mut *self.state.borrow_mut();
            let slot = state.tasks.at(at);
            if slot.doomed {
                Some(future)
            } else {
                self.polling.set(NOWHERE);
                slot.future = Some(future);
                None
            }
        };
        if let Some(future) = doomed {
            drop(future);
            self.bury(at);
        }
    }

    /// The task is done.
    #[inline]
    fn bury(&self, at: u32) {
        self.polling.set(NOWHERE);
        let state = &mut *self.state.borrow_mut();
        let slot = state.tasks.at(at);
        // A doomed one has left its group already.
        if !slot.doomed {
            let group = slot.group;
            state.tasks.unlink(at, state.groups.at(group));
        }
        state.free(at);
    }

    /// Moves the clock to the next timers and fires them all. Tells why not, if the run ends here.
    fn advance(&self, deadline: Time) -> Option<Stop> {
        let mut other = {
            let state = &mut *self.state.borrow_mut();
            match state.timers.advance(deadline.as_nanos()) {
                Next::Nothing => return Some(Stop::Idle),
                Next::Later => {
                    self.move_clock(deadline, &mut state.hash);
                    return Some(Stop::Deadline);
                }
                Next::Due(at) => self.move_clock(Time::from_nanos(at), &mut state.hash),
            }
            state.timers.foresee(|task| state.tasks.foresee(task));
            state.fire()
        };
        while let Some(waker) = other {
            waker.wake();
            let state = &mut *self.state.borrow_mut();
            self.seat.drain(|task| state.wake(task));
            other = state.fire();
        }
        None
    }

    #[inline]
    fn move_clock(&self, to: Time, hash: &mut RunHash) {
        if to > self.now.get() {
            self.now.set(to);
            self.instant_polls.set(0);
            hash.enter(to.as_nanos());
        }
    }

    /// Ends a run whose present instant has too many polls, after a look at who has the most of them.
    #[cold]
    fn suspect(&self, at: u32, suspects: &mut BTreeMap<u32, u64>) -> Result<(), KernelError> {
        let polls = self.instant_polls.get();
        *suspects.entry(at).or_default() += 1;
        if polls < self.polls_per_instant_max.get() + SUSPECT_POLLS {
            return Ok(());
        }
        let most = suspects
            .iter()
            .max_by_key(|&(&at, &polls)| (polls, u32::MAX - at));
        let slot = most.map_or(at, |(&at, _)| at);
        let state = self.state.borrow();
        Err(KernelError::Spinning {
            task: state.paths.text(state.tasks.get(slot).path),
            at: self.now.get(),
            polls,
        })
    }

    /// Clears away the task that panicked, and says which it was.
    fn panicked(&self, current: PathId, panic: &(dyn Any + Send)) -> KernelError {
        let message = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
            (Some(text), _) => (*text).to_owned(),
            (_, Some(text)) => text.clone(),
            _ => "a panic without words".to_owned(),
        };
        let task = self.state.borrow().paths.text(current);
        let polling = self.polling.get();
        if polling != NOWHERE {
            self.bury(polling);
        }
        KernelError::Panicked {
            task,
            at: self.now.get(),
            message,
        }
    }
}

impl State {
    /// Asks the schedule, and records what it did if that was not first-in-first-out.
    #[inline]
    fn choose(&mut self, now: Time) -> usize {
        let index = self.schedule.choose(&mut self.ready, now);
        let list = self.ready.with_gaps();
        let (taken, first) = (list[index], list[0]);
        let departs = index > 0;
        let departure = Departure {
            taken: (self.tasks.name(taken.slot, departs), taken.poll),
            first: (self.tasks.name(first.slot, departs), first.poll),
        };
        self.departures.push(departure, departs);
        index
    }
}
