//! All caches of one process.

use super::{Informer, WatchLag, WeakInformer};
use crate::client::Client;
use crate::object::{Node, NodeClaim, NodeClass, NodePool, Pod, PodDisruptionBudget, Workload};
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
    /// What is about pods, where the cluster has some.
    pub pods: Option<PodInformers>,
}

/// The caches of what is about pods.
#[derive(Clone)]
pub struct PodInformers {
    /// Pods.
    pub pods: Informer<Pod>,
    /// What makes pods.
    pub workloads: Informer<Workload>,
    /// PodDisruptionBudgets.
    pub budgets: Informer<PodDisruptionBudget>,
}

impl Informers {
    /// Starts the caches in the process of `runtime`, without those of pods.
    pub fn start(runtime: &Runtime, client: &Client, lag: &WatchLag) -> Informers {
        Informers {
            node_claims: Informer::start(runtime, client, lag.clone()),
            nodes: Informer::start(runtime, client, lag.clone()),
            node_pools: Informer::start(runtime, client, lag.clone()),
            node_classes: Informer::start(runtime, client, lag.clone()),
            pods: None,
        }
    }

    /// Starts all caches in the process of `runtime`.
    pub fn start_with_pods(runtime: &Runtime, client: &Client, lag: &WatchLag) -> Informers {
        let informers = Informers::start(runtime, client, lag);
        Informers { pods: Some(PodInformers::start(runtime, client, lag)), ..informers }
    }

    /// The same caches, for who must not keep them alive.
    pub fn downgrade(&self) -> WeakInformers {
        WeakInformers {
            node_claims: self.node_claims.downgrade(),
            nodes: self.nodes.downgrade(),
            node_pools: self.node_pools.downgrade(),
            node_classes: self.node_classes.downgrade(),
            pods: self.pods.as_ref().map(PodInformers::downgrade),
        }
    }

    /// Whether each has its first list.
    pub fn are_synced(&self) -> bool {
        self.node_claims.is_synced()
            && self.nodes.is_synced()
            && self.node_pools.is_synced()
            && self.node_classes.is_synced()
            && self.pods.as_ref().is_none_or(PodInformers::are_synced)
    }

    /// Waits until each has its first list. Controllers reconcile nothing before, as in controller-runtime.
    pub async fn synced(&self) {
        self.node_claims.synced().await;
        self.nodes.synced().await;
        self.node_pools.synced().await;
        self.node_classes.synced().await;
        if let Some(pods) = &self.pods {
            pods.synced().await;
        }
    }
}

impl PodInformers {
    /// Starts the caches in the process of `runtime`.
    pub fn start(runtime: &Runtime, client: &Client, lag: &WatchLag) -> PodInformers {
        PodInformers {
            pods: Informer::start(runtime, client, lag.clone()),
            workloads: Informer::start(runtime, client, lag.clone()),
            budgets: Informer::start(runtime, client, lag.clone()),
        }
    }

    fn downgrade(&self) -> WeakPodInformers {
        WeakPodInformers {
            pods: self.pods.downgrade(),
            workloads: self.workloads.downgrade(),
            budgets: self.budgets.downgrade(),
        }
    }

    /// Whether each has its first list.
    pub fn are_synced(&self) -> bool {
        self.pods.is_synced() && self.workloads.is_synced() && self.budgets.is_synced()
    }

    /// Waits until each has its first list.
    pub async fn synced(&self) {
        self.pods.synced().await;
        self.workloads.synced().await;
        self.budgets.synced().await;
    }
}

/// The caches of one process that live only as long as it.
pub struct WeakInformers {
    node_claims: WeakInformer<NodeClaim>,
    nodes: WeakInformer<Node>,
    node_pools: WeakInformer<NodePool>,
    node_classes: WeakInformer<NodeClass>,
    pods: Option<WeakPodInformers>,
}

struct WeakPodInformers {
    pods: WeakInformer<Pod>,
    workloads: WeakInformer<Workload>,
    budgets: WeakInformer<PodDisruptionBudget>,
}

impl WeakInformers {
    /// The caches, while their process lives.
    pub fn upgrade(&self) -> Option<Informers> {
        Some(Informers {
            node_claims: self.node_claims.upgrade()?,
            nodes: self.nodes.upgrade()?,
            node_pools: self.node_pools.upgrade()?,
            node_classes: self.node_classes.upgrade()?,
            pods: match &self.pods {
                Some(pods) => Some(pods.upgrade()?),
                None => None,
            },
        })
    }
}

impl WeakPodInformers {
    fn upgrade(&self) -> Option<PodInformers> {
        Some(PodInformers {
            pods: self.pods.upgrade()?,
            workloads: self.workloads.upgrade()?,
            budgets: self.budgets.upgrade()?,
        })
    }
}
