//! ConfigMap: strings under keys, kept for whoever wants to remember something beyond its process.

use super::{Kind, Object, ObjectMeta, StringMap};
use crate::store::{Change, ObjectChange, Table, Tables};
use std::rc::Rc;

/// `v1` ConfigMap, with its strings alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigMap {
    /// Name, versions, labels.
    pub metadata: ObjectMeta,
    /// The strings.
    pub data: StringMap,
}

impl ConfigMap {
    /// A new ConfigMap.
    pub fn new(name: impl Into<Rc<str>>, data: StringMap) -> ConfigMap {
        ConfigMap { metadata: ObjectMeta::named(name), data }
    }

    /// Its name.
    pub fn name(&self) -> &Rc<str> {
        &self.metadata.name
    }
}

impl Object for ConfigMap {
    const KIND: Kind = Kind::ConfigMap;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }

    /// A ConfigMap's data stand where other kinds have a spec.
    fn merge_spec(&mut self, base: &ConfigMap, changed: &ConfigMap) {
        self.data.merge(&base.data, &changed.data);
    }

    fn merge_status(&mut self, _: &ConfigMap, _: &ConfigMap) {}

    fn to_change(change: Change<ConfigMap>) -> ObjectChange {
        ObjectChange::ConfigMap(change)
    }

    fn table(tables: &Tables) -> &Table<ConfigMap> {
        &tables.config_maps
    }
}
