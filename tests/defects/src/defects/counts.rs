//! From which count it is raised, and when.

use crate::careful::{Attempt, Careful, Steps, Trouble};
use async_trait::async_trait;
use lkesim_kube::object::Uid;
use lkesim_linode_api::{Cause, InstanceId, LkePool, LkePoolId};
use lkesim_lke::locks::PoolKey;
use lkesim_runtime::Time;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The count comes from a GET.
#[derive(Default)]
pub(crate) struct CountFromGet;

#[async_trait(?Send)]
impl Steps for CountFromGet {
    async fn count_of(&self, world: &Careful, attempt: &Attempt<'_>, lke_pool: &LkePool) -> Result<u32, Trouble> {
        let purpose = attempt.run.purpose(Cause::Scale);
        Ok(world.api.get_pool(&purpose, world.cx.cluster.id, lke_pool.id).await?.count)
    }
}

/// The count comes from the list of pools.
#[derive(Default)]
pub(crate) struct CountFromList;

#[async_trait(?Send)]
impl Steps for CountFromList {
    async fn count_of(&self, world: &Careful, attempt: &Attempt<'_>, lke_pool: &LkePool) -> Result<u32, Trouble> {
        let listed = world.api.list_pools(&attempt.run.purpose(Cause::Scale), world.cx.cluster.id).await?;
        let own = listed.iter().find(|listed| listed.id == lke_pool.id);
        own.map(|own| own.count).ok_or(Trouble::NotYet("no list shows the LKE pool"))
    }
}

/// The count is the number of nodes that are shown.
#[derive(Default)]
pub(crate) struct CountOfNodes;

#[async_trait(?Send)]
impl Steps for CountOfNodes {
    async fn count_of(&self, _: &Careful, _: &Attempt<'_>, lke_pool: &LkePool) -> Result<u32, Trouble> {
        Ok(lke_pool.nodes.len() as u32)
    }
}

/// The count is remembered for a while.
#[derive(Default)]
pub(crate) struct CountRemembered {
    counts: RefCell<BTreeMap<LkePoolId, (Time, u32)>>,
}

#[async_trait(?Send)]
impl Steps for CountRemembered {
    async fn count_of(&self, world: &Careful, _: &Attempt<'_>, lke_pool: &LkePool) -> Result<u32, Trouble> {
        let now = world.now();
        let mut counts = self.counts.borrow_mut();
        let known = counts.entry(lke_pool.id).or_insert((now, lke_pool.count));
        if known.0 + Duration::from_secs(10) <= now {
            *known = (now, lke_pool.count);
        }
        Ok(known.1)
    }
}

/// What was asked for already counts for nothing.
#[derive(Default)]
pub(crate) struct FlagReset;

#[async_trait(?Send)]
impl Steps for FlagReset {
    fn needs_more(&self, _: &Careful, _: &Attempt<'_>, _free: u32, waiting: u32) -> bool {
        waiting > 0
    }
}

/// Who went while it waited still counts.
#[derive(Default)]
pub(crate) struct TheGoneCount {
    waiting: RefCell<BTreeSet<(PoolKey, Uid)>>,
}

#[async_trait(?Send)]
impl Steps for TheGoneCount {
    fn needs_more(&self, _: &Careful, attempt: &Attempt<'_>, free: u32, _waiting: u32) -> bool {
        let mut waiting = self.waiting.borrow_mut();
        waiting.insert((attempt.key.clone(), attempt.claim.metadata.uid));
        free < waiting.iter().filter(|(key, _)| key == attempt.key).count() as u32
    }

    async fn record(
        &self,
        world: &Careful,
        attempt: &Attempt<'_>,
        lke_pool: &LkePool,
        id: InstanceId,
    ) -> Result<(), Trouble> {
        world.kept()?.ledger.give(id, lke_pool.id, attempt.claim).await?;
        self.waiting.borrow_mut().remove(&(attempt.key.clone(), attempt.claim.metadata.uid));
        Ok(())
    }
}
