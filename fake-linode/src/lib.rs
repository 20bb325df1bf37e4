//! Linode's API as a value, [`Cloud`]: no clock, task or socket inside. With the feature `http`, also a server around
//! it.
//!
//! [`Cloud::handle`] takes a call and the present and gives the answer; [`Cloud::next_event`] and [`Cloud::advance`]
//! let time pass. A simulator drives it on virtual time, a server on real time: both meet the same cloud, faults and
//! limits. It is deterministic: settings, seed and calls decide everything.
//!
//! A call is judged in this order: limit, then fault, then state. What the fake has no model of is [`NotModelled`],
//! never an answer that code under test could swallow.
//!
//! This crate knows nothing of Kubernetes. The stream of [`Change`]s and the `truth` accessors are for who judges a
//! run.

mod account;
mod agenda;
pub mod capacity;
pub mod catalogue;
mod change;
mod cluster;
pub mod fault;
mod history;
#[cfg(feature = "http")]
pub mod http;
mod instance_list;
mod judge;
mod lagged;
mod life;
mod lke_care;
mod lke_pool;
mod lke_pool_list;
mod luck;
mod machine;
mod odd;
mod pages;
mod rate_limit;
mod saved;
mod serve;
pub mod settings;
mod start;
mod still;
mod world;

pub use catalogue::Catalogue;
pub use change::{Change, ChangeKind, DeletedBy};
pub use cluster::ClusterTruth;
pub use fault::{Action, Cut, Fault, Refusal, RetryAfter};
pub use lagged::Lagged;
pub use lke_pool::{LkePoolConfig, LkePoolTruth};
pub use machine::InstanceTruth;
pub use saved::{NoState, SCHEMA};
pub use serve::{NotModelled, TAG_LENGTH};
pub use settings::{Lags, Limit, LimitScope, Limits, Settings, TokenId};
pub use start::{PlacedInstance, PlacedLkePool, PlacedNode};
pub use still::Still;

use fault::{Effect, Faults};
use lke_pool::Slot;
use lkesim_linode_api::{
    Answer, ApiError, Call, CallError, CallNumber, ClusterId, Endpoint, Headers, InstanceId, LkePoolId, RateClass,
    Taint,
};
use lkesim_runtime::{Entity, Seed, Time};
use rate_limit::RateLimiter;
use serve::{Refused, Served};
use std::sync::Arc;
use std::time::Duration;
use world::World;

/// The cloud.
pub struct Cloud {
    world: World,
    limiter: RateLimiter,
    faults: Faults,
}

/// A label's key and value.
pub type Label = (Arc<str>, Arc<str>);

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handled {
    /// The answer.
    pub answer: Answer,
    /// How much later than usual it comes.
    pub extra_delay: Duration,
    /// Whether it never comes, though the change was made.
    pub lost: bool,
    /// Whether a fault left out entries that the list should show.
    pub truncated: bool,
    /// The fault that hit the call.
    pub fault: Option<Arc<str>>,
}

impl Cloud {
    /// A cloud at the beginning of its run, with the clusters' base pools.
    pub fn new(settings: Settings, seed: Seed) -> Cloud {
        let mut cloud = Cloud {
            limiter: RateLimiter::new(settings.limits.clone(), settings.tokens.len()),
            faults: Faults::new(&settings.faults),
            world: World::new(settings, seed),
        };
        cloud.place_base_lke_pools();
        cloud
    }

    /// The settings that it was made with.
    pub fn settings(&self) -> &Settings {
        &self.world.settings
    }

    /// Judges a call that arrives at `now`, which is never before an earlier `now`. The changes that it makes bear its
    /// `number`.
    ///
    /// # Errors
    /// [`NotModelled`] where the call asks for something that the fake has no model of: the run can't go on.
    #[inline]
    pub fn handle(
        &mut self,
        now: Time,
        token: TokenId,
        number: CallNumber,
        call: &Call,
    ) -> Result<Handled, NotModelled> {
        self.world.advance(now);
        self.world.call = Some(number);
        let endpoint = call.request.endpoint();
        if usize::from(token.0) >= self.world.settings.tokens.len() {
            return Ok(self.refused(ApiError::new(401, "Invalid Token"), Headers::default()));
        }
        self.world.asking = Some(self.world.settings.tokens[usize::from(token.0)].account);
        let judged = self.limiter.judge(token, endpoint, now);
        if !judged.admitted {
            self.world.record(ChangeKind::Throttled { token, endpoint });
            return Ok(self.refused(ApiError::new(429, "Too many requests"), judged.headers));
        }
        let asked = fault::Asked { token, endpoint, purpose: &call.purpose, headers: judged.headers };
        let hit = self.faults.judge(&self.world.luck, now, asked);
        match hit {
            None => self.serve(call, judged.headers),
            Some(hit) => self.serve_hit(endpoint, call, judged.headers, hit),
        }
    }

