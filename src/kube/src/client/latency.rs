//! How long calls to the API server take.

use crate::object::Kind;
use lkesim_runtime::{Entity, Key, Quantiles, Seed, Tally};
use std::cell::RefCell;
use std::time::Duration;

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    /// Adds an object.
    Create,
    /// Reads one.
    Get,
    /// Reads all of a kind.
    List,
    /// Patches metadata and spec.
    Patch,
    /// Patches the status.
    PatchStatus,
    /// Asks for a deletion.
    Delete,
    /// Binds a pod to a node.
    Bind,
    /// Asks for a pod's eviction.
    Evict,
}

/// Draws the latency of calls. The n-th call with one verb to one object has the same luck in every run of a seed.
pub struct Latency {
    quantiles: Quantiles,
    key: Key,
    counts: RefCell<Tally>,
}

impl Latency {
    /// Draws from `quantiles`.
    pub fn new(seed: Seed, quantiles: Quantiles) -> Latency {
        Latency { quantiles, key: seed.key("kube.call"), counts: RefCell::default() }
    }

    /// The round trip of the next such call.
    pub fn draw(&self, verb: Verb, kind: Kind, entity: Entity) -> Duration {
        if self.quantiles.is_zero() {
            return Duration::ZERO;
        }
        let entity = entity.and((kind as u64) << 8 | verb as u64);
        let n = self.counts.borrow_mut().next(entity);
        self.quantiles.draw(self.key.draw(entity, n))
    }
}
