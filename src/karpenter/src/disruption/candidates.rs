//! All nodes that may be disrupted as empty, as the caches of the process show them (core v1.9.0 `disruption/helpers.go`
//! GetCandidates).

use super::candidate::{Look, blocked, cost};
use super::queue::Commands;
use crate::Context;
use crate::provisioning::{InformerPods, Provisioner, snapshot, unready};
use lkesim_kube::object::{Node, NodeClaim, NodePool, Pod, PodDisruptionBudget, ProviderId};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A node that may be disrupted.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The machine.
    pub id: ProviderId,
    /// Its NodeClaim.
    pub claim: Rc<NodeClaim>,
    /// Its Node.
    pub node: Rc<Node>,
    /// Its NodePool.
    pub node_pool: Rc<str>,
    /// What its pods cost.
    pub cost: i64,
}

/// Looks for them.
pub struct Candidates {
    /// The controller's view of the world.
    pub context: Context,
    /// The pods.
    pub pods: Rc<InformerPods>,
    /// Who nominates nodes.
    pub provisioner: Rc<Provisioner>,
    /// What is under way.
    pub commands: Rc<Commands>,
}

impl Candidates {
    /// Those that there are now, the cheapest first; of equal ones, by machine. Upstream's order of equal ones is open.
    pub async fn look(&self) -> Vec<Candidate> {
        let node_pools = self.node_pools().await;
        let budgets = self.context.informers.pods.as_ref().map(|pods| pods.budgets.list()).unwrap_or_default();
        let may_evict = |pod: &Pod| self.may_evict(&budgets, pod);
        let mut found: BTreeMap<ProviderId, Candidate> = BTreeMap::new();
        for claim in self.context.informers.node_claims.list() {
            let Some(id) = claim.status.provider_id.clone() else { continue };
            let node = self.context.nodes_of(&claim).pop();
            let pods = node.as_ref().map(|node| self.pods.all_on_node(node.name())).unwrap_or_default();
            let node_pool = node.as_ref().and_then(|node| node_pools.get(node.node_pool()?));
            let look = Look {
                claim: &claim,
                node: node.as_deref(),
                pods: &pods,
                is_queued: self.commands.has(&id),
                is_leaving: snapshot::is_leaving(&self.context, &claim),
                is_nominated: self.is_nominated(&claim, node.as_deref()),
                node_pool: node_pool.map(Rc::as_ref),
                may_evict: &may_evict,
            };
            let (None, Some(node_pool)) = (blocked(&look), node_pool) else { continue };
            if let Some(node) = node {
                let (node_pool, cost) = (node_pool.name().clone(), cost(&pods));
                found.insert(id.clone(), Candidate { id, claim, node, node_pool, cost });
            }
        }
        let mut found: Vec<Candidate> = found.into_values().collect();
        found.sort_by_key(|candidate| candidate.cost);
        found
    }

    /// A nomination holds under the name that the machine had then: its NodeClaim's before it is registered.
    pub fn is_nominated(&self, claim: &NodeClaim, node: Option<&Node>) -> bool {
        let is_nominated = |name: &str| self.provisioner.is_nominated(name);
        is_nominated(claim.name()) || node.is_some_and(|node| is_nominated(node.name()))
    }

    /// The provider's NodePools of which it can tell the instance types, and has some.
    async fn node_pools(&self) -> BTreeMap<Rc<str>, Rc<NodePool>> {
        let mut found = BTreeMap::new();
        for node_pool in self.context.informers.node_pools.list() {
            if !node_pool.spec.node_class_ref.as_ref().is_none_or(unready::is_supported) {
                continue;
            }
            let types = self.context.cloud.get_instance_types(self.context.caller, &node_pool).await;
            if types.is_ok_and(|types| !types.is_empty()) {
                found.insert(node_pool.name().clone(), node_pool);
            }
        }
        found
    }

    /// Whether budgets let a pod be evicted now (core v1.9.0 `pkg/utils/pdb/pdb.go` isEvictable). How a budget stands is read as
    /// the API server would count it, a little sooner than upstream's status tells.
    fn may_evict(&self, budgets: &[Rc<PodDisruptionBudget>], pod: &Pod) -> bool {
        let mut about = budgets
            .iter()
            .filter(|budget| budget.namespace == pod.namespace && budget.selector.matches(&pod.metadata.labels));
        match (about.next(), about.next()) {
            (None, _) => true,
            (Some(_), Some(_)) => false,
            (Some(budget), None) => {
                (budget.always_allows_unhealthy && !pod.status.is_ready)
                    || self.context.client.store().budget(budget).allowed() > 0
            }
        }
    }
}
