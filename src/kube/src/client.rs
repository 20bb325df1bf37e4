//! The typed client: the store behind the latency of a call.

mod latency;

pub use latency::{Latency, Verb};

use crate::ApiError;
use crate::object::{Kind, Object, Pod};
use crate::store::{DeleteOptions, Lock, Part, Store, Write};
use lkesim_runtime::{Entity, Quantiles, Runtime, Seed};
use std::cell::RefCell;
use std::future::Future;
use std::rc::Rc;

/// A call that reaches the API server.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// What is asked.
    pub verb: Verb,
    /// The kind it is asked of.
    pub kind: Kind,
    /// The object's name; empty for a list.
    pub name: &'a str,
    /// Who asks.
    pub by: &'static str,
}

/// What a [`CallFault`] does to a call.
#[derive(Clone, Debug)]
pub enum CallVerdict {
    /// It is served.
    Serve,
    /// It is refused with this error, and nothing is written.
    Refuse(ApiError),
    /// It is served, but the answer is lost: the caller sees this error.
    LoseAnswer(ApiError),
}

/// Decides on faults of the API server, at the moment at which a call reaches it.
pub trait CallFault {
    /// What becomes of `call`.
    fn judge(&self, call: &Call<'_>) -> CallVerdict;
}

/// A way to the API server of one cluster. Clones share everything but the writer's name.
///
/// A call takes its latency as a round trip, half of it before the server acts. Reads of controllers go through
/// [`crate::informer::Informer`] instead, as those of controller-runtime's client do.
#[derive(Clone)]
pub struct Client {
    shared: Rc<Shared>,
    by: &'static str,
}

struct Shared {
    runtime: Runtime,
    store: Store,
    latency: Latency,
    fault: RefCell<Option<Rc<dyn CallFault>>>,
}

impl Client {
    /// A client of `store`, whose calls take `latency`. Clone it for all processes of the cluster: the how-manieth
    /// call of a kind to an object decides on its luck, also across restarts.
    pub fn new(runtime: Runtime, store: Store, seed: Seed, latency: Quantiles) -> Client {
        Client {
            shared: Rc::new(Shared { runtime, store, latency: Latency::new(seed, latency), fault: RefCell::default() }),
            by: "client",
        }
    }

    /// The same client, writing under this name.
    pub fn named(&self, by: &'static str) -> Client {
        Client { shared: self.shared.clone(), by }
    }

    /// The name that it writes under.
    pub fn writer(&self) -> &'static str {
        self.by
    }

    /// Lets `fault` judge all calls of this client and its clones.
    pub fn set_fault(&self, fault: Option<Rc<dyn CallFault>>) {
        *self.shared.fault.borrow_mut() = fault;
    }

    /// The store behind it.
    pub fn store(&self) -> &Store {
        &self.shared.store
    }

    /// The latency of its calls, which an informer's first list takes too.
    pub fn latency(&self) -> &Latency {
        &self.shared.latency
    }

    /// Adds a new object.
    ///
    /// # Errors
    /// [`ApiError::AlreadyExists`].
    pub async fn create<T: Object>(&self, object: T) -> Result<Rc<T>, ApiError> {
        let (entity, name) = (object.metadata().entity(), object.metadata().name.clone());
        let create = |store: &Store, write| store.create(write, object);
        self.call::<T, _, _>(Verb::Create, entity, &name, create).await
    }

    /// Adds an object that is there before any call: at once, past latency and faults. One that is there stays as it
    /// is.
    pub fn place<T: Object>(&self, object: T) -> Option<Rc<T>> {
        let Shared { runtime, store, .. } = &*self.shared;
        store.create(Write { at: runtime.now(), by: self.by }, object).ok()
    }

    /// Reads an object from the server, not from a cache.
    ///
    /// # Errors
    /// [`ApiError::NotFound`].
    pub async fn get<T: Object>(&self, name: &str) -> Result<Rc<T>, ApiError> {
        let read = |store: &Store, _| {
            store.get::<T>(name).ok_or_else(|| ApiError::NotFound { kind: T::KIND, name: name.into() })
        };
        self.call::<T, _, _>(Verb::Get, Entity::named(name), name, read).await
    }

    /// Reads all objects of a kind from the server, by name.
    ///
    /// # Errors
    /// Those of a fault.
    pub async fn list<T: Object>(&self) -> Result<Vec<Rc<T>>, ApiError> {
        let list = |store: &Store, _| Ok(store.list::<T>());
        self.call::<T, _, _>(Verb::List, Entity::numbered(0), "", list).await
    }

