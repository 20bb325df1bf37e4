//! What tasks reach through their runtime: the driver.
//!
//! Code of tasks is never run under a borrow of the state: futures and wakers are taken out, and dropped or woken
//! outside, as both may spawn, wake and cancel.

use crate::departures::{Departures, Key};
use crate::groups::Groups;
use crate::hash::RunHash;
use crate::path::{PathId, Paths};
use crate::prefetch::prefetch;
use crate::ready::{Chosen, NOWHERE, ReadySet};
use crate::schedule::{Ranks, Schedule, Setting, Way};
use crate::tasks::Tasks;
use crate::timers::Timers;
use crate::waker::{Seat, TaskWord};
use lkesim_runtime::{Driver, GroupId, LocalFuture, Task, TaskName, Time, TimerId};
use std::cell::{Cell, RefCell};
use std::task::Waker;

/// So much of a future is fetched: most of a small task's, and little of the cache in an instant of many.
const FUTURE_LINES: usize = 6;

/// So much of it is fetched as a timer wakes its task: the poll comes soon, and its first lines are what it waits for.
const WOKEN_LINES: usize = 3;

/// Of many tasks, the future of that which comes after so many others is fetched, and the slot of one as far behind it.
const AHEAD: usize = 4;

pub(crate) struct State {
    pub(crate) tasks: Tasks,
    pub(crate) ready: ReadySet,
    pub(crate) timers: Timers,
    pub(crate) groups: Groups,
    pub(crate) paths: Paths,
    pub(crate) schedule: Schedule,
    /// How the schedule is asked, and the ranks of one that goes by them.
    pub(crate) way: Way,
    pub(crate) ranks: Ranks,
    pub(crate) departures: Departures,
    pub(crate) hash: RunHash,
}

impl State {
    fn new(kernel: u32, schedule: Schedule) -> State {
        State {
            way: schedule.way(),
            ranks: schedule.ranks().unwrap_or_default(),
            tasks: Tasks::new(kernel),
            ready: ReadySet::new(),
            timers: Timers::new(),
            groups: Groups::new(),
            paths: Paths::new(),
            schedule,
            departures: Departures::default(),
            hash: RunHash::new(),
        }
    }

    /// Makes a task ready, unless it is already, or is gone.
    #[inline]
    pub(crate) fn wake(&mut self, task: TaskWord) {
        if let Some(slot) = self.tasks.wake(task) {
            let (hash, poll) = (slot.hash, slot.polls + 1);
            let rank = self.ranks.rank(hash, poll);
            self.ready.push(hash, poll, task.slot(), slot.path, rank);
        }
    }

    /// Fires the timers that are due, up to one that wakes something else: that may run any code, so not under a
    /// borrow. From here on the next instant is fetched, a timer a poll.
    #[inline]
    pub(crate) fn fire(&mut self) -> Option<Waker> {
        let State { tasks, ready, timers, ranks, .. } = self;
        let other = timers.fire(|task| {
            if let Some(slot) = tasks.wake(task) {
                let (hash, poll) = (slot.hash, slot.polls + 1);
                let rank = ranks.rank(hash, poll);
                if let Some(future) = &slot.future {
                    prefetch::<WOKEN_LINES, _>(future.address());
                }
                ready.push(hash, poll, task.slot(), slot.path, rank);
            }
        });
        timers.begin_ahead();
        other
    }

    /// Fetches what one more task of the next instant needs to wake.
    #[inline]
    pub(crate) fn look_ahead(&mut self) {
        let State { tasks, timers, .. } = self;
        timers.look_ahead(|task| tasks.foresee(task));
    }

