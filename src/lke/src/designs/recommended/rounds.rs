//! A round serves all Creates that wait for a key, with the key's lock held: whoever of them comes first makes it.
//!
//! Linodes that are nobody's are promised in the order in which NodeClaims came. Where more wait than there are nodes
//! of nobody's, the count grows by exactly the difference. The number that it grows from is told by a PUT that changes
//! nothing: its reply is the truth, which a GET may lag behind.

use super::absence::{node_of, unknown_nodes};
use super::pools::Refusal;
use super::state::Demand;
use super::{Recommended, Trouble};
use crate::locks::PoolKey;
use crate::reader::{Reading, pool_in_label};
use crate::run::Run;
use crate::tags;
use lkesim_karpenter::cloud_provider::CreateError;
use lkesim_kube::object::{NodeClaim, ProviderId, Uid};
use lkesim_linode_api::{Cause, Instance, InstanceId, InstanceStatus, LkePool, LkePoolId, Purpose, Tags, Tier};
use lkesim_runtime::Time;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// How old a list may be by which it is judged who is dead.
const NEW_ENOUGH: Duration = Duration::from_secs(3);
/// From when on the truth of a count that was settled is asked for again while somebody waits: a hand may have changed
/// it.
const CHECKED_FOR: Duration = Duration::from_secs(30);

/// How old the Kubernetes API's word may be on who waits, when a count is written.
const AT_ONCE: Duration = Duration::from_secs(1);
/// How often it is asked, where it takes longer.
const ASKED_AT_MOST: u32 = 3;

/// What is true of a LKE pool, and which of its Linodes are gone.
pub(super) struct Truth {
    pub shown: Arc<LkePool>,
    dead: BTreeSet<InstanceId>,
}

impl Recommended {
    /// Serves all who wait for the key.
    pub(super) async fn round(&self, run: &Run, claim: &NodeClaim, key: &PoolKey) -> Result<(), Trouble> {
        let result = self.round_or_trouble(run, claim, key).await;
        if let Err(trouble) = &result {
            // What troubles one would trouble the others.
            let next = self.cx.runtime.now() + trouble.pause();
            let mut state = self.state.borrow_mut();
            state.of(key).next_look = next;
            state.of(key).checked = None;
        }
        result
    }

    async fn round_or_trouble(&self, run: &Run, claim: &NodeClaim, key: &PoolKey) -> Result<(), Trouble> {
        let now = self.cx.runtime.now();
        if now < self.state.borrow().gives_way_until {
            let next = now + self.cx.settings.retry_delay;
            self.state.borrow_mut().of(key).next_look = next;
            return Ok(());
        }
        let (present, is_new, is_due, is_stale, free, has_pool) = {
            let mut state = self.state.borrow_mut();
            let present = state.unserved(key);
            let is_uncounted = |demand: &Demand| demand.key == *key && !demand.counted && demand.run.is_some();
            let is_new = state.demand.values().any(is_uncounted);
            let of = state.of(key);
            let is_stale = of.checked.is_none_or(|checked| checked + CHECKED_FOR <= now);
            (present, is_new, of.next_look <= now, is_stale, of.free, !of.lke_pools.is_empty())
        };
        if !is_new && !is_due {
            return Ok(());
        }
        if has_pool && (is_due || is_new) && (free > 0 || (is_stale && !is_new)) {
            self.promise(run, key).await?;
        }
        let unserved = self.state.borrow().growing(key).len();
        if unserved > 0 && (is_new || is_stale || unserved > self.state.borrow_mut().of(key).free as usize) {
            self.grow(run, claim, key).await?;
        }
        let mut state = self.state.borrow_mut();
        state.count(&present);
        let next = self.cx.runtime.now() + self.pause();
        state.of(key).next_look = next;
        Ok(())
    }

    /// How long until it is looked again. A GET of a pool is cheap, a list is not.
    fn pause(&self) -> Duration {
        match self.cx.cluster.tier {
            Tier::Standard => self.cx.settings.retry_delay / 3,
            Tier::Enterprise => self.cx.settings.retry_delay,
        }
    }

