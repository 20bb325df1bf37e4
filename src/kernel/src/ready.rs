//! The tasks that are ready in the present instant, in the order in which they came.
//!
//! One that is taken leaves a gap, and gaps are closed when they are the most: so any of a hundred thousand can be
//! taken cheaply, and the order stays known, without which no departure from it could be told.

/// A task that is ready to be polled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    /// The hash of its path.
    pub task: u64,
    /// Which poll of this task it will be; the first is 1.
    pub poll: u32,
    /// [`NOWHERE`] in a gap.
    pub(crate) slot: u32,
    /// What the random schedule goes by: above 0, and 0 in a gap.
    pub(crate) rank: u64,
}

/// The slot of no task.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Fewer gaps than this are not worth closing.
const GAPS_MIN: usize = 32;

/// More tasks than this are not moved up to fill a place.
const SHIFTS_MAX: usize = 16;

#[derive(Default)]
pub(crate) struct ReadySet {
    /// From `head` on: ready tasks and gaps. What is at `head` is no gap.
    list: Vec<Ready>,
    head: usize,
    gaps: usize,
}

impl ReadySet {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.list.len() - self.head - self.gaps
    }

    /// The ready tasks, and gaps.
    #[inline]
    pub(crate) fn with_gaps(&self) -> &[Ready] {
        &self.list[self.head..]
    }

    /// The ready tasks alone.
    pub(crate) fn without_gaps(&mut self) -> &[Ready] {
        if self.gaps > 0 {
            self.close_gaps();
        }
        &self.list[self.head..]
    }

    /// Adds a task as the last to come.
    #[inline]
    pub(crate) fn push(&mut self, ready: Ready) {
        self.list.push(ready);
    }

    /// Takes out the task at `index` of the slice that one of the two methods above gave.
    #[inline]
    pub(crate) fn take(&mut self, index: usize) -> Ready {
        if self.gaps > 0 || index > SHIFTS_MAX {
            return self.take_from_many(index);
        }
        // Those before it move up by one: cheaper than a gap, and one branch that can't be foretold instead of three.
        let taken = self.list[self.head + index];
        for place in (self.head..self.head + index).rev() {
            self.list[place + 1] = self.list[place];
        }
        self.head += 1;
        if self.head == self.list.len() {
            self.clear();
        }
        taken
    }

    fn take_from_many(&mut self, index: usize) -> Ready {
        let place = self.head + index;
        let taken = self.list[place];
        self.list[place].slot = NOWHERE;
        self.list[place].rank = 0;
        self.gaps += 1;
        if index == 0 {
            self.skip_gaps();
        } else if self.gaps > GAPS_MIN && self.gaps > self.len() {
            self.close_gaps();
        }
        taken
    }

    /// Gives up the gaps at the head; with nothing left, all memory is used again.
    #[inline]
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

    #[cold]
    fn close_gaps(&mut self) {
        self.list.drain(..self.head);
        self.head = 0;
        self.list.retain(|ready| ready.slot != NOWHERE);
        self.gaps = 0;
    }

    /// Takes out a task that must not be polled any more.
    pub(crate) fn forget(&mut self, slot: u32) {
        let found = self.with_gaps().iter().position(|ready| ready.slot == slot);
        if let Some(index) = found {
            self.take(index);
        }
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        (self.head, self.gaps) = (0, 0);
    }
}
