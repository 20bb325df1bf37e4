//! Which LKE pool serves a key, and when one is made.

use crate::careful::{Attempt, Careful, Steps, Trouble, served};
use async_trait::async_trait;
use lkesim_linode_api::{CallError, Cause, LkePool, LkePoolCreate, LkePoolId, Purpose};
use lkesim_lke::ledger::PoolRecord;
use lkesim_lke::locks::PoolKey;
use lkesim_runtime::Time;
use std::sync::Arc;
use std::time::Duration;

/// A pool that was asked for without an answer is asked for again.
#[derive(Default)]
pub(crate) struct BlindRetry;

#[async_trait(?Send)]
impl Steps for BlindRetry {
    async fn post(&self, world: &Careful, because: &Purpose, body: LkePoolCreate) -> Result<Arc<LkePool>, CallError> {
        let first = world.api.create_pool(because, world.cx.cluster.id, body.clone()).await;
        match first.as_ref().err().map(CallError::status) {
            Some(None | Some(500..=599)) => world.api.create_pool(because, world.cx.cluster.id, body).await,
            _ => first,
        }
    }
}

/// That a pool was asked for is noted once it is there.
#[derive(Default)]
pub(crate) struct NotedAfterwards;

#[async_trait(?Send)]
impl Steps for NotedAfterwards {
    async fn note_request(&self, _: &Careful, _: &PoolKey) -> Result<Option<PoolRecord>, Trouble> {
        Ok(None)
    }
}

/// How long ago a pool was asked for is told by the clock on the wall, and when it was by the process's own.
#[derive(Default)]
pub(crate) struct WrongClockOfRequests;

#[async_trait(?Send)]
impl Steps for WrongClockOfRequests {
    fn is_settled(&self, world: &Careful, asked: Time) -> bool {
        let on_the_wall = Duration::from_secs(world.cx.epoch.0) + Duration::from_nanos(world.now().as_nanos());
        on_the_wall.saturating_sub(Duration::from_nanos(asked.as_nanos())) >= Duration::from_secs(150)
    }
}

/// One list decides that there is no pool.
#[derive(Default)]
pub(crate) struct OneListIsBelieved;

#[async_trait(?Send)]
impl Steps for OneListIsBelieved {
    async fn find_pool(
        &self,
        world: &Careful,
        attempt: &Attempt<'_>,
        key: &PoolKey,
    ) -> Result<Option<LkePoolId>, Trouble> {
        let listed = world.api.list_pools(&attempt.run.purpose(Cause::Claim), world.cx.cluster.id).await?;
        Ok(listed.iter().find(|lke_pool| self.serves(lke_pool, key)).map(|lke_pool| lke_pool.id))
    }
}

/// The tag of the NodePool is compared by its beginning.
#[derive(Default)]
pub(crate) struct TagByPrefix;

#[async_trait(?Send)]
impl Steps for TagByPrefix {
    fn serves(&self, lke_pool: &LkePool, key: &PoolKey) -> bool {
        served(lke_pool).is_some_and(|own| own.plan == key.plan && key.node_pool.starts_with(&*own.node_pool))
    }
}

/// A pool of any type will do.
#[derive(Default)]
pub(crate) struct AnyPlan;

#[async_trait(?Send)]
impl Steps for AnyPlan {
    fn serves(&self, lke_pool: &LkePool, key: &PoolKey) -> bool {
        served(lke_pool).is_some_and(|own| own.node_pool == key.node_pool)
    }
}
