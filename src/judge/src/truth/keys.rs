//! Keys (cluster, Karpenter NodePool, plan), each text compared once and a number from then on.

use lkesim_linode_api::{ClusterId, LkePoolId};

/// A key's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyId(u32);

/// Cluster, Karpenter NodePool and plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The cluster.
    pub cluster: ClusterId,
    /// The Karpenter NodePool.
    pub node_pool: String,
    /// The plan.
    pub plan: String,
}

#[derive(Debug)]
struct Entry {
    key: Key,
    waiting: u32,
    lke_pools: Vec<LkePoolId>,
}

/// Every key that was seen. A run has few, so a search walks them.
#[derive(Debug, Default)]
pub(super) struct Keys(Vec<Entry>);

impl Keys {
    pub fn intern(&mut self, cluster: ClusterId, node_pool: &str, plan: &str) -> KeyId {
        let same = |Entry { key, .. }: &Entry| key.cluster == cluster && key.plan == plan && key.node_pool == node_pool;
        let index = self.0.iter().position(same).unwrap_or_else(|| {
            let key = Key { cluster, node_pool: node_pool.into(), plan: plan.into() };
            self.0.push(Entry { key, waiting: 0, lke_pools: Vec::new() });
            self.0.len() - 1
        });
        KeyId(u32::try_from(index).expect("a run has fewer keys than claims"))
    }

    pub fn key(&self, key: KeyId) -> &Key {
        &self.entry(key).key
    }

    pub fn waiting(&self, key: KeyId) -> u32 {
        self.entry(key).waiting
    }

    pub fn lke_pools(&self, key: KeyId) -> &[LkePoolId] {
        &self.entry(key).lke_pools
    }

    pub fn pool_created(&mut self, key: KeyId, lke_pool: LkePoolId) {
        self.entry_mut(key).lke_pools.push(lke_pool);
    }

    pub fn pool_deleted(&mut self, key: KeyId, lke_pool: LkePoolId) {
        self.entry_mut(key).lke_pools.retain(|other| *other != lke_pool);
    }

    /// A claim waited at one key and waits at another.
    pub fn moved(&mut self, before: Option<KeyId>, after: Option<KeyId>) {
        if before == after {
            return;
        }
        if let Some(key) = before {
            self.entry_mut(key).waiting -= 1;
        }
        if let Some(key) = after {
            self.entry_mut(key).waiting += 1;
        }
    }

    fn entry(&self, key: KeyId) -> &Entry {
        &self.0[key.0 as usize]
    }

    fn entry_mut(&mut self, key: KeyId) -> &mut Entry {
        &mut self.0[key.0 as usize]
    }
}
