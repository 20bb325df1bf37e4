//! What one served cloud consists of.

use super::clock::{Clock, Pace};
use super::latency::Latency;
use super::log::{Log, Sink};
use super::render::Renderer;
use crate::{Change, Cloud, Fault};
use lkesim_linode_api::wire::dumps;
use lkesim_linode_api::{CallNumber, Cause, Operation, Purpose};
use lkesim_runtime::Time;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// The form of a snapshot.
const SCHEMA: &str = "fake-linode.snapshot/1";

/// Who knows scenarios and files, which this crate does not.
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

    /// Keeps a snapshot where the next server finds it, whole or not at all.
    ///
    /// # Errors
    /// Why it could not be kept, for people.
    fn keep(&self, snapshot: &[u8]) -> Result<(), String>;
}

/// A cloud, and the tokens that open it.
pub struct Beginning {
    /// The cloud. It has one token more than are named: that of calls that need none.
    pub cloud: Cloud,
    /// The tokens, in the order of the cloud's settings.
    pub tokens: Vec<Arc<str>>,
    /// How long calls take; they take no time where none is given.
    pub latency: Option<Latency>,
}

/// A cloud, its clock and its log.
pub struct Server {
    pub(super) source: Rc<dyn Source>,
    pub(super) clock: Clock,
    pub(super) state: RefCell<State>,
    /// Counts how often the cloud was put back: who waited then waits for nothing any more.
    pub(super) lives: Cell<u32>,
    latency: RefCell<Option<Latency>>,
    /// How many requests of the API have come whole, judged or not.
    came: Cell<u64>,
}

impl Server {
    /// A server at its beginning. Every request is also written to `log`.
    ///
    /// # Errors
    /// As [`Source::begin`].
    pub fn new(source: Rc<dyn Source>, pace: Pace, log: Option<Sink>) -> Result<Rc<Server>, String> {
        let mut beginning = source.begin(None, None)?;
        let latency = RefCell::new(beginning.latency.take());
        let state = RefCell::new(State::new(beginning, Log::new(log)));
        let (lives, came) = (Cell::new(0), Cell::new(0));
        Ok(Rc::new(Server { source, clock: Clock::new(pace), state, lives, latency, came }))
    }

    /// A server of a cloud that another one drives: its clock is `now`, and its changes are for who drives it. A
    /// request may name its own number in the header `X-Fake-Call`.
    pub fn over(cloud: Rc<RefCell<Cloud>>, tokens: Vec<Arc<str>>, now: Rc<dyn Fn() -> Time>) -> Rc<Server> {
        let state = State { is_driven: true, ..State::of(cloud, tokens, Log::default()) };
        Rc::new(Server {
            source: Rc::new(Driven),
            clock: Clock::driven(now),
            state: RefCell::new(state),
            lives: Cell::new(0),
            latency: RefCell::default(),
            came: Cell::new(0),
        })
    }

    /// How long the request that came just now takes.
    pub(super) fn latency(&self, method: &str, path: &str) -> Duration {
        self.came.set(self.came.get() + 1);
        let latency = self.latency.borrow();
        latency.as_ref().map_or(Duration::ZERO, |latency| latency.of(method, path, self.came.get()))
    }

    /// Puts the cloud back to this beginning.
    pub(super) fn begin_anew(&self, mut beginning: Beginning) {
        *self.latency.borrow_mut() = beginning.latency.take();
        self.came.set(0);
        self.replace(beginning, Time::ZERO, 0);
    }

    /// How many requests there were.
    pub fn requests(&self) -> u64 {
        self.state.borrow().requests
    }

    /// The time, which the cloud has reached too.
    pub(super) fn now(&self) -> Time {
        self.clock.now()
    }

    /// Waits until the clock shows `at`, or the cloud of this life is no more.
    pub(super) async fn reach(&self, at: Time, life: u32) {
        self.clock.reach(at, || self.lives.get() != life).await;
    }

    /// The whole state, as [`Server::restore`] takes it. The log is no part of it.
    pub fn snapshot(&self) -> Vec<u8> {
        let now = self.now();
        let mut state = self.state.borrow_mut();
        state.advance(now);
        dumps(&json!({
            "schema": SCHEMA,
            "requests": state.requests,
            "posted": state.posted,
            "tokens": state.tokens.iter().map(|token| &**token).collect::<Vec<_>>(),
            "cloud": state.cloud.borrow().save(),
        }))
    }

