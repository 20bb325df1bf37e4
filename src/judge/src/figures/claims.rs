//! The lives of NodeClaims.

use super::hard_case::{HardCase, HardCases};
use super::lasted::{Lasted, Reached};
use crate::event::{Condition, What};
use crate::outcome::ClaimCounts;
use lkesim_runtime::Time;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

/// Who deletes a NodeClaim where it is not Karpenter.
const WORKLOAD: &str = "workload";

/// A NodePool and the types that a NodeClaim may have: what two Creates contend for.
type Key = (Rc<str>, Rc<[Rc<str>]>);

/// One NodeClaim, kept to the end of the run.
#[derive(Clone, Debug)]
struct Life {
    key: usize,
    /// Whether it was launched before the run.
    earlier: bool,
    created: Time,
    launched: Option<Time>,
    registered: Option<Time>,
    initialized: Option<Time>,
    deleted: bool,
    by_workload: bool,
    without_capacity: bool,
    creates: u32,
    creates_running: u32,
}

/// All NodeClaims, by uid.
#[derive(Clone, Debug, Default)]
pub(super) struct Claims {
    lives: BTreeMap<u64, Life>,
    keys: BTreeMap<Key, usize>,
    /// Creates that run, by key.
    running: Vec<u32>,
}

impl Life {
    fn apply(&mut self, at: Time, what: &What, cases: &mut HardCases) {
        match what {
            What::ClaimDeleting { by, .. } => {
                self.deleted = true;
                self.by_workload = *by == WORKLOAD;
                if self.creates_running > 0 {
                    cases.hit(HardCase::ClaimDeletedInCreate);
                }
            }
            What::ClaimGone { .. } => self.deleted = true,
            What::ClaimProviderId { .. } => {
                self.launched.get_or_insert(at);
            }
            What::ClaimCondition { condition: Condition::Registered, .. } => {
                self.registered.get_or_insert(at);
            }
            What::ClaimCondition { condition: Condition::Initialized, .. } => {
                self.initialized.get_or_insert(at);
            }
            _ => {}
        }
    }
}

impl Claims {
    /// Counts an event.
    pub fn apply(&mut self, at: Time, what: &What, cases: &mut HardCases) {
        let (claim, change) = match what {
            What::StartedWith { claims, .. } => {
                for claim in claims.iter() {
                    if let Some(life) = self.lives.get_mut(&claim.uid) {
                        life.earlier = true;
                    }
                }
                return;
            }
            What::ClaimCreated { claim, node_pool, plans, .. } => {
                return self.created(at, claim.uid, node_pool, plans);
            }
            What::ClaimDeleting { claim, .. }
            | What::ClaimGone { claim }
            | What::ClaimProviderId { claim, after: Some(_), .. }
            | What::ClaimCondition { claim, status: Some(true), .. } => (claim, what),
            _ => return,
        };
        if let Some(life) = self.lives.get_mut(&claim.uid) {
            life.apply(at, change, cases);
        }
    }

    fn created(&mut self, at: Time, uid: u64, node_pool: &Rc<str>, plans: &Rc<[Rc<str>]>) {
        let next = self.keys.len();
        let key = *self.keys.entry((node_pool.clone(), plans.clone())).or_insert(next);
        self.running.resize(self.keys.len(), 0);
        let life = Life {
            key,
            earlier: false,
            created: at,
            launched: None,
            registered: None,
            initialized: None,
            deleted: false,
            by_workload: false,
            without_capacity: false,
            creates: 0,
            creates_running: 0,
        };
        self.lives.insert(uid, life);
    }

    /// A Create of it began.
    pub fn create_started(&mut self, uid: u64, cases: &mut HardCases) {
        let Some(life) = self.lives.get_mut(&uid) else {
            return;
        };
        if life.creates > 0 {
            cases.hit(HardCase::CreateRepeated);
        }
        life.creates += 1;
        life.creates_running += 1;
        if self.running[life.key] > 0 {
            cases.hit(HardCase::CreatesOverlapped);
        }
        self.running[life.key] += 1;
    }

    /// A Create of it ended, perhaps because no offering is left.
    pub fn create_ended(&mut self, uid: u64, without_capacity: bool) {
        let Some(life) = self.lives.get_mut(&uid) else {
            return;
        };
        life.without_capacity |= without_capacity;
        life.creates_running -= 1;
        self.running[life.key] -= 1;
    }

    /// What became of them. Of those that were launched before the run, only their end is counted. A NodeClaim that
    /// Karpenter deleted before it was initialized is one that it gave up.
    pub fn counts(&self, cases: &mut HardCases) -> ClaimCounts {
        let mut counts = ClaimCounts::default();
        for life in self.lives.values() {
            if !life.earlier {
                counts.requested += 1;
                counts.launched += u64::from(life.launched.is_some());
                counts.registered += u64::from(life.registered.is_some());
                counts.initialized += u64::from(life.initialized.is_some());
            }
            counts.deleted += u64::from(life.deleted && life.by_workload);
            if life.deleted && !life.by_workload && life.initialized.is_none() {
                counts.failed += 1;
                if !life.without_capacity {
                    cases.hit(HardCase::ClaimTimedOut);
                }
            }
        }
        counts
    }

    /// From creation to each milestone. A NodeClaim that the workload deleted short of a milestone is left out of it.
    pub fn lasted(&self, horizon: Duration) -> Lasted {
        let to = |milestone: Milestone| Reached::of(self.finished(milestone), self.unfinished(milestone), horizon);
        let first = self.asked().map(|life| life.created).min();
        let last = self.asked().filter_map(|life| life.initialized).max();
        let makespan = match (first, last, self.unfinished(|life| life.initialized)) {
            (Some(first), Some(last), 0) => last.since(first),
            (None, ..) | (_, None, 0) => Duration::ZERO,
            _ => horizon,
        };
        Lasted {
            launch: to(|life| life.launched),
            register: to(|life| life.registered),
            ready: to(|life| life.initialized),
            makespan_ms: u64::try_from(makespan.as_millis()).unwrap_or(u64::MAX),
            of_pods: None,
        }
    }

    fn asked(&self) -> impl Iterator<Item = &Life> {
        self.lives.values().filter(|life| !life.earlier)
    }

    fn finished(&self, milestone: Milestone) -> impl Iterator<Item = Duration> {
        self.asked().filter_map(move |life| milestone(life).map(|at| at.since(life.created)))
    }

    fn unfinished(&self, milestone: Milestone) -> usize {
        let given_up = |life: &&Life| milestone(life).is_none() && !(life.deleted && life.by_workload);
        self.asked().filter(given_up).count()
    }
}

/// When a NodeClaim came so far.
type Milestone = fn(&Life) -> Option<Time>;
