//! The pods of the cluster as the caches of one process show them, kept by node as they change.

use super::{Facts, Pods};
use lkesim_kube::informer::PodInformers;
use lkesim_kube::object::{Pod, PodOwner, Uid, Workload, WorkloadKind};
use lkesim_kube::store::Change;
use lkesim_scheduling::volumes::PodVolumes;
use lkesim_scheduling::{ClusterFacts, DaemonSetPod};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// [`Pods`] over informers.
pub struct InformerPods {
    informers: PodInformers,
    facts: Rc<ClusterFacts>,
    index: RefCell<Index>,
}

/// Pods by what is asked of them.
#[derive(Default)]
struct Index {
    pending: BTreeMap<Uid, Rc<Pod>>,
    by_node: BTreeMap<Rc<str>, BTreeMap<Uid, Rc<Pod>>>,
    /// The youngest pod of each DaemonSet, which stands for it.
    of_daemon_sets: BTreeMap<Uid, Rc<Pod>>,
    with_volumes: BTreeMap<Uid, Rc<Pod>>,
}

impl InformerPods {
    /// Follows the caches, in the poll in which they were started.
    pub fn new(informers: &PodInformers, facts: Rc<ClusterFacts>) -> Rc<InformerPods> {
        let informers = informers.clone();
        let pods = Rc::new(InformerPods { informers, facts, index: RefCell::default() });
        let weak = Rc::downgrade(&pods);
        pods.informers.pods.on_change(move |change| {
            if let Some(pods) = weak.upgrade() {
                pods.index.borrow_mut().apply(change);
            }
        });
        pods
    }

    /// All pods on a node, those that ended included, as nodes are drained by.
    pub fn all_on_node(&self, node: &str) -> Vec<Rc<Pod>> {
        self.index.borrow().by_node.get(node).map_or_else(Vec::new, |pods| pods.values().cloned().collect())
    }

    fn daemon_set_pods(&self) -> Vec<DaemonSetPod> {
        let sets = self.informers.workloads.list();
        let sets = sets.iter().filter(|one| one.kind == WorkloadKind::DaemonSet);
        sets.map(|set| self.daemon_set_pod(set)).collect()
    }

    /// Its youngest pod with the template's required node affinity, or the template (core v1.9.0 `provisioner.go`
    /// getDaemonSetPods). Pods here keep the template's affinity, see [`Pod::made_for`].
    fn daemon_set_pod(&self, set: &Workload) -> DaemonSetPod {
        let index = self.index.borrow();
        match index.of_daemon_sets.get(&set.metadata.uid) {
            Some(pod) => DaemonSetPod { spec: pod.spec.clone(), is_template: false },
            None => DaemonSetPod { spec: set.template.spec.clone(), is_template: true },
        }
    }
}

impl Index {
    fn apply(&mut self, change: &Change<Pod>) {
        if let Some(before) = &change.before {
            self.remove(before);
        }
        if let Some(after) = &change.after {
            self.insert(after);
        }
    }

    fn insert(&mut self, pod: &Rc<Pod>) {
        let uid = pod.metadata.uid;
        match &pod.node_name {
            Some(node) => drop(self.by_node.entry(node.clone()).or_default().insert(uid, pod.clone())),
            None => drop(self.pending.insert(uid, pod.clone())),
        }
        if pod.owner == PodOwner::DaemonSet
            && let Some(owner) = pod.metadata.owner_references.first()
        {
            let youngest = self.of_daemon_sets.entry(owner.uid).or_insert_with(|| pod.clone());
            if youngest.metadata.creation_timestamp < pod.metadata.creation_timestamp {
                *youngest = pod.clone();
            }
        }
        if !pod.spec.volumes.is_empty() {
            self.with_volumes.insert(uid, pod.clone());
        }
    }

    fn remove(&mut self, pod: &Rc<Pod>) {
        let uid = pod.metadata.uid;
        self.pending.remove(&uid);
        self.with_volumes.remove(&uid);
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

impl Pods for InformerPods {
    fn get(&self, key: &str) -> Option<Rc<Pod>> {
        self.informers.pods.get(key)
    }

    fn pending(&self) -> Vec<Rc<Pod>> {
        self.index.borrow().pending.values().cloned().collect()
    }

    fn on_node(&self, node: &str) -> Vec<Rc<Pod>> {
        let index = self.index.borrow();
        let pods = index.by_node.get(node).into_iter().flat_map(BTreeMap::values);
        pods.filter(|pod| !pod.is_terminal()).cloned().collect()
    }

    fn facts(&self) -> Facts {
        let mut facts = Facts { daemon_set_pods: self.daemon_set_pods(), ..Facts::default() };
        facts.namespaces.clone_from(&self.facts.namespaces);
        for (uid, pod) in &self.index.borrow().with_volumes {
            match self.facts.volumes_of(pod) {
                Ok(volumes) => drop(facts.volumes.insert(*uid, volumes)),
                // A bound pod runs whatever became of its claims.
                Err(_) if pod.node_name.is_some() => drop(facts.volumes.insert(*uid, PodVolumes::default())),
                Err(error) => drop(facts.volume_errors.insert(*uid, error)),
            }
        }
        facts
    }
}
