//! The lives of the Linodes that Karpenter manages, and their bill.
//!
//! Source of the bill: Linode's pricing page: each started hour costs the plan's hourly price, up to its monthly price.

use super::calls::Calls;
use super::hard_case::{HardCase, HardCases};
use crate::event::What;
use crate::outcome::{Cost, Dollars, InstanceCounts};
use lkesim_linode_api::{Cause, InstanceId, LkePoolId, PlanPrice, Tags};
use lkesim_runtime::Time;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// The tag that names a Linode's NodeClaim.
const CLAIM_TAG: &str = "karpenter.sh/nodeclaim";
/// The tag by which a Linode without a LKE pool belongs to a Karpenter NodePool.
const NODE_POOL_TAG: &str = "karpenter.sh/nodepool";
/// How long a Linode may lack a holder before garbage collection takes it (design document, "orphan TTL").
const ORPHAN_TTL: Duration = Duration::from_secs(5 * 60);
const HOUR: u128 = 3_600_000_000_000;
/// The hours of a 31-day month, the span that one monthly price covers here.
const MONTH_HOURS: u64 = 744;

/// A live Linode of a managed LKE pool, or without a LKE pool and with the tag of a Karpenter NodePool.
#[derive(Clone, Debug)]
struct Life {
    node_pool: Arc<str>,
    plan: Arc<str>,
    price: PlanPrice,
    /// How long before the run it was created.
    age: Duration,
    born: Time,
    /// The time without a live holder so far, and the part of it that is billed.
    unclaimed: Duration,
    unclaimed_billed: Duration,
    /// Since when it lacks a holder.
    unheld_since: Option<Time>,
    ever_held: bool,
}

/// All Linodes that Karpenter manages.
pub(super) struct Linodes {
    /// Billing ends here.
    bill_until: Time,
    /// The Karpenter NodePool of each managed pool, by its tags at its creation.
    managed: BTreeMap<LkePoolId, Arc<str>>,
    live: BTreeMap<InstanceId, Life>,
    /// Held, and not live or not managed.
    held_elsewhere: BTreeSet<InstanceId>,
    counts: InstanceCounts,
    unclaimed: Duration,
    total: u64,
    total_unclaimed: u64,
}

impl Linodes {
    pub fn new(bill_until: Time) -> Linodes {
        Linodes {
            bill_until,
            managed: BTreeMap::new(),
            live: BTreeMap::new(),
            held_elsewhere: BTreeSet::new(),
            counts: InstanceCounts::default(),
            unclaimed: Duration::ZERO,
            total: 0,
            total_unclaimed: 0,
        }
    }

    /// The Karpenter NodePool that a live Linode belongs to.
    pub fn node_pool_of(&self, instance: InstanceId) -> Option<&str> {
        self.live.get(&instance).map(|life| &*life.node_pool)
    }

    /// The plan of a live Linode.
    pub fn plan_of(&self, instance: InstanceId) -> Option<&Arc<str>> {
        self.live.get(&instance).map(|life| &life.plan)
    }

    pub fn apply(
        &mut self,
        at: Time,
        what: &What,
        price: &dyn Fn(&str) -> PlanPrice,
        calls: &Calls,
        cases: &mut HardCases,
    ) {
        match what {
            What::PoolCreated { lke_pool, node_pool: Some(node_pool), .. } => {
                self.managed.insert(*lke_pool, node_pool.clone());
            }
            What::PoolDeleted { lke_pool, .. } if self.managed.contains_key(lke_pool) => {
                cases.hit(HardCase::PoolDeleted);
            }
            What::InstanceCreated { instance, lke_pool, plan, tags, call, .. } => {
                let was_there = call.is_none() && at == Time::ZERO;
                let node_pool = match lke_pool {
                    Some(lke_pool) => self.managed.get(lke_pool).cloned(),
                    None => tags.value(NODE_POOL_TAG).map(Arc::from),
                };
                if let Some(node_pool) = node_pool {
                    self.born(at, *instance, (node_pool, plan.clone()), price(plan), was_there);
                }
            }
            What::StartedWith { linodes, .. } => {
                for (instance, age) in linodes.iter() {
                    if let Some(life) = self.live.get_mut(instance) {
                        life.age = *age;
                    }
                }
            }
            What::InstanceTagged { instance, before, after, .. } if self.live.contains_key(instance) => {
                note_tags(before, after, cases);
            }
            What::InstanceDeleted { instance, call, .. } => {
                if self.live.contains_key(instance) && call.and_then(|call| calls.cause_of(call)) == Some(Cause::Gc) {
                    cases.hit(HardCase::OrphanDeleted);
                }
                self.buried(at, *instance, cases);
            }
            _ => {}
        }
    }

