//! Which timers share a bucket, and which bucket comes first.
//!
//! The most frequent timers, those of the next second or two, wait in the *near* buckets, each about a millisecond
//! wide: two laps of 1,024, that of the present and the one after it, used in turn. So a bucket's place is known from
//! the time alone, and none of them is moved before its millisecond comes. Below them are two levels for the present
//! millisecond, above them four for what is later; there, the level is that of the highest digit in which the time
//! differs from the present, digits having ten bits.

use super::{NONE, Slot};

const DIGIT_BITS: u32 = 10;
const DIGITS: usize = 1 << DIGIT_BITS;
/// A near bucket is so wide: 2^20 ns.
const NEAR_SHIFT: u32 = 2 * DIGIT_BITS;
/// A lap of near buckets is so long: 2^30 ns.
const LAP_SHIFT: u32 = 3 * DIGIT_BITS;

/// Two below, two laps of near ones, four above.
const LEVELS: usize = 8;
const NEAR: usize = 2;
const FAR: usize = 4;
/// Where the present's timers are marked.
const PRESENT: usize = LEVELS * DIGITS;

/// Where the near buckets begin, behind that of the present.
const NEAR_BASE: usize = 1;

/// In `head`: the timers of this bucket may have different times.
const MIXED: u32 = 1 << 31;

/// The ends of a list of timers.
#[derive(Clone, Copy)]
struct Ends {
    head: u32,
    tail: u32,
}

const NOTHING: Ends = Ends { head: NONE, tail: NONE };

/// A bucket: where its ends are, and where it is marked.
#[derive(Clone, Copy)]
pub(super) struct Bucket {
    place: usize,
    /// Level and digit.
    mark: usize,
}

/// The buckets. First that of the present, then the near ones, then level by level in the order of first use. Empty
/// until there is a timer.
pub(super) struct Wheel {
    ends: Vec<Ends>,
    /// By level, where its buckets begin; 0 if it was not used so far.
    base: [usize; LEVELS],
    /// By mark, which buckets have timers, or had some that were cancelled.
    used: [u64; PRESENT / 64 + 1],
    /// Which words of `used` have a bit: of the near levels and below, of those above, and of the present.
    words: [u64; 3],
    /// The times that have a near bucket: from here on, so many. None until there is a timer.
    near_from: u64,
    near_len: u64,
    /// The first lap that has none.
    far_lap: u64,
}

impl Wheel {
    pub(super) fn new() -> Wheel {
        Wheel {
            ends: Vec::new(),
            base: [0; LEVELS],
            used: [0; PRESENT / 64 + 1],
            words: [0; 3],
            near_from: 0,
            near_len: 0,
            far_lap: 2,
        }
    }

    /// The present has come to `last`.
    #[inline]
    pub(super) fn enter(&mut self, last: u64) {
        self.far_lap = Wheel::lap(last) + 2;
        // The end of all times is 0 here, and the length right all the same.
        let end = self.far_lap.min(1 << (u64::BITS - LAP_SHIFT)) << LAP_SHIFT;
        self.near_from = ((last >> NEAR_SHIFT) + 1) << NEAR_SHIFT;
        self.near_len = end.wrapping_sub(self.near_from);
    }

    pub(super) fn clear(&mut self) {
        while let Some(bucket) = self.first(0) {
            self.take(bucket);
        }
        self.take_present();
        self.far_lap = 2;
        if !self.ends.is_empty() {
            self.enter(0);
        }
    }

    /// The lap of a time.
    #[inline]
    pub(super) fn lap(at: u64) -> u64 {
        at >> LAP_SHIFT
    }

    /// The near bucket of a time, if it has one.
    #[inline]
    pub(super) fn near_bucket(&self, at: u64) -> Option<Bucket> {
        (at.wrapping_sub(self.near_from) < self.near_len).then(|| Wheel::near(at))
    }

