//! Locks by key, first come first served.
//!
//! Source: design document, "Concurrency model": an in-process keyed mutex. A key keeps its mutex for the life of the process;
//! there are as many as LKE pools.

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
