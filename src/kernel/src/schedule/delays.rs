//! Timers that fire late: what stands between two events that are not due at the same instant.
//!
//! A process that the operating system gave no time, a collection of garbage, a slow network: each makes a timer late
//! by a little, or by much. A late timer is recorded like any other departure.

use super::Setting;
use lkesim_runtime::{Entity, Key, Ppm, Seed, TaskName};
use std::collections::BTreeSet;
use std::time::Duration;

/// Which polls' timers fire late, and by how much.
#[derive(Clone, Debug)]
pub struct Delays {
    key: Key,
    chance: Ppm,
    lengths: Vec<Duration>,
    exempt: BTreeSet<u64>,
}

impl Delays {
    /// The timers of a poll fire late with this chance, by one of these lengths.
    pub fn new(seed: Seed, chance: Ppm, lengths: &[Duration]) -> Delays {
        Delays { key: seed.key("schedule.delays"), chance, lengths: lengths.to_vec(), exempt: BTreeSet::new() }
    }

    /// The same, but for these tasks of the run: those that play the world, not a part of it.
    pub fn sparing(mut self, tasks: &[&'static str]) -> Delays {
        self.exempt.extend(tasks.iter().map(|task| crate::TaskPath::of_run(&TaskName::from(*task)).hash()));
        self
    }

    /// How much later the timers of a poll fire.
    pub(crate) fn of(&self, setting: &Setting) -> Duration {
        let whose = Entity::numbered(setting.task);
        let poll = u64::from(setting.poll);
        if self.exempt.contains(&setting.task) || !self.key.draw(whose.and(1), poll).happens(self.chance) {
            return Duration::ZERO;
        }
        let length = self.key.draw(whose.and(2), poll).below(self.lengths.len() as u64);
        self.lengths.get(length as usize).copied().unwrap_or_default()
    }
}
