//! One 64-bit hash over everything that happened.
//!
//! It is always on, so it reads the typed fields and writes no text. It is the same on every platform: words are folded as
//! numbers, text as its bytes in little-endian words with its length, and each kind of event by a number that is written
//! here. The standard library's hashing gives none of this.

mod fold;

use crate::event::Event;
use fold::Fold;
use lkesim_runtime::random::mix;
use std::fmt;

/// A running hash of events. Equal streams have equal digests; after a first difference they stay different but by chance.
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

    /// One wide product mixes the word in; the rotated sum keeps the past should a factor be zero.
    #[inline]
    fn word(&mut self, word: u64) {
        let product =
            u128::from(self.word ^ word) * u128::from(word.rotate_left(32) ^ 0x9e37_79b9_7f4a_7c15);
        let folded = (product >> 64) as u64 ^ product as u64;
        self.word = folded.wrapping_add(self.word.rotate_left(23));
    }

    #[inline]
    fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
        let rest = chunks.remainder();
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.word(u64::from_le_bytes(word));
        }
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
