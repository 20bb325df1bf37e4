//! Who is nobody's: found by two looks, never while somebody waits for a Linode of the key.

use super::state::State;
use super::{Recommended, Trouble};
use crate::ledger::Record;
use crate::locks::PoolKey;
use crate::reader::pool_in_label;
use crate::run::Run;
use lkesim_karpenter::cloud_provider::ProviderError;
use lkesim_kube::object::{ProviderId, Uid};
use lkesim_linode_api::{Cause, Instance, InstanceId, InstanceStatus};
use lkesim_runtime::Time;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// The least time between the two looks.
const BETWEEN_LOOKS: Duration = Duration::from_secs(10);
/// How long a node stays whose Linode is gone: LKE replaces it, as a rule.
const DEAD_FOR: Duration = Duration::from_secs(150);
/// The same of a Linode that came while this process was the writer and that no view has shown to it yet: it may be new.
const UNSEEN_FOR: Duration = Duration::from_secs(1_500);
/// How long those who wait give way to a collection that a rate limit refused. They might use the limit up each time.
const GIVE_WAY_FOR: Duration = Duration::from_secs(90);
/// How often they do at the most.
const GIVE_WAY_EVERY: Duration = Duration::from_secs(300);
/// How old a reading may be that List answers from.
const FRESH: Duration = Duration::from_secs(5);
/// How long it is known of a Linode that it is gone: no answer is so old that it shows it still.
const KNOWN_TO_BE_GONE: Duration = Duration::from_secs(3_600);