    #[inline]
    fn near(at: u64) -> Bucket {
        let digit = (at >> NEAR_SHIFT) as usize % (2 * DIGITS);
        Bucket { place: NEAR_BASE + digit, mark: NEAR * DIGITS + digit }
    }

    /// As [`Wheel::near_bucket`], for the quarter of an hour behind the near ones.
    #[inline]
    pub(super) fn soon_bucket(&self, at: u64) -> Option<Bucket> {
        let (lap, base) = (Wheel::lap(at), self.base[FAR]);
        let soon = lap >= self.far_lap && lap ^ self.far_lap < DIGITS as u64 && base != 0;
        let digit = lap as usize % DIGITS;
        soon.then_some(Bucket { place: base + digit, mark: FAR * DIGITS + digit })
    }

    /// The bucket for a time that is not before the last instant. None if its level was not used so far.
    #[inline]
    pub(super) fn bucket(&self, at: u64, last: u64) -> Option<Bucket> {
        let known = self.near_bucket(at).or_else(|| self.soon_bucket(at));
        known.or_else(|| self.other_bucket(at, last))
    }

    #[inline(never)]
    fn other_bucket(&self, at: u64, last: u64) -> Option<Bucket> {
        let level = Wheel::level(at, last);
        if level == LEVELS {
            return (!self.ends.is_empty()).then_some(Bucket { place: 0, mark: PRESENT });
        }
        let (base, digit) = (self.base[level], Wheel::digit(at, level));
        (base != 0).then_some(Bucket { place: base + digit, mark: level * DIGITS + digit })
    }

    /// The level of a time without a near bucket; that of the present is [`LEVELS`].
    #[inline]
    fn level(at: u64, last: u64) -> usize {
        debug_assert!(at >= last, "a timer before the present");
        if Wheel::lap(at) > Wheel::lap(last) + 1 {
            let differs = Wheel::lap(at) ^ (Wheel::lap(last) + 2);
            return FAR + ((differs | 1).ilog2() / DIGIT_BITS) as usize;
        }
        match at ^ last {
            0 => LEVELS,
            differs => usize::from(differs >= DIGITS as u64),
        }
    }

    #[inline]
    fn digit(at: u64, level: usize) -> usize {
        let shift = if level < NEAR { level } else { level - 1 } as u32 * DIGIT_BITS;
        (at >> shift) as usize % DIGITS
    }

    /// As [`Wheel::bucket`], but makes the level.
    #[inline]
    pub(super) fn made_bucket(&mut self, at: u64, last: u64) -> Bucket {
        match self.bucket(at, last) {
            Some(bucket) => bucket,
            None => self.make(at, last),
        }
    }

    #[cold]
    #[inline(never)]
    fn make(&mut self, at: u64, last: u64) -> Bucket {
        if self.ends.is_empty() {
            self.ends.resize(NEAR_BASE + 2 * DIGITS, NOTHING);
            self.enter(last);
        } else {
            self.base[Wheel::level(at, last)] = self.ends.len();
            self.ends.resize(self.ends.len() + DIGITS, NOTHING);
        }
        self.made_bucket(at, last)
    }

    /// Makes a timer the last of a bucket, and links it with the one before, which is returned.
    #[inline]
    pub(super) fn append(&mut self, bucket: Bucket, index: u32, at: u64, slots: &mut [Slot]) -> u32 {
        let word = bucket.mark / 64;
        self.used[word] |= 1 << (bucket.mark % 64);
        self.words[word / 64] |= 1 << (word % 64);
        let ends = &mut self.ends[bucket.place];
        let tail = ends.tail;
        let before = &mut slots[tail as usize];
        before.next = index;
        let mixed = u32::from(before.at != at) * MIXED;
        // Whether it is the first can't be foretold, so no branch.
        let others = u32::from(tail != NONE).wrapping_neg();
        ends.head = (index & !others) | ((ends.head | mixed) & others);
        ends.tail = index;
        tail
    }

