//! Locks and leases.

use crate::careful::{Attempt, Careful, Epoch, Guard, Steps, Trouble, made};
use async_trait::async_trait;
use lkesim_kube::object::NodeClaim;
use lkesim_linode_api::{LkePool, LkePoolId};
use lkesim_lke::ledger::Recorded;
use lkesim_lke::locks::PoolKey;
use lkesim_lke::run::Run;
use std::cell::RefCell;
use std::sync::Arc;

/// Create takes no lock.
#[derive(Default)]
pub(crate) struct NoLock;

#[async_trait(?Send)]
impl Steps for NoLock {
    async fn lock(&self, _: &Careful, _: &Run, _: &PoolKey) -> Guard {
        None
    }
}

/// Each NodeClaim has a lock of its own.
#[derive(Default)]
pub(crate) struct LockOfClaim;

#[async_trait(?Send)]
impl Steps for LockOfClaim {
    fn lock_of(&self, key: &PoolKey, claim: &NodeClaim) -> PoolKey {
        PoolKey { node_pool: claim.name().clone(), plan: key.plan.clone() }
    }
}

/// The ledger and the key's pool are read before the lock is had.
#[derive(Default)]
pub(crate) struct LockTooLate {
    read: RefCell<Option<Read>>,
    shown: RefCell<Option<Arc<LkePool>>>,
}

/// What was read.
type Read = (Recorded, Option<Arc<LkePool>>);

impl LockTooLate {
    async fn read(&self, world: &Careful, run: &Run, key: &PoolKey) -> Result<Read, Trouble> {
        let recorded = world.ledger().await?;
        let known = recorded.lke_pools.iter().find(|record| record.key == *key).and_then(made);
        let shown = match known {
            Some(id) => world.put_nothing(&run.claiming(), id).await?,
            None => None,
        };
        Ok((recorded, shown))
    }
}

#[async_trait(?Send)]
impl Steps for LockTooLate {
    async fn lock(&self, world: &Careful, run: &Run, key: &PoolKey) -> Guard {
        let read = self.read(world, run, key).await;
        let guard = world.locks.lock(key).await;
        *self.read.borrow_mut() = read.ok();
        Some(guard)
    }

    async fn recorded(&self, world: &Careful) -> Result<Recorded, Trouble> {
        let read = self.read.take();
        match read {
            Some((recorded, shown)) => {
                *self.shown.borrow_mut() = shown;
                Ok(recorded)
            }
            None => world.ledger().await,
        }
    }

    async fn truth_of(
        &self,
        world: &Careful,
        attempt: &Attempt<'_>,
        id: LkePoolId,
    ) -> Result<Option<Arc<LkePool>>, Trouble> {
        let shown = self.shown.take().filter(|shown| shown.id == id);
        match shown {
            Some(shown) => Ok(Some(shown)),
            None => world.put_nothing(&attempt.run.claiming(), id).await,
        }
    }

    async fn count_of(&self, _: &Careful, _: &Attempt<'_>, lke_pool: &LkePool) -> Result<u32, Trouble> {
        Ok(lke_pool.count)
    }
}

/// Delete takes no lock.
#[derive(Default)]
pub(crate) struct DeleteWithoutLock;

#[async_trait(?Send)]
impl Steps for DeleteWithoutLock {
    async fn lock_to_delete(&self, _: &Careful, _: &PoolKey) -> Guard {
        None
    }
}

/// Before a write nobody looks whether the lease is still held, or a write unanswered.
#[derive(Default)]
pub(crate) struct LeaseNotAsked;

#[async_trait(?Send)]
impl Steps for LeaseNotAsked {
    async fn still_holds(&self, _: &Careful, _: Epoch) -> Result<(), Trouble> {
        Ok(())
    }
}
