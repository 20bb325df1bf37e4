//! The timers: a wheel of wheels over (time, number).
//!
//! Time only rises, so a timer can wait in a bucket by how far it is from the last instant; a bucket is split only as
//! the clock comes to it, and only if its times differ. One of the next second or two is about a millisecond wide, so
//! most timers of a simulation are never moved. Timers of one time are always in one bucket, in the order in which they
//! were set, and so they fire: no comparison of numbers is needed, and there is no tick.
//!
//! A bucket is a list through the timers' slots. A cancelled timer leaves its list at once, so memory is that of the
//! most timers that ever lived together, and nothing dead is met again.

mod wheel;

use crate::prefetch::prefetch;
use crate::waker::TaskWord;
use lkesim_runtime::{TimerId, large};
use std::collections::BTreeMap;
use std::mem;
use std::num::NonZeroU64;
use std::task::Waker;
use wheel::{Bucket, Wheel};

/// An id is (number << 24 | slot): the number tells a timer from earlier ones in its slot. It is never 0.
const SLOT_BITS: u32 = 24;
const SLOT_MASK: u64 = (1 << SLOT_BITS) - 1;
/// In an id: its time may have come before it fires.
const FIRES_LATE: u64 = 1 << 63;
/// The slot of no timer. It may be written to, which saves asking whether there is a neighbour.
const NONE: u32 = 0;

#[derive(Clone, Copy)]
#[repr(align(32))]
struct Slot {
    at: u64,
    /// The timer in it, or the next free slot: no id is so small.
    id: u64,
    /// Whom it wakes; [`TaskWord::NOBODY`] if that is one of `others`.
    task: TaskWord,
    prev: u32,
    next: u32,
}

const EMPTY: Slot = Slot { at: 0, id: NONE as u64, task: TaskWord::NOBODY, prev: NONE, next: NONE };

/// A timer that was cancelled. If it had another waker than a task's own, that is to be dropped where it may call back.
pub(crate) struct Cancelled {
    _waker: Option<Waker>,
}

/// What is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The timers of this time are due; [`Timers::fire`] gives them.
    Due(u64),
    /// The next timer is beyond the limit.
    Later,
    /// There is none.
    Nothing,
}

/// A walk through the timers of the next instant.
#[derive(Clone, Copy)]
struct Ahead {
    /// The one last fetched, if any more shall be.
    timer: u32,
    back: bool,
}

impl Ahead {
    const NOTHING: Ahead = Ahead { timer: NONE, back: false };
}

pub(crate) struct Timers {
    slots: Vec<Slot>,
    /// The first free slot, or [`NONE`].
    free: u64,
    /// The number of the last timer, where an id has it.
    number: u64,
    last: u64,
    wheel: Wheel,
    /// How the timers of the next instant are fetched: from the first on, or from the last back.
    ahead: Ahead,
    /// And from the other end, while there are many.
    other_end: Option<Ahead>,
    /// How many timers fired or were cancelled.
    gone: u64,
    /// By slot, the wakers that are not a task's own.
    others: BTreeMap<u32, Waker>,
}

impl Timers {
    pub(crate) fn new() -> Timers {
        Timers {
            slots: Vec::new(),
            free: u64::from(NONE),
            number: 0,
            last: 0,
            wheel: Wheel::new(),
            ahead: Ahead::NOTHING,
            other_end: None,
            gone: 0,
            others: BTreeMap::new(),
        }
    }

    pub(crate) fn live(&self) -> usize {
        ((self.number >> SLOT_BITS) - self.gone) as usize
    }

    /// Forgets all and goes back to time 0. Numbers go on, so ids of before stay unknown. Wakers are returned to be
    /// dropped where their code may call back.
    pub(crate) fn clear(&mut self) -> BTreeMap<u32, Waker> {
        self.wheel.clear();
        self.last = 0;
        (self.ahead, self.other_end) = (Ahead::NOTHING, None);
        self.gone = self.number >> SLOT_BITS;
        self.free = u64::from(NONE);
        for (index, slot) in self.slots.iter_mut().enumerate().skip(1).rev() {
            slot.id = self.free;
            self.free = index as u64;
        }
        mem::take(&mut self.others)
    }

    /// Sets a timer for a task and a time that is neither too near nor too far, if that needs no memory. See
    /// [`Timers::set`].
    #[inline]
    pub(crate) fn try_set(&mut self, at: u64, waker: &Waker) -> Option<TimerId> {
        let task = TaskWord::of(waker);
        let bucket = self.wheel.near_bucket(at).or_else(|| self.wheel.soon_bucket(at))?;
        if task == TaskWord::NOBODY || self.free == u64::from(NONE) {
            return None;
        }
        Some(self.set_in(bucket, at, task, 0))
    }

