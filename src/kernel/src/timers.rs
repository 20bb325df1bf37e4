//! The timers: a radix heap over (time, number).
//!
//! Time only rises, so a timer can wait in the bucket of the highest bit in which its time differs from the last instant;
//! buckets are split only as the clock comes to them. Timers of one time are always in one bucket, in the order in which
//! they were set, and so they fire: no comparison of numbers is needed, and there is no tick.
//!
//! A cancelled timer stays as a dead entry until it is met, or until half of all entries are dead. It never moves the clock.

use crate::waker::TaskWord;
use lkesim_runtime::TimerId;
use std::mem;
use std::task::Waker;

/// Whom a timer wakes.
pub(crate) enum Target {
    /// A task, without a detour.
    Task(TaskWord),
    /// Something between the timer and the task, as `join_all` puts there.
    Other(Waker),
}

impl Target {
    #[inline]
    pub(crate) fn of(waker: &Waker) -> Target {
        match TaskWord::of(waker) {
            Some(task) => Target::Task(task),
            None => Target::Other(waker.clone()),
        }
    }

    #[inline]
    fn wakes(&self, waker: &Waker) -> bool {
        match self {
            Target::Task(task) => TaskWord::of(waker) == Some(*task),
            Target::Other(other) => other.will_wake(waker),
        }
    }
}

/// An id is (number << 24 | slot): the number tells a timer from earlier ones in its slot.
const SLOT_BITS: u32 = 24;
const SLOT_MASK: u64 = (1 << SLOT_BITS) - 1;
/// The id of no timer.
const NONE: u64 = 0;
/// Fewer dead entries than this are not worth a sweep.
const DEAD_MIN: usize = 64;

struct Slot {
    /// The timer in it, or [`NONE`].
    id: u64,
    target: Option<Target>,
}

#[derive(Clone, Copy)]
struct Entry {
    at: u64,
    id: u64,
}

/// What is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The timers of this time are due; [`Timers::pop_due`] gives them.
    Due(u64),
    /// The next timer is beyond the limit.
    Later,
    /// There is none.
    Nothing,
}

pub(crate) struct Timers {
    /// Those due at `last`, of which `fired` are done.
    due: Vec<Entry>,
    fired: usize,
    /// Bucket `b` holds times whose highest bit differing from `last` is bit `b`.
    buckets: [Vec<Entry>; 64],
    /// Bit `b` tells whether bucket `b` has entries.
    filled: u64,
    last: u64,
    slots: Vec<Slot>,
    free: Vec<u32>,
    number: u64,
    live: usize,
    /// Entries whose timer was cancelled.
    dead: usize,
}

impl Timers {
    pub(crate) fn new() -> Timers {
        Timers {
            due: Vec::new(),
            fired: 0,
            buckets: [const { Vec::new() }; 64],
            filled: 0,
            last: 0,
            slots: Vec::new(),
            free: Vec::new(),
            number: 0,
            live: 0,
            dead: 0,
        }
    }

    pub(crate) fn live(&self) -> usize {
        self.live
    }

    /// Entries held, dead ones included.
    #[cfg(test)]
    pub(crate) fn entries(&self) -> usize {
        self.due.len() - self.fired + self.buckets.iter().map(Vec::len).sum::<usize>()
    }

    /// Forgets all and goes back to time 0. Numbers go on, so ids of before stay unknown. The targets are returned to be
    /// dropped where their code may call back.
    pub(crate) fn clear(&mut self) -> Vec<Target> {
        self.due.clear();
        self.fired = 0;
        for bucket in &mut self.buckets {
            bucket.clear();
        }
        (self.filled, self.last, self.live, self.dead) = (0, 0, 0, 0);
        self.free.clear();
        self.free.extend((0..self.slots.len() as u32).rev());
        self.slots
            .iter_mut()
            .filter_map(|slot| {
                slot.id = NONE;
                slot.target.take()
            })
            .collect()
    }

    /// Sets a timer. `at` must not be before the present. At `u64::MAX` it never fires.
    #[inline]
    pub(crate) fn set(&mut self, at: u64, target: Target) -> TimerId {
        self.number += 1;
        let slot = self.free.pop().unwrap_or_else(|| self.add_slot());
        let id = (self.number << SLOT_BITS) | u64::from(slot);
        self.slots[slot as usize] = Slot {
            id,
            target: Some(target),
        };
        self.live += 1;
        self.place(Entry { at, id });
        TimerId(id)
    }

    #[cold]
    fn add_slot(&mut self) -> u32 {
        let slot = self.slots.len();
        assert!(
            slot as u64 <= SLOT_MASK,
            "more timers than the kernel counts"
        );
        self.slots.push(Slot {
            id: NONE,
            target: None,
        });
        slot as u32
    }

