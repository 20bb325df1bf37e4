//! From the caches of a process to what the scheduling simulation sees.

use super::instance_types::InstanceTypes;
use super::{Ignored, Pods, ProvisioningSettings, Recorder, Verdict, unready, validate};
use crate::Context;
use lkesim_kube::object::{ConditionType, Node, NodeClaim, Pod, ProviderId};
use lkesim_scheduling::input::{NodeClaimView, NodeView};
use lkesim_scheduling::{Problem, StateNode};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a pass sees. Nodes are looked at before pods, so that a pod that is bound in between counts twice and not never.
pub async fn problem(
    context: &Context,
    pods: &dyn Pods,
    recorder: &dyn Recorder,
    settings: &ProvisioningSettings,
    known_types: &InstanceTypes,
) -> Problem {
    let nodes = nodes(context, pods);
    let facts = pods.facts();
    let mut pending: Vec<Rc<Pod>> = pods.pending().into_iter().filter(|pod| pod.is_provisionable()).collect();
    pending.retain(|pod| match validate(pod, &facts, settings) {
        Ok(()) => true,
        Err(why) => {
            if why != Ignored::NotOnKarpenter {
                recorder.verdict(pod, Verdict::Failed(&why.to_string()));
            }
            false
        }
    });
    let leaving = nodes.iter().filter(|node| node.is_marked_for_deletion).flat_map(|node| &node.pods);
    pending.extend(leaving.filter(|pod| pod.is_reschedulable()).cloned());
    let mut problem = Problem {
        nodes,
        pods: pending,
        volumes: facts.volumes,
        daemon_set_pods: facts.daemon_set_pods,
        namespaces: facts.namespaces,
        ..Problem::default()
    };
    for node_pool in context.informers.node_pools.list().into_iter().filter(|one| !one.metadata.is_deleting()) {
        if let Some(why) = unready::why(context, &node_pool, settings) {
            recorder.left_out(node_pool.name(), &why);
            continue;
        }
        // A NodePool whose types the provider can't tell is skipped, as upstream logs and goes on.
        let Ok(types) = context.cloud.get_instance_types(context.caller, &node_pool).await else { continue };
        let types = types.iter().map(|one| known_types.known(one)).collect();
        problem.instance_types.insert(node_pool.name().clone(), types);
        problem.node_pools.push((&*node_pool).into());
    }
    problem
}

/// Machines by their provider id; a Node without one by its name.
pub fn nodes(context: &Context, pods: &dyn Pods) -> Vec<StateNode> {
    let mut found: BTreeMap<ProviderId, StateNode> = BTreeMap::new();
    for claim in context.informers.node_claims.list() {
        let Some(id) = claim.status.provider_id.clone() else { continue };
        let state = found.entry(id).or_default();
        state.is_marked_for_deletion = is_leaving(context, &claim);
        state.node_claim = Some(NodeClaimView::from(&*claim));
    }
    for node in context.informers.nodes.list() {
        let id = node.spec.provider_id.clone().unwrap_or_else(|| ProviderId::new(node.name().clone()));
        let state = found.entry(id).or_default();
        if state.node_claim.is_none() {
            state.is_marked_for_deletion = node.metadata.is_deleting();
        }
        state.pods = pods.on_node(node.name());
        state.node = Some(NodeView::from(&*node as &Node));
    }
    found.into_values().collect()
}

/// Whether a NodeClaim's machine is on its way out, or about to be (core v1.9.0 `state/statenode.go` MarkedForDeletion).
pub fn is_leaving(context: &Context, claim: &NodeClaim) -> bool {
    claim.metadata.is_deleting()
        || claim.status.conditions.is_true(ConditionType::InstanceTerminating)
        || claim.status.provider_id.as_ref().is_some_and(|id| context.marked.has(id))
}
