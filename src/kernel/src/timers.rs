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
/// In an id: it was set for what was the present.
const FOR_PRESENT: u64 = 1 << 63;
/// The end of the list of free slots. A free slot holds a slot's index where a timer's id would be: no id is so small.
const END: u64 = SLOT_MASK;
/// Fewer dead entries than this are not worth a sweep.
const DEAD_MIN: usize = 64;

/// So many timers due together are worth two passes ahead.
const MANY_DUE: usize = 16;
/// More than this would drive each other from the cache.
const FORESEEN_MAX: usize = 256;

const DIGIT_BITS: usize = 5;
const DIGITS: usize = 1 << DIGIT_BITS;
const BUCKETS: usize = (u64::BITS as usize).div_ceil(DIGIT_BITS) * DIGITS;

#[derive(Clone, Copy)]
struct Slot {
    /// The timer in it, or the next free slot.
    id: u64,
    /// Whom it wakes; [`TaskWord::NOBODY`] if that is one of `others`.
    task: TaskWord,
}

#[derive(Clone, Copy)]
struct Entry {
    at: u64,
    id: u64,
}

/// Timers whose times differ in no higher digit than the bucket's.
struct Bucket {
    /// In the order in which they were set.
    entries: Vec<Entry>,
    /// All times, or'ed and and'ed: equal if there is one time alone.
    or: u64,
    and: u64,
}

impl Bucket {
    const fn new() -> Bucket {
        Bucket {
            entries: Vec::new(),
            or: 0,
            and: u64::MAX,
        }
    }

    #[inline]
    fn push(&mut self, entry: Entry) {
        self.or |= entry.at;
        self.and &= entry.at;
        self.entries.push(entry);
    }

    /// The time of all entries, if it is the same.
    #[inline]
    fn only_time(&self) -> Option<u64> {
        (self.or == self.and).then_some(self.or)
    }

    /// After the entries went elsewhere.
    #[inline]
    fn forget_times(&mut self) {
        (self.or, self.and) = (0, u64::MAX);
    }

    fn drop_dead(&mut self, slots: &[Slot]) {
        self.entries.retain(|entry| alive(slots, entry));
        self.forget_times();
        for entry in &self.entries {
            self.or |= entry.at;
            self.and &= entry.at;
        }
    }

    fn earliest(&self) -> u64 {
        self.entries
            .iter()
            .fold(u64::MAX, |min, entry| min.min(entry.at))
    }
}

/// A timer that was cancelled: the waker that it had, if that was no task's own. The caller drops it, as it may call back.
pub(crate) struct Cancelled(Option<Waker>);

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

pub(crate) struct Timers {
    /// The bucket whose timers are due.
    due: usize,
    /// Those due before it, the last one first: what was left when something else than a task had to be woken.
    left: Vec<Entry>,
    /// Level by level, a bucket for each digit; as many levels as were needed so far.
    buckets: Vec<Bucket>,
    /// By bit, which buckets have entries. The first has the earliest.
    used: [u64; BUCKETS.div_ceil(64)],
    last: u64,
    slots: Vec<Slot>,
    /// By slot, the wakers that are not a task's own.
    others: BTreeMap<u32, Waker>,
    /// The first free slot, or [`END`]; a free slot's `id` is the next one.
    free: u64,
    /// The number of the last timer, where an id has it.
    number: u64,
    live: usize,
    /// Entries whose timer was cancelled.
    dead: usize,
}

