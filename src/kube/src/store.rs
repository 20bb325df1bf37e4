//! The objects of one cluster, with the rules of the API server.
//!
//! Every write commits at once and synchronously: it gets the next resource version, then observers see it, then the
//! watches. Latency is the client's business, staleness the informer's; the store itself is the truth.

mod pods;
mod table;

pub(crate) use table::sort;
pub use table::{Table, Watcher};

use crate::ApiError;
use crate::object::{
    ConfigMap, Node, NodeClaim, NodeClass, NodePool, Object, ObjectMeta, Pod, PodDisruptionBudget, Uid, Workload,
};
use lkesim_runtime::{Entity, Time};
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::time::Duration;

/// A committed change of one object, as the truth knows it.
#[derive(Clone, Debug)]
pub struct StoreChange {
    /// When it was committed.
    pub at: Time,
    /// Who wrote it: a controller's name, `kubelet`, `workload`.
    pub by: &'static str,
    /// The version that it made.
    pub resource_version: u64,
    /// The object before and after.
    pub object: ObjectChange,
}

/// The object of a [`StoreChange`], by kind.
#[derive(Clone, Debug)]
pub enum ObjectChange {
    /// A NodeClaim changed.
    NodeClaim(Change<NodeClaim>),
    /// A Node changed.
    Node(Change<Node>),
    /// A NodePool changed.
    NodePool(Change<NodePool>),
    /// A NodeClass changed.
    NodeClass(Change<NodeClass>),
    /// A ConfigMap changed.
    ConfigMap(Change<ConfigMap>),
    /// A Pod changed.
    Pod(Change<Pod>),
    /// What makes pods changed.
    Workload(Change<Workload>),
    /// A PodDisruptionBudget changed.
    PodDisruptionBudget(Change<PodDisruptionBudget>),
}

/// An object before and after a change; at least one is there.
#[derive(Clone, Debug)]
pub struct Change<T> {
    /// The version before; `None` if the object was created.
    pub before: Option<Rc<T>>,
    /// The version after; `None` if the object went.
    pub after: Option<Rc<T>>,
}

impl<T> Change<T> {
    /// The object as it is, or as it last was.
    ///
    /// # Panics
    /// On a change of nothing, which no store makes.
    pub fn latest(&self) -> &Rc<T> {
        self.after.as_ref().or(self.before.as_ref()).expect("a change has a side")
    }
}

/// Follows the truth: called at each commit, before any watch hears of it.
///
/// It must not write to the store. The store holds it strongly, so it must not hold the store strongly.
pub trait StoreObserver {
    /// A change was committed.
    fn on_change(&self, change: &StoreChange);
}

/// When and by whom a write is made.
#[derive(Clone, Copy, Debug)]
pub struct Write {
    /// The present.
    pub at: Time,
    /// The writer's name, for traces.
    pub by: &'static str,
}

/// Which half of an object a patch may change, as `Patch` and `Status().Patch` do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Metadata and spec.
    Object,
    /// Status.
    Status,
}

/// Whether a patch insists on the version that it was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// Refused with [`ApiError::Conflict`] if the object changed since.
    Optimistic,
    /// Applied to whatever is there.
    None,
}

/// How a deletion is asked for (`metav1.DeleteOptions`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeleteOptions {
    /// How long the object may take to go; `None` leaves it to the object, zero is by force.
    pub grace: Option<Duration>,
    /// Only the object with this uid is meant.
    pub uid: Option<Uid>,
}

/// The tables, one a kind.
#[derive(Default)]
pub struct Tables {
    pub(crate) node_claims: Table<NodeClaim>,
    pub(crate) nodes: Table<Node>,
    pub(crate) node_pools: Table<NodePool>,
    pub(crate) node_classes: Table<NodeClass>,
    pub(crate) config_maps: Table<ConfigMap>,
    pub(crate) pods: Table<Pod>,
    pub(crate) workloads: Table<Workload>,
    pub(crate) pod_disruption_budgets: Table<PodDisruptionBudget>,
}

/// The objects of one cluster. Clones share them.
#[derive(Clone, Default)]
pub struct Store(Rc<Inner>);

#[derive(Default)]
struct Inner {
    tables: Tables,
    resource_version: Cell<u64>,
    last_uid: Cell<u64>,
    observers: RefCell<Vec<Rc<dyn StoreObserver>>>,
}

