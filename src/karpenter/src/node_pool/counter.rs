//! What the nodes of a NodePool have in sum, in its status: the provisioner reads it before each Create.
//!
//! Core v1.9.0 `nodepool/counter/controller.go`: every 5 s, and every second while a NodeClaim has no machine. Nodes on
//! their way out do not count.

use crate::Context;
use crate::context::ignore_not_found;
use crate::provisioning::{Pods, Provisioner, snapshot};
use async_trait::async_trait;
use lkesim_kube::controller::{Next, ReconcileError, Reconciler};
use lkesim_kube::object::{NodePool, Pod, ResourceList, Resources, labels};
use lkesim_kube::store::Lock;
use lkesim_scheduling::StateNode;
use std::rc::Rc;
use std::time::Duration;

/// The controller's name.
pub const NAME: &str = "nodepool.counter";

const PERIOD: Duration = Duration::from_secs(5);
const WAIT: Duration = Duration::from_secs(1);

/// The reconciler of `nodepool.counter`.
pub struct Counter {
    context: Context,
    provisioner: Rc<Provisioner>,
}

impl Counter {
    /// A counter that has counted nothing.
    pub fn new(context: &Context, provisioner: Rc<Provisioner>) -> Counter {
        Counter { context: context.of(NAME), provisioner }
    }

    fn count(&self, node_pool: &str) -> (Resources, u64) {
        let of_pool =
            |node: &&StateNode| !node.is_marked_for_deletion && node.labels().has(labels::NODE_POOL, node_pool);
        let nodes = snapshot::nodes(&self.context, &NoPods);
        let (mut sum, mut count) = (ResourceList::EMPTY, 0);
        for node in nodes.iter().filter(of_pool) {
            sum.add(&node.capacity());
            count += 1;
        }
        (sum.to_resources().unwrap_or_default(), count)
    }
}

/// Pods are not counted.
struct NoPods;

impl Pods for NoPods {
    fn get(&self, _: &str) -> Option<Rc<Pod>> {
        None
    }

    fn pending(&self) -> Vec<Rc<Pod>> {
        Vec::new()
    }

    fn on_node(&self, _: &str) -> Vec<Rc<Pod>> {
        Vec::new()
    }
}

#[async_trait(?Send)]
impl Reconciler for Counter {
    async fn reconcile(&self, key: Rc<str>) -> Result<Next, ReconcileError> {
        let Some(node_pool) = self.context.informers.node_pools.get(&key) else { return Ok(Next::Done) };
        if !self.provisioner.is_synced() {
            return Ok(Next::After(WAIT));
        }
        let (resources, nodes) = self.count(&key);
        if node_pool.status.resources != resources || node_pool.status.nodes != nodes {
            let mut changed = NodePool::clone(&node_pool);
            changed.status.resources = resources;
            changed.status.nodes = nodes;
            let patched = self.context.client.patch_status(&*node_pool, &changed, Lock::None).await;
            ignore_not_found(patched.map(drop))?;
        }
        Ok(Next::After(PERIOD))
    }
}
