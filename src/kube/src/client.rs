//! The typed client: the store behind the latency of a call.

mod latency;

pub use latency::{Latency, Verb};

use crate::ApiError;
use crate::object::{Kind, Object};
use crate::store::{Lock, Part, Store, Write};
use lkesim_runtime::{Entity, Quantiles, Runtime, Seed};
use std::cell::RefCell;
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
    /// A client of `store`, whose calls take `latency`. Clone it for all processes of the cluster: the how-manieth call of
    /// a kind to an object decides on its luck, also across restarts.
    pub fn new(runtime: Runtime, store: Store, seed: Seed, latency: Quantiles) -> Client {
        Client {
            shared: Rc::new(Shared {
                runtime,
                store,
                latency: Latency::new(seed, latency),
                fault: RefCell::default(),
            }),
            by: "client",
        }
    }

    /// The same client, writing under this name.
    pub fn named(&self, by: &'static str) -> Client {
        Client {
            shared: self.shared.clone(),
            by,
        }
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
        self.call::<T, _>(Verb::Create, entity, &name, |store, write| {
            store.create(write, object)
        })
        .await
    }

    /// Reads an object from the server, not from a cache.
    ///
    /// # Errors
    /// [`ApiError::NotFound`].
    pub async fn get<T: Object>(&self, name: &str) -> Result<Rc<T>, ApiError> {
        let read = |store: &Store, _| {
            store.get::<T>(name).ok_or_else(|| ApiError::NotFound {
                kind: T::KIND,
                name: name.into(),
            })
        };
        self.call::<T, _>(Verb::Get, Entity::named(name), name, read)
            .await
    }

    /// Reads all objects of a kind from the server, by name.
    ///
    /// # Errors
    /// Those of a fault.
    pub async fn list<T: Object>(&self) -> Result<Vec<Rc<T>>, ApiError> {
        let entity = Entity::numbered(0);
        self.call::<T, _>(Verb::List, entity, "", |store, _| Ok(store.list::<T>()))
            .await
    }

    /// Patches metadata and spec with the difference of two versions.
    ///
    /// # Errors
    /// Those of [`Store::patch`].
    pub async fn patch<T: Object>(
        &self,
        base: &T,
        changed: &T,
        lock: Lock,
    ) -> Result<Rc<T>, ApiError> {
        self.patch_part(Verb::Patch, base, changed, Part::Object, lock)
            .await
    }

    /// Patches the status with the difference of two versions.
    ///
    /// # Errors
    /// Those of [`Store::patch`].
    pub async fn patch_status<T: Object>(
        &self,
        base: &T,
        changed: &T,
        lock: Lock,
    ) -> Result<Rc<T>, ApiError> {
        self.patch_part(Verb::PatchStatus, base, changed, Part::Status, lock)
            .await
    }

    /// Asks for the deletion of an object, whatever its version.
    ///
    /// # Errors
    /// [`ApiError::NotFound`].
    pub async fn delete<T: Object>(&self, object: &T) -> Result<(), ApiError> {
        let metadata = object.metadata();
        let delete = |store: &Store, write| store.delete::<T>(write, &metadata.name);
        self.call::<T, _>(Verb::Delete, metadata.entity(), &metadata.name, delete)
            .await
    }

    async fn patch_part<T: Object>(
        &self,
        verb: Verb,
        base: &T,
        changed: &T,
        part: Part,
        lock: Lock,
    ) -> Result<Rc<T>, ApiError> {
        let metadata = base.metadata();
        let patch = |store: &Store, write| store.patch(write, base, changed, part, lock);
        self.call::<T, _>(verb, metadata.entity(), &metadata.name, patch)
            .await
    }

    async fn call<T: Object, R>(
        &self,
        verb: Verb,
        entity: Entity,
        name: &str,
        serve: impl FnOnce(&Store, Write) -> Result<R, ApiError>,
    ) -> Result<R, ApiError> {
        let Shared {
            runtime,
            store,
            latency,
            ..
        } = &*self.shared;
        let round_trip = latency.draw(verb, T::KIND, entity);
        let there = round_trip / 2;
        if !round_trip.is_zero() {
            runtime.sleep(there).await;
        }
        let write = Write {
            at: runtime.now(),
            by: self.by,
        };
        let answer = match self.judge::<T>(verb, name) {
            CallVerdict::Serve => serve(store, write),
            CallVerdict::Refuse(error) => Err(error),
            CallVerdict::LoseAnswer(error) => serve(store, write).and(Err(error)),
        };
        if !round_trip.is_zero() {
            runtime.sleep(round_trip - there).await;
        }
        answer
    }

    fn judge<T: Object>(&self, verb: Verb, name: &str) -> CallVerdict {
        match &*self.shared.fault.borrow() {
            None => CallVerdict::Serve,
            Some(fault) => fault.judge(&Call {
                verb,
                kind: T::KIND,
                name,
                by: self.by,
            }),
        }
    }
}

#[cfg(test)]
mod tests;
