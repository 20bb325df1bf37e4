//! The loop: choose a ready task, poll it, and when none is ready move the clock.

use crate::departures::Departure;
use crate::driver::{Core, State};
use crate::error::KernelError;
use crate::hash::RunHash;
use crate::kernel::Stop;
use crate::path::PathId;
use crate::ready::{Chosen, NOWHERE};
use crate::timers::Next;
use lkesim_runtime::Time;
use std::any::Any;
use std::collections::BTreeMap;
use std::future::Future;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::task::{Context, Waker};

/// Tasks beyond so many raise the bound: a hundred thousand that each do a little in one instant are no spinner.
const CROWD: u64 = 1_000;

/// How many polls each of them adds to it.
const CROWD_POLLS: u64 = 1_000;

/// How many polls beyond the bound are watched to see who spins.
const SUSPECT_POLLS: u64 = 1_024;

impl Core {
    /// Runs until `deadline`, or until `until`, if there is one, says so after a poll, or a stop is asked for.
    pub(crate) fn run(&self, deadline: Time, until: Option<impl FnMut() -> bool>) -> Result<Stop, KernelError> {
        assert!(!self.running.replace(true), "the kernel runs already");
        self.stop.set(false);
        self.watch();
        // Once around the loop: a frame for each poll would cost as much as the poll.
        let ended = catch_unwind(AssertUnwindSafe(|| self.turns(deadline, until)));
        self.running.set(false);
        match ended {
            Ok(ended) => ended,
            Err(panic) => self.panicked(panic),
        }
    }

    fn turns(&self, deadline: Time, mut until: Option<impl FnMut() -> bool>) -> Result<Stop, KernelError> {
        let mut suspects = BTreeMap::new();
        let mut guard = self.state.borrow_mut();
        loop {
            let state = &mut *guard;
            self.seat.drain(|task| state.wake(task));
            let now = self.now.get();
            let few = state.ready.take_of_few(state.way, &mut state.schedule, now);
            let many = || if state.ready.are_many() { state.take_of_many(now) } else { None };
            let Some(Chosen { place, first }) = few.or_else(many) else {
                match self.advance(state, deadline) {
                    Err(stop) => return Ok(stop),
                    Ok(None) => continue,
                    Ok(Some(other)) => {
                        drop(guard);
                        self.fire_others(other);
                        guard = self.state.borrow_mut();
                        continue;
                    }
                }
            };
            state.look_ahead();
            let departs = place != first;
            let (ready, first) = (state.ready.at(place), state.ready.at(first));
            let departure = Departure { taken: ready.key(), first: first.key() };
            state.departures.push(departure, departs);
            state.hash.poll(ready.task, ready.poll, departs);
            let at = ready.slot;
            self.polls.set(self.polls.get() + 1);
            self.polling.set(at);
            let slot = state.tasks.at(at);
            slot.waits = slot.word;
            slot.polls = ready.poll;
            slot.named |= departs | ready.overtaken;
            let waker = slot.word.waker();
            let mut future = slot.future.take().expect("a ready task has a future");
            drop(guard);

            if Pin::new(&mut future).poll(&mut Context::from_waker(&waker)).is_ready() {
                drop(future);
                self.bury(at);
                guard = self.state.borrow_mut();
            } else {
                guard = self.state.borrow_mut();
                let slot = guard.tasks.at(at);
                if slot.doomed {
                    drop(guard);
                    drop(future);
                    self.bury(at);
                    guard = self.state.borrow_mut();
                } else {
                    // It is none: nothing to drop here.
                    mem::forget(slot.future.replace(future));
                    self.polling.set(NOWHERE);
                }
            }
            if let Some(until) = &mut until {
                drop(guard);
                if until() {
                    return Ok(Stop::Stopped);
                }
                guard = self.state.borrow_mut();
            }
            if self.polls.get() > self.polls_watch.get() {
                if self.stop.get() {
                    return Ok(Stop::Stopped);
                }
                drop(guard);
                self.suspect(at, &mut suspects)?;
                guard = self.state.borrow_mut();
            }
        }
    }

    /// The task is done, or was doomed while it was polled.
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

    /// Moves the clock to the next timers and fires them, up to one that wakes something else than a task. Tells why
    /// not, if the run ends here.
    #[inline]
    fn advance(&self, state: &mut State, deadline: Time) -> Result<Option<Waker>, Stop> {
        match state.timers.advance(deadline.as_nanos()) {
            Next::Nothing => return Err(Stop::Idle),
            Next::Later => {
                self.move_clock(deadline, &mut state.hash);
                return Err(Stop::Deadline);
            }
            Next::Due(at) => self.move_clock(Time::from_nanos(at), &mut state.hash),
        }
        Ok(state.fire())
    }

    /// Wakes what is no task, and fires the instant's timers behind it.
    #[inline(never)]
    fn fire_others(&self, mut other: Waker) {
        loop {
            other.wake();
            let state = &mut *self.state.borrow_mut();
            self.seat.drain(|task| state.wake(task));
            match state.fire() {
                Some(next) => other = next,
                None => return,
            }
        }
    }

    /// How many polls there may be before the clock moves. A stop that was asked for goes before.
    #[inline]
    fn watch(&self) {
        if !self.stop.get() {
            let most = self.polls_per_instant_max.get();
            self.polls_watch.set(self.polls_before.get().saturating_add(most));
        }
    }

    #[inline]
    fn move_clock(&self, to: Time, hash: &mut RunHash) {
        if to > self.now.get() {
            self.now.set(to);
            self.polls_before.set(self.polls.get());
            self.watch();
            hash.enter(to.as_nanos());
        }
    }

    /// Ends a run whose present instant has too many polls, after a look at who has the most of them.
    #[cold]
    fn suspect(&self, at: u32, suspects: &mut BTreeMap<u32, u64>) -> Result<(), KernelError> {
        let polls = self.polls.get() - self.polls_before.get();
        let crowd = (self.state.borrow().tasks.live() as u64).saturating_sub(CROWD);
        let most = self.polls_per_instant_max.get().saturating_add(crowd * CROWD_POLLS);
        if polls < most {
            return Ok(());
        }
        *suspects.entry(at).or_default() += 1;
        if polls < most + SUSPECT_POLLS {
            return Ok(());
        }
        let most = suspects.iter().max_by_key(|&(&at, &polls)| (polls, u32::MAX - at));
        let slot = most.map_or(at, |(&at, _)| at);
        let state = self.state.borrow();
        Err(KernelError::Spinning { task: state.paths.text(state.tasks.get(slot).path), at: self.now.get(), polls })
    }

    /// Clears away the task that panicked, and says which it was. A panic of the harness's own code, or of a
    /// schedule's, goes on.
    #[cold]
    fn panicked(&self, panic: Box<dyn Any + Send>) -> Result<Stop, KernelError> {
        let current = self.current(&self.state.borrow());
        self.dropping.set(PathId::ROOT);
        if current == PathId::ROOT {
            resume_unwind(panic);
        }
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
        Err(KernelError::Panicked { task, at: self.now.get(), message })
    }
}
