//! The timers: a wheel of wheels over (time, number).
//!
//! Time only rises, so a timer can wait in a bucket by the highest digit in which its time differs from the last
//! instant, digits having five bits; a bucket is split only as the clock comes to it. Timers of one time are always
//! in one bucket, in the order in which they were set, and so they fire: no comparison of numbers is needed, and
//! there is no tick. A timer is moved about twice, as a bucket whose timers are all due together goes out as it is.
//!
//! A cancelled timer stays as a dead entry until it is met, or until half of all entries are dead. It never moves the
//! clock.

use crate::prefetch::prefetch;
use crate::waker::TaskWord;
use lkesim_runtime::TimerId;
use std::collections::BTreeMap;
use std::mem;
use std::num::NonZeroU64;
use std::task::Waker;

/// An id is (number << 24 | slot): the number tells a timer from earlier ones in its slot. It is never 0.
const SLOT_BITS: u32 = 24;
const SLOT_MASK: u64 = (1 << SLOT_BITS) - 1;
/// The id of no timer.
const NONE: u64 = 0;
/// Fewer dead entries than this are not worth a sweep.
const DEAD_MIN: usize = 64;

/// So many timers due together are worth two passes ahead.
const MANY_DUE: usize = 16;
/// More than this would drive each other from the cache.
const FORESEEN_MAX: usize = 256;

const DIGIT_BITS: usize = 5;
const DIGITS: usize = 1 << DIGIT_BITS;
const LEVELS: usize = (u64::BITS as usize).div_ceil(DIGIT_BITS);

#[derive(Clone, Copy)]
struct Slot {
    /// The timer in it, or [`NONE`].
    id: u64,
    /// Whom it wakes; [`TaskWord::NOBODY`] if that is one of `others`.
    task: TaskWord,
}

#[derive(Clone, Copy)]
struct Entry {
    at: u64,
    id: u64,
}

/// Whom a timer woke.
pub(crate) enum Target {
    /// A task, without a detour.
    Task(TaskWord),
    /// Something between the timer and the task, as `join_all` puts there.
    Other(Waker),
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
    /// Level by level, a bucket for each digit.
    buckets: Vec<Vec<Entry>>,
    /// By level, which digits have entries.
    digits: [u64; LEVELS],
    /// Which levels have entries.
    levels: u16,
    last: u64,
    slots: Vec<Slot>,
    /// By slot, the wakers that are not a task's own.
    others: BTreeMap<u32, Waker>,
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
            buckets: vec![Vec::new(); LEVELS * DIGITS],
            digits: [0; LEVELS],
            levels: 0,
            last: 0,
            slots: Vec::new(),
            others: BTreeMap::new(),
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

    /// Forgets all and goes back to time 0. Numbers go on, so ids of before stay unknown. Wakers are returned to be
    /// dropped where their code may call back.
    pub(crate) fn clear(&mut self) -> BTreeMap<u32, Waker> {
        self.due.clear();
        self.fired = 0;
        self.each_bucket(|bucket, _| bucket.clear());
        (self.digits, self.levels) = ([0; LEVELS], 0);
        (self.last, self.live, self.dead) = (0, 0, 0);
        self.free.clear();
        self.free.extend((0..self.slots.len() as u32).rev());
        self.slots.iter_mut().for_each(|slot| slot.id = NONE);
        mem::take(&mut self.others)
    }

    fn each_bucket(&mut self, mut act: impl FnMut(&mut Vec<Entry>, &[Slot])) {
        for level in 0..LEVELS {
            let mut digits = self.digits[level];
            while digits != 0 {
                let digit = digits.trailing_zeros() as usize;
                digits &= digits - 1;
                act(&mut self.buckets[level * DIGITS + digit], &self.slots);
            }
        }
    }

