//! All caches of one process.

use super::{Informer, WatchLag};
use crate::client::Client;
use crate::object::{Node, NodeClaim, NodeClass, NodePool};
use lkesim_runtime::Runtime;

/// The caches of one process, one a kind.
#[derive(Clone)]
pub struct Informers {
    /// NodeClaims.
    pub node_claims: Informer<NodeClaim>,
    /// Nodes.
    pub nodes: Informer<Node>,
    /// NodePools.
    pub node_pools: Informer<NodePool>,
    /// NodeClasses.
    pub node_classes: Informer<NodeClass>,
}

impl Informers {
    /// Starts the caches in the process of `runtime`.
    pub fn start(runtime: &Runtime, client: &Client, lag: &WatchLag) -> Informers {
        Informers {
            node_claims: Informer::start(runtime, client, lag.clone()),
            nodes: Informer::start(runtime, client, lag.clone()),
            node_pools: Informer::start(runtime, client, lag.clone()),
            node_classes: Informer::start(runtime, client, lag.clone()),
        }
    }

    /// Waits until each has its first list. Controllers reconcile nothing before, as in controller-runtime.
    pub async fn synced(&self) {
        self.node_claims.synced().await;
        self.nodes.synced().await;
        self.node_pools.synced().await;
        self.node_classes.synced().await;
    }
}
