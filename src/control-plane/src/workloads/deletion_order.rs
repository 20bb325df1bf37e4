//! Which pods a ReplicaSet that has too many gives up first.

use lkesim_kube::object::{Pod, PodPhase};
use lkesim_runtime::Time;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The annotation by which pods are given up in the order of its numbers.
const COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// Puts first who goes first: pods without a node, pods that do not run, pods that are not ready, those that cost least,
/// those on nodes with most of the set's pods, and of pods alike the youngest, ages being told apart by their powers of
/// two (Kubernetes v1.33 `pkg/controller/controller_utils.go` ActivePodsWithRanks). Upstream tells when a pod became ready
/// from when it was made; here both are as old as it is.
pub fn sort(pods: &mut [Rc<Pod>], now: Time) {
    let mut on_node: BTreeMap<Rc<str>, usize> = BTreeMap::new();
    for node in pods.iter().filter_map(|pod| pod.node_name.clone()) {
        *on_node.entry(node).or_default() += 1;
    }
    let rank = |pod: &Rc<Pod>| {
        let beside = pod.node_name.as_ref().and_then(|node| on_node.get(node)).copied().unwrap_or(0);
        let runs = pod.status.phase == PodPhase::Running;
        let age = now.since(pod.metadata.creation_timestamp).as_secs();
        let magnitude = age.checked_ilog2().map_or(0, |log| log + 1);
        (pod.node_name.is_some(), runs, pod.status.is_ready, cost(pod), Reverse(beside), magnitude, pod.metadata.uid)
    };
    pods.sort_by_cached_key(rank);
}

fn cost(pod: &Pod) -> i64 {
    pod.metadata.annotations.get(COST).and_then(|cost| cost.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lkesim_kube::object::{PodSpec, Uid};

    fn pod(uid: u64, node: Option<&str>, is_ready: bool, made: u64) -> Rc<Pod> {
        let mut pod = Pod::new(format!("p{uid}"), PodSpec::default());
        pod.metadata.uid = Uid(uid);
        pod.metadata.creation_timestamp = Time::from_secs(made);
        pod.node_name = node.map(Into::into);
        pod.status.is_ready = is_ready;
        pod.status.phase = if is_ready { PodPhase::Running } else { PodPhase::Pending };
        Rc::new(pod)
    }

    #[test]
    fn those_that_matter_least_go_first() {
        let mut pods = [
            pod(1, Some("a"), true, 0),
            pod(2, Some("a"), true, 900),
            pod(3, Some("b"), true, 0),
            pod(4, Some("b"), false, 0),
            pod(5, None, false, 0),
        ];
        let mut dear = Pod::clone(&pods[0]);
        dear.metadata.annotations.insert(COST, "5");
        pods[0] = Rc::new(dear);
        sort(&mut pods, Time::from_secs(1_000));
        let order: Vec<u64> = pods.iter().map(|pod| pod.metadata.uid.0).collect();
        assert_eq!(order, [5, 4, 2, 3, 1]);
    }
}
