//! DaemonSets: a pod on each node that takes one.
//!
//! Kubernetes v1.33 `pkg/controller/daemon/daemon_controller.go`: a node takes one if its labels suit and the pod puts up
//! with its taints, resources aside. The scheduler binds it, to this node alone. A pod whose node has got a NoExecute taint
//! that it does not tolerate, or other labels, is deleted. The pods tolerate what befalls every node.

use super::maker::Maker;
use crate::view::View;
use async_trait::async_trait;
use lkesim_kube::controller::{Next, Queue, ReconcileError, Reconciler};
use lkesim_kube::object::{
    Node, Pod, PodSpec, TaintEffect, Toleration, TolerationOperator, Workload, WorkloadKind, labels,
};
use std::collections::BTreeMap;
use std::rc::Rc;

/// How many pods one pass makes at the most (`BurstReplicas` of DaemonSets).
const BURST: usize = 250;

/// What every pod of a DaemonSet puts up with (`util.AddOrUpdateDaemonPodTolerations`). Those of the host network, which
/// tolerate `network-unavailable` besides, are not told apart here.
const TOLERATED: [(&str, TaintEffect); 6] = [
    (labels::NOT_READY_TAINT, TaintEffect::NoExecute),
    (labels::UNREACHABLE_TAINT, TaintEffect::NoExecute),
    ("node.kubernetes.io/disk-pressure", TaintEffect::NoSchedule),
    ("node.kubernetes.io/memory-pressure", TaintEffect::NoSchedule),
    ("node.kubernetes.io/pid-pressure", TaintEffect::NoSchedule),
    ("node.kubernetes.io/unschedulable", TaintEffect::NoSchedule),
];

/// Adds these to a template.
pub fn tolerate(spec: &mut PodSpec) {
    for (key, effect) in TOLERATED {
        let toleration = Toleration {
            key: key.into(),
            operator: TolerationOperator::Exists,
            effect: Some(effect),
            ..Toleration::default()
        };
        let same = |one: &Toleration| one.matches(&toleration);
        match spec.tolerations.iter_mut().find(|one| same(one)) {
            Some(one) => one.toleration_seconds = None,
            None => spec.tolerations.push(toleration),
        }
    }
}

/// The reconciler.
pub struct DaemonSets(pub Rc<Maker>);

/// Wakes all DaemonSets where a node comes or goes, or where its labels or taints change.
pub fn watch_nodes(view: &Rc<View>, queue: Queue) {
    let workloads = view.workloads.clone();
    view.nodes.on_change(move |change| {
        let counts = |node: &Rc<Node>| (node.metadata.labels.clone(), node.spec.taints.clone());
        if change.before.as_ref().map(counts) == change.after.as_ref().map(counts) {
            return;
        }
        for set in workloads.list().iter().filter(|one| one.kind == WorkloadKind::DaemonSet) {
            queue.add(set.name().clone());
        }
    });
}

impl DaemonSets {
    async fn sync(&self, set: &Workload) -> Result<(), ReconcileError> {
        let maker = &self.0;
        let uid = set.metadata.uid;
        let prepared = maker.prepared(set, tolerate);
        let mut by_node: BTreeMap<Rc<str>, Vec<Rc<Pod>>> = BTreeMap::new();
        for pod in maker.view.owned_by(uid) {
            if let Some(node) = pod.made_for.clone().or(pod.node_name.clone()) {
                by_node.entry(node).or_default().push(pod);
            }
        }
        let (mut missing, mut surplus) = (Vec::new(), Vec::new());
        for node in maker.view.nodes.list() {
            let there = by_node.remove(node.name()).unwrap_or_default();
            let (runs, stays) = (may_run(&prepared.spec, &node), may_stay(&prepared.spec, &node));
            let mut active: Vec<Rc<Pod>> = there.into_iter().filter(|pod| pod.is_active()).collect();
            if active.is_empty() {
                missing.extend(runs.then(|| node.name().clone()));
            } else if stays {
                // Of several the oldest stays.
                active.sort_by_key(|pod| (pod.metadata.creation_timestamp, pod.metadata.uid));
                surplus.extend(active.into_iter().skip(1));
            } else {
                surplus.extend(active);
            }
        }
        // Pods that wait for a node that is gone.
        surplus.extend(by_node.into_values().flatten().filter(|pod| pod.node_name.is_none() && pod.is_active()));
        missing.truncate(BURST);
        let pod = |node: Rc<str>| {
            let mut pod = maker.pod(set, &prepared, &maker.generated_name(set, &prepared));
            pod.made_for = Some(node);
            pod
        };
        let pods: Vec<Pod> = missing.into_iter().map(pod).collect();
        if !pods.is_empty() {
            maker.make(uid, pods).await?;
        }
        if !surplus.is_empty() {
            maker.delete(uid, surplus).await?;
        }
        Ok(())
    }
}

/// Whether a node takes a pod of the set.
fn may_run(spec: &PodSpec, node: &Node) -> bool {
    suits(spec, node) && tolerates(spec, node, |effect| effect != TaintEffect::PreferNoSchedule)
}

/// Whether a pod of the set that is there may stay.
fn may_stay(spec: &PodSpec, node: &Node) -> bool {
    suits(spec, node) && tolerates(spec, node, |effect| effect == TaintEffect::NoExecute)
}

fn tolerates(spec: &PodSpec, node: &Node, counts: impl Fn(TaintEffect) -> bool) -> bool {
    let mut taints = node.spec.taints.iter().filter(|taint| counts(taint.effect));
    taints.all(|taint| spec.tolerations.iter().any(|one| one.tolerates(taint)))
}

fn suits(spec: &PodSpec, node: &Node) -> bool {
    crate::node_affinity::selects(spec, &node.metadata.labels)
}

#[async_trait(?Send)]
impl Reconciler for DaemonSets {
    async fn reconcile(&self, key: Rc<str>) -> Result<Next, ReconcileError> {
        if let Some(set) = self.0.due(&key) {
            self.sync(&set).await?;
        }
        Ok(Next::Done)
    }
}
