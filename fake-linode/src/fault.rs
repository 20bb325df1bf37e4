//! What goes wrong on purpose.
//!
//! A fault is judged after the limit and before the state: a call that it refuses has spent its quota. The first fault
//! that matches a call wins; chance is drawn by what the call is, so leaving out one fault leaves the luck of others.

mod delay;
mod lose;
mod refuse;

pub use refuse::{Body, Refusal, RetryAfter};

use crate::luck::Luck;
use crate::settings::TokenId;
use lkesim_linode_api::{Answer, Call, Endpoint, Headers};
use lkesim_runtime::{Entity, Ppm, Quantiles, Time};
use std::collections::BTreeMap;
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
    /// The answer in place of the cloud's.
    pub answer: Option<Answer>,
    pub delay: Duration,
    pub lost: bool,
}

/// The faults of a run.
pub(crate) struct Faults {
    faults: Vec<Running>,
    /// How many calls of each entity there were.
    calls: BTreeMap<u64, u64>,
    over: bool,
}

struct Running {
    fault: Fault,
    matched: u64,
    hits: u64,
}

impl Faults {
    pub fn new(faults: &[Fault]) -> Faults {
        let running = |fault: &Fault| Running { fault: fault.clone(), matched: 0, hits: 0 };
        Faults { faults: faults.iter().map(running).collect(), calls: BTreeMap::new(), over: faults.is_empty() }
    }

    /// Stops all faults, for good.
    pub const fn end(&mut self) {
        self.over = true;
    }

    /// Each fault's name and how many calls it hit.
    pub fn hits(&self) -> impl Iterator<Item = (&Arc<str>, u64)> {
        self.faults.iter().map(|running| (&running.fault.name, running.hits))
    }

    /// What the first fault that matches does to the call.
    #[inline]
    pub fn judge(&mut self, luck: &Luck, now: Time, token: TokenId, call: &Call, headers: Headers) -> Option<Hit> {
        if self.over {
            return None;
        }
        self.judge_all(luck, now, token, call, headers)
    }

    /// Every fault counts the call that it matches, hit or not, as the n-th call is told by what was asked alone.
    fn judge_all(&mut self, luck: &Luck, now: Time, token: TokenId, call: &Call, headers: Headers) -> Option<Hit> {
        let endpoint = call.request.endpoint();
        let entity =
            Entity::named(call.purpose.operation.name()).and_name(&call.purpose.subject).and_name(endpoint.name());
        let nth = self.calls.entry(entity.as_u64()).or_default();
        *nth += 1;
        let mut hit = None;
        for running in &mut self.faults {
            if running.matches(now, token, endpoint) && hit.is_none() {
                let entity = entity.and_name(&running.fault.name);
                if luck.fault.draw(entity, *nth).happens(running.fault.chance) {
                    running.hits += 1;
                    hit = Some(running.fault.hit(luck.fault_delay.draw(entity, *nth), headers));
                }
            }
        }
        hit
    }
}

impl Running {
    /// Whether the call is one that the fault may hit.
    fn matches(&mut self, now: Time, token: TokenId, endpoint: Endpoint) -> bool {
        let fault = &self.fault;
        let asked = (fault.endpoints.is_empty() || fault.endpoints.contains(&endpoint))
            && fault.token.is_none_or(|only| only == token)
            && (fault.from..fault.until).contains(&now);
        self.matched += u64::from(asked);
        asked && (fault.first_call..=fault.last_call).contains(&self.matched)
    }
}

impl Fault {
    fn hit(&self, word: lkesim_runtime::Word, headers: Headers) -> Hit {
        let name = self.name.clone();
        match &self.action {
            Action::Refuse(refusal) => refuse::hit(name, refusal, headers),
            Action::Delay(delays) => delay::hit(name, delays, word),
            Action::Lose => lose::hit(name),
        }
    }
}
