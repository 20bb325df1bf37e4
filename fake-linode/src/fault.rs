//! What goes wrong on purpose.
//!
//! A fault is judged after the limit and before the state: a call that it refuses has spent its quota. The first fault
//! that matches a call wins; chance is drawn by what the call is, so leaving out one fault leaves the luck of others.

mod delay;
mod double;
mod garble;
mod lose;
mod maintenance;
mod partial;
mod refuse;
mod stale;
mod twice;

pub use partial::Cut;
pub use refuse::{Body, Refusal, RetryAfter};

pub(crate) use double::{alone, double, slip};

use crate::luck::Luck;
use crate::saved::saved;
use crate::settings::TokenId;
use lkesim_linode_api::{Answer, Endpoint, Headers, Purpose};
use lkesim_runtime::{Entity, Ppm, Quantiles, Tally, Time, Word};
use std::sync::Arc;
use std::time::Duration;

/// One thing that goes wrong, and with which calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its name in traces.
    pub name: Arc<str>,
    /// Calls of these endpoints; of all where there are none.
    pub endpoints: Vec<Endpoint>,
    /// Calls of this token; of all where there is none.
    pub token: Option<TokenId>,
    /// Calls from then on.
    pub from: Time,
    /// Calls until just before then.
    pub until: Time,
    /// The first of the calls so matched that it may hit, counted from 1.
    pub first_call: u64,
    /// The last such call.
    pub last_call: u64,
    /// How likely it hits such a call.
    pub chance: Ppm,
    /// What it does.
    pub action: Action,
}

/// What a fault does to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Answers with an error; nothing is changed.
    Refuse(Refusal),
    /// The answer comes later; the change is made at once.
    Delay(Quantiles),
    /// The answer never comes; the change is made.
    Lose,
    /// The call is carried out twice, and answered as the second time.
    Twice,
    /// A read is answered as it would have been so long ago.
    Stale(Duration),
    /// A list lacks entries that it should show.
    Partial(Cut),
    /// A list shows an entry twice.
    Double,
    /// The API is down for maintenance; nothing is changed.
    Maintenance,
    /// The change is made, and the body of its answer breaks off.
    Garble,
}

impl Action {
    /// Whether a call of this endpoint can meet it. One that can't is no call that matches.
    pub const fn bears(&self, endpoint: Endpoint) -> bool {
        match self {
            // What other reads showed before is not kept.
            Action::Stale(_) => endpoint.is_read() && endpoint.is_provider(),
            Action::Partial(_) | Action::Double => endpoint.is_list(),
            _ => true,
        }
    }
}

impl Fault {
    /// A fault that hits every call, always.
    pub fn new(name: &str, action: Action) -> Fault {
        Fault {
            name: name.into(),
            endpoints: Vec::new(),
            token: None,
            from: Time::ZERO,
            until: Time::MAX,
            first_call: 1,
            last_call: u64::MAX,
            chance: Ppm::ALWAYS,
            action,
        }
    }
}

/// What a fault did to a call.
pub(crate) struct Hit {
    pub name: Arc<str>,
    pub effect: Effect,
}

/// What a fault judges a call by.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub token: TokenId,
    pub endpoint: Endpoint,
    pub purpose: &'a Purpose,
    /// The limits that the reply will show.
    pub headers: Headers,
}

/// What happens in place of the usual.
pub(crate) enum Effect {
    /// This is the answer, and nothing is changed.
    Instead(Answer),
    /// The answer comes so much later.
    Late(Duration),
    /// The answer never comes.
    Lost,
    /// The call is carried out twice.
    Twice,
    /// The call is answered as so long ago.
    AsOf(Duration),
    /// What the list shows is cut, by the draw of this call.
    Cut(Cut, Word),
    /// What the list shows has an entry twice.
    Doubled,
    /// The call is carried out, and its answer can't be read.
    Unreadable(&'static str),
}

/// The faults of a run.
pub(crate) struct Faults {
    faults: Vec<Running>,
    /// How many calls of each entity there were.
    calls: Tally,
    over: bool,
}

struct Running {
    fault: Fault,
    on: bool,
    matched: u64,
    hits: u64,
}

impl Faults {
    pub fn new(faults: &[Fault]) -> Faults {
        let running = |fault: &Fault| Running::new(fault.clone());
        Faults { faults: faults.iter().map(running).collect(), calls: Tally::default(), over: faults.is_empty() }
    }

