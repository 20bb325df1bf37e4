//! The ready tasks where they are many.
//!
//! They stay where they came in a list, in which one that is taken leaves a gap: so the order of their coming is known,
//! without which no departure from it could be told. For a schedule that goes by ranks, they are sorted by these, all
//! that an instant's timers woke at once; what is woken later waits in a heap beside them. So who comes soon is known
//! too, and can be fetched.

use super::{NOWHERE, Ready};
use crate::schedule::Schedule;
use lkesim_runtime::Time;
use std::collections::BinaryHeap;

/// More than so many that come together are sorted.
const WAVE: usize = 32;
/// Fewer gaps than this are not worth closing.
const GAPS_MIN: usize = 1_024;

/// A rank, and below it where in the list it is: as one number they are compared without a guess.
type Rank = u128;

/// The bits of a place.
const PLACE_BITS: u32 = 32;

fn placed(rank: u64, place: u32) -> Rank {
    Rank::from(rank) << PLACE_BITS | Rank::from(place)
}

fn place(rank: Rank) -> usize {
    rank as u32 as usize
}

#[derive(Default)]
pub(super) struct Many {
    /// From `head` on: ready tasks and gaps. What is at `head` is no gap.
    list: Vec<Ready>,
    head: usize,
    len: usize,
    /// How many of the list have their ranks below. What has been taken since is in there still.
    ranked: usize,
    /// The highest is the last.
    sorted: Vec<Rank>,
    late: BinaryHeap<Rank>,
}

impl Many {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn extend(&mut self, ready: &[Ready]) {
        self.list.extend_from_slice(ready);
        self.len += ready.len();
    }

    #[inline]
    pub(super) fn push(&mut self, ready: Ready) {
        self.list.push(ready);
        self.len += 1;
    }

    /// Takes out the task that the schedule wants, if any is ready, and tells which was the first.
    #[inline]
    pub(super) fn take(&mut self, schedule: &mut Schedule, now: Time) -> Option<(Ready, Ready)> {
        let place = match (self.len, &mut *schedule) {
            (0, _) => return None,
            (_, Schedule::Random(_)) => self.highest(),
            (1, _) | (_, Schedule::Fifo(_)) => self.head,
            _ => {
                self.close_gaps();
                schedule.pick(&self.list, now)
            }
        };
        self.list[self.head].overtaken |= place != self.head;
        let taken = (self.list[place], self.list[self.head]);
        self.remove(place);
        Some(taken)
    }

    /// The place of the highest rank, which is then no longer known.
    #[inline]
    fn highest(&mut self) -> usize {
        if self.ranked < self.list.len() {
            self.rank();
        }
        loop {
            let sorted = self.sorted.last().copied().unwrap_or_default();
            let place = match self.late.peek() {
                Some(&late) if late > sorted => {
                    self.late.pop();
                    place(late)
                }
                _ => {
                    self.sorted.pop();
                    place(sorted)
                }
            };
            if self.list[place].slot != NOWHERE {
                return place;
            }
        }
    }

    /// Ranks what came since the last choice.
    #[inline(never)]
    fn rank(&mut self) {
        let fresh = self.list[self.ranked..].iter().zip(self.ranked as u32..).map(|(ready, at)| placed(ready.rank, at));
        if self.list.len() - self.ranked > WAVE {
            self.sorted.extend(self.late.drain());
            self.sorted.extend(fresh);
            self.sorted.sort_unstable();
        } else {
            self.late.extend(fresh);
        }
        self.ranked = self.list.len();
    }

    /// The task that will be taken after so many others, unless others come before it; if that is known.
    #[inline]
    pub(super) fn coming(&self, after: usize) -> Option<u32> {
        let &rank = self.sorted.get(self.sorted.len().wrapping_sub(after + 1))?;
        Some(self.list[place(rank)].slot)
    }

    #[inline]
    fn remove(&mut self, place: usize) {
        self.list[place].slot = NOWHERE;
        self.len -= 1;
        if self.len == 0 {
            return self.clear();
        }
        // One is left, so there is an end.
        while self.list[self.head].slot == NOWHERE {
            self.head += 1;
        }
        if self.list.len() > 2 * self.len + GAPS_MIN {
            self.close_gaps();
        }
    }

    #[inline(never)]
    fn close_gaps(&mut self) {
        if self.list.len() > self.len {
            self.list.retain(|ready| ready.slot != NOWHERE);
            self.head = 0;
            self.forget_ranks();
        }
    }

    fn forget_ranks(&mut self) {
        self.sorted.clear();
        self.late.clear();
        self.ranked = 0;
    }

    /// Takes out a task that must not be polled any more. Whether another went before it.
    pub(super) fn forget(&mut self, slot: u32) -> bool {
        let found = self.list[self.head..].iter().position(|ready| ready.slot == slot);
        found.is_some_and(|index| {
            let place = self.head + index;
            let overtaken = self.list[place].overtaken;
            self.remove(place);
            overtaken
        })
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        (self.head, self.len) = (0, 0);
        self.forget_ranks();
    }
}
