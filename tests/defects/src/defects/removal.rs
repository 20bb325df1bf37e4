//! What Delete removes, and when it says that a Linode is gone.

use crate::careful::{Careful, Steps, Trouble};
use async_trait::async_trait;
use lkesim_linode_api::{InstanceId, LkePool, LkePoolUpdate, PoolNodeId, Purpose};

/// A deletion that was asked for counts as accepted.
#[derive(Default)]
pub(crate) struct AskedIsGone;

#[async_trait(?Send)]
impl Steps for AskedIsGone {
    async fn delete(
        &self,
        world: &Careful,
        because: &Purpose,
        lke_pool: &LkePool,
        node: PoolNodeId,
    ) -> Result<(), Trouble> {
        let _ = world.delete_node(because, lke_pool, node).await;
        Ok(())
    }
}

/// A Linode that no pool shows is gone, whatever a GET says.
#[derive(Default)]
pub(crate) struct OneQuestion;

#[async_trait(?Send)]
impl Steps for OneQuestion {
    async fn is_gone(&self, _: &Careful, _: &Purpose, _: InstanceId) -> Result<bool, Trouble> {
        Ok(true)
    }
}

/// Delete lowers the count by one.
#[derive(Default)]
pub(crate) struct ByCount;

#[async_trait(?Send)]
impl Steps for ByCount {
    async fn delete(
        &self,
        world: &Careful,
        because: &Purpose,
        lke_pool: &LkePool,
        _: PoolNodeId,
    ) -> Result<(), Trouble> {
        let body = LkePoolUpdate { count: Some(lke_pool.count - 1), ..LkePoolUpdate::default() };
        let put = world.api.update_pool(because, world.cx.cluster.id, lke_pool.id, body).await;
        world.written(put).map(drop)
    }
}

/// A node that an older reading shows to be the last takes the pool with it.
#[derive(Default)]
pub(crate) struct LastOfAnOldReading;

#[async_trait(?Send)]
impl Steps for LastOfAnOldReading {
    async fn delete(
        &self,
        world: &Careful,
        because: &Purpose,
        lke_pool: &LkePool,
        node: PoolNodeId,
    ) -> Result<(), Trouble> {
        let read = world.api.get_pool(because, world.cx.cluster.id, lke_pool.id).await?;
        if read.nodes.len() > 1 {
            return world.delete_node(because, lke_pool, node).await;
        }
        let deleted = world.api.delete_pool(because, world.cx.cluster.id, lke_pool.id).await;
        world.written(deleted)
    }
}

/// That a Linode is gone is never believed.
#[derive(Default)]
pub(crate) struct NeverGone;

#[async_trait(?Send)]
impl Steps for NeverGone {
    async fn is_gone(&self, _: &Careful, _: &Purpose, _: InstanceId) -> Result<bool, Trouble> {
        Ok(false)
    }
}
