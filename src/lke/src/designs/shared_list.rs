//! One reader serves all waiting Creates.
//!
//! Lists are what the document's flow spends most of its limit on. Here a Create takes any list of the cluster's Linodes
//! or of its LKE pools that was asked for after it began to wait, whoever asked; only where there is none it asks itself,
//! for all who come meanwhile. A list that others share is older than what happened since it was asked for: what this
//! process claimed and scaled since is remembered beside it.

use super::documented::{
    Attempt, Documented, Flags, Found, Several, THE_REST, Variation, lookup_failed, retry_or, with_the_rest,
};
use super::{Design, documented};
use crate::budgets::{CLAIMED_AGAIN, GROWN_AGAIN};
use crate::context::Context;
use crate::locks::PoolKey;
use crate::reader::{Reader, Reading, pool_in_label};
use crate::run::Run;
use crate::tags;
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::CreateError;
use lkesim_kube::object::{NodeClaim, Uid};
use lkesim_linode_api::budget::Budget;
use lkesim_linode_api::design_facts::DesignFacts;
use lkesim_linode_api::{CallError, Cause, Endpoint, Instance, InstanceId, LkePool, Operation, Tier};
use lkesim_runtime::Time;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use tokio::sync::Mutex;

/// The document's flow over shared lists.
pub const DESIGN: Design = Design {
    summary: "the document's flow, but one list of Linodes and one of pools serves all Creates that wait for it",
    about: include_str!("shared_list.md"),
    build: |context| {
        let shared = SharedList::new(&context);
        Documented::provider(context, Several::First, shared)
    },
    budgets: BUDGETS,
    facts: DesignFacts { name: "shared-list", ..documented::DESIGN.facts },
    ..documented::DESIGN
};

struct SharedList {
    instances: Reader,
    pools: Pools,
    /// Linodes that this process claimed, or tried to, and for whom.
    taken: RefCell<BTreeMap<InstanceId, Uid>>,
}

/// The shared list of pools.
#[derive(Default)]
struct Pools {
    last: RefCell<Option<(Time, Vec<Arc<LkePool>>)>>,
    reading: Mutex<()>,
}

impl SharedList {
    fn new(cx: &Rc<Context>) -> SharedList {
        let instances = Reader::new(cx.clone(), cx.api.clone());
        SharedList { instances, pools: Pools::default(), taken: RefCell::default() }
    }

