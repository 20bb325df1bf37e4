//! Disruption: nodes that nobody needs are taken away.
//!
//! Core v1.9.0 `pkg/controllers/disruption`, `nodeclaim/disruption` and `nodeclaim/podevents`. Of its methods there is one,
//! emptiness: a node on which nothing runs but pods of DaemonSets and static ones goes, once no pod has come or gone for as
//! long as its NodePool's `consolidateAfter` says. Left out: moving pods to fewer or cheaper nodes, drift, expiration, static
//! NodePools, and budgets that hold at some times alone.

mod budget;
mod candidate;
mod candidates;
mod condition;
mod marks;
mod pod_events;
mod queue;
mod retry;
mod rounds;

pub use queue::NAME as QUEUE;
pub use rounds::NAME;

use crate::Context;
use crate::operator::{concurrency, synced};
use crate::provisioning::{InformerPods, Provisioner};
use candidates::Candidates;
use lkesim_kube::controller::{Controller, Queue, RateLimit, Reconciler};
use lkesim_kube::object::{NodeClaim, Pod};
use lkesim_kube::store::Change;
use queue::Commands;
use rounds::Rounds;
use std::rc::Rc;

/// Starts the controllers of disruption in the process of `context`, in the poll in which its informers were started. They
/// leave alone what `provisioner` has nominated.
pub(crate) fn start(context: &Context, pods: Rc<InformerPods>, provisioner: Rc<Provisioner>) {
    start_conditions(context);
    start_pod_events(context);
    let marked = context.marked.clone();
    context.informers.node_claims.on_change(move |change| {
        if let (None, Some(id)) = (&change.after, &change.latest().status.provider_id) {
            marked.remove(id);
        }
    });
    let commands = Commands::start(context);
    let candidates = Candidates { context: context.of(NAME), pods, provisioner, commands };
    let controller = controller(NAME, 1, Rc::new(Rounds(candidates)));
    controller.start_singleton(&context.runtime, synced(context));
}

fn controller(name: &'static str, concurrency: u32, reconcile: Rc<dyn Reconciler>) -> Controller {
    Controller { name, concurrency: concurrency as usize, limiter: RateLimit::DEFAULT, reconcile }
}

/// Keeps the condition Consolidatable, by what befalls NodeClaims, their NodePools and their pods.
fn start_conditions(context: &Context) {
    let concurrency = concurrency(context.settings.controller_cpus, 10, 1_000);
    let controller = controller(condition::NAME, concurrency, Rc::new(condition::Consolidation::new(context)));
    let queue = controller.start(&context.runtime, synced(context));
    let informers = &context.informers;
    let of_claims = queue.clone();
    informers.node_claims.on_change(move |change| of_claims.add(change.latest().name().clone()));
    let (of_pools, claims) = (queue.clone(), informers.node_claims.clone());
    informers.node_pools.on_change(move |change| {
        let is_its = |claim: &Rc<NodeClaim>| claim.node_pool() == Some(change.latest().name());
        claims.list().iter().filter(|claim| is_its(claim)).for_each(|claim| of_pools.add(claim.name().clone()));
    });
    if let Some(pods) = &informers.pods {
        let context = context.clone();
        pods.pods.on_change(move |change| add_claims(&context, &queue, change));
    }
}

/// Adds the claims of the node that a pod is on.
fn add_claims(context: &Context, queue: &Queue, change: &Change<Pod>) {
    let Some(node) = &change.latest().node_name else { return };
    let Some(id) = context.informers.nodes.with(|nodes| nodes.get(node).and_then(|node| node.spec.provider_id.clone()))
    else {
        return;
    };
    context.informers.node_claims.by_provider_id(&id).iter().for_each(|claim| queue.add(claim.name().clone()));
}

/// Notes when pods come and go.
fn start_pod_events(context: &Context) {
    let controller = controller(pod_events::NAME, 1, Rc::new(pod_events::PodEvents::new(context)));
    let queue = controller.start(&context.runtime, synced(context));
    if let Some(pods) = &context.informers.pods {
        pods.pods.on_change(move |change| {
            if pod_events::counts(change) {
                queue.add(change.latest().name().clone());
            }
        });
    }
}

#[cfg(test)]
mod tests;
