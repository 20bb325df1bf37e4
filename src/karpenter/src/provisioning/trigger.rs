//! What triggers a pass: a pod that can be provisioned for, and a node that is on its way out, each again every 10 s for as
//! long as it is so (core v1.9.0 `provisioning/controller.go`).

use super::{Pods, Provisioner};
use async_trait::async_trait;
use lkesim_kube::controller::{Next, ReconcileError, Reconciler};
use lkesim_kube::informer::Informer;
use lkesim_kube::object::{Node, TaintEffect, labels};
use std::rc::Rc;
use std::time::Duration;

/// The name of the controller of pods.
pub const POD: &str = "provisioner.trigger.pod";
/// The name of the controller of nodes.
pub const NODE: &str = "provisioner.trigger.node";

const PERIOD: Duration = Duration::from_secs(10);

/// Triggers by pods.
pub struct ByPod {
    pub pods: Rc<dyn Pods>,
    pub provisioner: Rc<Provisioner>,
}

#[async_trait(?Send)]
impl Reconciler for ByPod {
    async fn reconcile(&self, key: Rc<str>) -> Result<Next, ReconcileError> {
        match self.pods.get(&key).filter(|pod| pod.is_provisionable()) {
            Some(pod) => {
                self.provisioner.trigger(pod.metadata.uid);
                Ok(Next::After(PERIOD))
            }
            None => Ok(Next::Done),
        }
    }
}

/// Triggers by nodes.
pub struct ByNode {
    pub nodes: Informer<Node>,
    pub provisioner: Rc<Provisioner>,
}

#[async_trait(?Send)]
impl Reconciler for ByNode {
    async fn reconcile(&self, key: Rc<str>) -> Result<Next, ReconcileError> {
        let is_leaving = |node: &Rc<Node>| node.has_taint(labels::DISRUPTED_TAINT, TaintEffect::NoSchedule);
        match self.nodes.get(&key).filter(is_leaving) {
            Some(node) => {
                self.provisioner.trigger(node.metadata.uid);
                Ok(Next::After(PERIOD))
            }
            None => Ok(Next::Done),
        }
    }
}
