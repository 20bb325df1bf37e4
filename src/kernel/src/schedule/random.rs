//! A random order, drawn by key.
//!
//! Each poll has a rank, drawn from (seed, task path, n-th poll), and the highest rank goes. So a task that is left out
//! leaves the order of all others as it was. And a task of low rank stays behind all others for the whole instant,
//! which a fresh draw for each choice would all but never do: a task that starves behind fourteen polls shows in one
//! seed of fifteen, instead of one of sixteen thousand.

use super::{Choice, Strategy};
use crate::ready::Ready;
use lkesim_runtime::Seed;
use lkesim_runtime::random::mix;

/// What every rank has: above 0 also without the lowest bits, which the table of ready tasks uses for places.
const RANK_MIN: u64 = 1 << 4;

/// A seeded random order among all tasks that are ready.
#[derive(Clone, Debug)]
pub struct Random {
    key: u64,
}

/// The ranks of a seed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ranks {
    key: u64,
}

impl Ranks {
    /// A poll's rank: above 0, as 0 marks a gap.
    #[inline]
    pub(crate) fn rank(self, task: u64, poll: u32) -> u64 {
        let poll = u64::from(poll).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let product = u128::from(self.key ^ task) * u128::from((poll ^ self.key.rotate_left(32)) | 1);
        ((product >> 64) as u64 ^ product as u64) | RANK_MIN
    }
}

impl Random {
    /// The order of this seed.
    pub fn new(seed: Seed) -> Random {
        Random { key: mix(seed.0 ^ 0x7363_6865_6475_6c65) }
    }

    /// How it ranks polls.
    pub(crate) fn ranks(&self) -> Ranks {
        Ranks { key: self.key }
    }
}

impl Strategy for Random {
    #[inline]
    fn pick(&mut self, ready: &[Ready], _: &Choice) -> usize {
        let (mut best, mut highest) = (0, ready[0].rank);
        for (index, ready) in ready.iter().enumerate() {
            best = if ready.rank > highest { index } else { best };
            highest = highest.max(ready.rank);
        }
        best
    }
}
