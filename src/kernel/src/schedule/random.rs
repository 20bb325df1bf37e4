//! A random order, drawn by key.
//!
//! Each poll has a rank, drawn from (seed, task path, n-th poll), and the highest rank goes. So a task that is left out
//! leaves the order of all others as it was. And a task of low rank stays behind all others for the whole instant, which a
//! fresh draw for each choice would all but never do: a task that starves behind fourteen polls shows in one seed of
//! fifteen, instead of one of sixteen thousand.

use super::{Choice, Strategy};
use crate::ready::Ready;
use lkesim_runtime::random::mix;
use lkesim_runtime::{Seed, Word};

/// Sets larger than this are looked at through a window, so that a choice among a hundred thousand is still cheap.
const WINDOW: usize = 32;

/// A seeded random order among all tasks that are ready.
#[derive(Clone, Debug)]
pub struct Random {
    key: u64,
}

impl Random {
    /// The order of this seed.
    pub fn new(seed: Seed) -> Random {
        Random {
            key: mix(seed.0 ^ 0x7363_6865_6475_6c65),
        }
    }

    #[inline]
    fn rank(&self, ready: &Ready) -> u64 {
        let poll = u64::from(ready.poll).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let product =
            u128::from(self.key ^ ready.task) * u128::from(poll ^ self.key.rotate_left(32) | 1);
        (product >> 64) as u64 ^ product as u64
    }

    /// The index of the highest rank among `count` tasks from `start` on, and on from the front.
    #[inline]
    fn highest(&self, ready: &[Ready], start: usize, count: usize) -> usize {
        let (mut best, mut highest) = (start, self.rank(&ready[start]));
        let mut index = start;
        for _ in 1..count {
            index = if index + 1 < ready.len() {
                index + 1
            } else {
                0
            };
            let rank = self.rank(&ready[index]);
            if rank > highest {
                (best, highest) = (index, rank);
            }
        }
        best
    }

    /// Where the window begins is a draw by the first in line, so each ready task can be chosen.
    #[cold]
    fn highest_in_window(&self, ready: &[Ready], first: usize) -> usize {
        let draw = mix(self.rank(&ready[first]) ^ ready.len() as u64);
        let start = Word(draw).below(ready.len() as u64) as usize;
        self.highest(ready, start, WINDOW)
    }
}

impl Strategy for Random {
    #[inline]
    fn pick(&mut self, ready: &[Ready], choice: &Choice) -> usize {
        if ready.len() <= WINDOW {
            self.highest(ready, 0, ready.len())
        } else {
            self.highest_in_window(ready, choice.first)
        }
    }
}