    /// A Linode came to be held by a live NodeClaim, or ceased to be.
    pub fn holding_changed(&mut self, at: Time, instance: InstanceId, held: bool, cases: &mut HardCases) {
        let Some(life) = self.live.get_mut(&instance) else {
            if held {
                self.held_elsewhere.insert(instance);
            } else {
                self.held_elsewhere.remove(&instance);
            }
            return;
        };
        if held {
            life.ever_held = true;
            life.close_gap(at, self.bill_until, cases);
        } else {
            life.unheld_since.get_or_insert(at);
        }
    }

    /// Counts and bill of a run that ends at `at`.
    pub fn finish(&mut self, at: Time, cases: &mut HardCases) -> (InstanceCounts, Cost) {
        self.counts.unclaimed_at_end = self.live.values().filter(|life| life.unheld_since.is_some()).count() as u64;
        for (_, life) in std::mem::take(&mut self.live) {
            self.settle(at, life, cases);
        }
        self.counts.unclaimed_minutes = self.unclaimed.as_secs() / 60;
        let cost = Cost { total_usd: Dollars(self.total), unclaimed_usd: Dollars(self.total_unclaimed) };
        (self.counts.clone(), cost)
    }

    fn born(
        &mut self,
        at: Time,
        instance: InstanceId,
        (node_pool, plan): (Arc<str>, Arc<str>),
        price: PlanPrice,
        was_there: bool,
    ) {
        let held = self.held_elsewhere.remove(&instance);
        let life = Life {
            node_pool,
            plan,
            price,
            age: Duration::ZERO,
            born: at,
            unclaimed: Duration::ZERO,
            unclaimed_billed: Duration::ZERO,
            unheld_since: (!held).then_some(at),
            ever_held: held,
        };
        self.live.insert(instance, life);
        self.counts.created += u64::from(!was_there);
        self.counts.peak = self.counts.peak.max(self.live.len() as u64);
    }

    fn buried(&mut self, at: Time, instance: InstanceId, cases: &mut HardCases) {
        let Some(life) = self.live.remove(&instance) else {
            return;
        };
        if !life.ever_held {
            cases.hit(HardCase::LinodeNeverHeld);
        }
        self.settle(at, life, cases);
    }

    /// Adds a life that ends at `at` to the sums.
    fn settle(&mut self, at: Time, mut life: Life, cases: &mut HardCases) {
        life.close_gap(at, self.bill_until, cases);
        self.unclaimed += life.unclaimed;
        if life.born >= self.bill_until {
            return;
        }
        let billed = at.min(self.bill_until).since(life.born);
        // Hours that were started before the run are another's bill.
        let bill = bill(life.price, life.age + billed) - paid(life.price, life.age);
        self.total += bill;
        self.total_unclaimed += share(bill, life.unclaimed_billed, billed);
    }
}

impl Life {
    /// Ends the time without a holder, if it is in one.
    fn close_gap(&mut self, at: Time, bill_until: Time, cases: &mut HardCases) {
        let Some(since) = self.unheld_since.take() else {
            return;
        };
        let gap = at.since(since);
        self.unclaimed += gap;
        self.unclaimed_billed += at.min(bill_until).since(since);
        if gap >= ORPHAN_TTL {
            cases.hit(HardCase::LinodeUnclaimed);
        }
    }
}

/// What a Linode costs that lived this long, in millionths of a US dollar. The first hour starts at once.
pub(super) fn bill(price: PlanPrice, life: Duration) -> u64 {
    let hours = u64::try_from(life.as_nanos().div_ceil(HOUR)).unwrap_or(u64::MAX).max(1);
    let (months, rest) = (hours / MONTH_HOURS, hours % MONTH_HOURS);
    let capped = |hours: u64| price.hourly_micro_usd.saturating_mul(hours).min(price.monthly_micro_usd);
    capped(MONTH_HOURS).saturating_mul(months).saturating_add(capped(rest))
}

/// What was billed before the run.
fn paid(price: PlanPrice, age: Duration) -> u64 {
    if age.is_zero() { 0 } else { bill(price, age) }
}

/// The part of a bill for `part` of a life of length `whole`, rounded down. A life of no length was all unclaimed.
pub(super) fn share(bill: u64, part: Duration, whole: Duration) -> u64 {
    let part = u128::from(bill) * part.as_nanos();
    let Some(share) = part.checked_div(whole.as_nanos()) else {
        return bill;
    };
    u64::try_from(share).unwrap_or(bill)
}

fn note_tags(before: &Tags, after: &Tags, cases: &mut HardCases) {
    if before.values(CLAIM_TAG).any(|old| !after.values(CLAIM_TAG).any(|claim| claim == old))
        && after.value(CLAIM_TAG).is_some()
    {
        cases.hit(HardCase::TagOverwritten);
    }
    if before.values(CLAIM_TAG).count() < 2 && after.values(CLAIM_TAG).count() >= 2 {
        cases.hit(HardCase::TagDoubled);
    }
}