impl Store {
    /// An empty cluster.
    pub fn new() -> Store {
        Store::default()
    }

    /// An empty cluster whose first object has the uid after this one: uids of several clusters must differ.
    pub fn with_uids_after(last: u64) -> Store {
        let store = Store::default();
        store.0.last_uid.set(last);
        store
    }

    /// Lets `observer` follow all changes from now on.
    pub fn observe(&self, observer: Rc<dyn StoreObserver>) {
        self.0.observers.borrow_mut().push(observer);
    }

    /// Tells `watcher` of each change of its kind from now on, until it is dropped.
    pub fn watch<T: Object>(&self, watcher: Weak<dyn Watcher<T>>) {
        self.table::<T>().watch(watcher);
    }

    /// The latest resource version: how many writes changed something.
    pub fn resource_version(&self) -> u64 {
        self.0.resource_version.get()
    }

    /// The object of this name.
    pub fn get<T: Object>(&self, name: &str) -> Option<Rc<T>> {
        self.table::<T>().get(Entity::named(name), name)
    }

    /// All objects of a kind, by name.
    pub fn list<T: Object>(&self) -> Vec<Rc<T>> {
        self.table::<T>().list()
    }

    /// How many objects of a kind there are.
    pub fn count<T: Object>(&self) -> usize {
        self.table::<T>().len()
    }

    /// Adds a new object. The store sets uid, versions and creation time, and clears a deletion time.
    ///
    /// # Errors
    /// [`ApiError::AlreadyExists`] if the name is taken, be it by an object that is being deleted.
    pub fn create<T: Object>(&self, write: Write, mut object: T) -> Result<Rc<T>, ApiError> {
        // A copy of an object may have been given another name.
        object.metadata_mut().rename();
        object.admit();
        if let Some(present) = self.find::<T>(object.metadata()) {
            return Err(ApiError::AlreadyExists { kind: T::KIND, name: present.metadata().name.clone() });
        }
        let uid = self.0.last_uid.get() + 1;
        self.0.last_uid.set(uid);
        let metadata = object.metadata_mut();
        metadata.uid = Uid(uid);
        metadata.creation_timestamp = write.at;
        metadata.deletion_timestamp = None;
        metadata.revision = 0;
        metadata.generation = 1;
        Ok(self.commit(write, None, object))
    }

    /// Applies the difference of `base` and `changed` to one half of the object of that name, as a merge patch does. A
    /// patch that changes nothing makes no new version. An object that is being deleted goes with its last finalizer;
    /// its last version is returned.
    ///
    /// # Errors
    /// [`ApiError::NotFound`]; [`ApiError::Conflict`] if the lock is lost; [`ApiError::Invalid`] for a finalizer added
    /// to an object that is being deleted.
    pub fn patch<T: Object>(
        &self,
        write: Write,
        base: &T,
        changed: &T,
        part: Part,
        lock: Lock,
    ) -> Result<Rc<T>, ApiError> {
        let before = self.require::<T>(base.metadata())?;
        if lock == Lock::Optimistic && before.metadata().resource_version != base.metadata().resource_version {
            return Err(conflict(&*before));
        }
        let mut after = T::clone(&before);
        match part {
            Part::Status => after.merge_status(base, changed),
            Part::Object => {
                after.metadata_mut().merge(base.metadata(), changed.metadata());
                after.merge_spec(base, changed);
                if !after.has_spec_of(&before) {
                    after.metadata_mut().generation += 1;
                }
            }
        }
        self.replace(write, before, after)
    }

    /// Replaces one half of the object, with the lock that every update has.
    ///
    /// # Errors
    /// As for [`Store::patch`].
    pub fn update<T: Object>(&self, write: Write, object: &T, part: Part) -> Result<Rc<T>, ApiError> {
        let before = self.require::<T>(object.metadata())?;
        if before.metadata().resource_version != object.metadata().resource_version {
            return Err(conflict(&*before));
        }
        self.patch(write, &*before, object, part, Lock::None)
    }

    /// Asks for the deletion of an object: it goes at once if it has no finalizer and takes no grace, else it gets a
    /// deletion time. Again changes nothing.
    ///
    /// # Errors
    /// [`ApiError::NotFound`].
    pub fn delete<T: Object>(&self, write: Write, name: &str) -> Result<(), ApiError> {
        self.delete_with::<T>(write, name, DeleteOptions::default())
    }

