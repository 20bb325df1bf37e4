//! Waiting Creates of a key are joined: one count change, one read, many claims.
//!
//! Whoever gets the key's lock first looks for all who wait: it gives each Linode that can be claimed to one of them, in
//! the order in which they came, and raises the count once by what is missing. Each then writes and reads back its own
//! claim, beside the others, without the lock.

use super::documented::{Attempt, Documented, Flags, Several, THE_REST, Variation, retry_or, with_the_rest};
use super::{Design, documented};
use crate::budgets::CLAIMED_AGAIN;
use crate::locks::PoolKey;
use crate::run::Run;
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::CreateError;
use lkesim_kube::object::{NodeClaim, Uid};
use lkesim_linode_api::budget::Budget;
use lkesim_linode_api::design_facts::DesignFacts;
use lkesim_linode_api::{Cause, Endpoint, Instance, InstanceId, LkePool, Operation, Purpose, Tier};
use lkesim_runtime::Time;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The document's flow with joined Creates.
pub const DESIGN: Design = Design {
    summary: "the document's flow, but Creates that wait for a key share its reads and scale together",
    about: include_str!("batched_scale.md"),
    build: |context| Documented::provider(context, Several::First, BatchedScale::default()),
    budgets: BUDGETS,
    facts: DesignFacts { name: "batched-scale", ..documented::DESIGN.facts },
    ..documented::DESIGN
};

#[derive(Default)]
struct BatchedScale(RefCell<Waiting>);

#[derive(Default)]
struct Waiting {
    /// The Creates that wait, in the order in which they came.
    creates: BTreeMap<PoolKey, Vec<Waiter>>,
    /// Linodes that were given to a NodeClaim, each with its pool.
    given: BTreeMap<InstanceId, (Uid, Arc<LkePool>, Arc<Instance>)>,
}

struct Waiter {
    uid: Uid,
    /// The run of its Create, and when that ends.
    run: u64,
    until: Time,
    /// Whether a node was asked for it.
    is_counted: bool,
}

#[async_trait(?Send)]
impl Variation for BatchedScale {
    async fn attempt(
        &self,
        base: &Documented,
        run: &Run,
        claim: &NodeClaim,
        key: &PoolKey,
        _: &mut Flags,
    ) -> Result<Attempt, CreateError> {
        let uid = claim.metadata.uid;
        let now = base.cx.runtime.now();
        self.0.borrow_mut().wait(key, uid, run.number(), now, now + base.cx.settings.create_deadline);
        if self.0.borrow().given_to(uid).is_none() {
            let _lock = base.locks.lock(key).await;
            if self.0.borrow().given_to(uid).is_none() {
                self.round(base, run, claim, key).await?;
            }
        }
        let given = self.0.borrow().given_to(uid);
        let Some((lke_pool, instance)) = given else {
            return Ok(Attempt::NoneYet);
        };
        let claimed = base.claim(run, claim, &lke_pool, &instance).await;
        let mut waiting = self.0.borrow_mut();
        match &claimed {
            Ok(Attempt::Claimed(_)) => waiting.leave(key, uid),
            _ => drop(waiting.given.remove(&instance.id)),
        }
        claimed
    }
}

impl BatchedScale {
    /// Looks, and scales, for all who wait for the key. Its lock is held.
    async fn round(&self, base: &Documented, run: &Run, claim: &NodeClaim, key: &PoolKey) -> Result<(), CreateError> {
        let listed = match base.cx.api.list_pools(&run.claiming(), base.cx.cluster.id).await {
            Ok(listed) => listed,
            Err(error) => return retry_or("NodePoolCreationFailed", error).map(drop),
        };
        let lke_pool = match base.pool_of(&listed, key)? {
            Some(lke_pool) => match base.reconciled(run, &lke_pool).await? {
                true => lke_pool,
                false => return Ok(()),
            },
            None => {
                let all = self.0.borrow().unserved(key, base.cx.runtime.now());
                let made = base.make_pool(run, shared(run, &all), claim, key, (all.len() as u32, &[])).await?;
                let Some(made) = made else { return Ok(()) };
                self.0.borrow_mut().count(key, &all);
                made
            }
        };
        let most = self.0.borrow().unserved(key, base.cx.runtime.now()).len();
        let found = base.look(run, &lke_pool, most, &|id| self.0.borrow().given.contains_key(&id)).await;
        let found = match found {
            Ok(found) => found,
            Err(error) => return retry_or("InstanceDiscoveryFailed", error).map(drop),
        };
        let unserved = self.0.borrow().unserved(key, base.cx.runtime.now());
        for (instance, to) in found.claimable.iter().zip(&unserved) {
            self.0.borrow_mut().given.insert(instance.id, (to.uid, lke_pool.clone(), instance.clone()));
        }
        let left = unserved.get(found.claimable.len()..).unwrap_or_default();
        let new: Vec<Joining> = left.iter().filter(|one| !one.is_counted).copied().collect();
        // A slot without a Linode is for one who waits already.
        let missing = new.len().min(left.len().saturating_sub(found.provisioning)) as u32;
        if missing > 0 && base.raise(&shared(run, &new), &lke_pool, missing).await?.is_none() {
            return Ok(());
        }
        self.0.borrow_mut().count(key, &new);
        Ok(())
    }
}

