//! The tasks that are ready in the present instant, in the order in which they came.
//!
//! Few, as most instants have, stay where they came in a small table: one word tells which places are taken, so that
//! who is first, who is chosen and what is left over are found without a branch that the processor could only guess.
//! More than that are a list.

mod many;

use crate::departures::Key;
use crate::path::PathId;
use crate::schedule::{Schedule, Way};
use lkesim_runtime::Time;
use many::Many;

/// A task that is ready to be polled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)] // Path and poll are read as one word.
pub struct Ready {
    /// The hash of its path.
    pub task: u64,
    /// Which poll of this task it will be; the first is 1.
    pub poll: u32,
    pub(crate) path: PathId,
    /// [`NOWHERE`] in a gap of the list.
    pub(crate) slot: u32,
    /// Whether another went before it while it was the first: then a deviation names it.
    pub(crate) overtaken: bool,
    /// What the random schedule goes by: above 0, and 0 in a place that is not taken.
    pub(crate) rank: u64,
}

/// The slot of no task.
pub(crate) const NOWHERE: u32 = u32::MAX;

impl Ready {
    /// Which poll of which path.
    #[inline]
    pub(crate) fn key(&self) -> Key {
        Key::new(self.path, self.poll)
    }

    pub(crate) const NOBODY: Ready =
        Ready { task: 0, poll: 0, slot: NOWHERE, path: PathId::ROOT, overtaken: false, rank: 0 };
}

/// The places of the table. A place fits the low bits of a rank.
const FEW: usize = 16;
const PLACE_MASK: u64 = FEW as u64 - 1;

/// The places of the task that was chosen and of the one that came first, for [`ReadySet::at`].
#[derive(Clone, Copy)]
pub(crate) struct Chosen {
    pub(crate) place: u8,
    pub(crate) first: u8,
}

pub(crate) struct ReadySet {
    /// In the order in which they came; the rank is 0 where no task is.
    few: [Ready; FEW],
    /// By bit, which places are taken.
    taken: u32,
    /// The next free place.
    end: usize,
    /// All of them, while there are too many for the table.
    many: Many,
}

impl ReadySet {
    pub(crate) fn new() -> ReadySet {
        ReadySet { few: [Ready::NOBODY; FEW], taken: 0, end: 0, many: Many::default() }
    }

    /// Adds a task as the last to come.
    #[inline]
    pub(crate) fn push(&mut self, task: u64, poll: u32, slot: u32, path: PathId, rank: u64) {
        let end = self.end;
        let Some(place) = self.few.get_mut(end) else {
            return self.push_beyond(task, poll, slot, path, rank);
        };
        place.task = task;
        place.poll = poll;
        place.slot = slot;
        place.path = path;
        place.overtaken = false;
        place.rank = (rank & !PLACE_MASK) | end as u64;
        self.taken |= 1 << end;
        self.end = end + 1;
    }

    /// The table has no place at its end: what is in it moves up, or all goes to the list.
    #[inline(never)]
    fn push_beyond(&mut self, task: u64, poll: u32, slot: u32, path: PathId, rank: u64) {
        if self.many.len() == 0 {
            self.close_gaps();
            if self.end <= FEW / 2 {
                return self.push(task, poll, slot, path, rank);
            }
            self.many.extend(&self.few[..self.end]);
            self.empty_table();
            self.end = FEW;
        }
        self.many.push(Ready { task, poll, slot, path, overtaken: false, rank });
    }

    fn empty_table(&mut self) {
        self.few = [Ready::NOBODY; FEW];
        (self.taken, self.end) = (0, 0);
    }

    /// Moves the tasks of the table to its beginning.
    fn close_gaps(&mut self) {
        let (few, taken) = (self.few, self.taken);
        self.empty_table();
        for from in (0..FEW).filter(|place| taken >> place & 1 == 1) {
            let end = self.end;
            self.few[end] = few[from];
            self.few[end].rank = (few[from].rank & !PLACE_MASK) | end as u64;
            self.taken |= 1 << end;
            self.end += 1;
        }
    }