    /// Sets a timer. `at` must not be before the present. At `u64::MAX` it never fires. `fires_late` tells that the
    /// time of who sets it may come before: `at` is the present, or was delayed.
    #[inline(never)]
    pub(crate) fn set(&mut self, at: u64, fires_late: bool, waker: &Waker) -> TimerId {
        if self.free == u64::from(NONE) {
            self.add_slot();
        }
        let bucket = self.wheel.made_bucket(at, self.last);
        let task = TaskWord::of(waker);
        if task == TaskWord::NOBODY {
            self.others.insert(self.free as u32, waker.clone());
        }
        self.set_in(bucket, at, task, if fires_late { FIRES_LATE } else { 0 })
    }

    #[inline]
    fn set_in(&mut self, bucket: Bucket, at: u64, task: TaskWord, mark: u64) -> TimerId {
        self.number += 1 << SLOT_BITS;
        let free = self.free;
        let id = self.number | free | mark;
        let tail = self.wheel.append(bucket, free as u32, at, &mut self.slots);
        let slot = &mut self.slots[free as usize];
        self.free = slot.id;
        *slot = Slot { at, id, task, prev: tail, next: NONE };
        TimerId(NonZeroU64::new(id).expect("numbers begin at 1"))
    }

    #[cold]
    #[inline(never)]
    fn add_slot(&mut self) {
        if self.slots.is_empty() {
            large::push(&mut self.slots, EMPTY);
        }
        let slot = self.slots.len() as u64;
        assert!(slot <= SLOT_MASK, "more timers than the kernel counts");
        large::push(&mut self.slots, EMPTY);
        self.free = slot;
    }

    /// Whether a task may find its timer's time come before it has fired.
    #[inline]
    pub(crate) fn fires_late(timer: TimerId) -> bool {
        timer.0.get() & FIRES_LATE != 0
    }

    /// Whether a timer waits to wake the task that `waker` wakes.
    #[inline]
    pub(crate) fn waits_for(&self, timer: TimerId, waker: &Waker) -> bool {
        let (id, task) = (timer.0.get(), TaskWord::of(waker));
        let slot = self.slots.get((id & SLOT_MASK) as usize);
        slot.is_some_and(|slot| slot.id == id && slot.task == task) && task != TaskWord::NOBODY
    }

    /// Forgets a timer. An unknown id is none.
    #[inline]
    pub(crate) fn cancel(&mut self, timer: TimerId) -> Option<Cancelled> {
        let id = timer.0.get();
        let index = (id & SLOT_MASK) as usize;
        let slot = *self.slots.get(index)?;
        if slot.id != id {
            return None;
        }
        let bucket = self.wheel.bucket(slot.at, self.last)?;
        self.wheel.unlink(bucket, slot.prev, slot.next);
        self.slots[slot.prev as usize].next = slot.next;
        self.slots[slot.next as usize].prev = slot.prev;
        self.slots[index].id = self.free;
        self.free = index as u64;
        self.gone += 1;
        if slot.task != TaskWord::NOBODY {
            return Some(Cancelled { _waker: None });
        }
        Some(Cancelled { _waker: self.take_other(index as u32) })
    }

    /// Makes a timer that still waits wake `waker`, and returns whom it woke before if that was no task. Its place in
    /// line stays. An unknown id is an error.
    pub(crate) fn redirect(&mut self, timer: TimerId, waker: &Waker) -> Result<Option<Waker>, ()> {
        let id = timer.0.get();
        let index = (id & SLOT_MASK) as u32;
        let slot = self.slots.get_mut(index as usize).filter(|slot| slot.id == id);
        let task = TaskWord::of(waker);
        slot.ok_or(())?.task = task;
        match self.others.get(&index) {
            Some(other) if other.will_wake(waker) => Ok(None),
            _ if task != TaskWord::NOBODY => Ok(self.others.remove(&index)),
            _ => Ok(self.others.insert(index, waker.clone())),
        }
    }

    /// Finds the next time at which a timer is due, and makes its timers due if it is not beyond `limit`.
    #[inline]
    pub(crate) fn advance(&mut self, limit: u64) -> Next {
        if self.wheel.present() != NONE {
            return Next::Due(self.last);
        }
        while let Some(bucket) = self.wheel.first(self.last) {
            let (head, mixed) = self.wheel.head(bucket);
            if head == NONE {
                // All were cancelled.
                self.wheel.take(bucket);
                continue;
            }
            let at = if mixed { self.earliest(head) } else { self.slots[head as usize].at };
            if at == u64::MAX {
                return Next::Nothing;
            }
            if at > limit {
                return Next::Later;
            }
            let before = mem::replace(&mut self.last, at);
            self.wheel.enter(at);
            if mixed {
                self.split(bucket);
            } else {
                self.wheel.make_present(bucket);
            }
            if Wheel::lap(before) != Wheel::lap(at) {
                self.pull_near();
            }
            return Next::Due(at);
        }
        Next::Nothing
    }

