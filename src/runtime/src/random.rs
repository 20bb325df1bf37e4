//! Keyed randomness: the same seed, purpose, entity and number give the same draw, whatever else was drawn.
//!
//! One global stream would tie every draw to all draws before it: leaving out one fault would change the rest of the
//! run. Here a draw is a mix of a key and what it is for, so removing one thing leaves the luck of all others. The keys
//! are ChaCha8 words, which are equal in every version of `rand_chacha`; the sampling is our own, as that of `rand` may
//! change in minor versions.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What the whole run's luck depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seed(pub u64);

impl Seed {
    /// The key for one purpose, such as `"latency"`. Keys of different purposes are independent.
    pub fn key(self, purpose: &str) -> Key {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&self.0.to_le_bytes());
        let mut words = ChaCha8Rng::from_seed(bytes);
        words.set_stream(Entity::named(purpose).0);
        Key(words.next_u64())
    }
}

/// The secret of one (seed, purpose) from which draws are mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(u64);

impl Key {
    /// The `n`-th draw for `entity`.
    #[inline]
    pub fn draw(self, entity: Entity, n: u64) -> Word {
        Word(mix(mix(self.0 ^ entity.0) ^ n))
    }
}

/// Whose draw it is: a hash of a name, to which parts can be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entity(u64);

impl Entity {
    /// The entity with this name.
    #[inline]
    pub fn named(name: &str) -> Entity {
        Entity(0xcbf2_9ce4_8422_2325).and_name(name)
    }

    /// The entity with this number.
    #[inline]
    pub fn numbered(number: u64) -> Entity {
        Entity(mix(number ^ 0x5bd1_e995_9e37_79b9))
    }

    /// A part of this entity, told apart by a number.
    #[inline]
    pub fn and(self, number: u64) -> Entity {
        Entity(mix(self.0 ^ mix(number)))
    }

    /// A part of this entity, told apart by a name.
    #[inline]
    pub fn and_name(self, name: &str) -> Entity {
        let hash = name.bytes().fold(self.0, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Entity(mix(hash))
    }

    /// The entity with this hash, as [`Entity::as_u64`] gave it.
    pub const fn from_u64(hash: u64) -> Entity {
        Entity(hash)
    }

    /// The hash itself, to put into maps and digests.
    pub const fn as_u64(self) -> u64 {
        self.0
    }
}

/// 64 random bits, and integers drawn from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(pub u64);

impl Word {
    /// A number in `0..bound`; 0 if `bound` is 0. The bias is below `bound` in 2⁶⁴.
    #[inline]
    pub fn below(self, bound: u64) -> u64 {
        ((u128::from(self.0) * u128::from(bound)) >> 64) as u64
    }

    /// Whether an event of this chance happens.
    #[inline]
    pub fn happens(self, chance: Ppm) -> bool {
        self.below(1_000_000) < u64::from(chance.0)
    }
}

/// A chance in parts per million: 1 % is 10,000.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ppm(pub u32);

impl Ppm {
    /// It never happens.
    pub const NEVER: Ppm = Ppm(0);
    /// It always happens.
    pub const ALWAYS: Ppm = Ppm(1_000_000);
}

/// The finalizer of splitmix64: each bit of the input reaches each bit of the output.
#[inline]
pub const fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
