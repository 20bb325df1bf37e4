//! The process: which controllers run, on which events, with which limits.

mod scale;

pub use scale::{bucket, concurrency};

use crate::node::drain::Drain;
use crate::node::termination::{self, Termination};
use crate::node_claim::garbage_collection::{self, GarbageCollection};
use crate::node_claim::lifecycle::{self, Lifecycle};
use crate::node_pool::counter::{self, Counter};
use crate::provisioning::{self, InformerPods, Provisioning};
use crate::{CloudProvider, Context, Disruption, Settings, disruption};
use lkesim_kube::client::Client;
use lkesim_kube::controller::{Controller, Queue, RateLimit};
use lkesim_kube::informer::{Informer, Informers};
use lkesim_kube::object::{Node, NodeClaim};
use lkesim_kube::store::Change;
use lkesim_runtime::Runtime;
use std::future::Future;
use std::rc::Rc;
use std::time::Duration;

/// Karpenter's core in one process. Dropping it ends nothing: its tasks end with the process.
pub struct Operator {
    context: Context,
    /// The queue of `nodeclaim.lifecycle`.
    pub lifecycle: Queue,
    /// The queue of `node.termination`.
    pub node_termination: Queue,
    /// The queue of `nodeclaim.garbagecollection`.
    pub garbage_collection: Queue,
    /// Provisioning, where the cluster has pods.
    pub provisioning: Option<Provisioning>,
}

impl Operator {
    /// Starts the core's controllers in the process of `runtime`. They reconcile nothing before the caches have synced.
    ///
    /// Call it in the same poll in which the informers were started, as controllers hear of nothing that reached the
    /// caches before.
    pub fn start(
        runtime: &Runtime,
        client: &Client,
        informers: &Informers,
        cloud: Rc<dyn CloudProvider>,
        settings: Rc<Settings>,
    ) -> Operator {
        Operator::start_in(Context::new(runtime, client, informers, cloud, settings), None)
    }

    /// The same with pods: the core also provisions for those that fit nowhere, drains nodes before their end, and counts
    /// what NodePools have. The informers must have been started with pods.
    ///
    /// # Panics
    /// If they were not.
    pub fn start_with_pods(
        runtime: &Runtime,
        client: &Client,
        informers: &Informers,
        cloud: Rc<dyn CloudProvider>,
        settings: Rc<Settings>,
        provisioning: provisioning::Start,
    ) -> Operator {
        Operator::start_in(Context::new(runtime, client, informers, cloud, settings), Some(provisioning))
    }

    fn start_in(context: Context, with: Option<provisioning::Start>) -> Operator {
        let caches = context.informers.pods.clone();
        let pods = with.as_ref().map(|with| {
            let caches = caches.expect("the informers were started with pods");
            InformerPods::new(&caches, with.facts.clone())
        });
        let mut operator = Operator {
            lifecycle: start_lifecycle(&context),
            node_termination: start_node_termination(&context, pods.clone()),
            garbage_collection: start_garbage_collection(&context),
            provisioning: None,
            context,
        };
        operator.watch();
        if let (Some(with), Some(pods)) = (with, pods) {
            let started = start_provisioning(&operator.context, with, pods.clone());
            if operator.context.settings.disruption == Disruption::Emptiness {
                disruption::start(&operator.context, pods, started.provisioner.clone());
            }
            operator.provisioning = Some(started);
        }
        operator
    }

    /// What the core's controllers share, for further controllers of the same process.
    pub fn context(&self) -> &Context {
        &self.context
    }

    fn watch(&self) {
        let Informers { node_claims, nodes, .. } = &self.context.informers;
        let queue = self.lifecycle.clone();
        node_claims.on_change(move |change| queue.add(change.latest().name().clone()));
        let (lifecycle, claims) = (self.lifecycle.clone(), node_claims.clone());
        let termination = self.node_termination.clone();
        nodes.on_change(move |change| {
            add_claims(&lifecycle, &claims, change);
            // Upstream every Node event starts a pass, but one over a Node that is not ending does nothing.
            if let Some(node) = change.after.as_ref().filter(|node| termination::is_terminating(node)) {
                termination.add(node.name().clone());
            }
        });
    }
}

/// Adds the claims of the Node's machine, old and new.
fn add_claims(queue: &Queue, claims: &Informer<NodeClaim>, change: &Change<Node>) {
    let id = |node: &Option<Rc<Node>>| node.as_ref().and_then(|node| node.spec.provider_id.clone());
    let (old, new) = (id(&change.before), id(&change.after));
    let old = old.filter(|old| new.as_ref() != Some(old));
    for id in old.into_iter().chain(new) {
        for claim in claims.by_provider_id(&id) {
            queue.add(claim.name().clone());
        }
    }
}

fn start_lifecycle(context: &Context) -> Queue {
    const MIN: u32 = 1_000;
    let concurrency = concurrency(context.settings.controller_cpus, MIN, 5_000);
    let (base, max) = (Duration::from_secs(1), Duration::from_secs(60));
    let controller = Controller {
        name: lifecycle::NAME,
        concurrency: concurrency as usize,
        limiter: RateLimit::new(base, max, bucket(10, MIN, concurrency)),
        reconcile: Rc::new(Lifecycle::new(context)),
    };
    controller.start(&context.runtime, synced(context))
}

fn start_node_termination(context: &Context, pods: Option<Rc<InformerPods>>) -> Queue {
    const MIN: u32 = 100;
    let concurrency = concurrency(context.settings.controller_cpus, MIN, 5_000);
    let (base, max) = (Duration::from_millis(100), Duration::from_secs(10));
    let controller = Controller {
        name: termination::NAME,
        concurrency: concurrency as usize,
        limiter: RateLimit::new(base, max, bucket(10, MIN, concurrency)),
        reconcile: Rc::new(Termination::new(context, pods.map(|pods| Drain::start(context, pods)))),
    };
    controller.start(&context.runtime, synced(context))
}

/// Provisioning, and what counts for its limits.
fn start_provisioning(context: &Context, with: provisioning::Start, pods: Rc<InformerPods>) -> Provisioning {
    let started = Provisioning::start(context, pods, with.recorder, with.settings, with.names);
    let queue = started.pods.clone();
    if let Some(caches) = &context.informers.pods {
        caches.pods.on_change(move |change| {
            // Others trigger nothing.
            if let Some(pod) = change.after.as_ref().filter(|pod| pod.is_provisionable()) {
                queue.add(pod.name().clone());
            }
        });
    }
    let counter = Controller {
        name: counter::NAME,
        concurrency: concurrency(context.settings.controller_cpus, 10, 1_000) as usize,
        limiter: RateLimit::DEFAULT,
        reconcile: Rc::new(Counter::new(context, started.provisioner.clone())),
    };
    let queue = counter.start(&context.runtime, synced(context));
    context.informers.node_pools.on_change(move |change| {
        if let (None, Some(node_pool)) = (&change.before, &change.after) {
            queue.add(node_pool.name().clone());
        }
    });
    started
}

fn start_garbage_collection(context: &Context) -> Queue {
    let controller = Controller {
        name: garbage_collection::NAME,
        concurrency: 1,
        limiter: RateLimit::DEFAULT,
        reconcile: Rc::new(GarbageCollection::new(context)),
    };
    controller.start_singleton(&context.runtime, synced(context))
}

pub(crate) fn synced(context: &Context) -> impl Future<Output = ()> + 'static {
    let informers = context.informers.clone();
    async move { informers.synced().await }
}

#[cfg(test)]
mod tests;
