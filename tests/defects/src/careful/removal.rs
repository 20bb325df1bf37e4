//! Delete: the node by its id, with its key's lock held, and nothing else.

use super::collection::served;
use super::growing::made;
use super::{Careful, Trouble};
use lkesim_karpenter::cloud_provider::ProviderError;
use lkesim_linode_api::{Cause, InstanceId, InstanceStatus, LkePool, LkePoolId, PoolNodeId, Purpose};
use lkesim_lke::ledger::Recorded;
use lkesim_lke::locks::PoolKey;
use lkesim_lke::run::Run;

/// What became of a wish to remove a Linode.
enum Removal {
    /// Its deletion was asked for.
    Asked,
    /// It was gone.
    Gone,
    /// It is there, and nothing was done.
    Left,
}

impl Careful {
    /// Asks for the deletion of a Linode; "not found" once it is gone.
    pub async fn remove(&self, run: &Run, id: InstanceId, cause: Cause) -> Result<(), ProviderError> {
        match self.try_to_remove(run, id, cause).await {
            Ok(Removal::Asked) => Ok(()),
            Ok(Removal::Gone) => Err(ProviderError::NotFound(format!("instance {id} is gone"))),
            // Who collects takes the Node too once it hears of a success.
            Ok(Removal::Left) if cause == Cause::Gc => {
                Err(ProviderError::Other(format!("instance {id} was left alone")))
            }
            Ok(Removal::Left) => Ok(()),
            Err(trouble) => {
                self.mind_the_limit(&trouble);
                Err(trouble.into())
            }
        }
    }

    async fn try_to_remove(&self, run: &Run, id: InstanceId, cause: Cause) -> Result<Removal, Trouble> {
        let because = run.purpose(cause);
        let epoch = self.hold().await?;
        let recorded = self.steps.recorded(self).await?;
        let lke_pool = self.pool_of(&because, &recorded, id).await?;
        let key = self.key_of(&because, &recorded, lke_pool).await?;
        let _lock = self.steps.lock_to_delete(self, &key).await;
        let recorded = self.steps.recorded(self).await?;
        let record = recorded.linodes.iter().find(|record| record.instance == id);
        if record.is_some_and(|record| record.gone) {
            return Ok(Removal::Gone);
        }
        if cause == Cause::Gc && self.steps.is_wanted_after_all(self, &recorded, id).await? {
            return Ok(Removal::Left);
        }
        if let Some((lke_pool, node)) = self.steps.node_to_delete(self, &because, &recorded, (id, lke_pool)).await? {
            self.steps.still_holds(self, epoch).await?;
            self.steps.delete(self, &because, &lke_pool, node).await?;
            self.note_gone(&recorded, id).await?;
            return Ok(Removal::Asked);
        }
        if !self.steps.is_gone(self, &because, id).await? {
            // No pool shows it, and it is there: Karpenter asks again.
            return Ok(Removal::Left);
        }
        self.note_gone(&recorded, id).await?;
        Ok(Removal::Gone)
    }

    /// Deletes the node. Where a pool must have one, the last takes the pool with it.
    pub async fn delete_node(&self, because: &Purpose, lke_pool: &LkePool, node: PoolNodeId) -> Result<(), Trouble> {
        let deleted = self.api.delete_node(because, self.cx.cluster.id, node).await;
        match self.written(deleted) {
            Err(Trouble::Linode(error)) if error.status() == Some(400) && is_last(lke_pool, node) => {
                let deleted = self.api.delete_pool(because, self.cx.cluster.id, lke_pool.id).await;
                self.written(deleted)
            }
            deleted => deleted,
        }
    }

    /// Whether a GET says that the Linode is absent or dying.
    pub async fn is_dead(&self, because: &Purpose, id: InstanceId) -> Result<bool, Trouble> {
        match self.api.get_instance(because, id).await {
            Ok(one) => Ok(one.status == InstanceStatus::Deleting),
            Err(error) if error.is_not_found() => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    /// The key that a pool serves: by the ledger, or by its tags; one of its own where nothing tells it.
    pub async fn key_of(
        &self,
        because: &Purpose,
        recorded: &Recorded,
        lke_pool: Option<LkePoolId>,
    ) -> Result<PoolKey, Trouble> {
        let unknown = PoolKey { node_pool: "".into(), plan: lke_pool.map_or(0, |id| id.0).to_string().into() };
        let Some(id) = lke_pool else { return Ok(unknown) };
        if let Some(known) = recorded.lke_pools.iter().find(|record| made(record) == lke_pool) {
            return Ok(known.key.clone());
        }
        match self.api.get_pool(because, self.cx.cluster.id, id).await {
            Ok(shown) => {
                self.sight(recorded, [&*shown]).await?;
                Ok(served(&shown).unwrap_or(unknown))
            }
            Err(error) if error.is_not_found() => Ok(unknown),
            Err(error) => Err(error.into()),
        }
    }

    async fn note_gone(&self, recorded: &Recorded, id: InstanceId) -> Result<(), Trouble> {
        let record = recorded.linodes.iter().find(|record| record.instance == id && !record.gone);
        if let Some(record) = record {
            self.kept()?.ledger.note_gone(record).await?;
        }
        Ok(())
    }
}

fn is_last(lke_pool: &LkePool, node: PoolNodeId) -> bool {
    lke_pool.count == 1 && matches!(&*lke_pool.nodes, [only] if only.id == node)
}