    /// A timer between these two leaves a bucket. An empty bucket stays marked.
    #[inline]
    pub(super) fn unlink(&mut self, bucket: Bucket, prev: u32, next: u32) {
        let ends = &mut self.ends[bucket.place];
        ends.head = if prev == NONE { next | (ends.head & MIXED) } else { ends.head };
        ends.tail = if next == NONE { prev } else { ends.tail };
    }

    /// The marked bucket with the earliest times.
    #[inline]
    pub(super) fn first(&self, last: u64) -> Option<Bucket> {
        let below = self.words[0] as u32;
        if below != 0 {
            return Some(self.marked(below.trailing_zeros() as usize));
        }
        let near = (self.words[0] >> 32) as u32;
        if near == 0 {
            return self.first_far();
        }
        // The lap of the present goes first.
        let half = (Wheel::lap(last) % 2) as u32 * 16;
        let word = (near.rotate_right(half).trailing_zeros() + half) % 32;
        let mark = self.first_in(32 + word as usize);
        Some(Bucket { place: mark - NEAR * DIGITS + NEAR_BASE, mark })
    }

    /// The first bucket above the near ones.
    #[inline(never)]
    pub(super) fn first_far(&self) -> Option<Bucket> {
        (self.words[1] != 0).then(|| self.marked(64 + self.words[1].trailing_zeros() as usize))
    }

    /// The lowest mark in a word.
    #[inline]
    fn first_in(&self, word: usize) -> usize {
        word * 64 + self.used[word].trailing_zeros() as usize % 64
    }

    /// The first bucket in a word that is not of the near ones.
    fn marked(&self, word: usize) -> Bucket {
        let mark = self.first_in(word);
        Bucket { place: self.base[mark / DIGITS] + mark % DIGITS, mark }
    }

    /// Whether a bucket from above the near ones has to be looked through once the present is in `last`'s lap: `at` is
    /// any of its times.
    pub(super) fn comes_near(bucket: Bucket, at: u64, last: u64) -> bool {
        let first_far_lap = Wheel::lap(last) + 2;
        let digits = (bucket.mark / DIGITS - FAR) as u32 * DIGIT_BITS;
        let first_lap = Wheel::lap(at) >> digits << digits;
        // One that begins just there belongs to a lower level, unless it is of the lowest.
        first_lap < first_far_lap || (digits > 0 && first_lap == first_far_lap)
    }

    /// A bucket's first timer, and whether others in it may have another time.
    #[inline]
    pub(super) fn head(&self, bucket: Bucket) -> (u32, bool) {
        let head = self.ends[bucket.place].head;
        (head & !MIXED, head & MIXED != 0)
    }

    /// A bucket's last timer.
    pub(super) fn last(&self, bucket: Bucket) -> u32 {
        self.ends[bucket.place].tail
    }

    /// Empties a bucket, and gives its first timer.
    #[inline]
    pub(super) fn take(&mut self, bucket: Bucket) -> u32 {
        self.empty(bucket).head & !MIXED
    }

    #[inline]
    fn empty(&mut self, bucket: Bucket) -> Ends {
        let word = bucket.mark / 64;
        let used = &mut self.used[word];
        *used &= !(1 << (bucket.mark % 64));
        self.words[word / 64] &= !(u64::from(*used == 0) << (word % 64));
        std::mem::replace(&mut self.ends[bucket.place], NOTHING)
    }

    /// The first timer of the present.
    #[inline]
    pub(super) fn present(&self) -> u32 {
        self.ends.first().map_or(NONE, |ends| ends.head)
    }

    /// Makes a bucket's timers those of the present, which had none.
    #[inline]
    pub(super) fn make_present(&mut self, bucket: Bucket) {
        self.ends[0] = self.empty(bucket);
    }

    pub(super) fn set_present(&mut self, head: u32, tail: u32) {
        self.ends[0] = Ends { head, tail };
    }

    #[inline]
    pub(super) fn take_present(&mut self) -> u32 {
        match self.ends.first_mut() {
            Some(ends) => std::mem::replace(ends, NOTHING).head,
            None => NONE,
        }
    }
}
