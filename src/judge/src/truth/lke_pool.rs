//! LKE pools.

use super::{KeyId, Truth};
use lkesim_linode_api::{ClusterId, InstanceId, LkePoolId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A LKE pool. Whether it is managed is settled when it is made: a hand that edits tags makes no pool a stranger's.
#[derive(Clone, Debug)]
pub struct LkePool {
    /// Its cluster.
    pub cluster: ClusterId,
    /// Its plan.
    pub plan: Arc<str>,
    /// The Karpenter NodePool that it serves, if it is managed.
    pub node_pool: Option<Arc<str>>,
    /// Its key, if it is managed.
    pub key: Option<KeyId>,
    /// Its count.
    pub count: u32,
    /// Whether it was deleted.
    pub gone: bool,
    /// Its live Linodes.
    pub members: BTreeSet<InstanceId>,
    /// The NodeClaims, live or deleting, that hold a live Linode in it.
    pub holders: u32,
}

impl Truth {
    pub(super) fn pool_created(
        &mut self,
        id: LkePoolId,
        cluster: ClusterId,
        plan: &Arc<str>,
        count: u32,
        node_pool: Option<&Arc<str>>,
    ) {
        let key = node_pool.map(|node_pool| self.keys.intern(cluster, node_pool, plan));
        if let Some(key) = key {
            self.keys.pool_created(key, id);
        }
        let lke_pool = LkePool {
            cluster,
            plan: plan.clone(),
            node_pool: node_pool.cloned(),
            key,
            count,
            gone: false,
            members: BTreeSet::new(),
            holders: 0,
        };
        self.lke_pools.insert(id.0, lke_pool);
    }

    pub(super) fn pool_deleted(&mut self, id: LkePoolId) {
        let Some(lke_pool) = self.lke_pools.get_mut(id.0) else {
            return;
        };
        lke_pool.gone = true;
        lke_pool.count = 0;
        if let Some(key) = lke_pool.key {
            self.keys.pool_deleted(key, id);
        }
    }
}