    /// Carries out what a person does by hand in Linode's console: past limits and faults, of which that person has
    /// others.
    ///
    /// # Errors
    /// As [`Cloud::handle`].
    pub fn handle_by_hand(&mut self, now: Time, number: CallNumber, call: &Call) -> Result<Handled, NotModelled> {
        self.world.advance(now);
        self.world.call = Some(number);
        self.world.asking = None;
        self.serve(call, Headers::default())
    }

    /// Offers a cluster calls that the design document wishes for and the real API does not have. To every other cluster,
    /// and over HTTP, they do not exist.
    pub fn offer(&mut self, cluster: ClusterId, calls: &'static [Endpoint]) {
        self.world.offer(cluster, calls);
    }

    /// Replaces every node of a LKE pool, as a person recycles it in Linode's console; whether it exists and its plan
    /// can be had. No client of the model calls this.
    pub fn recycle_by_hand(&mut self, now: Time, lke_pool: LkePoolId) -> bool {
        self.world.advance(now);
        self.world.call = None;
        self.world.recycle(lke_pool)
    }

    fn refused(&self, mut error: ApiError, headers: Headers) -> Handled {
        error.retry_after_secs = Some(headers.retry_after_secs).filter(|&secs| secs > 0);
        self.answered(Answer { result: Err(CallError::Api(error)), headers })
    }

    #[inline]
    fn answered(&self, answer: Answer) -> Handled {
        Handled { answer, extra_delay: Duration::ZERO, lost: false, truncated: false, fault: None }
    }

    #[inline]
    fn serve(&mut self, call: &Call, headers: Headers) -> Result<Handled, NotModelled> {
        let served = self.world.serve(&call.request);
        self.handled(served, headers)
    }

    #[inline]
    fn handled(&self, served: Served, headers: Headers) -> Result<Handled, NotModelled> {
        match served {
            Ok(reply) => Ok(self.answered(Answer { result: Ok(reply), headers })),
            Err(Refused::Api(error)) => Ok(self.refused(error, headers)),
            Err(Refused::NotModelled(what)) => Err(what),
        }
    }

    fn serve_hit(
        &mut self,
        endpoint: Endpoint,
        call: &Call,
        headers: Headers,
        hit: fault::Hit,
    ) -> Result<Handled, NotModelled> {
        let fault = hit.name.clone();
        self.world.record(ChangeKind::Faulted { fault, endpoint });
        // A second time or an old view that changes nothing is as no fault.
        let mut differs = true;
        let handled = match hit.effect {
            Effect::Instead(answer) => self.answered(answer),
            Effect::Late(delay) => Handled { extra_delay: delay, ..self.serve(call, headers)? },
            Effect::Lost => Handled { lost: true, ..self.serve(call, headers)? },
            Effect::Twice => {
                let first = self.serve(call, headers)?;
                let changes = self.world.changes.len();
                self.world.repeats = true;
                let second = self.serve(call, headers);
                self.world.repeats = false;
                let second = second?;
                differs = self.world.changes.len() > changes || second.answer.result != first.answer.result;
                second
            }
            Effect::AsOf(age) => {
                let old = self.serve_as_of(age, call, headers)?;
                differs = old.answer.result != self.serve(call, headers)?.answer.result;
                old
            }
            Effect::Cut(cut, word) => self.serve_cut(cut, word, call, headers)?,
            Effect::Doubled => self.serve_doubled(call, headers)?,
            Effect::Unreadable(what) => self.serve_unreadable(what, call, headers)?,
        };
        Ok(Handled { fault: differs.then_some(hit.name), ..handled })
    }

    /// When the truth changes next without a call. What views come to see needs no wake-up: who looks, sees.
    #[inline]
    pub fn next_event(&self) -> Option<Time> {
        self.world.agenda.next_loud()
    }

    /// The time that it has reached.
    pub fn now(&self) -> Time {
        self.world.now
    }

    /// Lets time pass until `now`.
    pub fn advance(&mut self, now: Time) {
        self.world.advance(now);
    }

    /// Appends what changed since the last time to `into`, in order.
    pub fn take_changes(&mut self, into: &mut Vec<Change>) {
        into.append(&mut self.world.changes);
    }