    /// Linodes of the pool that bear no nodeclaim tag, and how many are on their way. A slot whose Linode no list shows
    /// yet is read by itself, on Standard, where LKE tells the slot's Linode.
    async fn look(
        &self,
        base: &Documented,
        run: &Run,
        lke_pool: &LkePool,
        reading: &Reading,
        uid: Uid,
    ) -> Result<Found, CallError> {
        let is_anothers = |id: InstanceId| self.taken.borrow().get(&id).is_some_and(|owner| *owner != uid);
        let can_be_had =
            |one: &Instance| one.plan == lke_pool.plan && !tags::is_claimed(&one.tags) && !is_anothers(one.id);
        let is_member = |one: &&Arc<Instance>| pool_in_label(one) == Some(lke_pool.id);
        let members = reading.instances.iter().filter(is_member);
        let mut found =
            Found { claimable: members.filter(|one| can_be_had(one)).take(1).cloned().collect(), provisioning: 0 };
        if base.cx.cluster.tier == Tier::Enterprise || !found.claimable.is_empty() {
            return Ok(found);
        }
        for node in lke_pool.nodes.iter() {
            let Some(id) = node.instance else {
                found.provisioning += 1;
                continue;
            };
            if is_anothers(id) || reading.instances.iter().any(|one| one.id == id) {
                continue;
            }
            match base.cx.api.get_instance(&run.claiming(), id).await {
                Ok(one) if can_be_had(&one) => {
                    found.claimable.push(one);
                    break;
                }
                Ok(_) => {}
                Err(error) if error.is_absence_to(DESIGN.facts.sdk) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }
}

#[async_trait(?Send)]
impl Variation for SharedList {
    async fn find_claimed(
        &self,
        base: &Documented,
        run: &Run,
        claim: &NodeClaim,
    ) -> Result<Option<Arc<Instance>>, CreateError> {
        let reading = self.instances.since(base.cx.runtime.now(), &run.claiming()).await.map_err(lookup_failed)?;
        let tag = tags::of_node_claim(claim.name());
        Ok(reading.instances.iter().find(|one| one.tags.has(&tag)).cloned())
    }

    async fn attempt(
        &self,
        base: &Documented,
        run: &Run,
        claim: &NodeClaim,
        key: &PoolKey,
        flags: &mut Flags,
    ) -> Result<Attempt, CreateError> {
        // Who waits for the lock takes what those before it have read meanwhile.
        let since = base.cx.runtime.now();
        let _lock = base.locks.lock(key).await;
        let listed = match self.pools.since(base, run, since).await {
            Ok(listed) => listed,
            Err(error) => return retry_or("NodePoolCreationFailed", error),
        };
        let lke_pool = match base.pool_of(&listed, key)? {
            Some(lke_pool) => match base.reconciled(run, &lke_pool).await? {
                true => lke_pool,
                false => return Ok(Attempt::NoneYet),
            },
            None => {
                let Some(made) = base.make_pool(run, run.purpose(Cause::Scale), claim, key, (1, &[])).await? else {
                    return Ok(Attempt::NoneYet);
                };
                flags.created_or_scaled = true;
                self.pools.note(&made);
                made
            }
        };
        let found = match self.instances.since(since, &run.claiming()).await {
            Ok(reading) => self.look(base, run, &lke_pool, &reading, claim.metadata.uid).await,
            Err(error) => Err(error),
        };
        let found = match found {
            Ok(found) => found,
            Err(error) => return retry_or("InstanceDiscoveryFailed", error),
        };
        if let Some(instance) = found.claimable.first() {
            self.taken.borrow_mut().insert(instance.id, claim.metadata.uid);
            return base.claim(run, claim, &lke_pool, instance).await;
        }
        if found.provisioning == 0 && !flags.created_or_scaled {
            let raised = base.raise(&run.purpose(Cause::Scale), &lke_pool, 1).await?;
            flags.created_or_scaled = raised.is_some();
            raised.iter().for_each(|raised| self.pools.note(raised));
        }
        Ok(Attempt::NoneYet)
    }
}

impl Pools {
    /// A list that was asked for after this time.
    async fn since(&self, base: &Documented, run: &Run, after: Time) -> Result<Vec<Arc<LkePool>>, CallError> {
        let _one = self.reading.lock().await;
        if let Some((_, listed)) = self.last.borrow().as_ref().filter(|(asked, _)| *asked >= after) {
            return Ok(listed.clone());
        }
        let asked = base.cx.runtime.now();
        let listed = base.cx.api.list_pools(&run.claiming(), base.cx.cluster.id).await?.to_vec();
        *self.last.borrow_mut() = Some((asked, listed.clone()));
        Ok(listed)
    }

    /// What a write answered is newer than the list.
    fn note(&self, lke_pool: &Arc<LkePool>) {
        if let Some((_, listed)) = &mut *self.last.borrow_mut() {
            listed.retain(|other| other.id != lke_pool.id);
            listed.push(lke_pool.clone());
            listed.sort_by_key(|one| one.id);
        }
    }
}

const BOTH: Option<Tier> = None;
const STANDARD: Option<Tier> = Some(Tier::Standard);
const SHARED: &str = "whoever of those that wait comes first makes it for all";

/// The document's lines: most Creates stay far below those that they share.
const BUDGETS: &[Budget] = &with_the_rest::<{ CREATE.len() + THE_REST.len() }>(CREATE);

const CREATE: &[Budget] = &[
    Budget::line(Operation::Create, BOTH, Endpoint::ListInstances, "the lookup, and the Linodes an attempt", |work| {
        work.runs + work.attempts + work.extra_instance_pages
    })
    .fewer(SHARED)
    .over(SHARED),
    Budget::line(Operation::Create, BOTH, Endpoint::ListPools, "one an attempt", |work| {
        work.attempts + work.extra_pool_pages
    })
    .fewer(SHARED)
    .over(SHARED),
    Budget::line(
        Operation::Create,
        STANDARD,
        Endpoint::GetInstance,
        "one a slot that no list shows, five a claim",
        |work| work.attempts + 5 * work.tag_writes,
    )
    .fewer("the list shows most Linodes")
    .over(
        "an attempt reads each slot that no list shows until one can be claimed, \
         and a Linode that is claimed again is read back again",
    ),
    Budget::line(Operation::Create, Some(Tier::Enterprise), Endpoint::GetInstance, "five a claim", |work| {
        5 * work.tag_writes
    })
    .fewer("reading back ends at the first answer that shows the tag")
    .over(CLAIMED_AGAIN),
    Budget::line(Operation::Create, BOTH, Endpoint::UpdateInstance, "one an attempt", |work| work.attempts)
        .fewer("an attempt that finds nothing to claim writes nothing"),
    Budget::line(Operation::Create, BOTH, Endpoint::CreatePool, "one a Create", |work| work.runs)
        .or(Endpoint::UpdatePool)
        .fewer("a Create that finds a Linode to claim asks for none")
        .over(GROWN_AGAIN),
];