    /// Promises the Linodes of the key that are nobody's.
    ///
    /// On Standard a pool shows its Linodes within seconds, for a GET that no limit of lists counts; on Enterprise the
    /// list shows them long before the pool does.
    async fn promise(&self, run: &Run, key: &PoolKey) -> Result<(), Trouble> {
        if self.cx.cluster.tier == Tier::Standard {
            let pools = self.state.borrow().pools_of(key);
            for lke_pool in pools {
                let shown = self.api.get_pool(&run.purpose(Cause::Wait), self.cx.cluster.id, lke_pool).await;
                match shown {
                    Ok(shown) => self.promise_nodes(key, &shown),
                    Err(error) if error.is_not_found() => {}
                    Err(error) => return Err(error.into()),
                }
            }
            return Ok(());
        }
        let looked = self.state.borrow_mut().of(key).looked;
        let since = looked + Duration::from_nanos(1);
        let reading = self.reading(run, Cause::Wait, since).await?;
        self.state.borrow_mut().of(key).looked = reading.asked;
        let free = self.free_members(key, &reading);
        let free = free.iter().filter_map(|one| Some((one.id, pool_in_label(one)?, Some(one.tags.clone()))));
        self.promise_all(key, free.collect());
        Ok(())
    }

    /// Promises what a LKE pool shows to be there.
    pub(super) fn promise_nodes(&self, key: &PoolKey, shown: &LkePool) {
        let nodes = shown.nodes.iter().filter_map(|node| node.instance);
        let free = nodes.filter(|id| self.is_free(*id)).map(|id| (id, shown.id, None));
        let mut free: Vec<_> = free.collect();
        free.sort_unstable_by_key(|(id, _, _)| *id);
        self.promise_all(key, free);
    }

    /// Whether nobody has the Linode, nobody holds it, and it did not turn out to be missing.
    fn is_free(&self, id: InstanceId) -> bool {
        let now = self.cx.runtime.now();
        let claims = self.ways.get().map(|ways| &ways.kube.informers.node_claims);
        let is_held = claims.is_some_and(|claims| !claims.by_provider_id(&ProviderId::linode(id.0)).is_empty());
        let state = self.state.borrow();
        !is_held && !state.is_taken(id) && state.shunned.get(&id).is_none_or(|until| *until <= now)
    }

    /// Promises Linodes in the order in which NodeClaims came. One that bears the tag of who waits is its own: it was
    /// tagged before there was a ledger.
    fn promise_all(&self, key: &PoolKey, free: Vec<(InstanceId, LkePoolId, Option<Tags>)>) {
        let mut state = self.state.borrow_mut();
        let mut waiting = state.unserved(key);
        let mut left = Vec::new();
        for (id, lke_pool, tags) in free {
            let kept = state.kept_for.get(&id).copied();
            let is_its = |uid: &Uid| {
                let named = state.demand.get(uid).map(|demand| tags::node_claim_value(&demand.name).into_owned());
                let bears = |named: String| {
                    tags.as_ref().is_some_and(|tags| tags::claims_named_by(tags).any(|tag| *tag == *named))
                };
                kept == Some(*uid) || named.is_some_and(bears)
            };
            match waiting.iter().position(is_its) {
                Some(place) => state.promise(key, waiting.remove(place), id, lke_pool),
                None if kept.is_some() => {}
                None => left.push((id, lke_pool)),
            }
        }
        // One that rests gets nothing while others wait.
        let growing = state.growing(key);
        waiting.retain(|uid| growing.contains(uid));
        for ((id, lke_pool), uid) in left.into_iter().zip(waiting) {
            state.promise(key, uid, id, lke_pool);
        }
    }

    /// The Linodes of the key that nobody has and nobody else is named by, by id.
    pub(super) fn free_members(&self, key: &PoolKey, reading: &Reading) -> Vec<Arc<Instance>> {
        let now = self.cx.runtime.now();
        let state = self.state.borrow();
        let pools = state.pools_of(key);
        let claims = self.ways.get().map(|ways| &ways.kube.informers.node_claims);
        let is_held =
            |id: InstanceId| claims.is_some_and(|claims| !claims.by_provider_id(&ProviderId::linode(id.0)).is_empty());
        let mut live: BTreeMap<String, Uid> = BTreeMap::new();
        for claim in claims.map(|claims| claims.list()).unwrap_or_default() {
            if claim.is_live() && claim.status.provider_id.is_none() {
                live.insert(tags::node_claim_value(claim.name()).into_owned(), claim.metadata.uid);
            }
        }
        let is_anothers = |one: &Instance| {
            let mut named = tags::claims_named_by(&one.tags).filter_map(|tag| live.get(tag));
            named.any(|uid| state.demand.get(uid).is_none_or(|demand| demand.key != *key))
        };
        let is_free = |one: &&Arc<Instance>| {
            pool_in_label(one).is_some_and(|pool| pools.contains(&pool))
                && *one.plan == *key.plan
                && one.status != InstanceStatus::Deleting
                && !state.is_taken(one.id)
                && state.shunned.get(&one.id).is_none_or(|until| *until <= now)
                && !is_held(one.id)
                && !is_anothers(one)
        };
        reading.instances.iter().filter(is_free).cloned().collect()
    }

