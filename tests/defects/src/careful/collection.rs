//! Garbage collection: Linodes that two looks found to be nobody's, nodes whose Linode is gone, and the ledger's books.

use super::growing::made;
use super::{Careful, Epoch, Trouble};
use lkesim_kube::object::{NodeClaim, ProviderId, Uid};
use lkesim_linode_api::{Cause, Instance, InstanceId, LkePool, LkePoolId, PoolNodeId};
use lkesim_lke::ledger::Recorded;
use lkesim_lke::locks::PoolKey;
use lkesim_lke::run::Run;
use lkesim_lke::tags;
use lkesim_runtime::Time;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// How long a node stays whose Linode is gone: LKE replaces it, as a rule.
const DEAD_FOR: Duration = Duration::from_secs(150);

/// What one pass goes by, in the order in which it was read.
pub(crate) struct Survey {
    pub recorded: Recorded,
    pub lke_pools: Vec<Arc<LkePool>>,
    /// Whether all pools could be read.
    pub is_whole: bool,
    pub claims: Vec<Rc<NodeClaim>>,
}

impl Survey {
    fn exists(&self, uid: Uid) -> bool {
        self.claims.iter().any(|claim| claim.metadata.uid == uid)
    }

    fn holder(&self, id: InstanceId) -> Option<&Rc<NodeClaim>> {
        self.claims.iter().find(|claim| claim.status.provider_id == Some(ProviderId::linode(id.0)))
    }

    /// Whether a NodeClaim that exists holds it, or has it by the ledger.
    fn is_owned(&self, id: InstanceId) -> bool {
        let record = self.recorded.linodes.iter().find(|record| record.instance == id);
        self.holder(id).is_some() || record.is_some_and(|record| record.gone || self.exists(record.uid))
    }

    /// Whether a NodeClaim waits for it: it bears its tag, and was tagged before there was a ledger.
    pub fn is_awaited(&self, instance: &Instance) -> bool {
        let waits = |claim: &&Rc<NodeClaim>| claim.is_live() && claim.status.provider_id.is_none();
        let mut waiting = self.claims.iter().filter(waits);
        waiting.any(|claim| instance.tags.has(&tags::of_node_claim(claim.name())))
    }
}

impl Careful {
    /// The Linodes that were nobody's in the pass before, too. Who is deleted is looked at once more with the lock held.
    ///
    /// Passes are left out for a minute where the limit refused something: a survey spends all that a tight one leaves.
    pub async fn orphans(&self, run: &Run) -> Result<Vec<Arc<Instance>>, Trouble> {
        if self.now() < self.crowded_until.get() {
            return Ok(Vec::new());
        }
        let epoch = self.hold().await?;
        let survey = self.steps.survey(self, run).await?;
        self.keep_books(epoch, &survey).await?;
        let mut orphans = Vec::new();
        // What can't be asked at this moment is asked in the next pass; what was found goes in this one.
        if let Err(trouble) = self.look_around(run, epoch, &survey, &mut orphans).await {
            self.mind_the_limit(&trouble);
            tracing::debug!(%trouble, "the survey was cut short");
        }
        Ok(orphans)
    }

    async fn look_around(
        &self,
        run: &Run,
        epoch: Epoch,
        survey: &Survey,
        orphans: &mut Vec<Arc<Instance>>,
    ) -> Result<(), Trouble> {
        let (now, before) = (self.now(), self.idle.borrow().clone());
        let (owned, idle): (Vec<_>, Vec<_>) = nodes_of(survey).partition(|(_, _, id)| survey.is_owned(*id));
        let since = |id: &InstanceId| before.get(id).map_or(now, |(since, _)| *since);
        let mut still_idle =
            idle.iter().map(|(lke_pool, _, id)| (*id, (since(id), lke_pool.id))).collect::<BTreeMap<_, _>>();
        if !survey.is_whole {
            // What could not be looked at this time was idle, as far as anyone knows.
            let unseen = before.iter().filter(|(id, _)| !survey.is_owned(**id));
            unseen.for_each(|(id, idle)| _ = still_idle.entry(*id).or_insert(*idle));
        }
        *self.idle.borrow_mut() = still_idle;
        for (lke_pool, node, id) in idle {
            let since = since(&id);
            match self.steps.look(self, run, id).await? {
                Some(there) if self.steps.is_orphan(self, survey, &there, since) => {
                    orphans.push(there);
                    // Its deletion takes calls, too.
                    if self.is_tight() {
                        return Ok(());
                    }
                }
                None if self.steps.sweeps(since, now) => self.sweep(run, epoch, lke_pool, node, id).await?,
                _ => {}
            }
        }
        // A deletion comes before a tag: both spend the same limit.
        for (_, _, id) in owned.into_iter().filter(|_| orphans.is_empty()) {
            self.repair(run, epoch, survey, id).await?;
        }
        Ok(())
    }

    /// Ledger, pools, NodeClaims. These come last: one that the ledger names existed before.
    pub async fn survey(&self, run: &Run) -> Result<Survey, Trouble> {
        let recorded = self.steps.recorded(self).await?;
        let (lke_pools, is_whole) = self.managed_pools(run, &recorded).await?;
        let claims = self.steps.claims(self).await?;
        Ok(Survey { recorded, lke_pools, is_whole, claims })
    }