    /// Takes out the task that the schedule wants, of those that are too many for the table. They are too many for the
    /// nearest cache as well, so what the next ones need is fetched.
    #[inline(never)]
    pub(crate) fn take_of_many(&mut self, now: Time) -> Option<Chosen> {
        let chosen = self.ready.take_of_many(&mut self.schedule, now)?;
        self.timers.change_ends();
        if let Some(slot) = self.ready.coming(2 * AHEAD)
            && slot != NOWHERE
        {
            prefetch::<1, _>(self.tasks.get(slot));
        }
        if let Some(slot) = self.ready.coming(AHEAD)
            && slot != NOWHERE
            && let Some(future) = &self.tasks.get(slot).future
        {
            prefetch::<FUTURE_LINES, _>(future.address());
        }
        Some(chosen)
    }

    /// The task in a slot is gone for good.
    #[inline]
    pub(crate) fn free(&mut self, at: u32) {
        let slot = self.tasks.at(at);
        let (path, ready, mut named) = (slot.path, slot.is_ready(), slot.named);
        if ready {
            named |= self.ready.forget(at);
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
    /// The slot of the task that is polled, or [`NOWHERE`].
    pub(crate) polling: Cell<u32>,
    /// The path of the task that a cancelled group drops, or the run's own.
    pub(crate) dropping: Cell<PathId>,
    pub(crate) stop: Cell<bool>,
    pub(crate) running: Cell<bool>,
    pub(crate) polls: Cell<u64>,
    /// What `polls` was when the clock last moved.
    pub(crate) polls_before: Cell<u64>,
    /// Beyond so many polls the loop looks what is wrong: the instant has too many, or a stop was asked for.
    pub(crate) polls_watch: Cell<u64>,
    pub(crate) polls_per_instant_max: Cell<u64>,
    /// Whether the schedule may delay timers: of any other nobody asks.
    delays: Cell<bool>,
    /// The last poll that was asked about, by how many polls there were, and its delay.
    delayed: Cell<(u64, u64)>,
    pub(crate) state: RefCell<State>,
}

impl Core {
    pub(crate) fn new(schedule: Schedule) -> Core {
        let seat = Seat::take();
        let delays = Cell::new(schedule.delays());
        let state = RefCell::new(State::new(seat.kernel, schedule));
        Core {
            seat,
            now: Cell::new(Time::ZERO),
            polling: Cell::new(NOWHERE),
            dropping: Cell::new(PathId::ROOT),
            stop: Cell::new(false),
            running: Cell::new(false),
            polls: Cell::new(0),
            polls_before: Cell::new(0),
            polls_watch: Cell::new(0),
            polls_per_instant_max: Cell::new(crate::kernel::POLLS_PER_INSTANT_MAX),
            delays,
            delayed: Cell::new((0, 0)),
            state,
        }
    }

    /// The path of the task whose code runs.
    #[inline]
    pub(crate) fn current(&self, state: &State) -> PathId {
        let (dropping, polling) = (self.dropping.get(), self.polling.get());
        if dropping == PathId::ROOT && polling != NOWHERE { state.tasks.get(polling).path } else { dropping }
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
        state.way = schedule.way();
        state.ranks = schedule.ranks().unwrap_or_default();
        self.delays.set(schedule.delays());
        self.delayed.set((0, 0));
        state.schedule = schedule;
        state.hash = RunHash::new();
        self.polls.set(0);
        self.polls_before.set(0);
        self.now.set(Time::ZERO);
        self.polling.set(NOWHERE);
        self.dropping.set(PathId::ROOT);
        self.stop.set(false);
    }

    /// Drops the tasks of a group in the order of their spawns. One that is being polled is dropped when its poll
    /// returns.
    fn drop_group(&self, group: u32) {
        while let Some((path, future)) = self.take_head(group) {
            let outer = self.dropping.replace(path);
            drop(future);
            self.dropping.set(outer);
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
        if at > self.now.get() && !self.delays.get() {
            let set = self.state.borrow_mut().timers.try_set(at.as_nanos(), waker);
            if let Some(timer) = set {
                return timer;
            }
        }
        self.register_slowly(at, waker)
    }

    #[inline]
    fn poll_timer(&self, timer: TimerId, at: Time, waker: &Waker) -> Option<TimerId> {
        if at <= self.now.get() && !Timers::fires_late(timer) {
            // All timers of an instant fire before a task is polled in it.
            return None;
        }
        self.poll_waiting_timer(timer, at, waker)
    }

    #[inline]
    fn cancel(&self, timer: TimerId) {
        let target = self.state.borrow_mut().timers.cancel(timer);
        drop(target);
    }

    fn spawn(&self, group: GroupId, name: TaskName, task: Task) {
        let refused = self.try_spawn(group, name, task);
        drop(refused);
    }

    fn open_group(&self, parent: GroupId, name: &str) -> GroupId {
        self.state.borrow_mut().groups.open(parent, name)
    }

    fn cancel_group(&self, group: GroupId) {
        let ended = {
            let groups = &mut self.state.borrow_mut().groups;
            groups.index(group).map_or_else(Vec::new, |index| groups.cancel(index))
        };
        for index in ended {
            self.drop_group(index);
        }
    }
}

impl Core {
    /// Sets a timer for the present, one that needs more memory, one that wakes something else than a task, or one that
    /// may be delayed.
    #[cold]
    #[inline(never)]
    fn register_slowly(&self, at: Time, waker: &Waker) -> TimerId {
        let now = self.now.get();
        let delay = if self.delays.get() { self.delay_of_poll(at) } else { 0 };
        // A sleep that is polled before its timer has fired, though its time has come, must find its timer.
        let fires_late = at <= now || delay > 0;
        let at = at.max(now).as_nanos().saturating_add(delay);
        self.state.borrow_mut().timers.set(at, fires_late, waker)
    }

    /// By how much the timers of the present poll fire later, of which the first is for `at`. The harness's own are not
    /// delayed.
    fn delay_of_poll(&self, at: Time) -> u64 {
        let (polling, polls) = (self.polling.get(), self.polls.get());
        if polling == NOWHERE {
            return 0;
        }
        let (asked, delay) = self.delayed.get();
        if asked == polls {
            return delay;
        }
        let state = &mut *self.state.borrow_mut();
        let slot = state.tasks.at(polling);
        let wait = at.since(self.now.get());
        let delay = state.schedule.delay(&Setting { task: slot.hash, poll: slot.polls, wait });
        let nanos = u64::try_from(delay.as_nanos()).unwrap_or(u64::MAX);
        if nanos > 0 {
            slot.named = true;
            state.departures.delay(Key::new(slot.path, slot.polls), nanos);
        }
        self.delayed.set((polls, nanos));
        nanos
    }

    /// Polls a timer that has not fired, or is of a run before this one.
    #[inline(never)]
    fn poll_waiting_timer(&self, timer: TimerId, at: Time, waker: &Waker) -> Option<TimerId> {
        if at <= self.now.get() {
            self.cancel(timer);
            return None;
        }
        if self.state.borrow().timers.waits_for(timer, waker) {
            return Some(timer);
        }
        let before = self.state.borrow_mut().timers.redirect(timer, waker);
        match before {
            Ok(_before) => Some(timer),
            Err(()) => Some(self.register(at, waker)),
        }
    }

    /// Spawns a task, or gives it back if its group has ended.
    #[inline]
    fn try_spawn(&self, group: GroupId, name: TaskName, task: Task) -> Option<Task> {
        let state = &mut *self.state.borrow_mut();
        let Some(index) = state.groups.index(group) else {
            return Some(task);
        };
        let parent = if name.of_run { PathId::ROOT } else { self.current(state) };
        let group = state.groups.at(index);
        if group.cancelled {
            return Some(task);
        }
        let path = state.paths.child(parent, name);
        let slot = state.tasks.insert(task, path, (index, group));
        // Through the list of wakes, so that it lines up with what this poll woke before and after.
        state.tasks.get(slot).word.wake();
        None
    }
}
