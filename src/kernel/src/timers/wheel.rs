//! Which timers share a bucket, and which bucket comes first.

use super::NONE;

const DIGIT_BITS: usize = 10;
const DIGITS: usize = 1 << DIGIT_BITS;
const LEVELS: usize = (u64::BITS as usize).div_ceil(DIGIT_BITS);
const WORDS: usize = DIGITS / 64;

/// By the number of leading zeros of what differs: the level, and by how much its digit is shifted.
const LEVEL_AND_SHIFT: [(u8, u8); 64] = {
    let mut table = [(0, 0); 64];
    let mut zeros = 0;
    while zeros < 64 {
        let level = (63 - zeros) / DIGIT_BITS;
        table[zeros] = (level as u8, (level * DIGIT_BITS) as u8);
        zeros += 1;
    }
    table
};

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
    level: usize,
    digit: usize,
}

/// The buckets. First that of the present, whose mark nobody asks for; then level by level in the order of first use,
/// one for each digit.
pub(super) struct Wheel {
    ends: Vec<Ends>,
    /// By level, where its buckets begin; 0 if it was not used so far.
    base: [usize; LEVELS + 1],
    /// By level, which words of `used` have a bit.
    words: [u32; LEVELS + 1],
    /// By level and digit, which buckets have timers, or had some that were cancelled.
    used: [[u64; WORDS]; LEVELS + 1],
}

/// The level that is marked for the present.
const PRESENT: usize = LEVELS;

impl Wheel {
    pub(super) fn new() -> Wheel {
        Wheel { ends: Vec::new(), base: [0; LEVELS + 1], words: [0; LEVELS + 1], used: [[0; WORDS]; LEVELS + 1] }
    }

    pub(super) fn clear(&mut self) {
        while let Some(bucket) = self.first() {
            self.take(bucket);
        }
        self.take_present();
    }

    #[inline]
    fn level_and_digit(at: u64, last: u64) -> (usize, usize) {
        debug_assert!(at >= last, "a timer before the present");
        let differs = at ^ last;
        if differs == 0 {
            return (PRESENT, 0);
        }
        Wheel::split(at, differs)
    }

    #[inline]
    fn split(at: u64, differs: u64) -> (usize, usize) {
        let (level, shift) = LEVEL_AND_SHIFT[(differs | 1).leading_zeros() as usize % 64];
        (usize::from(level), (at >> (shift % 64)) as usize % DIGITS)
    }

    /// The bucket for a time that is not before the last instant. None if its level was not used so far.
    #[inline]
    pub(super) fn bucket(&self, at: u64, last: u64) -> Option<Bucket> {
        let (level, digit) = Wheel::level_and_digit(at, last);
        let place = self.base[level] + digit;
        let made = self.base[level] != 0 || (level == PRESENT && !self.ends.is_empty());
        made.then_some(Bucket { place, level, digit })
    }

    /// As [`Wheel::bucket`], for a time after the last instant.
    #[inline]
    pub(super) fn later_bucket(&self, at: u64, last: u64) -> Option<Bucket> {
        debug_assert!(at > last, "a timer of the present");
        let (level, digit) = Wheel::split(at, at ^ last);
        let base = self.base[level];
        (base != 0).then_some(Bucket { place: base + digit, level, digit })
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
        let (level, digit) = Wheel::level_and_digit(at, last);
        if self.ends.is_empty() {
            self.ends.push(NOTHING);
        }
        if level != PRESENT {
            self.base[level] = self.ends.len();
            self.ends.resize(self.ends.len() + DIGITS, NOTHING);
        }
        let place = self.base[level] + digit;
        Bucket { place, level, digit }
    }

    /// Makes a slot the last of a bucket, and gives the last before it.
    #[inline]
    pub(super) fn append(&mut self, bucket: Bucket, slot: u32) -> u32 {
        let Bucket { place, level, digit } = bucket;
        self.used[level][digit / 64] |= 1 << (digit % 64);
        self.words[level] |= 1 << (digit / 64);
        let ends = &mut self.ends[place];
        let tail = ends.tail;
        ends.head = if tail == NONE { slot } else { ends.head };
        ends.tail = slot;
        tail
    }

    /// A slot between these two leaves a bucket. An empty bucket stays marked.
    #[inline]
    pub(super) fn unlink(&mut self, bucket: Bucket, prev: u32, next: u32) {
        let ends = &mut self.ends[bucket.place];
        ends.head = if prev == NONE { next } else { ends.head };
        ends.tail = if next == NONE { prev } else { ends.tail };
    }

    /// The marked bucket with the earliest times.
    #[inline]
    pub(super) fn first(&self) -> Option<Bucket> {
        let level = self.words[..LEVELS].iter().position(|&words| words != 0)?;
        let word = self.words[level].trailing_zeros() as usize % WORDS;
        let digit = word * 64 + self.used[level][word].trailing_zeros() as usize;
        let place = self.base[level] + digit;
        Some(Bucket { place, level, digit })
    }

    #[inline]
    pub(super) fn head(&self, bucket: Bucket) -> u32 {
        self.ends[bucket.place].head
    }

    /// Empties a bucket, and gives its first timer.
    #[inline]
    pub(super) fn take(&mut self, bucket: Bucket) -> u32 {
        self.empty(bucket).head
    }

    #[inline]
    fn empty(&mut self, bucket: Bucket) -> Ends {
        let Bucket { place, level, digit } = bucket;
        let used = &mut self.used[level][digit / 64];
        *used &= !(1 << (digit % 64));
        self.words[level] &= !(u32::from(*used == 0) << (digit / 64));
        std::mem::replace(&mut self.ends[place], NOTHING)
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