    /// The pools that Karpenter manages, each as the reply to a write shows it, and whether these are all.
    async fn managed_pools(&self, run: &Run, recorded: &Recorded) -> Result<(Vec<Arc<LkePool>>, bool), Trouble> {
        let listed = self.api.list_pools(&run.purpose(Cause::Gc), self.cx.cluster.id).await?;
        self.sight(recorded, listed.iter().map(|lke_pool| &**lke_pool)).await?;
        let managed = listed.iter().filter(|lke_pool| served(lke_pool).is_some()).map(|lke_pool| lke_pool.id);
        let sighted: Vec<LkePoolId> = self.sighted.borrow().values().copied().collect();
        let recorded = recorded.lke_pools.iter().filter_map(made);
        let ids: BTreeSet<LkePoolId> = managed.chain(recorded).chain(sighted).collect();
        let (mut shown, mut is_whole) = (Vec::new(), true);
        for id in ids {
            match self.put_nothing(&run.purpose(Cause::Gc), id).await {
                Ok(lke_pool) => shown.extend(lke_pool),
                Err(trouble) => {
                    self.mind_the_limit(&trouble);
                    is_whole = false;
                }
            }
        }
        Ok((shown, is_whole))
    }

    /// The ledger learns of what was there before it, and forgets what is over.
    async fn keep_books(&self, epoch: Epoch, survey: &Survey) -> Result<(), Trouble> {
        let ledger = &self.kept()?.ledger;
        let mut known: BTreeSet<PoolKey> = survey.recorded.lke_pools.iter().map(|record| record.key.clone()).collect();
        for lke_pool in &survey.lke_pools {
            if let Some(key) = served(lke_pool)
                && known.insert(key.clone())
            {
                self.steps.still_holds(self, epoch).await?;
                self.adopt(&key, lke_pool.id).await?;
            }
        }
        // What was asked for without an answer is there: the reply to a write showed it.
        for record in survey.recorded.lke_pools.iter().filter(|record| made(record).is_none()) {
            let came = survey.lke_pools.iter().find(|lke_pool| served(lke_pool).as_ref() == Some(&record.key));
            if let Some(came) = came {
                self.steps.still_holds(self, epoch).await?;
                match ledger.note_pool(record, came.id).await {
                    Err(error) if error.is_conflict() || error.is_not_found() => {}
                    noted => _ = noted?,
                }
            }
        }
        for (lke_pool, _, id) in nodes_of(survey) {
            let is_recorded = survey.recorded.linodes.iter().any(|record| record.instance == id);
            if let Some(holder) = survey.holder(id).filter(|_| !is_recorded) {
                self.steps.still_holds(self, epoch).await?;
                ledger.give(id, lke_pool.id, holder).await?;
            }
        }
        let shown: BTreeSet<InstanceId> = nodes_of(survey).map(|(_, _, id)| id).collect();
        for record in survey.recorded.linodes.iter().filter(|record| !survey.exists(record.uid)) {
            if record.gone || (survey.is_whole && !shown.contains(&record.instance)) {
                self.steps.still_holds(self, epoch).await?;
                ledger.free(record).await?;
            }
        }
        Ok(())
    }

    /// Writes the nodeclaim tag anew where a hand took it away.
    async fn repair(&self, run: &Run, epoch: Epoch, survey: &Survey, id: InstanceId) -> Result<(), Trouble> {
        let Some(holder) = survey.holder(id).filter(|claim| claim.is_live()) else { return Ok(()) };
        let Some(there) = self.steps.look(self, run, id).await? else { return Ok(()) };
        if self.steps.holder(&survey.claims, &there).is_none_or(|own| own.metadata.uid != holder.metadata.uid) {
            return Ok(());
        }
        let written = self.steps.tags_again(&there, holder.name(), &[]);
        if there.tags.has(&tags::of_node_claim(holder.name())) || written == there.tags {
            return Ok(());
        }
        self.steps.still_holds(self, epoch).await?;
        let put = self.api.update_instance(&run.purpose(Cause::Tagging), id, written).await;
        self.written(put).map(drop)
    }

    /// Removes a node whose Linode is gone and that LKE does not replace: it counts, and nobody can use it.
    async fn sweep(
        &self,
        run: &Run,
        epoch: Epoch,
        lke_pool: &LkePool,
        node: PoolNodeId,
        id: InstanceId,
    ) -> Result<(), Trouble> {
        let recorded = self.ledger().await?;
        let key = self.key_of(&run.purpose(Cause::Gc), &recorded, Some(lke_pool.id)).await?;
        let _lock = self.steps.lock_to_delete(self, &key).await;
        if self.steps.look(self, run, id).await?.is_some() {
            return Ok(());
        }
        self.steps.still_holds(self, epoch).await?;
        match self.delete_node(&run.purpose(Cause::Gc), lke_pool, node).await {
            Err(Trouble::Linode(error)) if error.is_not_found() => Ok(()),
            deleted => deleted,
        }
    }
}

/// A node of the pool has not had its Linode for so long.
pub(crate) fn is_dead_long_enough(since: Time, now: Time) -> bool {
    since + DEAD_FOR <= now
}

fn nodes_of(survey: &Survey) -> impl Iterator<Item = (&LkePool, PoolNodeId, InstanceId)> {
    let of_pool = |lke_pool: &'_ Arc<LkePool>| -> Vec<(PoolNodeId, InstanceId)> {
        lke_pool.nodes.iter().filter_map(|node| Some((node.id, node.instance?))).collect()
    };
    survey
        .lke_pools
        .iter()
        .flat_map(move |lke_pool| of_pool(lke_pool).into_iter().map(move |(node, id)| (&**lke_pool, node, id)))
}

/// The key that a pool's tags name, if Karpenter manages it.
pub(crate) fn served(lke_pool: &LkePool) -> Option<PoolKey> {
    lke_pool.tags.value(tags::MANAGED)?;
    let node_pool = lke_pool.tags.value(tags::NODE_POOL)?;
    Some(PoolKey { node_pool: node_pool.into(), plan: (&*lke_pool.plan).into() })
}
