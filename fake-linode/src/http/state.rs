//! What one served cloud consists of.

use super::clock::{Clock, Pace};
use super::log::{Log, Sink};
use super::render::Renderer;
use crate::{Change, Cloud, Fault};
use lkesim_linode_api::{Cause, Operation, Purpose};
use lkesim_runtime::Time;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// Who knows scenarios, which this crate does not.
pub trait Source {
    /// The cloud at its beginning. `scenario` is the text of a scenario that takes the place of the one before; `seed`
    /// replaces the seed.
    ///
    /// # Errors
    /// What is wrong with the scenario, for people.
    fn begin(&self, scenario: Option<&str>, seed: Option<u64>) -> Result<Beginning, String>;

    /// A fault as a scenario writes it.
    ///
    /// # Errors
    /// What is wrong with it, for people.
    fn fault(&self, written: &Value) -> Result<Fault, String>;
}

/// A cloud, and the tokens that open it.
pub struct Beginning {
    /// The cloud. It has one token more than are named: that of calls that need none.
    pub cloud: Cloud,
    /// The tokens, in the order of the cloud's settings.
    pub tokens: Vec<Arc<str>>,
}

/// A cloud, its clock and its log.
pub struct Server {
    pub(super) source: Rc<dyn Source>,
    pub(super) clock: Clock,
    pub(super) state: RefCell<State>,
    /// Counts how often the cloud was put back: who waited then waits for nothing any more.
    pub(super) lives: Cell<u32>,
}

impl Server {
    /// A server at its beginning. Every request is also written to `log`.
    ///
    /// # Errors
    /// As [`Source::begin`].
    pub fn new(source: Rc<dyn Source>, pace: Pace, log: Option<Sink>) -> Result<Rc<Server>, String> {
        let state = State::new(source.begin(None, None)?, Log::new(log));
        Ok(Rc::new(Server { source, clock: Clock::new(pace), state: RefCell::new(state), lives: Cell::new(0) }))
    }

    /// The time, which the cloud has reached too.
    pub(super) fn now(&self) -> Time {
        self.clock.now()
    }

    /// Waits until the clock shows `at`, or the cloud of this life is no more.
    pub(super) async fn reach(&self, at: Time, life: u32) {
        self.clock.reach(at, || self.lives.get() != life).await;
    }

    /// Puts another cloud in the place of this one, at this time.
    pub(super) fn replace(&self, beginning: Beginning, at: Time, requests: u64) {
        let mut state = self.state.borrow_mut();
        let mut log = std::mem::take(&mut state.log);
        log.clear();
        *state = State { requests, ..State::new(beginning, log) };
        drop(state);
        self.lives.set(self.lives.get() + 1);
        self.clock.set(at);
    }
}

/// What a request changes.
pub(super) struct State {
    pub cloud: Cloud,
    pub tokens: Vec<Arc<str>>,
    /// How many requests there were.
    pub requests: u64,
    pub log: Log,
    pub renderer: Renderer,
    /// Faults that were put on by hand.
    pub posted: u32,
    pub purpose: Purpose,
    changes: Vec<Change>,
}

impl State {
    fn new(beginning: Beginning, log: Log) -> State {
        let Beginning { cloud, tokens } = beginning;
        State {
            renderer: Renderer::default(),
            cloud,
            tokens,
            requests: 0,
            log,
            posted: 0,
            purpose: Purpose {
                caller: "http",
                operation: Operation::Foreign,
                invocation: 0,
                attempt: 0,
                subject: "".into(),
                cause: Cause::Foreign,
            },
            changes: Vec::new(),
        }
    }

    /// Lets time pass. Nobody here reads the stream of changes.
    pub fn advance(&mut self, now: Time) {
        self.cloud.advance(now);
        self.forget_changes();
    }

    pub fn forget_changes(&mut self) {
        self.cloud.take_changes(&mut self.changes);
        self.changes.clear();
    }
}
