//! What Go leaves to chance: the order in which a map is walked.
//!
//! Go begins at a random place each time. Here each walk is a keyed draw of its own, so that a seed repeats it and no
//! other luck depends on how often maps were walked. Every order is as likely as any other, which in Go holds only
//! nearly.

use lkesim_runtime::{Entity, Key, Seed};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The luck of one process.
pub struct Ties {
    key: Key,
    process: u64,
    walks: RefCell<BTreeMap<Entity, u64>>,
}

impl Ties {
    /// The luck of the `process`-th process of a run.
    pub fn new(seed: Seed, process: u64) -> Ties {
        Ties { key: seed.key("ties"), process, walks: RefCell::default() }
    }

    /// Which of its cluster's processes it is.
    pub const fn process(&self) -> u64 {
        self.process
    }

    /// Brings the entries of a map into the order of its next walk. `map` tells maps apart, `key` the entries of one.
    pub fn walk<T>(&self, map: &str, entries: &mut [T], key: impl Fn(&T) -> &str) {
        let map = Entity::named(map).and(self.process);
        let mut walks = self.walks.borrow_mut();
        let walk = walks.entry(map).or_default();
        *walk += 1;
        entries.sort_by_cached_key(|entry| {
            let key = key(entry);
            (self.key.draw(map.and_name(key), *walk).0, key.to_owned())
        });
    }
}

#[cfg(test)]
mod tests;