    /// Sets a timer. `at` must not be before the present. At `u64::MAX` it never fires.
    #[inline]
    pub(crate) fn set(&mut self, at: u64, waker: &Waker) -> TimerId {
        self.number += 1;
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => self.add_slot(),
        };
        let id = (self.number << SLOT_BITS) | u64::from(slot);
        let task = TaskWord::of(waker);
        if task == TaskWord::NOBODY {
            self.others.insert(slot, waker.clone());
        }
        self.slots[slot as usize] = Slot { id, task };
        self.live += 1;
        self.place(Entry { at, id });
        TimerId(NonZeroU64::new(id).expect("numbers begin at 1"))
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
            task: TaskWord::NOBODY,
        });
        slot as u32
    }

    #[inline]
    fn place(&mut self, entry: Entry) {
        debug_assert!(entry.at >= self.last, "a timer before the present");
        let differs = entry.at ^ self.last;
        if differs == 0 {
            self.due.push(entry);
            return;
        }
        let level = differs.ilog2() as usize / DIGIT_BITS;
        let digit = (entry.at >> (level * DIGIT_BITS)) as usize % DIGITS;
        self.buckets[level * DIGITS + digit].push(entry);
        self.digits[level] |= 1 << digit;
        self.levels |= 1 << level;
    }

    /// Forgets a timer; a waker is returned to be dropped by the caller. An unknown id is none.
    #[inline]
    pub(crate) fn cancel(&mut self, timer: TimerId) -> Option<Target> {
        let target = self.take(timer.0.get())?;
        self.dead += 1;
        if self.dead > DEAD_MIN && self.dead > self.live {
            self.sweep();
        }
        Some(target)
    }

    /// Makes a timer that still waits wake `waker`, and returns whom it woke before if that was no task. Its place in
    /// line stays. An unknown id is an error.
    #[inline]
    pub(crate) fn redirect(&mut self, timer: TimerId, waker: &Waker) -> Result<Option<Waker>, ()> {
        let index = (timer.0.get() & SLOT_MASK) as usize;
        let slot = self
            .slots
            .get_mut(index)
            .filter(|slot| slot.id == timer.0.get());
        let slot = slot.ok_or(())?;
        let task = TaskWord::of(waker);
        if slot.task == task && task != TaskWord::NOBODY {
            return Ok(None);
        }
        slot.task = task;
        let index = index as u32;
        match self.others.get(&index) {
            Some(other) if other.will_wake(waker) => Ok(None),
            _ if task != TaskWord::NOBODY => Ok(self.others.remove(&index)),
            _ => Ok(self.others.insert(index, waker.clone())),
        }
    }

    /// Finds the next time at which a live timer is due, and makes its timers due if it is not beyond `limit`.
    #[inline]
    pub(crate) fn advance(&mut self, limit: u64) -> Next {
        if self.fired < self.due.len() {
            self.drop_dead_due();
            if self.fired < self.due.len() {
                return Next::Due(self.last);
            }
        }
        self.due.clear();
        self.fired = 0;
        while self.levels != 0 {
            let level = self.levels.trailing_zeros() as usize;
            let digit = self.digits[level].trailing_zeros() as usize;
            if self.dead > 0 {
                self.drop_dead(level * DIGITS + digit);
            }
            let bucket = &self.buckets[level * DIGITS + digit];
            let Some(first) = bucket.first() else {
                self.unmark(level, digit);
                continue;
            };
            let (mut min, mut differs) = (first.at, 0);
            for entry in &bucket[1..] {
                differs |= entry.at ^ first.at;
                min = min.min(entry.at);
            }
            if min == u64::MAX {
                return Next::Nothing;
            }
            if min > limit {
                return Next::Later;
            }
            self.unmark(level, digit);
            self.last = min;
            if differs == 0 {
                mem::swap(&mut self.due, &mut self.buckets[level * DIGITS + digit]);
            } else {
                self.split(level * DIGITS + digit);
            }
            return Next::Due(min);
        }
        Next::Nothing
    }

    #[inline]
    fn unmark(&mut self, level: usize, digit: usize) {
        self.digits[level] &= !(1 << digit);
        if self.digits[level] == 0 {
            self.levels &= !(1 << level);
        }
    }

    /// Moves a bucket's entries to lower ones, in order. The present has moved to the earliest.
    #[inline]
    fn split(&mut self, bucket: usize) {
        let mut entries = mem::take(&mut self.buckets[bucket]);
        for &entry in &entries {
            self.place(entry);
        }
        // All went to lower buckets; the memory goes back.
        entries.clear();
        self.buckets[bucket] = entries;
    }

    /// Where many timers are due: fetches what their firing will touch, and tells whom they wake.
    #[inline]
    pub(crate) fn foresee(&self, wakes: impl Fn(TaskWord)) {
        let due = &self.due[self.fired..];
        if due.len() < MANY_DUE {
            return;
        }
        let due = &due[..due.len().min(FORESEEN_MAX)];
        for entry in due {
            prefetch(&self.slots[(entry.id & SLOT_MASK) as usize]);
        }
        for entry in due {
            wakes(self.slots[(entry.id & SLOT_MASK) as usize].task);
        }
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
        if slot.id != id {
            return None;
        }
        slot.id = NONE;
        let task = slot.task;
        self.free.push(index as u32);
        self.live -= 1;
        if task != TaskWord::NOBODY {
            return Some(Target::Task(task));
        }
        self.others.remove(&(index as u32)).map(Target::Other)
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

    fn drop_dead(&mut self, bucket: usize) {
        let bucket = &mut self.buckets[bucket];
        let before = bucket.len();
        bucket.retain(|entry| alive(&self.slots, entry));
        self.dead -= before - bucket.len();
    }

    /// Removes all dead entries.
    #[cold]
    fn sweep(&mut self) {
        self.each_bucket(|bucket, slots| bucket.retain(|entry| alive(slots, entry)));
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