    /// Brings the key's nodes up to what is wanted.
    async fn grow(&self, run: &Run, claim: &NodeClaim, key: &PoolKey) -> Result<(), Trouble> {
        if self.is_quiet(key) {
            // What was asked for may come meanwhile.
            return Ok(());
        }
        self.settle_claims().await?;
        let unserved = self.state.borrow().unserved(key);
        if unserved.is_empty() {
            return Ok(());
        }
        let has_pool = !self.state.borrow().pools_of(key).is_empty();
        let purpose = self.shared_by(run, claim, key);
        let since = self.cx.runtime.now().since(Time::ZERO + NEW_ENOUGH);
        let reading = match has_pool {
            true => Some(self.reading(run, Cause::Scale, Time::ZERO + since).await?),
            false => None,
        };
        let mut truths = Vec::new();
        let pools = self.state.borrow().pools_of(key);
        for lke_pool in pools {
            truths.extend(self.truth_of(&purpose, key, lke_pool, reading.as_ref()).await?);
        }
        // What was promised meanwhile, and what turned out to be missing, is in both numbers or in none.
        let free = self.free_in(&truths);
        let growing = self.state.borrow().growing(key);
        {
            let mut state = self.state.borrow_mut();
            state.count(&growing);
            state.of(key).free = free;
            state.of(key).checked = Some(self.cx.runtime.now());
        }
        if growing.len() <= free as usize {
            return Ok(());
        }
        self.reconcile(run, &truths).await?;
        let grown = match truths.is_empty() {
            false => self.raise((run, claim), key, &truths).await?,
            true => self.make_pool(run, claim, key).await?,
        };
        if let Some(refusal) = grown.refusal {
            let free = self.free_in(&truths);
            let mut state = self.state.borrow_mut();
            let growing = state.growing(key);
            let left = growing.get((free + grown.nodes) as usize..).unwrap_or_default();
            self.refuse(&mut state, key, left, &refusal);
        }
        Ok(())
    }

    /// The purpose of a call that all who want a Linode of the key share.
    pub(super) fn shared_by(&self, run: &Run, claim: &NodeClaim, key: &PoolKey) -> Purpose {
        let waiting = self.state.borrow().waiting(key);
        let joined = waiting.into_iter().filter(|(uid, _)| *uid != claim.metadata.uid).map(|(_, run)| run).collect();
        Purpose { joined, ..run.purpose(Cause::Scale) }
    }

    /// The same, right before a write that can't be taken back: what the Kubernetes API said must not be old by then, as
    /// it is where the process stood still meanwhile. Where its answers always take long, the last one has to do.
    pub(super) async fn settle_claims_now(&self) -> Result<(), Trouble> {
        for _ in 0..ASKED_AT_MOST {
            let asked = self.cx.runtime.now();
            self.settle_claims().await?;
            if self.cx.runtime.now().since(asked) <= AT_ONCE {
                break;
            }
        }
        Ok(())
    }

    /// Forgets who is gone, by what the Kubernetes API itself says: to count one who went would ask for a Linode that
    /// nobody takes.
    pub(super) async fn settle_claims(&self) -> Result<Vec<Rc<NodeClaim>>, Trouble> {
        let ways = self.ways()?;
        let claims = ways.kube.client.list::<NodeClaim>().await?;
        let exist: BTreeSet<Uid> = claims.iter().map(|claim| claim.metadata.uid).collect();
        let is_waiting = |claim: &&Rc<NodeClaim>| claim.is_live() && claim.status.provider_id.is_none();
        let waiting: BTreeSet<Uid> = claims.iter().filter(is_waiting).map(|claim| claim.metadata.uid).collect();
        let freed: Vec<_> = {
            let mut state = self.state.borrow_mut();
            state.demand.retain(|uid, _| waiting.contains(uid));
            state.promised.retain(|_, (uid, _)| waiting.contains(uid));
            let is_left = |record: &&crate::ledger::Record| !record.gone && !exist.contains(&record.uid);
            state.records.values().filter(is_left).cloned().collect()
        };
        for record in freed {
            self.keep().await?;
            ways.ledger.free(&record).await?;
            self.state.borrow_mut().records.remove(&record.instance);
        }
        Ok(claims)
    }

