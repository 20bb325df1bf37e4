//! The objects of one kind, and who watches them.

use super::Change;
use crate::object::Object;
use lkesim_runtime::{Entity, Time};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

/// Hears of each change of one kind at its commit. It must not write to the store.
pub trait Watcher<T> {
    /// A change was committed at `at`.
    fn on_change(&self, at: Time, change: &Change<T>);
}

/// The objects of one kind, by the hashes of their names.
///
/// Names of one cluster begin alike, so that comparing them costs more than all else in a look-up.
pub struct Table<T> {
    objects: RefCell<BTreeMap<Entity, Rc<T>>>,
    watchers: RefCell<Vec<Weak<dyn Watcher<T>>>>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table { objects: RefCell::default(), watchers: RefCell::default() }
    }
}

impl<T: Object> Table<T> {
    pub(super) fn get(&self, entity: Entity, name: &str) -> Option<Rc<T>> {
        let objects = self.objects.borrow();
        let object = objects.get(&entity)?;
        (*object.metadata().name == *name).then(|| object.clone())
    }

    /// All objects, by name.
    pub(super) fn list(&self) -> Vec<Rc<T>> {
        let mut list: Vec<_> = self.objects.borrow().values().cloned().collect();
        sort(&mut list);
        list
    }

    pub(super) fn len(&self) -> usize {
        self.objects.borrow().len()
    }

    /// Puts an object in place of its version before.
    ///
    /// # Panics
    /// If the names of two objects share a hash: once in 2⁶⁴ pairs.
    pub(super) fn put(&self, object: Rc<T>) {
        let metadata = object.metadata();
        let (entity, name) = (metadata.entity(), metadata.name.clone());
        let before = self.objects.borrow_mut().insert(entity, object);
        let same = before.is_none_or(|before| before.metadata().name == name);
        assert!(same, "the name {name:?} shares its hash with another");
    }

    pub(super) fn take(&self, entity: Entity) {
        self.objects.borrow_mut().remove(&entity);
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

/// Puts objects in the order of their names.
pub(crate) fn sort<T: Object>(objects: &mut [Rc<T>]) {
    objects.sort_unstable_by(|one, two| one.metadata().name.cmp(&two.metadata().name));
}
