//! The scheduler's queue: pods to look at, pods that wait for their backoff, pods that fit nowhere.
//!
//! Kubernetes v1.33 `pkg/scheduler/backend/queue/scheduling_queue.go`, without the feature SchedulerPopFromBackoffQ. Pods of
//! higher priority come first, then those that wait the longest. A pod that failed comes back on an event that may help it,
//! once its backoff is over, and in any case when it is flushed. Backoffs are looked at every second, flushes every 30 s.

use crate::Settings;
use lkesim_kube::object::{Pod, Uid};
use lkesim_runtime::Time;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

const BACKOFF_LOOK: u64 = 1;
const FLUSH_LOOK: u64 = 30;

/// A pod that has no node.
pub struct Queued {
    /// The pod as last heard of.
    pub pod: Rc<Pod>,
    /// Its shape.
    pub shape: usize,
    /// How often it was looked at.
    pub attempts: u32,
    place: Place,
    failed_at: Time,
}

type ActiveKey = (Reverse<i32>, Time, u64);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Active(ActiveKey),
    Backoff(Time, u64),
    Unschedulable(Time),
    /// It is being looked at, or bound.
    Out,
}

/// The queue.
pub struct Queue {
    settings: Rc<Settings>,
    pods: BTreeMap<Uid, Queued>,
    active: BTreeMap<ActiveKey, Uid>,
    backoff: BTreeMap<(Time, u64), Uid>,
    /// By shape, as an event helps all pods of one or none.
    unschedulable: BTreeMap<usize, BTreeSet<Uid>>,
    flushes: BTreeSet<(Time, Uid)>,
    last: u64,
}

impl Queue {
    /// Without pods.
    pub fn new(settings: &Rc<Settings>) -> Queue {
        Queue {
            settings: settings.clone(),
            pods: BTreeMap::new(),
            active: BTreeMap::new(),
            backoff: BTreeMap::new(),
            unschedulable: BTreeMap::new(),
            flushes: BTreeSet::new(),
            last: 0,
        }
    }

    /// A pod in the queue.
    pub fn get(&self, uid: Uid) -> Option<&Queued> {
        self.pods.get(&uid)
    }

    /// A new pod.
    pub fn add(&mut self, now: Time, pod: &Rc<Pod>, shape: usize) {
        let uid = pod.metadata.uid;
        let place = Place::Out;
        let queued = Queued { pod: pod.clone(), shape, attempts: 0, place, failed_at: now };
        self.pods.insert(uid, queued);
        self.activate(now, uid);
    }

    /// A newer version of a pod that is in the queue.
    pub fn refresh(&mut self, pod: &Rc<Pod>) {
        if let Some(queued) = self.pods.get_mut(&pod.metadata.uid) {
            queued.pod = pod.clone();
        }
    }

    /// A pod is bound or gone.
    pub fn remove(&mut self, uid: Uid) -> Option<Queued> {
        self.leave(uid);
        self.pods.remove(&uid)
    }

    /// The next pod to look at.
    pub fn pop(&mut self, now: Time) -> Option<Uid> {
        self.wake(now);
        let (_, uid) = self.active.pop_first()?;
        let queued = self.pods.get_mut(&uid)?;
        queued.place = Place::Out;
        queued.attempts += 1;
        Some(uid)
    }

    /// When the next pod comes back by itself.
    pub fn next_wake(&self) -> Option<Time> {
        let backoff = self.backoff.first_key_value().map(|((at, _), _)| *at);
        let flush = self.flushes.first().map(|(at, _)| *at);
        backoff.into_iter().chain(flush).min()
    }

    /// A pod that was looked at fits nowhere.
    pub fn give_up(&mut self, now: Time, uid: Uid) {
        let flush = self.settings.flush;
        let Some(queued) = self.pods.get_mut(&uid) else { return };
        queued.failed_at = now;
        let at = looked_at(now + flush, FLUSH_LOOK);
        queued.place = Place::Unschedulable(at);
        self.unschedulable.entry(queued.shape).or_default().insert(uid);
        self.flushes.insert((at, uid));
    }

    /// A pod whose binding failed: again after its backoff.
    pub fn fail(&mut self, now: Time, uid: Uid) {
        if let Some(queued) = self.pods.get_mut(&uid) {
            queued.failed_at = now;
            self.retry(now, uid);
        }
    }

    /// Whether any pod fits nowhere.
    pub fn has_hopeless(&self) -> bool {
        !self.unschedulable.is_empty()
    }

    /// Something happened that may help pods of these shapes.
    pub fn stir(&mut self, now: Time, shapes: impl Fn(usize) -> bool) {
        let stirred: Vec<usize> = self.unschedulable.keys().copied().filter(|shape| shapes(*shape)).collect();
        for shape in stirred {
            for uid in self.unschedulable.remove(&shape).unwrap_or_default() {
                if let Some(Place::Unschedulable(flush)) = self.pods.get(&uid).map(|queued| queued.place) {
                    self.flushes.remove(&(flush, uid));
                }
                self.retry(now, uid);
            }
        }
    }

    /// To the active pods, or to those that wait for their backoff.
    fn retry(&mut self, now: Time, uid: Uid) {
        let Some(queued) = self.pods.get_mut(&uid) else { return };
        let ends = queued.failed_at + backoff(&self.settings, queued.attempts);
        if ends <= now {
            self.activate(now, uid);
            return;
        }
        self.last += 1;
        let at = looked_at(ends, BACKOFF_LOOK);
        queued.place = Place::Backoff(at, self.last);
        self.backoff.insert((at, self.last), uid);
    }

    fn activate(&mut self, now: Time, uid: Uid) {
        let Some(queued) = self.pods.get_mut(&uid) else { return };
        self.last += 1;
        let key = (Reverse(queued.pod.spec.priority), now, self.last);
        queued.place = Place::Active(key);
        self.active.insert(key, uid);
    }

    fn wake(&mut self, now: Time) {
        while let Some(entry) = self.backoff.first_entry().filter(|entry| entry.key().0 <= now) {
            let uid = entry.remove();
            self.activate(now, uid);
        }
        while let Some((_, uid)) = self.flushes.first().copied().filter(|(at, _)| *at <= now) {
            self.leave(uid);
            self.activate(now, uid);
        }
    }

    fn leave(&mut self, uid: Uid) {
        let Some(queued) = self.pods.get(&uid) else { return };
        match queued.place {
            Place::Active(key) => drop(self.active.remove(&key)),
            Place::Backoff(at, number) => drop(self.backoff.remove(&(at, number))),
            Place::Unschedulable(flush) => {
                self.flushes.remove(&(flush, uid));
                if let Some(uids) = self.unschedulable.get_mut(&queued.shape) {
                    uids.remove(&uid);
                    if uids.is_empty() {
                        self.unschedulable.remove(&queued.shape);
                    }
                }
            }
            Place::Out => {}
        }
    }
}

fn backoff(settings: &Settings, attempts: u32) -> Duration {
    let times = 1_u32.checked_shl(attempts.saturating_sub(1)).unwrap_or(u32::MAX);
    settings.initial_backoff.saturating_mul(times).min(settings.max_backoff)
}

/// The next time of a clock that ticks every so many seconds.
fn looked_at(at: Time, every: u64) -> Time {
    Time::from_secs(at.as_nanos().div_ceil(every * 1_000_000_000) * every)
}

#[cfg(test)]
mod tests;
