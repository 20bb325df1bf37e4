//! StatefulSets: numbered pods, one after the other.
//!
//! Kubernetes v1.33 `pkg/controller/statefulset/stateful_set_control.go` with the policy OrderedReady: a pod is made once
//! all before it are ready, and the last goes first, each once all after it are gone. A pod that is going is made anew only
//! when it is gone.

use super::maker::Maker;
use async_trait::async_trait;
use lkesim_kube::controller::{Next, ReconcileError, Reconciler};
use lkesim_kube::object::{Pod, PodPhase, Workload};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The reconciler.
pub struct StatefulSets(pub Rc<Maker>);

impl StatefulSets {
    async fn sync(&self, set: &Workload) -> Result<(), ReconcileError> {
        let maker = &self.0;
        let uid = set.metadata.uid;
        let pods = maker.view.owned_by(uid);
        let mut by_number: BTreeMap<u32, Rc<Pod>> =
            pods.into_iter().filter_map(|pod| Some((number_of(&pod)?, pod))).collect();
        for number in 0..set.replicas {
            match by_number.remove(&number) {
                None => return Ok(maker.make(uid, vec![self.pod(set, number)]).await?),
                Some(pod) if pod.is_terminating() => return Ok(()),
                Some(pod) if pod.is_terminal() => return Ok(maker.delete(uid, vec![pod]).await?),
                Some(pod) if pod.status.phase == PodPhase::Running && pod.status.is_ready => {}
                Some(_) => return Ok(()),
            }
        }
        // What is left has numbers that should not be.
        match by_number.pop_last() {
            Some((_, last)) if !last.is_terminating() => Ok(maker.delete(uid, vec![last]).await?),
            _ => Ok(()),
        }
    }

    fn pod(&self, set: &Workload, number: u32) -> Pod {
        let prepared = self.0.prepared(set, |_| {});
        let name = format!("{}-{number}", set.own_name);
        let mut pod = self.0.pod(set, &prepared, &name);
        pod.metadata.labels.insert("statefulset.kubernetes.io/pod-name", name);
        pod.metadata.labels.insert("apps.kubernetes.io/pod-index", number.to_string());
        pod
    }
}

/// What stands behind the last dash of a pod's name.
fn number_of(pod: &Pod) -> Option<u32> {
    pod.name().rsplit('-').next()?.parse().ok()
}

#[async_trait(?Send)]
impl Reconciler for StatefulSets {
    async fn reconcile(&self, key: Rc<str>) -> Result<Next, ReconcileError> {
        if let Some(set) = self.0.due(&key) {
            self.sync(&set).await?;
        }
        Ok(Next::Done)
    }
}