impl Timers {
    pub(crate) fn new() -> Timers {
        Timers {
            due: 0,
            left: Vec::new(),
            buckets: Vec::new(),
            used: [0; BUCKETS.div_ceil(64)],
            last: 0,
            slots: Vec::new(),
            others: BTreeMap::new(),
            free: END,
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
        self.left.len()
            + self
                .buckets
                .iter()
                .map(|bucket| bucket.entries.len())
                .sum::<usize>()
    }

    /// Forgets all and goes back to time 0. Numbers go on, so ids of before stay unknown. Wakers are returned to be
    /// dropped where their code may call back.
    pub(crate) fn clear(&mut self) -> BTreeMap<u32, Waker> {
        self.due = 0;
        self.left.clear();
        for bucket in &mut self.buckets {
            bucket.entries.clear();
            bucket.forget_times();
        }
        self.used = [0; BUCKETS.div_ceil(64)];
        (self.last, self.live, self.dead) = (0, 0, 0);
        self.free = END;
        for (index, slot) in self.slots.iter_mut().enumerate().rev() {
            slot.id = self.free;
            self.free = index as u64;
        }
        mem::take(&mut self.others)
    }

    /// Sets a timer for a task and a time after the present, if that needs no memory. See [`Timers::set`].
    #[inline]
    pub(crate) fn try_set(&mut self, at: u64, waker: &Waker) -> Option<TimerId> {
        let task = TaskWord::of(waker);
        let bucket = self.bucket(at);
        let free = self.free;
        // Past the end, if none is free.
        let place = self.slots.get_mut(free as usize)?;
        let into = self.buckets.get_mut(bucket)?;
        if task == TaskWord::NOBODY || into.entries.len() == into.entries.capacity() {
            return None;
        }
        let id = (self.number + (1 << SLOT_BITS)) | free;
        into.push(Entry { at, id });
        self.number += 1 << SLOT_BITS;
        self.free = place.id;
        *place = Slot { id, task };
        self.live += 1;
        self.used[bucket / 64] |= 1 << (bucket % 64);
        NonZeroU64::new(id).map(TimerId)
    }

    /// Sets a timer. `at` must not be before the present, and `now` is it. At `u64::MAX` it never fires.
    pub(crate) fn set(&mut self, at: u64, now: u64, waker: &Waker) -> TimerId {
        let task = TaskWord::of(waker);
        if self.free == END {
            self.add_slot();
        }
        let slot = self.free;
        self.number += 1 << SLOT_BITS;
        let id = self.number | slot | if at <= now { FOR_PRESENT } else { 0 };
        let place = &mut self.slots[slot as usize];
        self.free = place.id;
        *place = Slot { id, task };
        self.live += 1;
        self.place(Entry { at, id });
        if task == TaskWord::NOBODY {
            self.others.insert(slot as u32, waker.clone());
        }
        TimerId(NonZeroU64::new(id).expect("numbers begin at 1"))
    }

    /// Whether a timer was set for a time that was the present. Any other has fired before a task finds its time come.
    #[inline]
    pub(crate) fn is_for_present(timer: TimerId) -> bool {
        timer.0.get() & FOR_PRESENT != 0
    }

    /// Whether a timer waits to wake the task that `waker` wakes.
    #[inline]
    pub(crate) fn waits_for(&self, timer: TimerId, waker: &Waker) -> bool {
        let (id, task) = (timer.0.get(), TaskWord::of(waker));
        let slot = self.slots.get((id & SLOT_MASK) as usize);
        slot.is_some_and(|slot| slot.id == id && slot.task == task) && task != TaskWord::NOBODY
    }

    #[cold]
    #[inline(never)]
    fn add_slot(&mut self) {
        let slot = self.slots.len() as u64;
        assert!(slot < END, "more timers than the kernel counts");
        self.slots.push(Slot {
            id: END,
            task: TaskWord::NOBODY,
        });
        self.free = slot;
    }

    /// The bucket for a time that is not before the present.
    #[inline]
    fn bucket(&self, at: u64) -> usize {
        debug_assert!(at >= self.last, "a timer before the present");
        // The present differs nowhere, and goes to the first of all buckets.
        let level = ((at ^ self.last) | 1).ilog2() as usize / DIGIT_BITS;
        let digit = (at >> (level * DIGIT_BITS)) as usize % DIGITS;
        level * DIGITS + digit
    }

    #[inline]
    fn place(&mut self, entry: Entry) {
        let bucket = self.bucket(entry.at);
        self.used[bucket / 64] |= 1 << (bucket % 64);
        match self.buckets.get_mut(bucket) {
            Some(into) => into.push(entry),
            None => self.add_level(bucket, entry),
        }
    }

    #[cold]
    #[inline(never)]
    fn add_level(&mut self, bucket: usize, entry: Entry) {
        let level = bucket / DIGITS;
        self.buckets.resize_with((level + 1) * DIGITS, Bucket::new);
        self.buckets[bucket].push(entry);
    }

    /// Forgets a timer; a waker is returned to be dropped by the caller. An unknown id is none.
    #[inline]
    pub(crate) fn cancel(&mut self, timer: TimerId) -> Option<Cancelled> {
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
        if !self.left.is_empty() {
            return Next::Due(self.last);
        }
        while let Some(index) = self.first_bucket() {
            if self.dead > 0 && !self.surely_lives(index) {
                self.drop_dead(index);
                if self.buckets[index].entries.is_empty() {
                    self.unmark(index);
                    continue;
                }
            }
            let bucket = &self.buckets[index];
            let only = bucket.only_time();
            let at = only.unwrap_or_else(|| bucket.earliest());
            if at == u64::MAX {
                return Next::Nothing;
            }
            if at > limit {
                return Next::Later;
            }
            self.last = at;
            if only.is_some() {
                self.due = index;
                return Next::Due(at);
            }
            self.split(index);
        }
        Next::Nothing
    }

    /// Whether dead entries of a bucket don't matter: all have one time, at which one lives. The first mostly does.
    #[inline]
    fn surely_lives(&self, bucket: usize) -> bool {
        let bucket = &self.buckets[bucket];
        bucket.only_time().is_some() && alive(&self.slots, &bucket.entries[0])
    }

    #[inline]
    fn first_bucket(&self) -> Option<usize> {
        let word = self.used.iter().position(|&used| used != 0)?;
        Some(word * 64 + self.used[word].trailing_zeros() as usize)
    }

    #[inline]
    fn unmark(&mut self, bucket: usize) {
        self.used[bucket / 64] &= !(1 << (bucket % 64));
    }

    /// Moves a bucket's entries to lower ones, in order. The present has moved to the earliest.
    #[inline(never)]
    fn split(&mut self, bucket: usize) {
        let mut entries = mem::take(&mut self.buckets[bucket].entries);
        for &entry in &entries {
            self.place(entry);
        }
        // All went to lower buckets; the memory goes back.
        entries.clear();
        self.buckets[bucket].entries = entries;
        self.buckets[bucket].forget_times();
        self.unmark(bucket);
    }

    /// Whether so many timers are due that looking ahead pays.
    #[inline]
    pub(crate) fn many_due(&self) -> bool {
        self.buckets[self.due].entries.len() >= MANY_DUE
    }

    /// Fetches what the firing of the due timers will touch, and tells whom they wake.
    #[inline(never)]
    pub(crate) fn foresee(&self, wakes: impl Fn(TaskWord)) {
        let due = &self.buckets[self.due].entries;
        let due = &due[..due.len().min(FORESEEN_MAX)];
        for entry in due {
            prefetch(&self.slots[(entry.id & SLOT_MASK) as usize]);
        }
        for entry in due {
            wakes(self.slots[(entry.id & SLOT_MASK) as usize].task);
        }
    }

    /// Fires the due timers, in order, up to one that wakes no task, whose waker is returned: then there may be more.
    #[inline]
    pub(crate) fn fire(&mut self, mut wakes: impl FnMut(TaskWord)) -> Option<Waker> {
        if !self.left.is_empty() {
            return self.fire_left(wakes);
        }
        let bucket = &mut self.buckets[self.due];
        let slots = &mut self.slots[..];
        let mut free = self.free;
        let mut dead = 0;
        let mut other = None;
        for (nth, entry) in bucket.entries.iter().enumerate() {
            let index = entry.id & SLOT_MASK;
            let slot = &mut slots[index as usize];
            if slot.id != entry.id {
                dead += 1;
                continue;
            }
            slot.id = free;
            free = index;
            if slot.task == TaskWord::NOBODY {
                self.left.extend(bucket.entries[nth + 1..].iter().rev());
                other = Some(index as u32);
                break;
            }
            wakes(slot.task);
        }
        self.free = free;
        self.dead -= dead;
        self.live -= bucket.entries.len() - self.left.len() - dead;
        bucket.entries.clear();
        bucket.forget_times();
        self.unmark(self.due);
        other.and_then(|slot| self.take_other(slot))
    }

    #[cold]
    #[inline(never)]
    fn fire_left(&mut self, mut wakes: impl FnMut(TaskWord)) -> Option<Waker> {
        while let Some(entry) = self.left.pop() {
            let task = self.slots[(entry.id & SLOT_MASK) as usize].task;
            match self.take(entry.id) {
                None => self.dead -= 1,
                Some(Cancelled(Some(other))) => return Some(other),
                Some(Cancelled(None)) => wakes(task),
            }
        }
        None
    }

    /// Empties a slot if it is still `id`'s.
    #[inline]
    fn take(&mut self, id: u64) -> Option<Cancelled> {
        let index = id & SLOT_MASK;
        let slot = self.slots.get_mut(index as usize)?;
        if slot.id != id {
            return None;
        }
        slot.id = self.free;
        self.free = index;
        self.live -= 1;
        if slot.task != TaskWord::NOBODY {
            return Some(Cancelled(None));
        }
        Some(Cancelled(self.take_other(index as u32)))
    }

    #[cold]
    #[inline(never)]
    fn take_other(&mut self, slot: u32) -> Option<Waker> {
        self.others.remove(&slot)
    }

    #[inline(never)]
    fn drop_dead(&mut self, bucket: usize) {
        let bucket = &mut self.buckets[bucket];
        let before = bucket.entries.len();
        bucket.drop_dead(&self.slots);
        self.dead -= before - bucket.entries.len();
    }

    /// Removes all dead entries.
    #[cold]
    fn sweep(&mut self) {
        for index in 0..self.buckets.len() {
            let bucket = &mut self.buckets[index];
            bucket.drop_dead(&self.slots);
            if bucket.entries.is_empty() {
                self.unmark(index);
            }
        }
        let slots = &self.slots;
        self.left.retain(|entry| alive(slots, entry));
        self.dead = 0;
    }
}

#[inline]
fn alive(slots: &[Slot], entry: &Entry) -> bool {
    slots[(entry.id & SLOT_MASK) as usize].id == entry.id
}

#[cfg(test)]
mod tests;
