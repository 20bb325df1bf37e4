//! What a provider remembers for a while.

use lkesim_runtime::{Runtime, Time};
use std::cell::{Cell, RefCell};
use std::time::Duration;

/// Values by key, each forgotten once more than a fixed time has passed since it was put in, as go-cache v2.1.0 does
/// (`cache.go`, `Get`), by the clock on the wall. No time at all keeps nothing.
///
/// A sorted list: whole lists of Linodes are put in, in order, again and again, and few are taken out.
pub struct TtlCache<K, V> {
    runtime: Runtime,
    ttl: Duration,
    entries: RefCell<Vec<Entry<K, V>>>,
    /// After the entry that was found last, where that of the next in order is.
    next: Cell<usize>,
}

struct Entry<K, V> {
    key: K,
    value: V,
    until: Time,
}

impl<K: Ord, V: Clone> TtlCache<K, V> {
    /// An empty cache whose entries live for `ttl`.
    pub fn new(runtime: Runtime, ttl: Duration) -> TtlCache<K, V> {
        TtlCache { runtime, ttl, entries: RefCell::default(), next: Cell::default() }
    }

    /// The value, unless its time is over.
    pub fn get(&self, key: &K) -> Option<V> {
        if self.ttl.is_zero() {
            return None;
        }
        let now = self.runtime.wall_clock();
        let entries = self.entries.borrow();
        let entry = self.place(&entries, key).ok().map(|at| &entries[at]);
        entry.filter(|entry| now <= entry.until).map(|entry| entry.value.clone())
    }

    /// Puts a value in; its time starts anew.
    pub fn put(&self, key: K, value: V) {
        let until = self.runtime.wall_clock() + self.ttl;
        let mut entries = self.entries.borrow_mut();
        match self.place(&entries, &key) {
            Ok(at) => entries[at] = Entry { key, value, until },
            Err(at) => entries.insert(at, Entry { key, value, until }),
        }
    }

    /// Starts the time of a value anew, if the one that is kept is the `same`; whether it was.
    pub fn renew(&self, key: &K, same: impl FnOnce(&V) -> bool) -> bool {
        let until = self.runtime.wall_clock() + self.ttl;
        let mut entries = self.entries.borrow_mut();
        match self.place(&entries, key) {
            Ok(at) if same(&entries[at].value) => {
                entries[at].until = until;
                true
            }
            _ => false,
        }
    }

    /// Forgets a value.
    pub fn remove(&self, key: &K) {
        let mut entries = self.entries.borrow_mut();
        if let Ok(at) = self.place(&entries, key) {
            entries.remove(at);
        }
    }

    /// Where the key is, or is to be.
    fn place(&self, entries: &[Entry<K, V>], key: &K) -> Result<usize, usize> {
        let next = self.next.get();
        let found = match entries.get(next) {
            Some(entry) if entry.key == *key => Ok(next),
            _ => entries.binary_search_by(|entry| entry.key.cmp(key)),
        };
        self.next.set(found.unwrap_or_else(|at| at) + 1);
        found
    }
}
