//! What tasks reach through their runtime: the driver.
//!
//! Code of tasks is never run under a borrow of the state: futures and wakers are taken out, and dropped or woken
//! outside, as both may spawn, wake and cancel.

use crate::departures::Departures;
use crate::groups::Groups;
use crate::hash::RunHash;
use crate::path::{PathId, Paths};
use crate::prefetch::prefetch;
use crate::ready::{NOWHERE, Ready, ReadySet};
use crate::schedule::Schedule;
use crate::tasks::Tasks;
use crate::timers::{Target, Timers};
use crate::waker::{Seat, TaskWord};
use lkesim_runtime::{Driver, GroupId, LocalFuture, TaskName, Time, TimerId};
use std::cell::{Cell, RefCell};
use std::task::Waker;

pub(crate) struct State {
    pub(crate) tasks: Tasks,
    pub(crate) ready: ReadySet,
    pub(crate) timers: Timers,
    pub(crate) groups: Groups,
    pub(crate) paths: Paths,
    pub(crate) schedule: Schedule,
    pub(crate) departures: Departures,
    pub(crate) hash: RunHash,
    pub(crate) polls: u64,
}

impl State {
    fn new(schedule: Schedule) -> State {
        State {
            tasks: Tasks::default(),
            ready: ReadySet::default(),
            timers: Timers::new(),
            groups: Groups::new(),
            paths: Paths::new(),
            schedule,
            departures: Departures::default(),
            hash: RunHash::new(),
            polls: 0,
        }
    }

    /// Makes a task ready, unless it is already, or is gone.
    #[inline]
    pub(crate) fn wake(&mut self, task: TaskWord) {
        if let Some(slot) = self.tasks.find(task)
            && !slot.ready
        {
            slot.ready = true;
            if let Some(future) = &slot.future {
                prefetch(&**future);
            }
            let (hash, poll) = (slot.hash, slot.polls + 1);
            self.ready.push(Ready {
                task: hash,
                poll,
                slot: task.slot(),
                rank: self.schedule.rank(hash, poll),
            });
        }
    }

    /// Fires the timers that are due, up to one that wakes something else: that may run any code, so not under a
    /// borrow.
    #[inline]
    pub(crate) fn fire(&mut self) -> Option<Waker> {
        while let Some(target) = self.timers.pop_due() {
            match target {
                Target::Task(task) => self.wake(task),
                Target::Other(other) => return Some(other),
            }
        }
        None
    }

    /// The task in a slot is gone for good.
    #[inline]
    pub(crate) fn free(&mut self, at: u32) {
        let slot = self.tasks.at(at);
        let (path, ready, named) = (slot.path, slot.ready, slot.named);
        if ready {
            self.ready.forget(at);
        }
        if !named {
            self.paths.release(path);
        }
        self.tasks.free(at);
    }
}

/// The kernel's inside, shared with every runtime on it.
pub(crate) struct Core {
    pub(crate) seat: Seat,
    pub(crate) now: Cell<Time>,
    /// The path of the task whose code runs.
    pub(crate) current: Cell<PathId>,
    /// The slot of the task that is polled, or [`NOWHERE`].
    pub(crate) polling: Cell<u32>,
    pub(crate) stop: Cell<bool>,
    pub(crate) running: Cell<bool>,
    /// Polls since the clock moved.
    pub(crate) instant_polls: Cell<u64>,
    pub(crate) polls_per_instant_max: Cell<u64>,
    pub(crate) state: RefCell<State>,
}

impl Core {
    pub(crate) fn new(schedule: Schedule) -> Core {
        Core {
            seat: Seat::take(),
            now: Cell::new(Time::ZERO),
            current: Cell::new(PathId::ROOT),
            polling: Cell::new(NOWHERE),
            stop: Cell::new(false),
            running: Cell::new(false),
            instant_polls: Cell::new(0),
            polls_per_instant_max: Cell::new(crate::kernel::POLLS_PER_INSTANT_MAX),
            state: RefCell::new(State::new(schedule)),
        }
    }

    /// Drops all tasks, group by group, and lets none be spawned until [`Core::reset`].
    pub(crate) fn shut_down(&self) {
        let groups = self.state.borrow().groups.len();
        for group in 0..groups {
            self.state.borrow_mut().groups.at(group).cancelled = true;
        }
        for group in 0..groups {
            self.drop_group(group);
        }
        loop {
            // Dropping what they wake may set timers again.
            let targets = self.state.borrow_mut().timers.clear();
            if targets.is_empty() {
                return;
            }
        }
    }

