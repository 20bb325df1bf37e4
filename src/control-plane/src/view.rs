//! What all parts share: the caches, the pods by owner and by node, the way to write, the luck.

use crate::{Facts, Settings};
use lkesim_kube::client::Client;
use lkesim_kube::informer::{Informer, WatchLag};
use lkesim_kube::object::{Node, Pod, PodPhase, Uid, Workload};
use lkesim_kube::store::Change;
use lkesim_runtime::{Runtime, Seed};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The process number of the caches' lag. Karpenter's processes count from 1.
const PROCESS: u64 = 1 << 32;

/// Pods by their uids.
pub type PodMap = BTreeMap<Uid, Rc<Pod>>;

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
    index: RefCell<Index>,
}

/// The pods of one workload.
#[derive(Default)]
struct Owned {
    pods: PodMap,
    counts: OwnedCounts,
}

/// How many pods a workload has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnedCounts {
    /// Neither ended nor ending.
    pub active: usize,
    /// Ended well so far, those included that are no objects any more: a Job's controller notes each in the Job's status
    /// before a finalizer lets it go.
    pub succeeded: usize,
}

#[derive(Default)]
struct Index {
    by_owner: BTreeMap<Uid, Owned>,
    by_node: BTreeMap<Rc<str>, PodMap>,
}

impl View {
    pub fn start(runtime: &Runtime, client: &Client, seed: Seed, settings: Rc<Settings>, facts: Rc<Facts>) -> Rc<View> {
        let lag = WatchLag::new(seed, PROCESS, settings.watch.clone());
        let view = Rc::new(View {
            runtime: runtime.clone(),
            client: client.clone(),
            pods: Informer::start(runtime, client, lag.clone()),
            nodes: Informer::start(runtime, client, lag.clone()),
            workloads: Informer::start(runtime, client, lag),
            settings,
            facts,
            seed,
            index: RefCell::default(),
        });
        let weak = Rc::downgrade(&view);
        view.pods.on_change(move |change| {
            if let Some(view) = weak.upgrade() {
                view.index.borrow_mut().apply(change);
            }
        });
        let weak = Rc::downgrade(&view);
        view.workloads.on_change(move |change| {
            if let (None, Some(view)) = (&change.after, weak.upgrade()) {
                view.index.borrow_mut().forget(change.latest().metadata.uid);
            }
        });
        view
    }

    /// Keeps something for as long as the process lives. Handlers of caches hold it weakly, or caches, handlers and what
    /// they call would keep each other for ever.
    pub fn keep<T: 'static>(&self, kept: T) {
        self.runtime.spawn("keep", async move {
            std::future::pending::<()>().await;
            drop(kept);
        });
    }

    pub fn is_synced(&self) -> bool {
        self.pods.is_synced() && self.nodes.is_synced() && self.workloads.is_synced()
    }

    pub async fn synced(&self) {
        self.nodes.synced().await;
        self.pods.synced().await;
        self.workloads.synced().await;
    }

    /// The pods of a workload, by uid.
    pub fn owned_by(&self, owner: Uid) -> Vec<Rc<Pod>> {
        self.index.borrow().by_owner.get(&owner).map_or_else(Vec::new, |owned| owned.pods.values().cloned().collect())
    }

    /// How many pods a workload has.
    pub fn counts_of(&self, owner: Uid) -> OwnedCounts {
        self.index.borrow().by_owner.get(&owner).map(|owned| owned.counts).unwrap_or_default()
    }

    /// The pods on a node, by uid.
    pub fn on_node(&self, node: &str) -> Vec<Rc<Pod>> {
        self.index.borrow().by_node.get(node).map_or_else(Vec::new, |pods| pods.values().cloned().collect())
    }

    /// Whether a node's machine is there to run pods, as far as that is known.
    pub fn has_machine(&self, node: &str) -> bool {
        let Some(node) = self.client.store().get::<Node>(node) else { return false };
        match (&self.facts.machines, &node.spec.provider_id) {
            (Some(machines), Some(id)) => machines.lives(id),
            _ => true,
        }
    }
}

impl Index {
    fn apply(&mut self, change: &Change<Pod>) {
        let ended_well = |pod: &Rc<Pod>| pod.status.phase == PodPhase::Succeeded;
        let is_news = !change.before.as_ref().is_some_and(ended_well);
        if let Some(before) = &change.before {
            self.remove(before);
        }
        if let Some(after) = &change.after {
            let uid = after.metadata.uid;
            if let Some(owner) = owner(after) {
                let owned = self.by_owner.entry(owner).or_default();
                owned.counts.active += usize::from(after.is_active());
                owned.counts.succeeded += usize::from(is_news && ended_well(after));
                owned.pods.insert(uid, after.clone());
            }
            if let Some(node) = &after.node_name {
                self.by_node.entry(node.clone()).or_default().insert(uid, after.clone());
            }
        }
    }

    /// A workload is gone: how many of its pods ended well is asked no more.
    fn forget(&mut self, workload: Uid) {
        if let Some(owned) = self.by_owner.get_mut(&workload) {
            owned.counts.succeeded = 0;
            if owned.pods.is_empty() {
                self.by_owner.remove(&workload);
            }
        }
    }

    fn remove(&mut self, pod: &Pod) {
        let uid = pod.metadata.uid;
        if let Some(owner) = owner(pod)
            && let Some(owned) = self.by_owner.get_mut(&owner)
        {
            owned.counts.active -= usize::from(pod.is_active());
            owned.pods.remove(&uid);
            if owned.pods.is_empty() && owned.counts.succeeded == 0 {
                self.by_owner.remove(&owner);
            }
        }
        if let Some(node) = &pod.node_name
            && let Some(pods) = self.by_node.get_mut(node)
        {
            pods.remove(&uid);
            if pods.is_empty() {
                self.by_node.remove(node);
            }
        }
    }
}

/// The uid of the workload that made a pod.
pub fn owner(pod: &Pod) -> Option<Uid> {
    pod.metadata.owner_references.first().map(|owner| owner.uid)
}
