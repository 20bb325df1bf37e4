//! A cache that lags: what a controller sees of the store.
//!
//! One informer a process and kind, as in controller-runtime. It lists first and then applies each change after a
//! keyed lag, in the order of commits; a restarted process has new informers, which list again. Only then do handlers
//! hear of a change, so a controller never wakes before its cache knows why.

mod cache;
mod informers;

pub use cache::Cache;
pub use informers::{Informers, PodInformers, WeakInformers};

use crate::client::{Client, Verb};
use crate::object::{Kind, Object, ObjectMeta, ProviderId};
use crate::store::{Change, Watcher, sort};
use lkesim_runtime::{Bell, Entity, Key, Quantiles, Runtime, Seed, TaskName, Time};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::{Rc, Weak};
use std::time::Duration;
use tokio::sync::Notify;

/// How far watch events lag behind their commits.
#[derive(Clone)]
pub struct WatchLag {
    key: Key,
    process: u64,
    quantiles: Quantiles,
}

impl WatchLag {
    /// Draws from `quantiles`. The n-th write to an object reaches the caches of one `process` number after the same
    /// lag in every run of a seed; give each start of a process another number, as two caches do not lag alike.
    pub fn new(seed: Seed, process: u64, quantiles: Quantiles) -> WatchLag {
        WatchLag { key: seed.key("kube.watch"), process, quantiles }
    }

    fn draw(&self, kind: Kind, metadata: &ObjectMeta, n: u64) -> Duration {
        if self.quantiles.is_zero() {
            return Duration::ZERO;
        }
        let entity = metadata.entity().and(self.process << 8 | kind as u64);
        self.quantiles.draw(self.key.draw(entity, n))
    }
}

/// The cache of one kind in one process. Clones share it.
pub struct Informer<T>(Rc<Inner<T>>);

impl<T> Clone for Informer<T> {
    fn clone(&self) -> Informer<T> {
        Informer(self.0.clone())
    }
}

/// A cache that lives only as long as its process.
pub struct WeakInformer<T>(Weak<Inner<T>>);

impl<T> WeakInformer<T> {
    /// The cache, while its process lives.
    pub fn upgrade(&self) -> Option<Informer<T>> {
        self.0.upgrade().map(Informer)
    }
}

type Handler<T> = Box<dyn Fn(&Change<T>)>;

/// A change on its way to the cache.
struct Sent<T> {
    committed: Time,
    arrival: Time,
    change: Change<T>,
}

struct Inner<T> {
    runtime: Runtime,
    lag: WatchLag,
    cache: RefCell<Cache<T>>,
    handlers: RefCell<Vec<Handler<T>>>,
    stream: RefCell<VecDeque<Sent<T>>>,
    last_arrival: Cell<Time>,
    arrived: Bell,
    synced: Cell<bool>,
    sync: Notify,
}

impl<T: Object> Informer<T> {
    /// Starts a cache in the process of `runtime`; it dies with it.
    pub fn start(runtime: &Runtime, client: &Client, lag: WatchLag) -> Informer<T> {
        let inner = Rc::new(Inner {
            runtime: runtime.clone(),
            lag,
            cache: RefCell::default(),
            handlers: RefCell::default(),
            stream: RefCell::default(),
            last_arrival: Cell::default(),
            arrived: Bell::new(),
            synced: Cell::default(),
            sync: Notify::new(),
        });
        let task = follow(inner.clone(), client.named("informer"));
        runtime.spawn(TaskName::on("informer", T::KIND.name().into()), task);
        Informer(inner)
    }

    /// The object of this name, as far as the cache knows.
    pub fn get(&self, name: &str) -> Option<Rc<T>> {
        self.0.cache.borrow().get(name).cloned()
    }

    /// All objects that the cache knows, by name.
    pub fn list(&self) -> Vec<Rc<T>> {
        let mut list: Vec<_> = self.0.cache.borrow().iter().cloned().collect();
        sort(&mut list);
        list
    }

    /// The objects of this machine, by name.
    pub fn by_provider_id(&self, id: &ProviderId) -> Vec<Rc<T>> {
        self.0.cache.borrow().by_provider_id(id).cloned().collect()
    }

    /// Looks at the cache without copying a handle. `look` must not await or write.
    pub fn with<R>(&self, look: impl FnOnce(&Cache<T>) -> R) -> R {
        look(&self.0.cache.borrow())
    }

    /// Calls `handler` after each change that reaches the cache, the first list included. Register before the first
    /// await, as a handler hears of nothing that came before it.
    pub fn on_change(&self, handler: impl Fn(&Change<T>) + 'static) {
        self.0.handlers.borrow_mut().push(Box::new(handler));
    }

    /// The objects that changed since then and whose change has not reached the cache, each as it is after it.
    pub fn awaited(&self, since: Time) -> Vec<Rc<T>> {
        let stream = self.0.stream.borrow();
        stream.iter().filter(|sent| sent.committed >= since).map(|sent| sent.change.latest().clone()).collect()
    }

    /// The same cache, for who must not keep it alive.
    pub fn downgrade(&self) -> WeakInformer<T> {
        WeakInformer(Rc::downgrade(&self.0))
    }

    /// Whether the first list arrived.
    pub fn is_synced(&self) -> bool {
        self.0.synced.get()
    }

    /// Waits for the first list.
    pub async fn synced(&self) {
        while !self.is_synced() {
            self.0.sync.notified().await;
        }
    }
}

impl<T: Object> Inner<T> {
    fn apply(&self, change: &Change<T>) {
        self.cache.borrow_mut().apply(change);
        for handler in self.handlers.borrow().iter() {
            handler(change);
        }
    }
}

impl<T: Object> Watcher<T> for Inner<T> {
    fn on_change(&self, at: Time, change: &Change<T>) {
        let metadata = change.latest().metadata();
        // The removal is the write after the last version.
        let n = metadata.revision() + u64::from(change.after.is_none());
        // One stream a kind: nothing overtakes.
        let arrival = self.last_arrival.get().max(at + self.lag.draw(T::KIND, metadata, n));
        self.last_arrival.set(arrival);
        self.stream.borrow_mut().push_back(Sent { committed: at, arrival, change: change.clone() });
        self.arrived.ring();
    }
}

async fn follow<T: Object>(inner: Rc<Inner<T>>, client: Client) {
    list(&inner, &client).await;
    loop {
        let next = inner.stream.borrow().front().map(|sent| sent.arrival);
        let Some(arrival) = next else {
            inner.arrived.heard().await;
            continue;
        };
        if inner.runtime.now() < arrival {
            inner.runtime.sleep_until(arrival).await;
        }
        let sent = inner.stream.borrow_mut().pop_front();
        if let Some(sent) = sent {
            inner.apply(&sent.change);
        }
    }
}

/// The watch starts at the version of the list, so nothing is missed or seen twice.
async fn list<T: Object>(inner: &Rc<Inner<T>>, client: &Client) {
    let round_trip = client.latency().draw(Verb::List, T::KIND, Entity::numbered(1));
    inner.runtime.sleep(round_trip / 2).await;
    let objects = client.store().list::<T>();
    let watcher: Rc<dyn Watcher<T>> = inner.clone();
    client.store().watch(Rc::downgrade(&watcher));
    inner.runtime.sleep(round_trip / 2).await;
    for object in objects {
        inner.apply(&Change { before: None, after: Some(object) });
    }
    inner.synced.set(true);
    inner.sync.notify_waiters();
}

#[cfg(test)]
mod tests;