    /// The same with options. Of an object that takes grace, a later deletion may bring its end nearer and never
    /// further away (Kubernetes v1.33 `staging/src/k8s.io/apiserver/pkg/registry/rest/delete.go` BeforeDelete).
    ///
    /// # Errors
    /// [`ApiError::NotFound`], and [`ApiError::Conflict`] if the object has another uid.
    pub fn delete_with<T: Object>(&self, write: Write, name: &str, options: DeleteOptions) -> Result<(), ApiError> {
        let before = self.get::<T>(name).ok_or_else(|| not_found::<T>(name.into()))?;
        let metadata = before.metadata();
        if options.uid.is_some_and(|uid| uid != metadata.uid) {
            return Err(conflict(&*before));
        }
        let grace = before.grace(options.grace).filter(|grace| !grace.is_zero());
        if metadata.finalizers.is_empty() && grace.is_none() {
            self.remove(write, before);
            return Ok(());
        }
        let at = write.at + grace.unwrap_or_default();
        let is_sooner = grace.is_some() && options.grace.is_some();
        if metadata.deletion_timestamp.is_none_or(|present| is_sooner && at < present) {
            let mut after = T::clone(&before);
            after.metadata_mut().generation += u64::from(!before.metadata().is_deleting());
            after.metadata_mut().deletion_timestamp = Some(at);
            self.commit(write, Some(before), after);
        }
        Ok(())
    }

    fn replace<T: Object>(&self, write: Write, before: Rc<T>, after: T) -> Result<Rc<T>, ApiError> {
        let (old, new) = (before.metadata(), after.metadata());
        if new.is_deleting() && new.finalizers.iter().any(|finalizer| !old.has_finalizer(finalizer)) {
            return Err(ApiError::Invalid {
                kind: T::KIND,
                name: old.name.clone(),
                reason: "an object that is being deleted takes no new finalizer",
            });
        }
        if *before == after {
            return Ok(before);
        }
        let has_gone = new.finalizers.is_empty() && after.grace(None).is_none_or(|grace| grace.is_zero());
        if new.is_deleting() && has_gone {
            self.remove(write, before);
            return Ok(Rc::new(after));
        }
        Ok(self.commit(write, Some(before), after))
    }

    fn commit<T: Object>(&self, write: Write, before: Option<Rc<T>>, mut after: T) -> Rc<T> {
        let metadata = after.metadata_mut();
        metadata.resource_version = self.next_version();
        metadata.revision += 1;
        let after = Rc::new(after);
        self.table::<T>().put(after.clone());
        self.announce(write, before, Some(after.clone()));
        after
    }

    fn remove<T: Object>(&self, write: Write, before: Rc<T>) {
        self.next_version();
        self.table::<T>().take(before.metadata().entity());
        self.announce(write, Some(before), None);
    }

    fn announce<T: Object>(&self, write: Write, before: Option<Rc<T>>, after: Option<Rc<T>>) {
        let change = Change { before, after };
        if !self.0.observers.borrow().is_empty() {
            let told = StoreChange {
                at: write.at,
                by: write.by,
                resource_version: self.resource_version(),
                object: T::to_change(change.clone()),
            };
            let observers = self.0.observers.borrow();
            for observer in observers.iter() {
                observer.on_change(&told);
            }
        }
        self.table::<T>().tell(write.at, &change);
    }

    fn find<T: Object>(&self, metadata: &ObjectMeta) -> Option<Rc<T>> {
        self.table::<T>().get(metadata.entity(), &metadata.name)
    }

    fn require<T: Object>(&self, metadata: &ObjectMeta) -> Result<Rc<T>, ApiError> {
        self.find::<T>(metadata).ok_or_else(|| not_found::<T>(metadata.name.clone()))
    }

    fn next_version(&self) -> u64 {
        let version = self.0.resource_version.get() + 1;
        self.0.resource_version.set(version);
        version
    }

    fn table<T: Object>(&self) -> &Table<T> {
        T::table(&self.0.tables)
    }
}

fn not_found<T: Object>(name: Rc<str>) -> ApiError {
    ApiError::NotFound { kind: T::KIND, name }
}

fn conflict<T: Object>(present: &T) -> ApiError {
    ApiError::Conflict { kind: T::KIND, name: present.metadata().name.clone() }
}

#[cfg(test)]
mod tests;