    /// Whether [`Cloud::take_changes`] has something to give.
    #[inline]
    pub fn has_changes(&self) -> bool {
        !self.world.changes.is_empty()
    }

    /// Stops all faults, for good: the calm begins.
    pub fn end_faults(&mut self) {
        self.faults.end();
    }

    /// Each fault's name and how many calls it hit.
    pub fn fault_hits(&self) -> impl Iterator<Item = (&Arc<str>, u64)> {
        self.faults.hits()
    }

    /// The names of the faults that no call has met so far: such calls were not made, or too few of them.
    pub fn idle_faults(&self) -> impl Iterator<Item = &Arc<str>> {
        self.faults.idle()
    }

    /// Every cluster that ever was, by id: the truth.
    pub fn clusters(&self) -> impl ExactSizeIterator<Item = &ClusterTruth> {
        self.world.clusters.iter().map(|cluster| &cluster.truth)
    }

    /// Puts one more fault on, judged after those that there are. It counts the calls that match it from here on.
    pub fn add_fault(&mut self, fault: Fault) {
        if matches!(fault.action, Action::Stale(_)) {
            self.world.keep_history();
        }
        self.faults.add(fault);
    }

    /// Takes the faults whose names are meant away, with their counts. Gives how many they were.
    pub fn remove_faults(&mut self, is_meant: impl Fn(&str) -> bool) -> usize {
        self.faults.remove(is_meant)
    }

    /// Switches the faults whose names are meant on or off. Gives how many they are.
    pub fn switch_faults(&mut self, is_meant: impl Fn(&str) -> bool, on: bool) -> usize {
        self.faults.switch(is_meant, on)
    }

    /// Each fault's name, whether it is on, and how many calls it hit.
    pub fn faults(&self) -> impl Iterator<Item = (&Arc<str>, bool, u64)> {
        self.faults.all()
    }

    /// Counts a request that this value has no call for against a limit, as a server does for what it answers by
    /// itself.
    ///
    /// # Errors
    /// The headers of the refusal, where the limit is reached.
    pub fn spend(&mut self, now: Time, token: TokenId, class: RateClass) -> Result<Headers, Headers> {
        let judged = self.limiter.judge_class(token, class, now);
        if judged.admitted { Ok(judged.headers) } else { Err(judged.headers) }
    }

    /// Every Linode that ever was, by id: the truth, whatever views show.
    pub fn instances(&self) -> impl ExactSizeIterator<Item = &InstanceTruth> {
        self.world.machines.iter().map(|machine| &machine.truth)
    }

    /// The Linodes whose deletion was not accepted, by id.
    pub fn live_instances(&self) -> impl Iterator<Item = &InstanceTruth> {
        self.instances().filter(|truth| truth.is_live())
    }

    /// The truth about a Linode, live or not.
    pub fn instance(&self, id: InstanceId) -> Option<&InstanceTruth> {
        self.world.machine(id).map(|machine| &machine.truth)
    }

    /// Whose luck a Linode has: (key, n-th created), the same under every design.
    pub fn luck(&self, id: InstanceId) -> Option<Entity> {
        self.world.machine(id).map(|machine| machine.entity)
    }

    /// The labels and taints that the nodes of a LKE pool join with.
    pub fn node_labels_and_taints(&self, id: LkePoolId) -> Option<(&[Label], &[Taint])> {
        let config = &self.world.lke_pools[self.world.lke_pool_ix(id)?].truth.config;
        Some((&config.labels, &config.taints))
    }

    /// Every LKE pool that ever was, by id: the truth, whatever views show.
    pub fn lke_pools(&self) -> impl ExactSizeIterator<Item = &LkePoolTruth> {
        self.world.lke_pools.iter().map(|pool| &pool.truth)
    }

    /// The truth about a LKE pool, live or not.
    pub fn lke_pool(&self, id: LkePoolId) -> Option<&LkePoolTruth> {
        self.world.lke_pool_ix(id).map(|ix| &self.world.lke_pools[ix].truth)
    }

    /// The live Linodes of a LKE pool, by node id.
    pub fn members(&self, id: LkePoolId) -> impl Iterator<Item = InstanceId> {
        let pool = self.world.lke_pool_ix(id).map(|ix| &self.world.lke_pools[ix]);
        let slots = pool.map_or(&[][..], |pool| pool.slots());
        let lives = |slot: &&Slot| slot.is_open() && self.world.machines[slot.machine as usize].truth.is_live();
        slots.iter().filter(lives).map(|slot| slot.instance)
    }
}

#[cfg(test)]
mod tests;
