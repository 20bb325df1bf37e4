//! The work queue of one controller: client-go's, with its delaying and rate-limiting layers in one state a key.

use super::{Controller, Limiter, Next, ReconcileError};
use lkesim_runtime::{Runtime, TaskName, Time};
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

struct State {
    keys: BTreeMap<Rc<str>, Key>,
    order: VecDeque<Rc<str>>,
    limiter: Limiter,
    running: usize,
    open: bool,
}

#[derive(Default)]
struct Key {
    /// To be reconciled: it stands in `order`, or is being processed and will stand there after.
    dirty: bool,
    processing: bool,
    /// The one pending delayed add.
    waiting: Option<Time>,
    failures: u32,
}

impl Key {
    fn is_idle(&self) -> bool {
        !self.dirty && !self.processing && self.waiting.is_none() && self.failures == 0
    }
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
        state: RefCell::new(State {
            keys: BTreeMap::new(),
            order: VecDeque::new(),
            limiter: Limiter::new(controller.limiter),
            running: 0,
            open: false,
        }),
        controller,
    });
    let queue = Queue(Rc::downgrade(&inner));
    // The task owns the queue for as long as the process lives: handlers of informers hold it weakly, or queue,
    // reconciler, informer and handler would keep each other for ever.
    runtime.spawn(TaskName::from(name), async move {
        ready.await;
        if let Some(key) = first {
            inner.state.borrow_mut().add(key);
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
            inner.state.borrow_mut().add(key);
            inner.dispatch();
        }
    }

    /// Adds a key after `delay`. Of several pending delays the one that ends first counts.
    pub fn add_after(&self, key: Rc<str>, delay: Duration) {
        if let Some(inner) = self.0.upgrade() {
            inner.add_after(key, delay);
            inner.dispatch();
        }
    }

    /// Adds a key after the limiter's delay for one more failure.
    pub fn add_rate_limited(&self, key: Rc<str>) {
        if let Some(inner) = self.0.upgrade() {
            inner.add_rate_limited(key);
            inner.dispatch();
        }
    }

    /// The keys that are not at rest, by name.
    pub fn pending(&self) -> Vec<Pending> {
        let Some(inner) = self.0.upgrade() else {
            return Vec::new();
        };
        let state = inner.state.borrow();
        let pending = state.keys.iter().map(|(name, key)| Pending {
            key: name.clone(),
            processing: key.processing,
            dirty: key.dirty,
            waiting: key.waiting,
            failures: key.failures,
        });
        pending.collect()
    }
}

impl State {
    fn add(&mut self, name: Rc<str>) {
        let key = self.keys.entry(name.clone()).or_default();
        if key.dirty {
            return;
        }
        key.dirty = true;
        if !key.processing {
            self.order.push_back(name);
        }
    }

    fn take(&mut self, concurrency: usize) -> Option<Rc<str>> {
        if !self.open || self.running >= concurrency {
            return None;
        }
        let name = self.order.pop_front()?;
        let key = self.keys.get_mut(&name)?;
        key.dirty = false;
        key.processing = true;
        self.running += 1;
        Some(name)
    }

    fn done(&mut self, name: &Rc<str>) {
        self.running -= 1;
        let Some(key) = self.keys.get_mut(name) else {
            return;
        };
        key.processing = false;
        if key.dirty {
            self.order.push_back(name.clone());
        } else if key.is_idle() {
            self.keys.remove(name);
        }
    }

    fn forget(&mut self, name: &Rc<str>) {
        if let Some(key) = self.keys.get_mut(name) {
            key.failures = 0;
        }
    }
}

impl Inner {
    fn dispatch(self: &Rc<Self>) {
        loop {
            let next = self.state.borrow_mut().take(self.controller.concurrency);
            let Some(key) = next else { return };
            let inner = self.clone();
            let name = TaskName::on(self.controller.name, key.clone());
            self.runtime.spawn(name, async move {
                let result = inner.controller.reconcile.reconcile(key.clone()).await;
                inner.finish(key, result);
            });
        }
    }

    fn finish(self: &Rc<Self>, key: Rc<str>, result: Result<Next, ReconcileError>) {
        match result {
            Ok(Next::Done) => self.state.borrow_mut().forget(&key),
            Ok(Next::After(delay)) => {
                self.state.borrow_mut().forget(&key);
                if !delay.is_zero() {
                    self.add_after(key.clone(), delay);
                }
            }
            Ok(Next::Again) | Err(_) => self.add_rate_limited(key.clone()),
        }
        self.state.borrow_mut().done(&key);
        self.dispatch();
    }

    fn add_rate_limited(self: &Rc<Self>, name: Rc<str>) {
        let delay = {
            let mut state = self.state.borrow_mut();
            let key = state.keys.entry(name.clone()).or_default();
            let failures = key.failures;
            key.failures += 1;
            state.limiter.delay(self.runtime.now(), failures)
        };
        self.add_after(name, delay);
    }

    fn add_after(self: &Rc<Self>, name: Rc<str>, delay: Duration) {
        if delay.is_zero() {
            self.state.borrow_mut().add(name);
            return;
        }
        let at = self.runtime.now() + delay;
        {
            let mut state = self.state.borrow_mut();
            let key = state.keys.entry(name.clone()).or_default();
            if key.waiting.is_some_and(|pending| pending <= at) {
                return;
            }
            key.waiting = Some(at);
        }
        let inner = Rc::downgrade(self);
        let sleep = self.runtime.sleep_until(at);
        self.runtime
            .spawn(TaskName::on("requeue", name.clone()), async move {
                sleep.await;
                if let Some(inner) = inner.upgrade() {
                    inner.fire(name, at);
                }
            });
    }

    /// A delay ended. One that a sooner delay replaced has nothing to add.
    fn fire(self: &Rc<Self>, name: Rc<str>, at: Time) {
        {
            let mut state = self.state.borrow_mut();
            match state.keys.get_mut(&name) {
                Some(key) if key.waiting == Some(at) => key.waiting = None,
                _ => return,
            }
            state.add(name);
        }
        self.dispatch();
    }
}