    /// Stops all faults, for good.
    pub const fn end(&mut self) {
        self.over = true;
    }

    /// Takes those of these names away. Gives how many they were.
    pub fn remove(&mut self, is_meant: impl Fn(&str) -> bool) -> usize {
        let before = self.faults.len();
        self.faults.retain(|running| !is_meant(&running.fault.name));
        before - self.faults.len()
    }

    /// One more, after those that there are.
    pub fn add(&mut self, fault: Fault) {
        self.faults.push(Running::new(fault));
        self.over = false;
    }

    /// Switches those of these names on or off. Gives how many they are.
    pub fn switch(&mut self, is_meant: impl Fn(&str) -> bool, on: bool) -> usize {
        let meant = self.faults.iter_mut().filter(|running| is_meant(&running.fault.name));
        meant.map(|running| running.on = on).count()
    }

    /// Each fault's name, whether it is on, and how many calls it hit.
    pub fn all(&self) -> impl Iterator<Item = (&Arc<str>, bool, u64)> {
        self.faults.iter().map(|running| (&running.fault.name, running.on, running.hits))
    }

    /// The names of the faults that no call has matched, so that their chance was never drawn.
    pub fn idle(&self) -> impl Iterator<Item = &Arc<str>> {
        self.faults
            .iter()
            .filter(|running| running.matched < running.fault.first_call)
            .map(|running| &running.fault.name)
    }

    /// Each fault's name and how many calls it hit.
    pub fn hits(&self) -> impl Iterator<Item = (&Arc<str>, u64)> {
        self.faults.iter().map(|running| (&running.fault.name, running.hits))
    }

    /// What the first fault that matches does to the call.
    #[inline]
    pub fn judge(&mut self, luck: &Luck, now: Time, asked: Asked<'_>) -> Option<Hit> {
        if self.over {
            return None;
        }
        self.judge_all(luck, now, asked)
    }

    /// Every fault counts the call that it matches, hit or not, as the n-th call is told by what was asked alone.
    fn judge_all(&mut self, luck: &Luck, now: Time, asked: Asked<'_>) -> Option<Hit> {
        let Asked { token, endpoint, purpose, headers } = asked;
        let entity = Entity::named(purpose.operation.name()).and_name(&purpose.subject).and_name(endpoint.name());
        let nth = self.calls.next(entity);
        let mut hit = None;
        for running in &mut self.faults {
            if running.matches(now, token, endpoint) && hit.is_none() {
                let entity = entity.and_name(&running.fault.name);
                if luck.fault.draw(entity, nth).happens(running.fault.chance) {
                    running.hits += 1;
                    hit = Some(running.fault.hit(luck.fault_delay.draw(entity, nth), headers));
                }
            }
        }
        hit
    }
}

impl Running {
    const fn new(fault: Fault) -> Running {
        Running { fault, on: true, matched: 0, hits: 0 }
    }

    /// Whether the call is one that the fault may hit.
    fn matches(&mut self, now: Time, token: TokenId, endpoint: Endpoint) -> bool {
        let fault = &self.fault;
        let asked = self.on
            && fault.action.bears(endpoint)
            && (fault.endpoints.is_empty() || fault.endpoints.contains(&endpoint))
            && fault.token.is_none_or(|only| only == token)
            && (fault.from..fault.until).contains(&now);
        self.matched += u64::from(asked);
        asked && (fault.first_call..=fault.last_call).contains(&self.matched)
    }
}

impl Fault {
    fn hit(&self, word: Word, headers: Headers) -> Hit {
        let effect = match &self.action {
            Action::Refuse(refusal) => refuse::effect(refusal, headers),
            Action::Delay(delays) => delay::effect(delays, word),
            Action::Lose => lose::effect(),
            Action::Twice => twice::effect(),
            Action::Stale(age) => stale::effect(*age),
            Action::Partial(cut) => Effect::Cut(*cut, word),
            Action::Double => Effect::Doubled,
            Action::Maintenance => maintenance::effect(headers),
            Action::Garble => garble::effect(),
        };
        Hit { name: self.name.clone(), effect }
    }
}

saved!(Faults { faults, calls, over });
saved!(Running { fault, on, matched, hits });
