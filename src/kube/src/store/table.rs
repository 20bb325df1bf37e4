//! The objects of one kind, and who watches them.

use super::Change;
use crate::object::Object;
use lkesim_runtime::Time;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

/// Hears of each change of one kind at its commit. It must not write to the store.
pub trait Watcher<T> {
    /// A change was committed at `at`.
    fn on_change(&self, at: Time, change: &Change<T>);
}

/// The objects of one kind, by name.
pub struct Table<T> {
    objects: RefCell<BTreeMap<Rc<str>, Rc<T>>>,
    watchers: RefCell<Vec<Weak<dyn Watcher<T>>>>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table {
            objects: RefCell::default(),
            watchers: RefCell::default(),
        }
    }
}

impl<T: Object> Table<T> {
    pub(super) fn get(&self, name: &str) -> Option<Rc<T>> {
        self.objects.borrow().get(name).cloned()
    }

    pub(super) fn list(&self) -> Vec<Rc<T>> {
        self.objects.borrow().values().cloned().collect()
    }

    pub(super) fn len(&self) -> usize {
        self.objects.borrow().len()
    }

    pub(super) fn put(&self, object: Rc<T>) {
        let mut objects = self.objects.borrow_mut();
        match objects.get_mut(&object.metadata().name) {
            Some(present) => *present = object,
            None => drop(objects.insert(object.metadata().name.clone(), object)),
        }
    }

    pub(super) fn take(&self, name: &str) {
        self.objects.borrow_mut().remove(name);
    }

    pub(super) fn watch(&self, watcher: Weak<dyn Watcher<T>>) {
        let mut watchers = self.watchers.borrow_mut();
        // Watches of ended processes go when the next one starts.
        watchers.retain(|watcher| watcher.strong_count() > 0);
        watchers.push(watcher);
    }

    pub(super) fn tell(&self, at: Time, change: &Change<T>) {
        for watcher in self.watchers.borrow().iter() {
            if let Some(watcher) = watcher.upgrade() {
                watcher.on_change(at, change);
            }
        }
    }
}
