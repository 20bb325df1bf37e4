//! The recorder: every choice that was not first-in-first-out, and every timer that was set later than asked.

use crate::path::PathId;

/// The first places come together.
const PLACES_MIN: usize = 64;

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
/// processor would cost more than the write.
#[derive(Default)]
pub(crate) struct Departures {
    /// The first `len` are kept.
    list: Vec<Departure>,
    len: usize,
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
        self.list.resize((self.len * 2).max(PLACES_MIN), departure);
    }

    pub(crate) fn delay(&mut self, poll: Key, nanos: u64) {
        self.delayed.push(Delayed { poll, nanos, after: self.len });
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
        self.delayed.clear();
    }

    /// All that was kept.
    pub(crate) fn kept(&self) -> impl Iterator<Item = Recorded> {
        let mut departures = self.list[..self.len].iter().enumerate().peekable();
        let mut delayed = self.delayed.iter().peekable();
        std::iter::from_fn(move || {
            let at = departures.peek().map_or(self.len, |(at, _)| *at);
            match delayed.next_if(|delayed| delayed.after <= at) {
                Some(delayed) => Some(Recorded::Delayed(*delayed)),
                None => departures.next().map(|(_, departure)| Recorded::Departure(*departure)),
            }
        })
    }
}