    /// Whether they are more than the table has places.
    #[inline]
    pub(crate) fn are_many(&self) -> bool {
        // The end is not at the beginning while the list has any.
        self.taken == 0 && self.end > 0
    }

    /// Takes out the task that the schedule wants, if any is ready and they are few.
    #[inline]
    pub(crate) fn take_of_few(&mut self, way: Way, schedule: &mut Schedule, now: Time) -> Option<Chosen> {
        if self.taken == 0 {
            return None;
        }
        let place = match way {
            Way::Highest => self.highest(),
            Way::First => self.first(),
            Way::Asked => self.pick(schedule, now),
        };
        let first = self.first();
        self.few[place].rank = 0;
        self.few[first].overtaken |= place != first;
        self.remove(place);
        Some(Chosen { place: place as u8, first: first as u8 })
    }

    /// What was in a place. It stays there until the next push.
    #[inline]
    pub(crate) fn at(&self, place: u8) -> &Ready {
        &self.few[usize::from(place) % FEW]
    }

    #[inline]
    fn remove(&mut self, place: usize) {
        self.taken &= !(1 << place);
        // The table is used from its beginning again; no branch, as one could only guess.
        self.end &= usize::from(self.taken == 0).wrapping_sub(1);
    }

    #[inline]
    fn first(&self) -> usize {
        self.taken.trailing_zeros() as usize % FEW
    }

    /// The place of the highest rank. Ranks end in their places.
    #[inline]
    fn highest(&self) -> usize {
        let (mut highest, mut from) = (0, 0);
        // Four at a time: one guess for the whole instant, instead of one for each task. In pairs, as all waits for it.
        loop {
            let [a, b, c, d] = [0, 1, 2, 3].map(|place| self.few[from + place].rank);
            highest = highest.max(a.max(b).max(c.max(d)));
            from += 4;
            if from >= self.end.min(FEW) {
                break;
            }
        }
        (highest & PLACE_MASK) as usize
    }

    /// Asks a schedule that goes by something else.
    #[inline(never)]
    fn pick(&mut self, schedule: &mut Schedule, now: Time) -> usize {
        if self.taken.is_power_of_two() {
            return self.first();
        }
        if (self.taken >> self.first()) + 1 != 1 << (self.end - self.first()) {
            self.close_gaps();
        }
        let first = self.first();
        let ready = &self.few[first..self.end];
        let index = schedule.pick(ready, now);
        assert!(index < ready.len(), "a schedule chose outside of what is ready");
        first + index
    }

    /// Takes one out of the list, if it has any, and shows it and the first in the table.
    #[inline]
    pub(crate) fn take_of_many(&mut self, schedule: &mut Schedule, now: Time) -> Option<Chosen> {
        let (taken, first) = self.many.take(schedule, now)?;
        let differ = taken.slot != first.slot;
        (self.few[0], self.few[1]) = (first, taken);
        (self.few[0].rank, self.few[1].rank) = (0, 0);
        if self.many.len() == 0 {
            self.end = 0;
        }
        Some(Chosen { place: u8::from(differ), first: 0 })
    }

    /// Of many, the one that will probably be taken after so many others.
    #[inline]
    pub(crate) fn coming(&self, after: usize) -> Option<u32> {
        self.many.coming(after)
    }

    /// Takes out a task that must not be polled any more. Whether another went before it.
    pub(crate) fn forget(&mut self, slot: u32) -> bool {
        let taken = self.taken;
        let found = (0..FEW).find(|&place| taken >> place & 1 == 1 && self.few[place].slot == slot);
        if let Some(place) = found {
            self.few[place].rank = 0;
            self.remove(place);
            return self.few[place].overtaken;
        }
        let overtaken = self.many.forget(slot);
        if self.taken == 0 && self.many.len() == 0 {
            self.end = 0;
        }
        overtaken
    }

    pub(crate) fn clear(&mut self) {
        self.many.clear();
        self.empty_table();
    }
}

#[cfg(test)]
mod tests;