impl Recommended {
    /// All Linodes of the LKE pools that Karpenter manages. One that the ledger or a NodeClaim knows and the list leaves
    /// out is asked for by itself.
    pub(super) async fn all_machines(&self, run: &Run) -> Result<Vec<Arc<Instance>>, ProviderError> {
        self.ready(run).await?;
        let now = self.cx.runtime.now();
        let since = Time::ZERO + Duration::from_nanos(now.as_nanos()).saturating_sub(FRESH);
        let reading = self.reading(run, Cause::Gc, since).await?;
        let mut known: BTreeMap<InstanceId, Arc<Instance>> = BTreeMap::new();
        {
            let state = self.state.borrow();
            let is_ours = |one: &&Arc<Instance>| {
                pool_in_label(one).is_some_and(|pool| state.key_of_pool(pool).is_some()) && !state.is_gone(one.id)
            };
            known.extend(reading.instances.iter().filter(is_ours).map(|one| (one.id, one.clone())));
        }
        let expected: BTreeSet<InstanceId> = {
            let state = self.state.borrow();
            let recorded = state.records.values().filter(|record| !record.gone).map(|record| record.instance);
            let claims = self.ways().map_err(ProviderError::from)?.kube.informers.node_claims.list();
            let held = claims.iter().filter_map(|claim| claim.status.provider_id.as_ref().and_then(ProviderId::id));
            recorded.chain(held.map(InstanceId).filter(|id| !state.is_gone(*id))).collect()
        };
        for id in expected {
            if known.contains_key(&id) {
                continue;
            }
            match self.read(run, id, Cause::Gc).await {
                Ok(one) => drop(known.insert(id, one)),
                Err(ProviderError::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(known.into_values().collect())
    }

    /// The same as [`Recommended::unowned`]; where a rate limit refuses a call, who waits gives way to the next try.
    pub(super) async fn orphans(&self, run: &Run) -> Result<Arc<[Arc<Instance>]>, Trouble> {
        let found = self.unowned(run).await;
        let now = self.cx.runtime.now();
        let mut state = self.state.borrow_mut();
        match &found {
            Ok(_) => state.gives_way_until = Time::ZERO,
            Err(Trouble::Linode(error)) if error.status() == Some(429) => {
                if state.gave_way.is_none_or(|at| at + GIVE_WAY_EVERY <= now) {
                    state.gave_way = Some(now);
                    state.gives_way_until = now + GIVE_WAY_FOR;
                }
            }
            Err(_) => {}
        }
        found
    }

    /// The Linodes that have been nobody's for two looks, beyond what is waited for.
    async fn unowned(&self, run: &Run) -> Result<Arc<[Arc<Instance>]>, Trouble> {
        self.ready(run).await?;
        let claims = self.settle_claims().await?;
        let now = self.cx.runtime.now();
        let reading = self.reading(run, Cause::Gc, now).await?;
        self.learn_pools(run, &reading).await?;
        self.forget_gone(&claims.iter().map(|claim| claim.metadata.uid).collect()).await?;
        let keys: Vec<PoolKey> = self.state.borrow().keys.keys().cloned().collect();
        let mut found: Vec<Arc<Instance>> = Vec::new();
        let mut unowned = BTreeMap::new();
        for key in keys {
            let free = self.free_members(&key, &reading);
            let state = self.state.borrow();
            let is_wanted = !state.unserved(&key).is_empty();
            for one in free {
                let Some(lke_pool) = pool_in_label(&one) else { continue };
                let since = state.unowned.get(&one.id).map_or(now, |(since, _)| *since);
                unowned.insert(one.id, (since, lke_pool));
                let is_held = claims
                    .iter()
                    .any(|claim| claim.status.provider_id.as_ref().and_then(ProviderId::id) == Some(one.id.0));
                if !is_wanted && !is_held && since + BETWEEN_LOOKS <= now {
                    found.push(one);
                }
            }
        }
        {
            let mut state = self.state.borrow_mut();
            state.unowned = unowned;
            state.seen.extend(reading.instances.iter().map(|one| one.id));
        }
        self.sweep_dead_slots(run, &reading.instances).await?;
        // Each deletion takes several calls: all at once, none might get its last one through a narrow limit, again and again.
        if self.state.borrow().is_throttled {
            found.truncate(1);
        }
        Ok(found.into())
    }

    /// Nodes whose Linode is gone and that LKE does not replace: they count, and nobody can use them.
    async fn sweep_dead_slots(&self, run: &Run, shown: &[Arc<Instance>]) -> Result<(), Trouble> {
        let is_alive = |id: InstanceId| shown.iter().any(|one| one.id == id && one.status != InstanceStatus::Deleting);
        let now = self.cx.runtime.now();
        let keys: Vec<PoolKey> = self.state.borrow().keys.keys().cloned().collect();
        let (mut dead, mut in_pools) = (BTreeMap::new(), BTreeSet::new());
        for key in keys {
            let _lock = self.locks.lock(&key).await;
            let pools = self.state.borrow().pools_of(&key);
            for lke_pool in pools {
                let pool = match self.api.get_pool(&run.purpose(Cause::Gc), self.cx.cluster.id, lke_pool).await {
                    Err(error) if error.is_not_found() => continue,
                    pool => pool?,
                };
                for (node, id) in pool.nodes.iter().filter_map(|node| Some((node.id, node.instance?))) {
                    in_pools.insert(id);
                    if is_alive(id) || self.state.borrow().is_somebodys(id) {
                        continue;
                    }
                    let since = self.state.borrow().dead.get(&id).copied().unwrap_or(now);
                    dead.insert(id, since);
                    let because = run.purpose(Cause::Gc);
                    let wait = if self.state.borrow().seen.contains(&id) { DEAD_FOR } else { UNSEEN_FOR };
                    if since + wait > now || self.is_shown(&because, id).await? {
                        continue;
                    }
                    self.keep_for(&key).await?;
                    let deleted = self.api.delete_node(&because, self.cx.cluster.id, node).await;
                    match self.written(&key, deleted) {
                        // Where a pool must have a node, it goes with it.
                        Err(error) if error.status() == Some(400) => {
                            self.remove_last(&because, &key, (lke_pool, id)).await?;
                        }
                        Err(error) if error.status() != Some(404) => return Err(error.into()),
                        _ => {}
                    }
                    self.state.borrow_mut().of(&key).checked = None;
                }
            }
        }
        let mut state = self.state.borrow_mut();
        state.dead = dead;
        state.seen.retain(|id| in_pools.contains(id) || is_alive(*id));
        Ok(())
    }

    /// The ledger forgets a deleted Linode once its NodeClaim is gone and no answer shows it any more.
    async fn forget_gone(&self, exist: &BTreeSet<Uid>) -> Result<(), Trouble> {
        let now = self.cx.runtime.now();
        let over: Vec<_> = {
            let State { gone, records, .. } = &mut *self.state.borrow_mut();
            let all = records.values().filter(|record| record.gone);
            for record in all {
                gone.entry(record.instance).or_insert(now);
            }
            gone.retain(|id, since| records.contains_key(id) || *since + KNOWN_TO_BE_GONE > now);
            let is_old = |id: &InstanceId| gone.get(id).is_some_and(|since| *since + KNOWN_TO_BE_GONE <= now);
            let is_over = |record: &&Record| record.gone && !exist.contains(&record.uid) && is_old(&record.instance);
            records.values().filter(is_over).cloned().collect()
        };
        for record in over {
            self.keep().await?;
            self.ways()?.ledger.free(&record).await?;
            self.state.borrow_mut().records.remove(&record.instance);
        }
        Ok(())
    }
}
