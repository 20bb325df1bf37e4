//! The recorder: every choice that was not first-in-first-out, and every timer that was set later than asked.

use crate::path::PathId;
use std::cell::RefCell;
use std::mem;

/// The first places come together.
const PLACES_MIN: usize = 64;
/// A chunk has no more than these.
const PLACES_MAX: usize = 4_096;
/// So many chunks of kernels that are gone are kept on a thread, 8 MB.
const SPARE_MAX: usize = 128;

thread_local! {
    /// Chunks that the next kernel of this thread writes over. Memory that is new to the process has to be mapped page by
    /// page, which would cost a short run more than the writes.
    static SPARE: RefCell<Vec<Vec<Departure>>> = const { RefCell::new(Vec::new()) };
}

/// One poll of one path, in a word.
#[derive(Clone, Copy)]
pub(crate) struct Key(u64);

impl Key {
    #[inline]
    pub(crate) fn new(path: PathId, poll: u32) -> Key {
        Key(u64::from(path.0) << 32 | u64::from(poll))
    }

    pub(crate) fn path(self) -> PathId {
        PathId((self.0 >> 32) as u32)
    }

    pub(crate) fn poll(self) -> u32 {
        self.0 as u32
    }
}

/// This poll went before that one.
#[derive(Clone, Copy)]
pub(crate) struct Departure {
    pub(crate) taken: Key,
    pub(crate) first: Key,
}

/// The timers that this poll set fire so much later.
#[derive(Clone, Copy)]
pub(crate) struct Delayed {
    pub(crate) poll: Key,
    pub(crate) nanos: u64,
    /// How many departures there were before.
    after: usize,
}

/// What was recorded, in the order in which it happened.
pub(crate) enum Recorded {
    Departure(Departure),
    Delayed(Delayed),
}

/// The departures of a run so far.
///
/// Whether a random choice departs can't be foretold, so each is written, and only some are kept: a wrong guess of the
/// processor would cost more than the write. They come in chunks: one list of millions would be copied each time that it
/// grows, and push all else out of the caches.
#[derive(Default)]
pub(crate) struct Departures {
    /// The chunks before the last, of which all is kept.
    full: Vec<Vec<Departure>>,
    /// The last chunk. Its first `len` are kept.
    list: Vec<Departure>,
    len: usize,
    /// Chunks of earlier runs.
    spare: Vec<Vec<Departure>>,
    /// Few runs have any, so they are kept apart.
    delayed: Vec<Delayed>,
}

impl Departures {
    #[inline]
    pub(crate) fn push(&mut self, departure: Departure, keep: bool) {
        match self.list.get_mut(self.len) {
            Some(place) => *place = departure,
            None => self.grow(departure),
        }
        self.len += usize::from(keep);
    }

    /// More places ahead: whether one more is needed must not be as unforeseeable as the choices.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, departure: Departure) {
        if self.len < PLACES_MAX {
            return self.list.resize((self.len * 2).max(PLACES_MIN), departure);
        }
        let mut next = self.spare().unwrap_or_else(|| vec![departure; PLACES_MAX]);
        next[0] = departure;
        self.full.push(mem::replace(&mut self.list, next));
        self.len = 0;
    }

    /// A chunk that was written before, of this kernel or one that is gone.
    fn spare(&mut self) -> Option<Vec<Departure>> {
        self.spare.pop().or_else(|| SPARE.try_with(|spare| spare.borrow_mut().pop()).ok()?)
    }

    /// How many are kept.
    fn count(&self) -> usize {
        self.full.len() * PLACES_MAX + self.len
    }

    pub(crate) fn delay(&mut self, poll: Key, nanos: u64) {
        self.delayed.push(Delayed { poll, nanos, after: self.count() });
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
        self.spare.append(&mut self.full);
        self.delayed.clear();
    }

    /// All that was kept.
    pub(crate) fn kept(&self) -> impl Iterator<Item = Recorded> {
        let mut departures = self.full.iter().flatten().chain(&self.list[..self.len]).enumerate().peekable();
        let mut delayed = self.delayed.iter().peekable();
        std::iter::from_fn(move || {
            let at = departures.peek().map_or(self.count(), |(at, _)| *at);
            match delayed.next_if(|delayed| delayed.after <= at) {
                Some(delayed) => Some(Recorded::Delayed(*delayed)),
                None => departures.next().map(|(_, departure)| Recorded::Departure(*departure)),
            }
        })
    }
}

impl Drop for Departures {
    fn drop(&mut self) {
        // On a thread that is ending nobody comes after.
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            let own = self.full.drain(..).chain(self.spare.drain(..));
            let room = SPARE_MAX.saturating_sub(spare.len());
            spare.extend(own.take(room));
        });
    }
}

#[cfg(test)]
mod tests;
