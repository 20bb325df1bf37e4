//! The ready tasks where they are many.
//!
//! One that is taken leaves a gap, and gaps are closed when they are the most: so any of a hundred thousand can be
//! taken cheaply, and the order stays known, without which no departure from it could be told.

use super::{NOWHERE, Ready};
use crate::schedule::Schedule;
use lkesim_runtime::Time;

/// Fewer gaps than this are not worth closing.
const GAPS_MIN: usize = 32;

#[derive(Default)]
pub(super) struct Many {
    /// From `head` on: ready tasks and gaps. What is at `head` is no gap.
    list: Vec<Ready>,
    head: usize,
    gaps: usize,
}

impl Many {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.list.len() - self.head - self.gaps
    }

    pub(super) fn extend(&mut self, ready: &[Ready]) {
        self.list.extend_from_slice(ready);
    }

    pub(super) fn push(&mut self, ready: Ready) {
        self.list.push(ready);
    }

    /// Takes out the task that the schedule wants, if any is ready, and tells which was the first.
    pub(super) fn take(&mut self, schedule: &mut Schedule, now: Time) -> Option<(Ready, Ready)> {
        let index = match (self.len(), &mut *schedule) {
            (0, _) => return None,
            (1, _) | (_, Schedule::Fifo(_)) => 0,
            (_, Schedule::Random(random)) => random.highest(&self.list[self.head..]),
            _ => {
                self.close_gaps();
                schedule.pick(&self.list, now)
            }
        };
        self.list[self.head].overtaken |= index > 0;
        let place = self.head + index;
        let taken = (self.list[place], self.list[self.head]);
        self.remove(place);
        Some(taken)
    }

    fn remove(&mut self, place: usize) {
        (self.list[place].slot, self.list[place].rank) = (NOWHERE, 0);
        self.gaps += 1;
        if place == self.head {
            self.skip_gaps();
        } else if self.gaps > GAPS_MIN && self.gaps > self.len() {
            self.close_gaps();
        }
    }

    /// Gives up the gaps at the head; with nothing left, all memory is used again.
    fn skip_gaps(&mut self) {
        loop {
            match self.list.get(self.head) {
                Some(ready) if ready.slot == NOWHERE => {
                    self.head += 1;
                    self.gaps -= 1;
                }
                Some(_) => return,
                None => return self.clear(),
            }
        }
    }

    fn close_gaps(&mut self) {
        self.list.drain(..self.head);
        self.head = 0;
        if self.gaps > 0 {
            self.list.retain(|ready| ready.slot != NOWHERE);
            self.gaps = 0;
        }
    }

    /// Takes out a task that must not be polled any more. Whether another went before it.
    pub(super) fn forget(&mut self, slot: u32) -> bool {
        let found = self.list[self.head..].iter().position(|ready| ready.slot == slot);
        found.is_some_and(|index| {
            let overtaken = self.list[self.head + index].overtaken;
            self.remove(self.head + index);
            overtaken
        })
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        (self.head, self.gaps) = (0, 0);
    }
}
