//! Who takes startup taints away: whoever a NodePool's owner runs for it, a while after the node is ready.

use crate::cluster::Cluster;
use crate::world::World;
use lkesim_kube::ApiError;
use lkesim_kube::object::{Kind, Node, NodeClaim, Taint, labels};
use lkesim_kube::store::{Change, Lock, Part, Write};
use lkesim_runtime::TaskName;
use std::rc::Rc;

/// The writer's name.
const BY: &str = "startup";

/// Watches for nodes that are ready and registered.
pub(crate) struct StartupTaints;

impl StartupTaints {
    /// A Node changed.
    pub fn node_changed(world: &Rc<World>, cluster: &Cluster, change: &Change<Node>) {
        let is_up = |node: &Option<Rc<Node>>| {
            node.as_ref()
                .is_some_and(|node| node.is_ready() && node.metadata.labels.contains_key(labels::NODE_REGISTERED))
        };
        if is_up(&change.before) || !is_up(&change.after) {
            return;
        }
        let node = change.latest();
        let Some(claim) = claim_of(cluster, node).filter(|claim| !claim.spec.startup_taints.is_empty()) else {
            return;
        };
        let key = cluster.seed.key("node.startup_taints");
        let after = world.plan.resolved.kubernetes.startup_taints.draw(key.draw(node.metadata.entity(), 0));
        let (world, place, name) = (world.clone(), cluster.place, node.name().clone());
        let task = TaskName::on("startup", name.clone());
        world.clone().runtime.spawn(task, async move {
            world.runtime.sleep(after).await;
            untaint(&world, place, &name, &claim.spec.startup_taints);
        });
    }
}

fn claim_of(cluster: &Cluster, node: &Node) -> Option<Rc<NodeClaim>> {
    let owner = node.metadata.owner_references.iter().find(|owner| owner.kind == Kind::NodeClaim)?;
    cluster.store.get(&owner.name)
}

fn untaint(world: &World, place: usize, name: &str, startup: &[Taint]) {
    let store = &world.clusters[place].store;
    let Some(before) = store.get::<Node>(name) else {
        return;
    };
    let mut after = Node::clone(&before);
    after.spec.taints.retain(|taint| !startup.iter().any(|one| one.matches(&taint.key, taint.effect)));
    let write = Write { at: world.runtime.now(), by: BY };
    let written: Result<_, ApiError> = store.patch(write, &*before, &after, Part::Object, Lock::Optimistic);
    debug_assert!(written.is_ok(), "it was read in this moment: {written:?}");
}
