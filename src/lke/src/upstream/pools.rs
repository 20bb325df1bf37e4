//! LKE pools as the shipped providers tell them apart and make them.

use crate::context::Context;
use crate::locks::PoolKey;
use crate::tags;
use crate::tags::map::TagMap;
use lkesim_kube::object::NodeClass;
use lkesim_linode_api::LkePool;
use std::sync::Arc;

/// Whether the pool is that of the key (pkg/providers/lke/lke.go:268).
pub fn serves(lke_pool: &LkePool, key: &PoolKey) -> bool {
    let tags = TagMap::of_tags(&lke_pool.tags);
    let node_pool = tags.get(tags::NODE_POOL).map_or("", |value| value);
    *lke_pool.plan == *key.plan && is_managed(lke_pool) && *node_pool == *key.node_pool
}

/// Whether Karpenter manages the pool, of whichever cluster's Karpenter it is (lke.go:504).
pub fn is_managed(lke_pool: &LkePool) -> bool {
    let tags = TagMap::of_tags(&lke_pool.tags);
    tags.has(tags::NODE_POOL) && tags.has(tags::MANAGED)
}

/// The five tags of a pool, in the order in which Go walks their map (pkg/utils/utils.go:123, 202).
pub fn managed_tags(cx: &Context, node_class: &NodeClass, key: &PoolKey) -> Vec<Arc<str>> {
    let five = tags::of_lke_pool(&cx.cluster.name, &key.node_pool, node_class.name());
    let mut five: Vec<Arc<str>> = five.iter().cloned().collect();
    cx.ties.walk("pool tags", &mut five, |tag| tag);
    five
}
