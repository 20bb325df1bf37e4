//! The recorder: every choice that was not first-in-first-out.

use crate::path::PathId;

/// This poll went before that one.
#[derive(Clone, Copy)]
pub(crate) struct Departure {
    pub(crate) taken: (PathId, u32),
    pub(crate) first: (PathId, u32),
}

/// The departures of a run so far.
///
/// Whether a random choice departs can't be foretold, so each is written, and only some are kept: a wrong guess of the
/// processor would cost more than the write.
#[derive(Default)]
pub(crate) struct Departures {
    /// The first `len` are kept.
    list: Vec<Departure>,
    len: usize,
}

impl Departures {
    #[inline]
    pub(crate) fn push(&mut self, departure: Departure, keep: bool) {
        match self.list.get_mut(self.len) {
            Some(place) => *place = departure,
            None => self.list.push(departure),
        }
        self.len += usize::from(keep);
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    pub(crate) fn kept(&self) -> &[Departure] {
        &self.list[..self.len]
    }
}
