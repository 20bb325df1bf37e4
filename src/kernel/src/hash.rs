//! The run's hash: 64 bits over everything that was decided.

use lkesim_runtime::random::mix;

/// A rolling hash. Equal runs have equal hashes, and a first difference is never undone but by chance.
#[derive(Clone, Debug)]
pub(crate) struct RunHash {
    word: u64,
    /// Stands for the present; computed once an instant.
    instant: u64,
}

impl RunHash {
    pub(crate) fn new() -> RunHash {
        RunHash { word: 0x6c6b_6573_696d, instant: mix(0) }
    }

    /// The clock moved.
    #[inline]
    pub(crate) fn enter(&mut self, nanos: u64) {
        self.instant = mix(nanos);
    }

    /// One poll: whose, which, and whether it overtook another.
    #[inline]
    pub(crate) fn poll(&mut self, task: u64, poll: u32, overtakes: bool) {
        let choice = (u64::from(poll) << 1 | u64::from(overtakes)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // One wide product mixes all three; the sum keeps the past should a factor be zero.
        let product = u128::from(self.word ^ task) * u128::from(self.instant ^ choice);
        let folded = (product >> 64) as u64 ^ product as u64;
        self.word = folded.wrapping_add(self.word.rotate_left(23));
    }

    /// Something that the simulation wants covered.
    #[inline]
    pub(crate) fn mix_in(&mut self, word: u64) {
        self.word = mix(self.word ^ mix(word));
    }

    pub(crate) fn word(&self) -> u64 {
        mix(self.word)
    }
}
