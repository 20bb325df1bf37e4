//! Delete: the node by its id, and nothing else.
//!
//! That a Linode is not there is believed where two questions agree: its pool does not show it, and a GET of the Linode
//! says that it is absent or dying. What this design deleted itself it knows, and asks nobody.

use super::{Recommended, Trouble};
use crate::locks::PoolKey;
use crate::reader::pool_in_label;
use crate::run::Run;
use lkesim_karpenter::cloud_provider::ProviderError;
use lkesim_linode_api::{CallError, Cause, InstanceId, InstanceStatus, LkePool, LkePoolId, PoolNodeId, Purpose};
use std::sync::Arc;

/// What a GET of a Linode says.
enum Shown {
    There(Option<LkePoolId>),
    Gone,
}

impl Recommended {
    pub(super) async fn remove(&self, run: &Run, id: InstanceId, is_collection: bool) -> Result<(), ProviderError> {
        if self.state.borrow().is_gone(id) {
            return Err(ProviderError::NotFound(format!("instance {id} was deleted")));
        }
        self.ready(run).await?;
        let because = run.purpose(if is_collection { Cause::Gc } else { Cause::Termination });
        let recorded = self.state.borrow().records.get(&id).map(|record| record.lke_pool);
        let lke_pool = match recorded {
            Some(lke_pool) => Some(lke_pool),
            None => match self.shown(&because, id).await? {
                Shown::There(lke_pool) => lke_pool,
                Shown::Gone => return Err(ProviderError::NotFound(format!("instance {id} is gone"))),
            },
        };
        let Some(lke_pool) = lke_pool else {
            return Err(ProviderError::Other(format!("instance {id} is in no LKE pool")));
        };
        let key = self.state.borrow().key_of_pool(lke_pool).cloned();
        let key = key.unwrap_or_else(|| PoolKey { node_pool: "".into(), plan: lke_pool.to_string().into() });
        let _lock = self.locks.lock(&key).await;
        if is_collection && self.is_wanted_after_all(&key, id) {
            return Ok(());
        }
        self.remove_locked(&because, &key, lke_pool, id).await
    }

    /// Whether somebody took it since it was found to be nobody's, or waits for it.
    fn is_wanted_after_all(&self, key: &PoolKey, id: InstanceId) -> bool {
        let state = self.state.borrow();
        state.is_taken(id) || !state.unserved(key).is_empty()
    }

    async fn remove_locked(
        &self,
        because: &Purpose,
        key: &PoolKey,
        lke_pool: LkePoolId,
        id: InstanceId,
    ) -> Result<(), ProviderError> {
        if self.state.borrow().is_gone(id) {
            return Err(ProviderError::NotFound(format!("instance {id} was deleted")));
        }
        let shown = match self.api.get_pool(because, self.cx.cluster.id, lke_pool).await {
            Ok(shown) => Some(shown),
            Err(error) if error.is_not_found() => None,
            Err(error) => return Err(Trouble::from(error).into()),
        };
        let in_pool =
            |shown: &Arc<LkePool>| shown.nodes.iter().find(|node| node.instance == Some(id)).map(|node| node.id);
        let node = shown.as_ref().and_then(in_pool);
        if let (Some(node), Some(shown)) = (node, &shown) {
            self.keep().await?;
            match self.api.delete_node(because, self.cx.cluster.id, node).await {
                Ok(()) => return Ok(self.deleted(key, id).await?),
                Err(error) if error.is_not_found() => {}
                Err(error) if error.status() == Some(400) && is_last(shown, node) => {
                    return self.remove_last(because, key, shown, id, error).await;
                }
                Err(error) => return Err(Trouble::from(error).into()),
            }
        }
        match self.shown(because, id).await? {
            // Its pool may not show it yet: Karpenter asks again.
            Shown::There(_) => Ok(()),
            Shown::Gone => {
                self.deleted(key, id).await?;
                Err(ProviderError::NotFound(format!("instance {id} is gone")))
            }
        }
    }

    /// Where a pool must have a node, the last one takes the pool with it, if nobody waits for another.
    async fn remove_last(
        &self,
        because: &Purpose,
        key: &PoolKey,
        shown: &LkePool,
        id: InstanceId,
        error: CallError,
    ) -> Result<(), ProviderError> {
        if !self.state.borrow().unserved(key).is_empty() {
            return Err(Trouble::from(error).into());
        }
        self.keep().await?;
        self.api.delete_pool(because, self.cx.cluster.id, shown.id).await.map_err(Trouble::from)?;
        self.deleted(key, id).await?;
        let record = {
            let mut state = self.state.borrow_mut();
            state.drop_pool(shown.id);
            state.of(key).record.take()
        };
        if let Some(record) = record {
            self.ways().map_err(ProviderError::from)?.ledger.forget_pool(&record).await.map_err(Trouble::from)?;
        }
        Ok(())
    }

    /// Notes that a Linode is gone.
    async fn deleted(&self, key: &PoolKey, id: InstanceId) -> Result<(), Trouble> {
        self.seen.remove(&id);
        let record = {
            let mut state = self.state.borrow_mut();
            state.of(key).checked = None;
            state.unowned.remove(&id);
            state.records.get(&id).cloned()
        };
        if let Some(record) = record.filter(|record| !record.gone) {
            let noted = self.ways()?.ledger.note_gone(&record).await?;
            self.state.borrow_mut().records.insert(id, noted);
        }
        Ok(())
    }

    async fn shown(&self, because: &Purpose, id: InstanceId) -> Result<Shown, ProviderError> {
        match self.api.get_instance(because, id).await {
            Ok(one) if one.status != InstanceStatus::Deleting => Ok(Shown::There(pool_in_label(&one))),
            Ok(_) => Ok(Shown::Gone),
            Err(error) if error.is_not_found() => Ok(Shown::Gone),
            Err(error) => Err(Trouble::from(error).into()),
        }
    }
}

fn is_last(shown: &LkePool, node: PoolNodeId) -> bool {
    shown.count == 1 && matches!(&*shown.nodes, [only] if only.id == node)
}
