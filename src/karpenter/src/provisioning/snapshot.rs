//! From the caches of a process to what the scheduling simulation sees.

use super::{Ignored, Pods, ProvisioningSettings, Recorder, Verdict, unready, validate};
use crate::Context;
use crate::cloud_provider::InstanceType;
use lkesim_kube::object::{ConditionType, Node, NodeClaim, Pod, ProviderId, labels};
use lkesim_scheduling::input::{NodeClaimView, NodeView};
use lkesim_scheduling::{Offering, Price, Problem, Requirement, Requirements, StateNode};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a pass sees. Nodes are looked at before pods, so that a pod that is bound in between counts twice and not never.
pub async fn problem(
    context: &Context,
    pods: &dyn Pods,
    recorder: &dyn Recorder,
    settings: &ProvisioningSettings,
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
        let types = types.iter().map(|one| Rc::new(instance_type(one))).collect();
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
        state.is_marked_for_deletion = is_leaving(&claim);
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

fn is_leaving(claim: &NodeClaim) -> bool {
    claim.metadata.is_deleting() || claim.status.conditions.is_true(ConditionType::InstanceTerminating)
}

/// A provider's instance type as the simulation knows it.
pub fn instance_type(from: &InstanceType) -> lkesim_scheduling::InstanceType {
    let mut requirements = Requirements::of_labels(&from.labels);
    // Linode has no zones: its provider's offerings are of regions (provider e1c5200 pkg/providers/instancetype/offering).
    let place = if from.labels.contains_key(labels::REGION) { labels::REGION } else { labels::ZONE };
    let places = from.offerings.iter().map(|one| one.zone.clone());
    requirements.add(Requirement::any_of(place, places));
    let kinds = from.offerings.iter().map(|one| Rc::from(one.capacity_type));
    requirements.add(Requirement::any_of(labels::CAPACITY_TYPE, kinds));
    let ids = from.offerings.iter().filter_map(|one| Some(one.reservation.as_ref()?.id.clone()));
    let ids: Vec<Rc<str>> = ids.collect();
    if !ids.is_empty() {
        requirements.add(Requirement::any_of(labels::RESERVATION_ID, ids));
    }
    let offering = |one: &crate::cloud_provider::Offering| {
        let price = Price::from_micro_dollars(one.price);
        match &one.reservation {
            Some(of) => Offering {
                available: one.available,
                ..Offering::reserved(&one.zone, labels::RESERVATION_ID, &of.id, price, of.left)
            },
            None => Offering::at((place, &one.zone), one.capacity_type, price, one.available),
        }
    };
    lkesim_scheduling::InstanceType {
        name: from.name.clone(),
        requirements,
        offerings: from.offerings.iter().map(offering).collect(),
        capacity: (&from.capacity).into(),
        allocatable: (&from.allocatable).into(),
    }
}
