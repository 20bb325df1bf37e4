//! Replay: first-in-first-out, but for recorded departures.

use super::{Choice, Strategy};
use crate::deviations::{Deviation, Deviations, PollKey, Verb};
use crate::ready::Ready;
use std::collections::BTreeMap;

type Key = (u64, u32);

fn key_of(key: &PollKey) -> Key {
    (key.task.hash(), key.poll)
}

/// Repeats a run from its deviations.
///
/// Why it is exact: at a choice whose first in line is H, the recorded run took the earliest listed of the polls
/// "before H" that were ready, for all that are listed before it had been taken. As long as both runs agree, the same
/// are ready here.
pub struct Replay {
    deviations: Vec<Deviation>,
    /// The polls that go before a poll, in order: indices of `deviations`.
    before: BTreeMap<Key, Vec<usize>>,
    keys: Vec<Key>,
    matched: Vec<bool>,
}

impl Replay {
    /// The run that `deviations` were recorded in.
    pub fn new(deviations: &Deviations) -> Replay {
        let deviations = deviations.list.clone();
        let mut before: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
        for (index, deviation) in deviations.iter().enumerate() {
            let Verb::Before(other) = &deviation.verb;
            before.entry(key_of(other)).or_default().push(index);
        }
        Replay {
            keys: deviations.iter().map(|deviation| key_of(&deviation.key)).collect(),
            matched: vec![false; deviations.len()],
            deviations,
            before,
        }
    }

    /// The deviations that changed nothing so far: after a run, those that belong to another one.
    pub fn unmatched(&self) -> Vec<Deviation> {
        let pairs = self.deviations.iter().zip(&self.matched);
        pairs.filter(|(_, matched)| !**matched).map(|(deviation, _)| deviation.clone()).collect()
    }
}

impl Strategy for Replay {
    fn pick(&mut self, ready: &[Ready], _: &Choice) -> usize {
        let first = &ready[0];
        let Some(listed) = self.before.get(&(first.task, first.poll)) else {
            return 0;
        };
        for &index in listed.iter().filter(|&&index| !self.matched[index]) {
            let key = self.keys[index];
            let found = ready.iter().position(|ready| (ready.task, ready.poll) == key);
            if let Some(found) = found.filter(|&found| found != 0) {
                self.matched[index] = true;
                return found;
            }
        }
        0
    }
}
