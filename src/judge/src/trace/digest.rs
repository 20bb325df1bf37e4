//! One 64-bit hash over everything that happened.
//!
//! It is always on, so it reads the typed fields and writes no text. It is the same on every platform: words are
//! folded as numbers, text as its bytes in little-endian words with its length, and each kind of event by a number
//! that is written here. The standard library's hashing gives none of this.

mod fold;

use crate::event::Event;
use fold::Fold;
use lkesim_runtime::random::mix;
use std::fmt;

/// A running hash of events. Equal streams have equal digests; after a first difference they stay different but by
/// chance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    word: u64,
    events: u64,
}

impl Default for Digest {
    fn default() -> Digest {
        Digest {
            word: 0x6c6b_6573_696d_0001,
            events: 0,
        }
    }
}

impl Digest {
    /// The digest of nothing.
    pub fn new() -> Digest {
        Digest::default()
    }

    /// Takes in the next event.
    pub fn apply(&mut self, event: &Event) {
        self.events += 1;
        self.word(event.at.as_nanos());
        event.what.fold(self);
    }

    /// How many events it took in.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// The hash of what it took in so far.
    pub fn value(&self) -> u64 {
        mix(self.word ^ mix(self.events))
    }

    #[inline]
    fn word(&mut self, word: u64) {
        self.pair(word, word.rotate_left(32));
    }

    /// One wide product mixes two words in; the rotated sum keeps the past, and `one`, should a factor be zero.
    #[inline]
    fn pair(&mut self, one: u64, other: u64) {
        let product = u128::from(self.word ^ one) * u128::from(other ^ 0x9e37_79b9_7f4a_7c15);
        let folded = (product >> 64) as u64 ^ product as u64;
        let kept = self.word.rotate_left(23).wrapping_add(one.rotate_left(47));
        self.word = folded.wrapping_add(kept);
    }

    /// Text in pieces of 16 bytes. The last piece has less than 16, and the length in its last byte: no text is
    /// another's beginning.
    #[inline]
    fn bytes(&mut self, bytes: &[u8]) {
        let mut pieces = bytes.chunks_exact(16);
        for piece in &mut pieces {
            let (one, other) = words(piece);
            self.pair(one, other);
        }
        let mut last = [0; 16];
        let rest = pieces.remainder();
        last[..rest.len()].copy_from_slice(rest);
        last[15] = bytes.len() as u8;
        let (one, other) = words(&last);
        self.pair(one, other);
    }
}

/// 16 bytes as two words, little-endian on every platform.
#[inline]
fn words(bytes: &[u8]) -> (u64, u64) {
    let mut halves = [[0; 8]; 2];
    halves[0].copy_from_slice(&bytes[..8]);
    halves[1].copy_from_slice(&bytes[8..16]);
    (u64::from_le_bytes(halves[0]), u64::from_le_bytes(halves[1]))
}

/// 16 hexadecimal digits.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.value())
    }
}

#[cfg(test)]
mod tests;