    /// Goes on from a snapshot, at its time.
    ///
    /// # Errors
    /// What is wrong with it, for people.
    pub fn restore(&self, snapshot: &[u8]) -> Result<(), String> {
        let value: Value =
            serde_json::from_slice(snapshot).map_err(|error| format!("the snapshot is not JSON: {error}"))?;
        match value.get("schema") {
            Some(schema) if *schema == *SCHEMA => {}
            other => {
                let found = other.map_or("none".to_owned(), ToString::to_string);
                return Err(format!("schema: expected `{SCHEMA}`, which this program writes, not {found}"));
            }
        }
        // Counted on from, and by no server this far.
        let number = |name: &str| match value.get(name).and_then(Value::as_u64) {
            Some(number) if number <= u64::from(u32::MAX) << 16 => Ok(number),
            _ => Err(format!("{name}: expected a number")),
        };
        let tokens = value.get("tokens").and_then(Value::as_array).ok_or("tokens: expected a list of texts")?;
        let tokens: Option<Vec<Arc<str>>> = tokens.iter().map(|token| token.as_str().map(Arc::from)).collect();
        let cloud =
            Cloud::load(value.get("cloud").unwrap_or(&Value::Null)).map_err(|error| format!("cloud: {error}"))?;
        let tokens = tokens.filter(|tokens| tokens.len() + 1 == cloud.settings().tokens.len());
        let latency = None;
        let beginning = Beginning { latency, tokens: tokens.ok_or("tokens: they are not those of the cloud")?, cloud };
        let at = beginning.cloud.now();
        let (requests, posted) = (number("requests")?, number("posted")?);
        self.replace(beginning, at, requests);
        self.state.borrow_mut().posted = u32::try_from(posted).unwrap_or(u32::MAX);
        Ok(())
    }

    /// Puts another cloud in the place of this one, at this time.
    fn replace(&self, beginning: Beginning, at: Time, requests: u64) {
        let mut state = self.state.borrow_mut();
        let mut log = std::mem::take(&mut state.log);
        log.clear();
        *state = State { requests, ..State::new(beginning, log) };
        drop(state);
        self.lives.set(self.lives.get() + 1);
        self.clock.set(at);
    }
}

/// A cloud that is driven by another one is neither begun nor changed here.
struct Driven;

impl Source for Driven {
    fn begin(&self, _scenario: Option<&str>, _seed: Option<u64>) -> Result<Beginning, String> {
        Err(DRIVEN.to_owned())
    }

    fn fault(&self, _written: &Value) -> Result<Fault, String> {
        Err(DRIVEN.to_owned())
    }

    fn keep(&self, _snapshot: &[u8]) -> Result<(), String> {
        Err(DRIVEN.to_owned())
    }
}

pub(super) const DRIVEN: &str = "this cloud is driven by a run, which alone changes it";

/// What a request changes.
pub(super) struct State {
    pub cloud: Rc<RefCell<Cloud>>,
    /// Whether somebody else reads the stream of changes, and numbers the requests.
    pub is_driven: bool,
    pub tokens: Vec<Arc<str>>,
    /// How many requests there were.
    pub requests: u64,
    /// The number of the request that is being judged.
    pub number: CallNumber,
    pub log: Log,
    pub renderer: Renderer,
    /// Faults that were put on by hand.
    pub posted: u32,
    pub purpose: Purpose,
    changes: Vec<Change>,
}

impl State {
    fn new(beginning: Beginning, log: Log) -> State {
        let Beginning { cloud, tokens, .. } = beginning;
        State::of(Rc::new(RefCell::new(cloud)), tokens, log)
    }

    fn of(cloud: Rc<RefCell<Cloud>>, tokens: Vec<Arc<str>>, log: Log) -> State {
        State {
            is_driven: false,
            renderer: Renderer::default(),
            cloud,
            tokens,
            requests: 0,
            number: 0,
            log,
            posted: 0,
            purpose: Purpose {
                caller: "http",
                operation: Operation::Foreign,
                invocation: 0,
                attempt: 0,
                subject: "".into(),
                cause: Cause::Foreign,
                joined: Default::default(),
            },
            changes: Vec::new(),
        }
    }

    /// Lets time pass. Nobody here reads the stream of changes.
    pub fn advance(&mut self, now: Time) {
        self.cloud.borrow_mut().advance(now);
        self.forget_changes();
    }

    pub fn forget_changes(&mut self) {
        if !self.is_driven {
            self.cloud.borrow_mut().take_changes(&mut self.changes);
            self.changes.clear();
        }
    }
}
