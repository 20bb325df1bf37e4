//! Locks by key, first come first served.
//!
//! Sources: design document, "Concurrency model": an in-process keyed mutex. A key keeps its mutex for the life of the
//! process; there are as many as LKE pools. The shipped providers take one of a few mutexes by the key's hash.
//!
//! Go's mutex hands over in the order of waiting once somebody has waited for 1 ms, which every call of the API
//! outlasts.

use crate::fnv::fnv1a_32;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use tokio::sync::{Mutex, OwnedMutexGuard};

/// What a lock stands for: one LKE pool to be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PoolKey {
    /// The Karpenter NodePool.
    pub node_pool: Rc<str>,
    /// The instance type.
    pub plan: Rc<str>,
}

/// One mutex for each key.
#[derive(Default)]
pub struct KeyedLocks {
    locks: RefCell<BTreeMap<PoolKey, std::sync::Arc<Mutex<()>>>>,
}

impl KeyedLocks {
    /// Waits for the key's lock. It is released when the guard is dropped.
    pub async fn lock(&self, key: &PoolKey) -> OwnedMutexGuard<()> {
        let known = self.locks.borrow().get(key).cloned();
        let lock = known.unwrap_or_else(|| self.locks.borrow_mut().entry(key.clone()).or_default().clone());
        lock.lock_owned().await
    }
}

/// A few mutexes, of which a key has one by its hash: keys may share one.
///
/// Source: `keymutex.NewHashed(0)` of k8s.io/utils, provider e1c5200 pkg/providers/lke/lke.go:105: as many as Go counts
/// CPUs, chosen by FNV-1a of `<NodePool>|<type>` (lke.go:653).
pub struct StripedLocks(Vec<std::sync::Arc<Mutex<()>>>);

impl StripedLocks {
    /// So many mutexes, at least one.
    pub fn new(stripes: u32) -> StripedLocks {
        StripedLocks((0..stripes.max(1)).map(|_| Default::default()).collect())
    }

    /// Waits for the lock of the key and of all that share it. It is released when the guard is dropped.
    pub async fn lock(&self, key: &PoolKey) -> OwnedMutexGuard<()> {
        self.0[self.stripe(key)].clone().lock_owned().await
    }

    /// Which mutex the key has.
    pub fn stripe(&self, key: &PoolKey) -> usize {
        let hash = fnv1a_32(&format!("{}|{}", key.node_pool, key.plan));
        hash as usize % self.0.len()
    }
}

#[cfg(test)]
mod tests;
