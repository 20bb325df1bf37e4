//! Deployments, ReplicaSets and Jobs: as many pods as there should be.
//!
//! Kubernetes v1.33 `pkg/controller/replicaset/replica_set.go` and `pkg/controller/job/job_controller.go`. A Deployment is
//! its one ReplicaSet: a new template is that of pods to come. A pod of a Job that ended well is not made again,
//! also once it is no object any more (`trackJobStatusAndRemoveFinalizers`); one that failed is replaced at once.

use super::deletion_order;
use super::maker::{BURST, Maker};
use async_trait::async_trait;
use lkesim_kube::controller::{Next, ReconcileError, Reconciler};
use lkesim_kube::object::{Pod, Workload, WorkloadKind};
use std::rc::Rc;

/// The reconciler.
pub struct ReplicaSets(pub Rc<Maker>);

impl ReplicaSets {
    async fn sync(&self, workload: &Workload) -> Result<(), ReconcileError> {
        let maker = &self.0;
        let uid = workload.metadata.uid;
        let counts = maker.view.counts_of(uid);
        let done = if workload.kind == WorkloadKind::Job { counts.succeeded } else { 0 };
        let wanted = (workload.replicas as usize).saturating_sub(done);
        if counts.active < wanted {
            let count = (wanted - counts.active).min(BURST);
            let prepared = maker.prepared(workload, |_| {});
            let pod = |_| maker.pod(workload, &prepared, &maker.generated_name(workload, &prepared));
            maker.make(uid, (0..count).map(pod).collect()).await?;
        } else if counts.active > wanted {
            let count = (counts.active - wanted).min(BURST);
            let pods = maker.view.owned_by(uid).into_iter();
            let mut active: Vec<Rc<Pod>> = pods.filter(|pod| pod.is_active()).collect();
            deletion_order::sort(&mut active, maker.view.runtime.now());
            active.truncate(count);
            maker.delete(uid, active).await?;
        }
        Ok(())
    }
}

#[async_trait(?Send)]
impl Reconciler for ReplicaSets {
    async fn reconcile(&self, key: Rc<str>) -> Result<Next, ReconcileError> {
        if let Some(workload) = self.0.due(&key) {
            self.sync(&workload).await?;
        }
        Ok(Next::Done)
    }
}
