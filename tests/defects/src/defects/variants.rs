//! Other designs that are right.

use crate::careful::{Careful, Guard, Steps};
use async_trait::async_trait;
use lkesim_kube::object::NodeClaim;
use lkesim_linode_api::Instance;
use lkesim_lke::locks::PoolKey;
use lkesim_runtime::Time;
use std::sync::Arc;
use std::time::Duration;

/// The newest Linode first.
#[derive(Default)]
pub(crate) struct NewestFirst;

#[async_trait(?Send)]
impl Steps for NewestFirst {
    fn first_of<'a>(&self, free: &'a [Arc<Instance>]) -> Option<&'a Arc<Instance>> {
        free.iter().max_by_key(|free| free.id)
    }
}

/// One lock for all keys.
#[derive(Default)]
pub(crate) struct OneLock;

#[async_trait(?Send)]
impl Steps for OneLock {
    fn lock_of(&self, _: &PoolKey, _: &NodeClaim) -> PoolKey {
        PoolKey { node_pool: "all".into(), plan: "all".into() }
    }

    async fn lock_to_delete(&self, world: &Careful, _: &PoolKey) -> Guard {
        Some(world.locks.lock(&PoolKey { node_pool: "all".into(), plan: "all".into() }).await)
    }
}

/// A pool that was asked for may come to light for twice as long.
#[derive(Default)]
pub(crate) struct LongerDoubt;

#[async_trait(?Send)]
impl Steps for LongerDoubt {
    fn is_settled(&self, world: &Careful, asked: Time) -> bool {
        asked + Duration::from_secs(300) <= world.now()
    }
}