    #[inline]
    fn place(&mut self, entry: Entry) {
        debug_assert!(entry.at >= self.last, "a timer before the present");
        match (entry.at ^ self.last).checked_ilog2() {
            None => self.due.push(entry),
            Some(bit) => {
                self.buckets[bit as usize].push(entry);
                self.filled |= 1 << bit;
            }
        }
    }

    /// Forgets a timer; its target is returned to be dropped by the caller. An unknown id is none.
    #[inline]
    pub(crate) fn cancel(&mut self, timer: TimerId) -> Option<Target> {
        let target = self.take(timer.0)?;
        self.dead += 1;
        if self.dead > DEAD_MIN && self.dead > self.live {
            self.sweep();
        }
        Some(target)
    }

    /// Makes a timer that still waits wake `waker`, and returns whom it woke before if that was another. Its place in
    /// line stays. An unknown id is an error.
    #[inline]
    pub(crate) fn redirect(&mut self, timer: TimerId, waker: &Waker) -> Result<Option<Target>, ()> {
        let slot = self.slots.get_mut((timer.0 & SLOT_MASK) as usize);
        let slot = slot.filter(|slot| slot.id == timer.0).ok_or(())?;
        if slot
            .target
            .as_ref()
            .is_some_and(|target| target.wakes(waker))
        {
            return Ok(None);
        }
        Ok(slot.target.replace(Target::of(waker)))
    }

    /// Finds the next time at which a live timer is due, and makes its timers due if it is not beyond `limit`.
    #[inline]
    pub(crate) fn advance(&mut self, limit: u64) -> Next {
        self.drop_dead_due();
        if self.fired < self.due.len() {
            return Next::Due(self.last);
        }
        self.due.clear();
        self.fired = 0;
        while self.filled != 0 {
            let bit = self.filled.trailing_zeros() as usize;
            if self.dead > 0 {
                self.drop_dead(bit);
            }
            let Some(min) = self.buckets[bit].iter().map(|entry| entry.at).min() else {
                self.filled &= !(1 << bit);
                continue;
            };
            if min == u64::MAX {
                return Next::Nothing;
            }
            if min > limit {
                return Next::Later;
            }
            self.split(bit, min);
            return Next::Due(min);
        }
        Next::Nothing
    }

    /// The next due timer, which is then forgotten.
    #[inline]
    pub(crate) fn pop_due(&mut self) -> Option<Target> {
        while let Some(entry) = self.due.get(self.fired) {
            self.fired += 1;
            let id = entry.id;
            match self.take(id) {
                Some(target) => return Some(target),
                None => self.dead -= 1,
            }
        }
        None
    }

    /// Empties a slot if it is still `id`'s.
    #[inline]
    fn take(&mut self, id: u64) -> Option<Target> {
        let index = (id & SLOT_MASK) as usize;
        let slot = self.slots.get_mut(index)?;
        if slot.id != id || id == NONE {
            return None;
        }
        slot.id = NONE;
        self.free.push(index as u32);
        self.live -= 1;
        slot.target.take()
    }

    /// Moves the present to `min`, the earliest time in bucket `bit`, and its entries to lower buckets, in order.
    #[inline]
    fn split(&mut self, bit: usize, min: u64) {
        self.last = min;
        self.filled &= !(1 << bit);
        let mut bucket = mem::take(&mut self.buckets[bit]);
        for entry in bucket.drain(..) {
            self.place(entry);
        }
        // All went to lower buckets; the memory goes back.
        self.buckets[bit] = bucket;
    }

    #[inline]
    fn drop_dead_due(&mut self) {
        while let Some(entry) = self.due.get(self.fired)
            && !alive(&self.slots, entry)
        {
            self.fired += 1;
            self.dead -= 1;
        }
    }

    fn drop_dead(&mut self, bit: usize) {
        let bucket = &mut self.buckets[bit];
        let before = bucket.len();
        bucket.retain(|entry| alive(&self.slots, entry));
        self.dead -= before - bucket.len();
    }

    /// Removes all dead entries.
    #[cold]
    fn sweep(&mut self) {
        let mut filled = self.filled;
        while filled != 0 {
            let bit = filled.trailing_zeros() as usize;
            filled &= filled - 1;
            self.drop_dead(bit);
        }
        let slots = &self.slots;
        self.due.drain(..self.fired);
        self.fired = 0;
        self.due.retain(|entry| alive(slots, entry));
        self.dead = 0;
    }
}

#[inline]
fn alive(slots: &[Slot], entry: &Entry) -> bool {
    slots[(entry.id & SLOT_MASK) as usize].id == entry.id
}

#[cfg(test)]
mod tests;
