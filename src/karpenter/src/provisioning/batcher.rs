//! The batch window: a burst of pods is one pass.
//!
//! Core v1.9.0 `provisioning/batcher.go`. Upstream's wait gives up after a second without a trigger and is called again; here
//! it waits on, as nothing can come of that.

use lkesim_kube::object::Uid;
use lkesim_runtime::{Bell, Runtime};
use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

/// Cuts a stream of triggers into windows.
pub struct Batcher {
    runtime: Runtime,
    idle: Duration,
    max: Duration,
    armed: Bell,
    seen: RefCell<BTreeSet<Uid>>,
    /// Triggers in the order of their coming, for passes of one pod each.
    waiting: RefCell<VecDeque<Uid>>,
}

impl Batcher {
    /// A batcher whose windows end after `idle` without a new trigger, or `max` after they began.
    pub fn new(runtime: &Runtime, idle: Duration, max: Duration) -> Batcher {
        Batcher {
            runtime: runtime.clone(),
            idle,
            max,
            armed: Bell::new(),
            seen: RefCell::default(),
            waiting: RefCell::default(),
        }
    }

    /// Begins a window, or makes it longer. The same uid does so once a window; between windows it counts for the next.
    pub fn trigger(&self, uid: Uid) {
        if self.seen.borrow_mut().insert(uid) {
            self.waiting.borrow_mut().push_back(uid);
            self.armed.ring();
        }
    }

    /// Waits for a window and for its end.
    pub async fn wait(&self) {
        self.armed.heard().await;
        let end = self.runtime.now() + self.max;
        loop {
            let until = end.min(self.runtime.now() + self.idle);
            if self.runtime.timeout(until - self.runtime.now(), self.armed.heard()).await.is_err() {
                break;
            }
        }
        self.seen.borrow_mut().clear();
        self.waiting.borrow_mut().clear();
    }

    /// Waits for the next trigger, without a window.
    pub async fn next(&self) -> Uid {
        loop {
            if let Some(uid) = self.waiting.borrow_mut().pop_front() {
                self.seen.borrow_mut().remove(&uid);
                return uid;
            }
            self.armed.heard().await;
        }
    }
}

#[cfg(test)]
mod tests;