    /// Patches metadata and spec with the difference of two versions.
    ///
    /// # Errors
    /// Those of [`Store::patch`].
    pub fn patch<'a, T: Object>(
        &'a self,
        base: &'a T,
        changed: &'a T,
        lock: Lock,
    ) -> impl Future<Output = Result<Rc<T>, ApiError>> + 'a {
        self.patch_part(Verb::Patch, base, changed, Part::Object, lock)
    }

    /// Patches the status with the difference of two versions.
    ///
    /// # Errors
    /// Those of [`Store::patch`].
    pub fn patch_status<'a, T: Object>(
        &'a self,
        base: &'a T,
        changed: &'a T,
        lock: Lock,
    ) -> impl Future<Output = Result<Rc<T>, ApiError>> + 'a {
        self.patch_part(Verb::PatchStatus, base, changed, Part::Status, lock)
    }

    /// Asks for the deletion of an object, whatever its version.
    ///
    /// # Errors
    /// [`ApiError::NotFound`].
    pub fn delete<'a, T: Object>(&'a self, object: &'a T) -> impl Future<Output = Result<(), ApiError>> + 'a {
        let metadata = object.metadata();
        let delete = |store: &Store, write| store.delete::<T>(write, &metadata.name);
        self.call::<T, _, _>(Verb::Delete, metadata.entity(), &metadata.name, delete)
    }

    /// Asks for the deletion of an object, with options.
    ///
    /// # Errors
    /// [`ApiError::NotFound`], and [`ApiError::Conflict`] if the object has another uid.
    pub fn delete_with<'a, T: Object>(
        &'a self,
        object: &'a T,
        options: DeleteOptions,
    ) -> impl Future<Output = Result<(), ApiError>> + 'a {
        let metadata = object.metadata();
        let delete = move |store: &Store, write| store.delete_with::<T>(write, &metadata.name, options);
        self.call::<T, _, _>(Verb::Delete, metadata.entity(), &metadata.name, delete)
    }

    /// Binds a pod to a node: the scheduler's word.
    ///
    /// # Errors
    /// Those of [`Store::bind`].
    pub fn bind<'a>(&'a self, pod: &'a Pod, node: &'a Rc<str>) -> impl Future<Output = Result<(), ApiError>> + 'a {
        let metadata = &pod.metadata;
        let bind = move |store: &Store, write| store.bind(write, pod, node);
        self.call::<Pod, _, _>(Verb::Bind, metadata.entity(), &metadata.name, bind)
    }

    /// Asks for a pod's eviction, which its PodDisruptionBudget may refuse.
    ///
    /// # Errors
    /// Those of [`Store::evict`].
    pub fn evict<'a>(&'a self, pod: &'a Pod) -> impl Future<Output = Result<(), ApiError>> + 'a {
        let metadata = &pod.metadata;
        let evict = move |store: &Store, write| store.evict(write, pod);
        self.call::<Pod, _, _>(Verb::Evict, metadata.entity(), &metadata.name, evict)
    }

    fn patch_part<'a, T: Object>(
        &'a self,
        verb: Verb,
        base: &'a T,
        changed: &'a T,
        part: Part,
        lock: Lock,
    ) -> impl Future<Output = Result<Rc<T>, ApiError>> + 'a {
        let metadata = base.metadata();
        let patch = move |store: &Store, write| store.patch(write, base, changed, part, lock);
        self.call::<T, _, _>(verb, metadata.entity(), &metadata.name, patch)
    }

    /// One call: the way there, the server's act, the way back.
    ///
    /// No layer of async functions is around this block: each would hold its arguments twice, and the futures of
    /// reconciles would outgrow the allocator's quick sizes.
    fn call<'a, T: Object, R, F>(
        &'a self,
        verb: Verb,
        entity: Entity,
        name: &'a str,
        serve: F,
    ) -> impl Future<Output = Result<R, ApiError>> + use<'a, T, R, F>
    where
        F: FnOnce(&Store, Write) -> Result<R, ApiError>,
    {
        let round_trip = self.shared.latency.draw(verb, T::KIND, entity);
        async move {
            let runtime = &self.shared.runtime;
            if !round_trip.is_zero() {
                runtime.sleep(round_trip / 2).await;
            }
            let answer = self.serve::<T, R, F>(verb, name, serve);
            if !round_trip.is_zero() {
                runtime.sleep(round_trip - round_trip / 2).await;
            }
            answer
        }
    }

    fn serve<T: Object, R, F>(&self, verb: Verb, name: &str, serve: F) -> Result<R, ApiError>
    where
        F: FnOnce(&Store, Write) -> Result<R, ApiError>,
    {
        let Shared { runtime, store, .. } = &*self.shared;
        let write = Write { at: runtime.now(), by: self.by };
        match self.judge::<T>(verb, name) {
            CallVerdict::Serve => serve(store, write),
            CallVerdict::Refuse(error) => Err(error),
            CallVerdict::LoseAnswer(error) => serve(store, write).and(Err(error)),
        }
    }

    fn judge<T: Object>(&self, verb: Verb, name: &str) -> CallVerdict {
        match &*self.shared.fault.borrow() {
            None => CallVerdict::Serve,
            Some(fault) => fault.judge(&Call { verb, kind: T::KIND, name, by: self.by }),
        }
    }
}

#[cfg(test)]
mod tests;
