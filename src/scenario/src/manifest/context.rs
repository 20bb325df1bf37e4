//! What objects refer to: priority classes, storage classes, volumes, namespaces, and which objects there are.

use super::metadata::Metadata;
use super::reader::Reader;
use crate::path::Segment;
use lkesim_kube::object::StringMap;
use lkesim_kube::object::meta::in_namespace;
use lkesim_scheduling::volumes::{PersistentVolume, StorageClass};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// `scheduling.k8s.io/v1` PriorityClass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriorityClass {
    /// The priority.
    pub value: i32,
    /// Whether its pods evict none.
    pub never_preempts: bool,
}

/// The classes that each cluster has (Kubernetes v1.33 `pkg/apis/scheduling/types.go`).
const BUILT_IN: [(&str, i32); 2] =
    [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];

/// What was read so far.
#[derive(Default)]
pub struct Context {
    pub priority_classes: BTreeMap<Rc<str>, PriorityClass>,
    pub default_priority_class: Option<Rc<str>>,
    pub storage_classes: BTreeMap<Rc<str>, StorageClass>,
    pub default_storage_class: Option<Rc<str>>,
    pub volumes: BTreeMap<Rc<str>, PersistentVolume>,
    pub namespaces: BTreeMap<Rc<str>, StringMap>,
    /// Each object by kind and name in the store.
    seen: BTreeSet<(&'static str, Rc<str>)>,
}

impl Context {
    /// The priority class of this name.
    pub fn priority_class(&self, name: &str) -> Option<PriorityClass> {
        let built_in = BUILT_IN.iter().find(|(known, _)| *known == name);
        let built_in = built_in.map(|(_, value)| PriorityClass { value: *value, never_preempts: false });
        built_in.or_else(|| self.priority_classes.get(name).copied())
    }

    /// The class of pods that name none.
    pub fn default_priority(&self) -> Option<PriorityClass> {
        self.priority_class(self.default_priority_class.as_ref()?)
    }

    /// All names of priority classes.
    pub fn priority_class_names(&self) -> Vec<&str> {
        BUILT_IN.iter().map(|(name, _)| *name).chain(self.priority_classes.keys().map(|name| &**name)).collect()
    }

    /// Notes that an object is there; nothing if one of its kind and name was there before.
    pub fn seen(&mut self, reader: &mut Reader, kind: &'static str, metadata: &Metadata) -> Option<()> {
        let name = match metadata.namespace.is_empty() {
            true => metadata.name.clone(),
            false => in_namespace(&metadata.namespace, &metadata.name),
        };
        if self.seen.insert((kind, name.clone())) {
            return Some(());
        }
        let message = format!("the {kind} `{name}` stands twice");
        reader.below(Segment::Key("metadata".to_owned()), |reader| reader.wrong_at("name", message));
        None
    }
}
