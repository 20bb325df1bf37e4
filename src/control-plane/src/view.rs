//! What all parts share: the caches, the way to write, the luck.

use crate::{Facts, Settings};
use lkesim_kube::client::Client;
use lkesim_kube::informer::{Informer, WatchLag};
use lkesim_kube::object::{Node, Pod, Workload};
use lkesim_runtime::{Runtime, Seed};
use std::rc::Rc;

/// The process number of the caches' lag. Karpenter's processes count from 1.
const PROCESS: u64 = 1 << 32;

/// The world as the control plane sees it. Scheduler, controllers and kubelets share one cache a kind, where upstream each
/// process has its own: none of them acts on what another has done before a watch told.
pub struct View {
    pub runtime: Runtime,
    pub client: Client,
    pub pods: Informer<Pod>,
    pub nodes: Informer<Node>,
    pub workloads: Informer<Workload>,
    pub settings: Rc<Settings>,
    pub facts: Rc<Facts>,
    pub seed: Seed,
}

impl View {
    pub fn start(runtime: &Runtime, client: &Client, seed: Seed, settings: Rc<Settings>, facts: Rc<Facts>) -> View {
        let lag = WatchLag::new(seed, PROCESS, settings.watch.clone());
        View {
            runtime: runtime.clone(),
            client: client.clone(),
            pods: Informer::start(runtime, client, lag.clone()),
            nodes: Informer::start(runtime, client, lag.clone()),
            workloads: Informer::start(runtime, client, lag),
            settings,
            facts,
            seed,
        }
    }

    pub fn is_synced(&self) -> bool {
        self.pods.is_synced() && self.nodes.is_synced() && self.workloads.is_synced()
    }

    pub async fn synced(&self) {
        self.nodes.synced().await;
        self.pods.synced().await;
        self.workloads.synced().await;
    }
}