    /// The present has come to another lap: what is in the next one from there has a near bucket.
    #[inline(never)]
    fn pull_near(&mut self) {
        while let Some(bucket) = self.wheel.first_far() {
            let (head, _) = self.wheel.head(bucket);
            if head != NONE && !Wheel::comes_near(bucket, self.slots[head as usize].at, self.last) {
                return;
            }
            self.split(bucket);
        }
    }

    /// What an instant wakes is soon polled, and about as many timers are due next: [`Timers::look_ahead`] begins with
    /// the first of them.
    #[inline]
    pub(crate) fn begin_ahead(&mut self) {
        let first = self.wheel.first(self.last).map_or(NONE, |bucket| self.wheel.head(bucket).0);
        self.ahead = Ahead { timer: first, back: false };
        self.other_end = None;
    }

    /// Fetches one more timer of the next instant, and tells whom the one before wakes: found one through the other,
    /// each would be waited for. A slot that has another timer by then is harmless.
    #[inline]
    pub(crate) fn look_ahead(&mut self, wakes: impl FnOnce(TaskWord)) {
        let Ahead { timer, back } = self.ahead;
        if timer != NONE {
            let Slot { task, prev, next, .. } = self.slots[timer as usize];
            wakes(task);
            self.ahead.timer = if back { prev } else { next };
            prefetch::<1, _>(&self.slots[self.ahead.timer as usize]);
        }
    }

    /// The next look is from the other end: where many timers are met one through the other, memory takes longer than
    /// a poll, and not longer than two.
    #[inline]
    pub(crate) fn change_ends(&mut self) {
        let other = self.other_end.unwrap_or_else(|| self.last_to_first());
        self.other_end = Some(mem::replace(&mut self.ahead, other));
    }

    #[cold]
    fn last_to_first(&self) -> Ahead {
        let last = self.wheel.first(self.last).map_or(NONE, |bucket| self.wheel.last(bucket));
        Ahead { timer: last, back: true }
    }

    /// The earliest time in a list.
    #[inline(never)]
    fn earliest(&self, head: u32) -> u64 {
        let (mut earliest, mut index) = (u64::MAX, head);
        while index != NONE {
            let slot = &self.slots[index as usize];
            earliest = earliest.min(slot.at);
            index = slot.next;
        }
        earliest
    }

    /// Moves a bucket's timers to those that are theirs now that the present has moved, in order.
    #[inline(never)]
    fn split(&mut self, bucket: Bucket) {
        let mut index = self.wheel.take(bucket);
        while index != NONE {
            let Slot { at, next, .. } = self.slots[index as usize];
            let bucket = self.wheel.made_bucket(at, self.last);
            let tail = self.wheel.append(bucket, index, at, &mut self.slots);
            (self.slots[index as usize].prev, self.slots[index as usize].next) = (tail, NONE);
            index = next;
        }
    }

    /// Fires the due timers, in order, up to one that wakes no task, whose waker is returned: then there may be more.
    #[inline]
    pub(crate) fn fire(&mut self, mut wakes: impl FnMut(TaskWord)) -> Option<Waker> {
        let slots = &mut self.slots[..];
        let mut free = self.free;
        let mut fired = 0;
        let mut index = self.wheel.take_present();
        while index != NONE {
            let slot = &mut slots[index as usize];
            slot.id = free;
            free = u64::from(index);
            fired += 1;
            let (task, next) = (slot.task, slot.next);
            if task == TaskWord::NOBODY {
                self.free = free;
                self.gone += fired;
                return self.stop_firing(index, next);
            }
            wakes(task);
            index = next;
        }
        self.free = free;
        self.gone += fired;
        None
    }

    /// Puts back what is not fired yet.
    #[cold]
    #[inline(never)]
    fn stop_firing(&mut self, fired: u32, next: u32) -> Option<Waker> {
        let mut last = next;
        self.slots[next as usize].prev = NONE;
        while self.slots[last as usize].next != NONE && last != NONE {
            last = self.slots[last as usize].next;
        }
        self.wheel.set_present(next, last);
        self.take_other(fired)
    }

    #[cold]
    #[inline(never)]
    fn take_other(&mut self, slot: u32) -> Option<Waker> {
        self.others.remove(&slot)
    }
}

#[cfg(test)]
mod tests;
