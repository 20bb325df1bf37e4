//! The work queue of one controller: client-go's, with its delaying and rate-limiting layers in one state a key.

use super::{Controller, Limiter, Next, ReconcileError};
use lkesim_runtime::{Entity, Runtime, TaskName, Time};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::rc::{Rc, Weak};
use std::time::Duration;

/// A handle to add keys to a controller's queue. It keeps nothing alive: once the process is gone, adding does nothing.
#[derive(Clone)]
pub struct Queue(Weak<Inner>);

/// A key that is not at rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The key.
    pub key: Rc<str>,
    /// Whether it is being reconciled.
    pub processing: bool,
    /// Whether it is to be reconciled as soon as possible.
    pub dirty: bool,
    /// When it is to be added.
    pub waiting: Option<Time>,
    /// How often it failed since it last succeeded.
    pub failures: u32,
}

struct Inner {
    runtime: Runtime,
    controller: Controller,
    state: RefCell<State>,
}

/// Where a key's state stands. It stays good while the key is not idle.
type Slot = usize;

struct State {
    /// The slots of the keys, by the hashes of their names: the one look-up of an event.
    slots: BTreeMap<Entity, Slot>,
    keys: Vec<Key>,
    free: Vec<Slot>,
    order: VecDeque<Slot>,
    limiter: Limiter,
    running: usize,
    open: bool,
}

struct Key {
    name: Rc<str>,
    entity: Entity,
    /// To be reconciled: it stands in `order`, or is being processed and will stand there after.
    dirty: bool,
    processing: bool,
    /// The one pending delayed add.
    waiting: Option<Time>,
    failures: u32,
}

pub(super) fn start(
    controller: Controller,
    runtime: &Runtime,
    ready: impl Future<Output = ()> + 'static,
    first: Option<Rc<str>>,
) -> Queue {
    let name = controller.name;
    let inner = Rc::new(Inner {
        runtime: runtime.clone(),
        state: RefCell::new(State::new(Limiter::new(controller.limiter))),
        controller,
    });
    let queue = Queue(Rc::downgrade(&inner));
    // The task owns the queue for as long as the process lives: handlers of informers hold it weakly, or queue,
    // reconciler, informer and handler would keep each other for ever.
    runtime.spawn(TaskName::from(name), async move {
        ready.await;
        if let Some(key) = first {
            inner.state.borrow_mut().add_named(key);
        }
        inner.state.borrow_mut().open = true;
        inner.dispatch();
        std::future::pending::<()>().await;
    });
    queue
}

impl Queue {
    /// Adds a key, to be reconciled once however often it is added before that starts. A key that is being
    /// reconciled is done again immediately after.
    pub fn add(&self, key: Rc<str>) {
        if let Some(inner) = self.0.upgrade() {
            inner.state.borrow_mut().add_named(key);
            inner.dispatch();
        }
    }

    /// Adds a key after `delay`. Of several pending delays the one that ends first counts.
    pub fn add_after(&self, key: Rc<str>, delay: Duration) {
        if let Some(inner) = self.0.upgrade() {
            let slot = inner.state.borrow_mut().slot(key);
            inner.add_after(slot, delay);
            inner.dispatch();
        }
    }

    /// Adds a key after the limiter's delay for one more failure.
    pub fn add_rate_limited(&self, key: Rc<str>) {
        if let Some(inner) = self.0.upgrade() {
            let slot = inner.state.borrow_mut().slot(key);
            inner.add_rate_limited(slot);
            inner.dispatch();
        }
    }

    /// The keys that are not at rest, by name.
    pub fn pending(&self) -> Vec<Pending> {
        let Some(inner) = self.0.upgrade() else {
            return Vec::new();
        };
        let state = inner.state.borrow();
        let keys = state.slots.values().map(|&slot| &state.keys[slot]);
        let mut pending: Vec<_> = keys.map(Key::pending).collect();
        pending.sort_by(|one, two| one.key.cmp(&two.key));
        pending
    }
}

impl Key {
    fn new(name: Rc<str>, entity: Entity) -> Key {
        Key { name, entity, dirty: false, processing: false, waiting: None, failures: 0 }
    }

    fn is_idle(&self) -> bool {
        !self.dirty && !self.processing && self.waiting.is_none() && self.failures == 0
    }

    fn pending(&self) -> Pending {
        Pending {
            key: self.name.clone(),
            processing: self.processing,
            dirty: self.dirty,
            waiting: self.waiting,
            failures: self.failures,
        }
    }
}

