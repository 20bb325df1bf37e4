//! The objects that an informer knows, by name and by machine.

use crate::object::{Object, ProviderId};
use crate::store::Change;
use lkesim_runtime::Entity;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The objects of one kind as last heard of, by the hashes of their names.
pub struct Cache<T> {
    objects: BTreeMap<Entity, Rc<T>>,
    /// The objects of a machine, in the order of their names.
    by_provider_id: BTreeMap<ProviderId, Vec<Entity>>,
}

impl<T> Default for Cache<T> {
    fn default() -> Cache<T> {
        Cache { objects: BTreeMap::new(), by_provider_id: BTreeMap::new() }
    }
}

impl<T: Object> Cache<T> {
    /// The object of this name.
    pub fn get(&self, name: &str) -> Option<&Rc<T>> {
        let object = self.objects.get(&Entity::named(name))?;
        (*object.metadata().name == *name).then_some(object)
    }

    /// All objects, in an order that depends on their names alone and is not that of the names.
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
        let entities = self.by_provider_id.get(id).map_or(&[][..], |entities| entities);
        entities.iter().filter_map(|entity| self.objects.get(entity))
    }

    pub(super) fn apply(&mut self, change: &Change<T>) {
        let entity = change.latest().metadata().entity();
        let known = match &change.after {
            Some(after) => self.objects.insert(entity, after.clone()),
            None => self.objects.remove(&entity),
        };
        let old = known.as_deref().and_then(T::provider_id);
        let new = change.after.as_deref().and_then(T::provider_id);
        if old == new {
            return;
        }
        if let Some(id) = old {
            self.unindex(id, entity);
        }
        if let Some(id) = new {
            self.index(id.clone(), entity);
        }
    }

    fn index(&mut self, id: ProviderId, entity: Entity) {
        let objects = &self.objects;
        let name = |entity: &Entity| objects.get(entity).map(|object| &object.metadata().name);
        let entities = self.by_provider_id.entry(id).or_default();
        let place = entities.partition_point(|other| name(other) < name(&entity));
        entities.insert(place, entity);
    }

    fn unindex(&mut self, id: &ProviderId, entity: Entity) {
        if let Some(entities) = self.by_provider_id.get_mut(id) {
            entities.retain(|present| *present != entity);
            if entities.is_empty() {
                self.by_provider_id.remove(id);
            }
        }
    }
}
