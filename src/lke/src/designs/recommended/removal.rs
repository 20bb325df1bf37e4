//! Delete: the node by its id, and nothing else.
//!
//! What this design deleted itself it knows, and asks nobody. That another Linode is not there, several answers have to
//! say: [`absence`](super::absence).

use super::absence::{Place, is_last, node_of};
use super::{Recommended, Trouble};
use crate::locks::PoolKey;
use crate::reader::pool_in_label;
use crate::run::Run;
use lkesim_karpenter::cloud_provider::ProviderError;
use lkesim_linode_api::{Cause, InstanceId, LkePool, LkePoolId, PoolNodeId, Purpose};

/// What is to be removed.
#[derive(Clone, Copy)]
struct Target<'a> {
    because: &'a Purpose,
    key: &'a PoolKey,
    lke_pool: LkePoolId,
    id: InstanceId,
}

impl Recommended {
    pub(super) async fn remove(&self, run: &Run, id: InstanceId, is_collection: bool) -> Result<(), ProviderError> {
        self.check_not_gone(id)?;
        self.ready(run).await?;
        let because = run.purpose(if is_collection { Cause::Gc } else { Cause::Termination });
        let Some(lke_pool) = self.pool_of(&because, id).await? else {
            return Err(not_found(id));
        };
        let key = self.state.borrow().key_of_pool(lke_pool).cloned();
        let key = key.unwrap_or_else(|| PoolKey { node_pool: "".into(), plan: lke_pool.to_string().into() });
        let _lock = self.locks.lock(&key).await;
        if is_collection && self.is_wanted_after_all(&key, id) {
            // It says so, as what was collected takes its Node with it.
            return Err(ProviderError::Other(format!("instance {id} is wanted")));
        }
        self.check_not_gone(id)?;
        let target = Target { because: &because, key: &key, lke_pool, id };
        let is_there = self.remove_locked(target).await?;
        match is_there && is_collection {
            true => Err(ProviderError::Other(format!("instance {id} is in no LKE pool yet"))),
            false => Ok(()),
        }
    }

    fn check_not_gone(&self, id: InstanceId) -> Result<(), ProviderError> {
        match self.state.borrow().is_gone(id) {
            true => Err(ProviderError::NotFound(format!("instance {id} was deleted"))),
            false => Ok(()),
        }
    }

    /// The LKE pool of a Linode: by the ledger, by the last collection, by its label, or by what pools show. None where it
    /// is gone.
    async fn pool_of(&self, because: &Purpose, id: InstanceId) -> Result<Option<LkePoolId>, Trouble> {
        {
            let state = self.state.borrow();
            let recorded = state.records.get(&id).map(|record| record.lke_pool);
            if let Some(lke_pool) = recorded.or(state.unowned.get(&id).map(|(_, lke_pool)| *lke_pool)) {
                return Ok(Some(lke_pool));
            }
        }
        match self.api.get_instance(because, id).await {
            Ok(one) => return pool_in_label(&one).map(Some).ok_or(Trouble::Unclear),
            Err(error) if error.is_not_found() => {}
            Err(error) => return Err(error.into()),
        }
        match self.place_of(because, id, None).await? {
            Place::Node(shown, _) => Ok(Some(shown.id)),
            Place::There => Err(Trouble::Unclear),
            Place::Absent => Ok(None),
        }
    }

    /// Whether somebody took it since it was found to be nobody's, or waits for it.
    fn is_wanted_after_all(&self, key: &PoolKey, id: InstanceId) -> bool {
        let state = self.state.borrow();
        state.is_taken(id) || !state.unserved(key).is_empty()
    }

    /// Removes it. Says whether it is there still, as no pool shows it yet: Karpenter asks again.
    async fn remove_locked(&self, target: Target<'_>) -> Result<bool, ProviderError> {
        let Target { because, lke_pool, id, .. } = target;
        let shown = match self.api.get_pool(because, self.cx.cluster.id, lke_pool).await {
            Ok(shown) => Some(shown),
            Err(error) if error.is_not_found() => None,
            Err(error) => return Err(Trouble::from(error).into()),
        };
        let node = shown.and_then(|shown| Some((node_of(&shown, id)?, shown)));
        if let Some((node, shown)) = node
            && self.remove_node(target, &shown, node).await?
        {
            return Ok(false);
        }
        match self.place_of(because, id, Some(lke_pool)).await? {
            Place::Node(shown, node) => match self.remove_node(target, &shown, node).await? {
                true => Ok(false),
                false => Err(Trouble::Unclear.into()),
            },
            Place::There => Ok(true),
            Place::Absent => {
                self.deleted(target.key, id).await?;
                Err(not_found(id))
            }
        }
    }

    /// Deletes a node; false where the API does not know it.
    async fn remove_node(&self, target: Target<'_>, shown: &LkePool, node: PoolNodeId) -> Result<bool, ProviderError> {
        let Target { because, key, id, .. } = target;
        self.keep_for(key).await?;
        self.state.borrow_mut().alive.remove(&id);
        let deleted = self.api.delete_node(because, self.cx.cluster.id, node).await;
        match self.written(key, deleted) {
            Ok(()) => {}
            Err(error) if error.is_not_found() => return Ok(false),
            Err(error) if error.status() == Some(400) && is_last(shown, id) => {
                // For who waits the count is raised, and then it is not the last; not so where it is gone and counts as free.
                let is_wanted = !self.state.borrow().unserved(key).is_empty() && self.is_shown(because, id).await?;
                if is_wanted || !self.remove_last(because, key, (shown.id, id)).await? {
                    return Err(Trouble::from(error).into());
                }
            }
            Err(error) => return Err(Trouble::from(error).into()),
        }
        self.deleted(key, id).await?;
        Ok(true)
    }

    /// Where a pool must have a node, the last one takes the pool with it, if nobody else is in it. Says whether it did.
    /// Who waits gets a new pool.
    pub(super) async fn remove_last(
        &self,
        because: &Purpose,
        key: &PoolKey,
        (lke_pool, id): (LkePoolId, InstanceId),
    ) -> Result<bool, Trouble> {
        if !self.is_alone(because, lke_pool, id).await? {
            return Ok(false);
        }
        self.keep_for(key).await?;
        let deleted = self.api.delete_pool(because, self.cx.cluster.id, lke_pool).await;
        self.written(key, deleted)?;
        let record = {
            let mut state = self.state.borrow_mut();
            state.drop_pool(lke_pool);
            state.of(key).checked = None;
            state.of(key).record.take()
        };
        if let Some(record) = record {
            self.ways()?.ledger.forget_pool(&record).await?;
        }
        Ok(true)
    }

    /// Notes that a Linode is gone.
    async fn deleted(&self, key: &PoolKey, id: InstanceId) -> Result<(), Trouble> {
        self.seen.remove(&id);
        let record = {
            let mut state = self.state.borrow_mut();
            state.of(key).checked = None;
            state.unowned.remove(&id);
            state.gone.insert(id, self.cx.runtime.now());
            state.is_throttled = false;
            state.records.get(&id).cloned()
        };
        if let Some(record) = record.filter(|record| !record.gone) {
            let noted = self.ways()?.ledger.note_gone(&record).await?;
            self.state.borrow_mut().records.insert(id, noted);
        }
        Ok(())
    }
}

fn not_found(id: InstanceId) -> ProviderError {
    ProviderError::NotFound(format!("instance {id} is gone"))
}