impl State {
    fn new(limiter: Limiter) -> State {
        State {
            slots: BTreeMap::new(),
            keys: Vec::new(),
            free: Vec::new(),
            order: VecDeque::new(),
            limiter,
            running: 0,
            open: false,
        }
    }

    /// The slot of a key, a new one if the key was idle. The caller must then give it something to do.
    ///
    /// # Panics
    /// If two names share a hash: once in 2⁶⁴ pairs.
    fn slot(&mut self, name: Rc<str>) -> Slot {
        let entity = Entity::named(&name);
        if let Some(&slot) = self.slots.get(&entity) {
            assert!(self.keys[slot].name == name, "the key {name:?} shares its hash with another");
            return slot;
        }
        let key = Key::new(name, entity);
        let slot = match self.free.pop() {
            Some(slot) => {
                self.keys[slot] = key;
                slot
            }
            None => {
                self.keys.push(key);
                self.keys.len() - 1
            }
        };
        self.slots.insert(entity, slot);
        slot
    }

    fn add_named(&mut self, name: Rc<str>) {
        let slot = self.slot(name);
        self.add(slot);
    }

    fn add(&mut self, slot: Slot) {
        let key = &mut self.keys[slot];
        if !key.dirty {
            key.dirty = true;
            if !key.processing {
                self.order.push_back(slot);
            }
        }
    }

    fn take(&mut self, concurrency: usize) -> Option<(Slot, Rc<str>)> {
        if !self.open || self.running >= concurrency {
            return None;
        }
        let slot = self.order.pop_front()?;
        let key = &mut self.keys[slot];
        key.dirty = false;
        key.processing = true;
        self.running += 1;
        Some((slot, key.name.clone()))
    }

    fn done(&mut self, slot: Slot) {
        self.running -= 1;
        let key = &mut self.keys[slot];
        key.processing = false;
        if key.dirty {
            self.order.push_back(slot);
        } else if key.is_idle() {
            self.slots.remove(&key.entity);
            self.free.push(slot);
        }
    }
}

impl Inner {
    fn dispatch(self: &Rc<Self>) {
        loop {
            let next = self.state.borrow_mut().take(self.controller.concurrency);
            let Some((slot, key)) = next else { return };
            let inner = self.clone();
            // Whichever task ends makes room for the next key, which is none of its business.
            let name = TaskName::on(self.controller.name, key.clone()).of_run();
            self.runtime.spawn(name, async move {
                let result = inner.controller.reconcile.reconcile(key).await;
                inner.finish(slot, result);
            });
        }
    }

    fn finish(self: &Rc<Self>, slot: Slot, result: Result<Next, ReconcileError>) {
        match result {
            Ok(Next::Again) | Err(_) => self.add_rate_limited(slot),
            Ok(next) => {
                self.state.borrow_mut().keys[slot].failures = 0;
                if let Next::After(delay) = next
                    && !delay.is_zero()
                {
                    self.add_after(slot, delay);
                }
            }
        }
        self.state.borrow_mut().done(slot);
        self.dispatch();
    }

    fn add_rate_limited(self: &Rc<Self>, slot: Slot) {
        let delay = {
            let state = &mut *self.state.borrow_mut();
            let key = &mut state.keys[slot];
            let failures = key.failures;
            key.failures += 1;
            state.limiter.delay(self.runtime.now(), failures)
        };
        self.add_after(slot, delay);
    }

    fn add_after(self: &Rc<Self>, slot: Slot, delay: Duration) {
        if delay.is_zero() {
            self.state.borrow_mut().add(slot);
            return;
        }
        let at = self.runtime.now() + delay;
        let (name, entity) = {
            let key = &mut self.state.borrow_mut().keys[slot];
            if key.waiting.is_some_and(|pending| pending <= at) {
                return;
            }
            key.waiting = Some(at);
            (key.name.clone(), key.entity)
        };
        let inner = Rc::downgrade(self);
        let sleep = self.runtime.sleep_until(at);
        self.runtime.spawn(TaskName::on("requeue", name), async move {
            sleep.await;
            if let Some(inner) = inner.upgrade() {
                inner.fire(entity, at);
            }
        });
    }

    /// A delay ended. One that a sooner delay replaced has nothing to add, and its slot may be another key's.
    fn fire(self: &Rc<Self>, entity: Entity, at: Time) {
        {
            let state = &mut *self.state.borrow_mut();
            let Some(&slot) = state.slots.get(&entity) else {
                return;
            };
            let key = &mut state.keys[slot];
            if key.waiting != Some(at) {
                return;
            }
            key.waiting = None;
            state.add(slot);
        }
        self.dispatch();
    }
}
