//! Other designs that are right.

use crate::careful::{Careful, Guard, Steps, Trouble};
use async_trait::async_trait;
use lkesim_kube::object::NodeClaim;
use lkesim_linode_api::{Instance, InstanceId};
use lkesim_lke::locks::PoolKey;
use lkesim_lke::run::Run;
use std::sync::Arc;

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

/// A Linode is there where two looks agree.
#[derive(Default)]
pub(crate) struct TwoLooks;

#[async_trait(?Send)]
impl Steps for TwoLooks {
    async fn look(&self, world: &Careful, run: &Run, id: InstanceId) -> Result<Option<Arc<Instance>>, Trouble> {
        match world.look(run, id).await? {
            Some(_) => world.look(run, id).await,
            None => Ok(None),
        }
    }
}
