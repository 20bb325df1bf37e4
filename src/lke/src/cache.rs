//! What a provider remembers for a while.

use lkesim_runtime::{Runtime, Time};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

/// Values by key, each forgotten a fixed time after it was put in.
pub struct TtlCache<K, V> {
    runtime: Runtime,
    ttl: Duration,
    entries: RefCell<BTreeMap<K, (V, Time)>>,
}

impl<K: Ord, V: Clone> TtlCache<K, V> {
    /// An empty cache whose entries live for `ttl`.
    pub fn new(runtime: Runtime, ttl: Duration) -> TtlCache<K, V> {
        TtlCache { runtime, ttl, entries: RefCell::default() }
    }

    /// The value, unless its time is over.
    pub fn get(&self, key: &K) -> Option<V> {
        let now = self.runtime.now();
        let entries = self.entries.borrow();
        entries.get(key).filter(|(_, until)| now < *until).map(|(value, _)| value.clone())
    }

    /// Puts a value in; its time starts anew.
    pub fn put(&self, key: K, value: V) {
        let until = self.runtime.now() + self.ttl;
        self.entries.borrow_mut().insert(key, (value, until));
    }

    /// Forgets a value.
    pub fn remove(&self, key: &K) {
        self.entries.borrow_mut().remove(key);
    }
}
