//! Delete: one node, or the pool with its last one.

use super::{Documented, failed, is_managed, is_retryable};
use crate::locks::PoolKey;
use crate::settings::LookupFailure;
use crate::tags;
use lkesim_karpenter::cloud_provider::ProviderError;
use lkesim_linode_api::{InstanceId, LkePool, Purpose};
use std::sync::Arc;

impl Documented {
    /// Delete: the node of this Linode, or its pool with the last node.
    pub(in crate::designs) async fn remove(
        &self,
        because: &Purpose,
        instance: InstanceId,
    ) -> Result<(), ProviderError> {
        let lke_pool = self.find_pool_of(because, instance).await?;
        let key = PoolKey {
            node_pool: lke_pool.tags.value(tags::NODE_POOL).unwrap_or_default().into(),
            plan: (&*lke_pool.plan).into(),
        };
        let _lock = self.locks.lock(&key).await;
        let lke_pool = self.cx.api.get_pool(because, self.cx.cluster.id, lke_pool.id).await.map_err(failed)?;
        // As shipped: a Linode that is being deleted is not answered from memory.
        self.seen.remove(&instance);
        let Some(node) = lke_pool.nodes.iter().find(|node| node.instance == Some(instance)) else {
            return Err(ProviderError::NotFound(format!("instance {instance} is not in LKE pool {}", lke_pool.id)));
        };
        // The last node takes the pool with it.
        let deleted = match lke_pool.nodes.len() {
            1 => self.cx.api.delete_pool(because, self.cx.cluster.id, lke_pool.id).await,
            _ => self.cx.api.delete_node(because, self.cx.cluster.id, node.id).await,
        };
        deleted.map_err(failed)
    }

    /// The managed pool that shows this Linode among its nodes.
    async fn find_pool_of(&self, because: &Purpose, instance: InstanceId) -> Result<Arc<LkePool>, ProviderError> {
        let listed = match self.cx.api.list_pools(because, self.cx.cluster.id).await {
            Ok(listed) => listed,
            Err(error) if is_retryable(&error) || self.cx.settings.delete_lookup_failure == LookupFailure::Error => {
                return Err(ProviderError::Other(error.to_string()));
            }
            Err(error) => return Err(ProviderError::NotFound(error.to_string())),
        };
        let shows = |lke_pool: &Arc<LkePool>| lke_pool.nodes.iter().any(|node| node.instance == Some(instance));
        let found = listed.iter().find(|lke_pool| is_managed(lke_pool) && shows(lke_pool));
        found.cloned().ok_or_else(|| {
            ProviderError::NotFound(format!("instance {instance} is in no LKE pool that Karpenter manages"))
        })
    }
}