    /// What is true of a LKE pool; none where there is no such pool.
    async fn truth_of(
        &self,
        purpose: &Purpose,
        key: &PoolKey,
        lke_pool: LkePoolId,
        reading: Option<&Reading>,
    ) -> Result<Option<Truth>, Trouble> {
        let taken = self.state.borrow().taken_in(lke_pool);
        let mut dead = self.dead_of(purpose, taken, reading).await?;
        let Some(shown) = self.truth(purpose, lke_pool).await? else {
            return self.pool_is_gone(purpose, key, lke_pool).await.map(|()| None);
        };
        dead.extend(self.dead_of_the_unseen(purpose, &shown).await?);
        Ok(Some(Truth { shown, dead }))
    }

    /// Those that the pool does not show, of which this process has seen nothing, and that are gone: a process before it
    /// may have deleted them.
    async fn dead_of_the_unseen(&self, purpose: &Purpose, shown: &LkePool) -> Result<Vec<InstanceId>, Trouble> {
        if unknown_nodes(shown) == 0 {
            return Ok(Vec::new());
        }
        let in_doubt: Vec<InstanceId> = {
            let state = self.state.borrow();
            let is_in_doubt = |id: &InstanceId| {
                node_of(shown, *id).is_none() && state.records.contains_key(id) && !state.alive.contains_key(id)
            };
            state.taken_in(shown.id).into_iter().filter(is_in_doubt).collect()
        };
        let mut dead = Vec::new();
        for id in in_doubt {
            match self.is_shown(purpose, id).await? {
                true => drop(self.state.borrow_mut().alive.insert(id, self.cx.runtime.now())),
                false => dead.push(id),
            }
        }
        Ok(dead)
    }

    /// How many nodes of these LKE pools are nobody's at this moment.
    pub(super) fn free_in(&self, truths: &[Truth]) -> u32 {
        let state = self.state.borrow();
        let of_one = |Truth { shown, dead }: &Truth| {
            let taken = state.taken_in(shown.id).into_iter().filter(|id| !dead.contains(id));
            let (there, unseen): (Vec<InstanceId>, Vec<InstanceId>) =
                taken.partition(|id| node_of(shown, *id).is_some());
            // A Linode that the pool does not show may be one that it does not show yet.
            let unseen = unseen.len().min(unknown_nodes(shown));
            shown.count.saturating_sub((there.len() + unseen) as u32)
        };
        truths.iter().map(of_one).sum()
    }

    /// Those of these Linodes that are gone. A node whose Linode is gone is somebody's no more: LKE replaces the Linode,
    /// or the node will be removed. That the list leaves out one of the ledger, a GET has to confirm.
    async fn dead_of(
        &self,
        purpose: &Purpose,
        all: Vec<InstanceId>,
        reading: Option<&Reading>,
    ) -> Result<BTreeSet<InstanceId>, Trouble> {
        let mut dead = BTreeSet::new();
        let Some(reading) = reading else { return Ok(dead) };
        for id in all {
            let is_dead = match reading.instances.iter().find(|one| one.id == id) {
                Some(one) => one.status == InstanceStatus::Deleting,
                None if !self.state.borrow().records.contains_key(&id) => false,
                None => match self.api.get_instance(purpose, id).await {
                    Ok(one) => one.status == InstanceStatus::Deleting,
                    Err(error) if error.is_not_found() => true,
                    Err(error) => return Err(error.into()),
                },
            };
            if is_dead {
                dead.insert(id);
            }
        }
        Ok(dead)
    }

    fn refuse(&self, state: &mut super::State, key: &PoolKey, unserved: &[Uid], refusal: &Refusal) {
        for uid in unserved {
            let waits = state.demand.get(uid).is_some_and(|demand| demand.run.is_some());
            if waits {
                state.refused.insert(*uid, refusal.to_error());
            }
            if refusal.is_sold_out {
                state.demand.remove(uid);
            }
        }
        if refusal.is_sold_out {
            self.types.mark_unavailable(&key.plan);
        }
    }
}

impl Refusal {
    fn to_error(&self) -> CreateError {
        match self.is_sold_out {
            true => CreateError::InsufficientCapacity(self.text.clone()),
            false => CreateError::Create { reason: "NodePoolScaleFailed", message: self.text.clone() },
        }
    }
}
