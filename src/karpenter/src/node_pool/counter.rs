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
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
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
    /// Changes of nodes and NodeClaims that the caches showed.
    changes: Rc<Cell<u64>>,
    /// What each NodePool had, and after how many changes that was counted.
    counted: RefCell<BTreeMap<Rc<str>, (u64, Resources, u64)>>,
}

impl Counter {
    /// A counter that has counted nothing.
    pub fn new(context: &Context, provisioner: Rc<Provisioner>) -> Counter {
        let changes = Rc::new(Cell::new(0));
        let (of_nodes, of_claims) = (changes.clone(), changes.clone());
        context.informers.nodes.on_change(move |_| of_nodes.set(of_nodes.get() + 1));
        context.informers.node_claims.on_change(move |_| of_claims.set(of_claims.get() + 1));
        Counter { context: context.of(NAME), provisioner, changes, counted: RefCell::default() }
    }

    /// What a NodePool has; counted anew only where something changed.
    fn has(&self, node_pool: &Rc<str>) -> (Resources, u64) {
        let changes = self.changes.get();
        let known = self.counted.borrow().get(node_pool).filter(|known| known.0 == changes).copied();
        if let Some((_, resources, nodes)) = known {
            return (resources, nodes);
        }
        let (resources, nodes) = self.count(node_pool);
        self.counted.borrow_mut().insert(node_pool.clone(), (changes, resources, nodes));
        (resources, nodes)
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
        let (resources, nodes) = self.has(&key);
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
