//! An order by priorities, few of which change.
//!
//! Source: Burckhardt and others, "A randomized scheduler with probabilistic guarantees of finding bugs" (PCT, 2010). A
//! bug that needs d orderings of events shows with a chance that falls with the number of choices to the power d - 1
//! alone, however many tasks there are; most bugs need one or two.

use super::{Choice, Strategy};
use crate::ready::Ready;
use lkesim_runtime::{Entity, Key, Seed};
use std::collections::{BTreeMap, BTreeSet};

/// Each task has a random priority, and the highest goes. At a few choices, drawn beforehand, who would go falls below
/// all others for good.
#[derive(Clone, Debug)]
pub struct Priorities {
    key: Key,
    /// Choices at which a priority falls.
    changes: BTreeSet<u64>,
    /// Tasks that fell, and how many had before.
    fallen: BTreeMap<u64, u64>,
    /// Choices so far.
    choices: u64,
}

impl Priorities {
    /// Priorities of this seed, with as many changes, spread over the first `choices` choices.
    pub fn new(seed: Seed, changes: u32, choices: u64) -> Priorities {
        let key = seed.key("schedule.priorities");
        let change = |n: u32| key.draw(Entity::named("change"), n.into()).below(choices);
        Priorities { key, changes: (0..changes).map(change).collect(), fallen: BTreeMap::new(), choices: 0 }
    }

    /// Among those that did not fall the drawn priority counts; of the fallen, who fell first is the higher.
    fn priority(&self, ready: &Ready) -> (bool, u64) {
        match self.fallen.get(&ready.task) {
            Some(before) => (false, u64::MAX - before),
            None => (true, self.key.draw(Entity::numbered(ready.task), 0).0),
        }
    }

    fn highest(&self, ready: &[Ready]) -> usize {
        (0..ready.len()).max_by_key(|index| self.priority(&ready[*index])).unwrap_or(0)
    }
}

impl Strategy for Priorities {
    fn pick(&mut self, ready: &[Ready], _: &Choice) -> usize {
        let chosen = self.highest(ready);
        let falls = self.changes.contains(&self.choices);
        self.choices += 1;
        if !falls {
            return chosen;
        }
        self.fallen.insert(ready[chosen].task, self.fallen.len() as u64);
        self.highest(ready)
    }
}
