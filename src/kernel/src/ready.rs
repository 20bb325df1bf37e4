//! The tasks that are ready in the present instant.
//!
//! Any of them can be taken in constant time, and the first to have come is always known: a schedule may choose from a
//! hundred thousand, and each choice must be told apart from first-in-first-out.

/// A task that is ready to be polled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    /// The hash of its path.
    pub task: u64,
    /// Which poll of this task it will be; the first is 1.
    pub poll: u32,
    /// Its place in the order in which tasks became ready, since last none was.
    pub arrival: u32,
    pub(crate) slot: u32,
}

/// The mark of an arrival that was taken, and of a task that isn't ready.
pub(crate) const NOWHERE: u32 = u32::MAX;

#[derive(Default)]
pub(crate) struct ReadySet {
    /// In no order, as a taken one is replaced by the last.
    list: Vec<Ready>,
    /// By arrival, where it is in `list`. It is bounded by the polls of an instant.
    places: Vec<u32>,
    /// No arrival before this one is left.
    first: usize,
}

impl ReadySet {
    #[inline]
    pub(crate) fn list(&self) -> &[Ready] {
        &self.list
    }

    /// Adds a task as the last to come, and returns its arrival.
    #[inline]
    pub(crate) fn push(&mut self, slot: u32, task: u64, poll: u32) -> u32 {
        let arrival = self.places.len() as u32;
        self.places.push(self.list.len() as u32);
        self.list.push(Ready {
            task,
            poll,
            arrival,
            slot,
        });
        arrival
    }

    /// The index of the one that came first. There must be one.
    #[inline]
    pub(crate) fn first(&mut self) -> usize {
        while self.places[self.first] == NOWHERE {
            self.first += 1;
        }
        self.places[self.first] as usize
    }

    #[inline]
    pub(crate) fn take(&mut self, index: usize) -> Ready {
        let taken = self.list.swap_remove(index);
        self.places[taken.arrival as usize] = NOWHERE;
        if let Some(moved) = self.list.get(index) {
            self.places[moved.arrival as usize] = index as u32;
        } else if self.list.is_empty() {
            self.places.clear();
            self.first = 0;
        }
        taken
    }

    /// Takes out the task that came as `arrival`.
    pub(crate) fn forget(&mut self, arrival: u32) {
        let index = self.places[arrival as usize];
        self.take(index as usize);
    }

    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.places.clear();
        self.first = 0;
    }
}
