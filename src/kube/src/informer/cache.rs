//! The objects that an informer knows, by name and by machine.

use crate::object::{Object, ProviderId};
use crate::store::Change;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The objects of one kind as last heard of.
pub struct Cache<T> {
    objects: BTreeMap<Rc<str>, Rc<T>>,
    by_provider_id: BTreeMap<ProviderId, Vec<Rc<str>>>,
}

impl<T> Default for Cache<T> {
    fn default() -> Cache<T> {
        Cache {
            objects: BTreeMap::new(),
            by_provider_id: BTreeMap::new(),
        }
    }
}

impl<T: Object> Cache<T> {
    /// The object of this name.
    pub fn get(&self, name: &str) -> Option<&Rc<T>> {
        self.objects.get(name)
    }

    /// All objects, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Rc<T>> {
        self.objects.values()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// The objects of this machine, by name.
    pub fn by_provider_id(&self, id: &ProviderId) -> impl Iterator<Item = &Rc<T>> {
        let names = self.by_provider_id.get(id).map_or(&[][..], |names| names);
        names.iter().filter_map(|name| self.objects.get(name))
    }

    pub(super) fn apply(&mut self, change: &Change<T>) {
        let name = &change.latest().metadata().name;
        let known = match &change.after {
            Some(after) => match self.objects.get_mut(name) {
                Some(present) => Some(std::mem::replace(present, after.clone())),
                None => self.objects.insert(name.clone(), after.clone()),
            },
            None => self.objects.remove(name),
        };
        let old = known.as_deref().and_then(T::provider_id);
        let new = change.after.as_deref().and_then(T::provider_id);
        if old == new {
            return;
        }
        if let Some(id) = old {
            self.unindex(id, name);
        }
        if let Some(id) = new {
            let names = self.by_provider_id.entry(id.clone()).or_default();
            if let Err(place) = names.binary_search(name) {
                names.insert(place, name.clone());
            }
        }
    }

    fn unindex(&mut self, id: &ProviderId, name: &Rc<str>) {
        if let Some(names) = self.by_provider_id.get_mut(id) {
            names.retain(|present| present != name);
            if names.is_empty() {
                self.by_provider_id.remove(id);
            }
        }
    }
}