    /// Back to the beginning of a run. All memory is kept.
    pub(crate) fn reset(&self, schedule: Schedule) {
        assert!(!self.running.get(), "a running kernel can't be reset");
        self.shut_down();
        // Wakes of the tasks just dropped, and of what they set off.
        self.seat.drain(|_| ());
        let state = &mut *self.state.borrow_mut();
        state.tasks.tidy();
        state.ready.clear();
        state.groups.clear();
        state.paths.clear();
        state.departures.clear();
        state.schedule = schedule;
        state.hash = RunHash::new();
        state.polls = 0;
        self.instant_polls.set(0);
        self.now.set(Time::ZERO);
        self.current.set(PathId::ROOT);
        self.stop.set(false);
    }

    /// Drops the tasks of a group in the order of their spawns. One that is being polled is dropped when its poll
    /// returns.
    fn drop_group(&self, group: u32) {
        while let Some((path, future)) = self.take_head(group) {
            let outer = self.current.replace(path);
            drop(future);
            self.current.set(outer);
            self.state.borrow_mut().paths.release(path);
        }
    }

    /// Takes the first task out of a group. Its path is held once more, for what it spawns while it is dropped.
    fn take_head(&self, group: u32) -> Option<(PathId, LocalFuture)> {
        let state = &mut *self.state.borrow_mut();
        loop {
            let of = state.groups.at(group);
            let head = of.head;
            if head == NOWHERE {
                return None;
            }
            state.tasks.unlink(head, of);
            let slot = state.tasks.at(head);
            match slot.future.take() {
                Some(future) => {
                    let path = slot.path;
                    state.paths.hold(path);
                    state.free(head);
                    return Some((path, future));
                }
                None => slot.doomed = true,
            }
        }
    }
}

impl Driver for Core {
    #[inline]
    fn now(&self) -> Time {
        self.now.get()
    }

    #[inline]
    fn register(&self, at: Time, waker: &Waker) -> TimerId {
        let at = at.max(self.now.get()).as_nanos();
        self.state.borrow_mut().timers.set(at, waker)
    }

    #[inline]
    fn poll_timer(&self, timer: Option<TimerId>, at: Time, waker: &Waker) -> Option<TimerId> {
        let Some(timer) = timer else {
            return Some(self.register(at, waker));
        };
        if at <= self.now.get() {
            self.cancel(timer);
            return None;
        }
        let before = self.state.borrow_mut().timers.redirect(timer, waker);
        match before {
            Ok(_before) => Some(timer),
            // Of a run before this one.
            Err(()) => Some(self.register(at, waker)),
        }
    }

    #[inline]
    fn cancel(&self, timer: TimerId) {
        let target = self.state.borrow_mut().timers.cancel(timer);
        drop(target);
    }

    fn spawn(&self, group: GroupId, name: TaskName, task: LocalFuture) {
        let refused = self.try_spawn(group, name, task);
        drop(refused);
    }

    fn open_group(&self, name: &str) -> GroupId {
        self.state.borrow_mut().groups.open(name)
    }

    fn cancel_group(&self, group: GroupId) {
        let index = {
            let groups = &mut self.state.borrow_mut().groups;
            let index = groups.index(group);
            if let Some(index) = index {
                groups.at(index).cancelled = true;
            }
            index
        };
        if let Some(index) = index {
            self.drop_group(index);
        }
    }
}

impl Core {
    /// Spawns a task, or gives it back if its group has ended.
    #[inline]
    fn try_spawn(&self, group: GroupId, name: TaskName, task: LocalFuture) -> Option<LocalFuture> {
        let state = &mut *self.state.borrow_mut();
        let Some(index) = state.groups.index(group) else {
            return Some(task);
        };
        let group = state.groups.at(index);
        if group.cancelled {
            return Some(task);
        }
        let path = state.paths.child(self.current.get(), name);
        let slot = state.tasks.insert(task, path, (index, group));
        // Through the list of wakes, so that it lines up with what this poll woke before and after.
        TaskWord::new(self.seat.kernel, state.tasks.get(slot).generation, slot).wake();
        None
    }
}