/// The purpose of a call that these share.
fn shared(run: &Run, all: &[Joining]) -> Purpose {
    let joined = all.iter().map(|one| one.run).filter(|other| *other != run.number()).collect();
    Purpose { joined, ..run.purpose(Cause::Scale) }
}

/// One who waits, as a round counts it.
#[derive(Clone, Copy)]
struct Joining {
    uid: Uid,
    run: u64,
    is_counted: bool,
}

impl Waiting {
    /// A Create waits. What was asked for an earlier one of the NodeClaim is asked for again, as the document has it.
    fn wait(&mut self, key: &PoolKey, uid: Uid, run: u64, now: Time, until: Time) {
        let creates = self.creates.entry(key.clone()).or_default();
        creates.retain(|waiter| waiter.until > now && (waiter.uid != uid || waiter.run == run));
        if !creates.iter().any(|waiter| waiter.uid == uid) {
            creates.push(Waiter { uid, run, until, is_counted: false });
        }
    }

    fn leave(&mut self, key: &PoolKey, uid: Uid) {
        if let Some(creates) = self.creates.get_mut(key) {
            creates.retain(|waiter| waiter.uid != uid);
        }
    }

    fn given_to(&self, uid: Uid) -> Option<(Arc<LkePool>, Arc<Instance>)> {
        let own = self.given.values().find(|(to, _, _)| *to == uid);
        own.map(|(_, lke_pool, instance)| (lke_pool.clone(), instance.clone()))
    }

    /// Those who wait and were given nothing.
    fn unserved(&self, key: &PoolKey, now: Time) -> Vec<Joining> {
        let creates = self.creates.get(key).map(Vec::as_slice).unwrap_or_default();
        let waits = |waiter: &&Waiter| waiter.until > now && self.given_to(waiter.uid).is_none();
        let joining = |waiter: &Waiter| Joining { uid: waiter.uid, run: waiter.run, is_counted: waiter.is_counted };
        creates.iter().filter(waits).map(joining).collect()
    }

    /// A node was asked for each of these.
    fn count(&mut self, key: &PoolKey, all: &[Joining]) {
        for waiter in self.creates.get_mut(key).into_iter().flatten() {
            waiter.is_counted |= all.iter().any(|one| one.uid == waiter.uid);
        }
    }
}

const STANDARD: Option<Tier> = Some(Tier::Standard);
const ENTERPRISE: Option<Tier> = Some(Tier::Enterprise);
const BOTH: Option<Tier> = None;
const SHARED: &str = "whoever of those that wait comes first makes it for all";

/// The document's lines: most Creates stay far below those that they share.
const BUDGETS: &[Budget] = &with_the_rest::<{ CREATE.len() + THE_REST.len() }>(CREATE);

const CREATE: &[Budget] = &[
    Budget::line(Operation::Create, STANDARD, Endpoint::ListInstances, "the lookup", |work| work.runs)
        .fewer("a Create for which no type can be had asks nothing"),
    Budget::line(
        Operation::Create,
        ENTERPRISE,
        Endpoint::ListInstances,
        "the lookup, and the members an attempt",
        |work| work.runs + work.attempts + work.extra_instance_pages,
    )
    .fewer(SHARED)
    .over(SHARED),
    Budget::line(Operation::Create, BOTH, Endpoint::ListPools, "one an attempt", |work| {
        work.attempts + work.extra_pool_pages
    })
    .fewer(SHARED)
    .over(SHARED),
    Budget::line(Operation::Create, STANDARD, Endpoint::GetPool, "one an attempt", |work| work.attempts)
        .fewer(SHARED)
        .over(SHARED),
    Budget::line(Operation::Create, STANDARD, Endpoint::GetInstance, "one a node scanned, five a claim", |work| {
        work.nodes_scanned + 5 * work.tag_writes
    })
    .fewer(SHARED)
    .over(SHARED),
    Budget::line(Operation::Create, ENTERPRISE, Endpoint::GetInstance, "five a claim", |work| 5 * work.tag_writes)
        .fewer("reading back ends at the first answer that shows the tag")
        .over(CLAIMED_AGAIN),
    Budget::line(Operation::Create, BOTH, Endpoint::UpdateInstance, "one an attempt", |work| work.attempts)
        .fewer("an attempt that is given nothing writes nothing"),
    Budget::line(Operation::Create, BOTH, Endpoint::CreatePool, "one a Create", |work| work.runs)
        .or(Endpoint::UpdatePool)
        .fewer(SHARED)
        .over(SHARED),
];
