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
        Digest { word: 0x6c6b_6573_696d_0001, events: 0 }
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

    /// Text in pieces of 16 bytes. Its length goes with the last piece: no text is another's beginning.
    #[inline]
    fn bytes(&mut self, bytes: &[u8]) {
        let mut pieces = bytes.chunks_exact(16);
        for piece in &mut pieces {
            self.pair(word_at(piece, 0), word_at(piece, 8));
        }
        let (one, other) = rest(pieces.remainder());
        self.pair(one, other ^ (bytes.len() as u64).rotate_right(8));
    }
}

/// Eight bytes as a word, little-endian on every platform.
#[inline]
fn word_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

#[inline]
fn half_at(bytes: &[u8], at: usize) -> u64 {
    let mut half = [0; 4];
    half.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(half).into()
}

/// Less than 16 bytes as two words. Both ends are read at a fixed width, overlapping, as copies of odd lengths are
/// slow.
#[inline]
fn rest(bytes: &[u8]) -> (u64, u64) {
    match bytes.len() {
        0 => (0, 0),
        1..4 => {
            let middle = bytes[bytes.len() / 2];
            let ends = u64::from(bytes[0]) | u64::from(bytes[bytes.len() - 1]) << 8;
            (ends | u64::from(middle) << 16, 0)
        }
        4..8 => (half_at(bytes, 0), half_at(bytes, bytes.len() - 4)),
        _ => (word_at(bytes, 0), word_at(bytes, bytes.len() - 8)),
    }
}

/// 16 hexadecimal digits.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.value())
    }
}

#[cfg(test)]
mod tests;
