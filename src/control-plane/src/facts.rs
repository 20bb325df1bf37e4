//! What the control plane knows besides the objects of the store.

use lkesim_kube::kubelet::Kubelet;
use lkesim_scheduling::ClusterFacts;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What does not change during a run, and who tells which machines live.
#[derive(Clone, Default)]
pub struct Facts {
    /// Claims of volumes, and namespaces.
    pub cluster: Rc<ClusterFacts>,
    /// How many volumes of each driver a node may hold; none is no limit.
    pub volume_limits: BTreeMap<Rc<str>, usize>,
    /// The machines' kubelets: on a machine that is gone no pod starts and none ends. `None` takes all to live as long as
    /// their Nodes.
    pub machines: Option<Kubelet>,
}
