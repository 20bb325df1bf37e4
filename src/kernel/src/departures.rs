//! The recorder: every choice that was not first-in-first-out.

use crate::path::PathId;

/// The first places come together.
const PLACES_MIN: usize = 64;

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
        if self.len >= self.list.len() {
            self.grow();
        }
        self.list[self.len] = departure;
        self.len += usize::from(keep);
    }

    /// More places ahead: whether one more is needed must not be as unforeseeable as the choices.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let nothing = Departure {
            taken: (PathId::ROOT, 0),
            first: (PathId::ROOT, 0),
        };
        self.list.resize((self.len * 2).max(PLACES_MIN), nothing);
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    pub(crate) fn kept(&self) -> &[Departure] {
        &self.list[..self.len]
    }
}
