//! Locks and leases.

use crate::careful::{Careful, Epoch, Guard, Steps, Trouble};
use async_trait::async_trait;
use lkesim_kube::object::NodeClaim;
use lkesim_lke::ledger::Recorded;
use lkesim_lke::locks::PoolKey;
use std::cell::RefCell;

/// Create takes no lock.
#[derive(Default)]
pub(crate) struct NoLock;

#[async_trait(?Send)]
impl Steps for NoLock {
    async fn lock(&self, _: &Careful, _: &PoolKey) -> Guard {
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

/// The ledger is read before the lock is had.
#[derive(Default)]
pub(crate) struct LockTooLate {
    read: RefCell<Option<Recorded>>,
}

#[async_trait(?Send)]
impl Steps for LockTooLate {
    async fn lock(&self, world: &Careful, key: &PoolKey) -> Guard {
        let read = world.ledger().await;
        let guard = world.locks.lock(key).await;
        *self.read.borrow_mut() = read.ok();
        Some(guard)
    }

    async fn recorded(&self, world: &Careful) -> Result<Recorded, Trouble> {
        let read = self.read.take();
        match read {
            Some(read) => Ok(read),
            None => world.ledger().await,
        }
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
