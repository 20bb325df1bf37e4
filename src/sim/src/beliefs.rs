//! What the processes that lead believe when the run is over. It is handed to the judge and to nobody else: no event,
//! no part of the digest.

use crate::acts::SETTLED_FOR;
use crate::cluster::Cluster;
use crate::cluster_events::instance;
use crate::world::World;
use lkesim_judge::invariants::{Beliefs, BelievedClaim, ObjectState};
use lkesim_kube::informer::{Informer, Informers};
use lkesim_kube::object::{NodeClaim, Object};
use lkesim_runtime::Time;

/// The beliefs of each cluster's leading process that lives and has its first lists.
pub(crate) fn at_the_end(world: &World) -> Vec<Beliefs> {
    world.clusters.iter().filter_map(|cluster| of_cluster(cluster, world.runtime.now())).collect()
}

fn of_cluster(cluster: &Cluster, at: Time) -> Option<Beliefs> {
    let led = cluster.led.borrow();
    let (running, caches) = led.as_ref().filter(|(running, _)| !running.is_over())?;
    let Informers { node_claims, nodes, node_pools, node_classes, pods } =
        caches.upgrade().filter(Informers::are_synced)?;
    let believed = |claim: &NodeClaim| BelievedClaim {
        claim: cluster.claim_ref(claim),
        stored: instance(claim.status.provider_id.as_ref()),
        is_live: claim.is_live(),
    };
    let mut beliefs = Beliefs {
        claims: node_claims.list().iter().map(|claim| believed(claim)).collect(),
        ..Beliefs::none(cluster.id, running.start)
    };
    // A change may be on its way to a cache for as long as a run that has settled goes on.
    let since = Time::ZERO + at.since(Time::ZERO).saturating_sub(SETTLED_FOR);
    compare(&mut beliefs, cluster, &node_claims, since);
    compare(&mut beliefs, cluster, &nodes, since);
    compare(&mut beliefs, cluster, &node_pools, since);
    compare(&mut beliefs, cluster, &node_classes, since);
    if let Some(caches) = pods {
        compare(&mut beliefs, cluster, &caches.pods, since);
        compare(&mut beliefs, cluster, &caches.workloads, since);
        compare(&mut beliefs, cluster, &caches.budgets, since);
    }
    Some(beliefs)
}

/// Puts what a cache knows beside what is stored of its kind.
fn compare<T: Object>(beliefs: &mut Beliefs, cluster: &Cluster, cache: &Informer<T>, since: Time) {
    let state = |object: &T| {
        let metadata = object.metadata();
        ObjectState {
            kind: T::KIND.name(),
            uid: metadata.uid.0,
            name: cluster.name(&metadata.name),
            linode: instance(object.provider_id()),
            is_live: !metadata.is_deleting(),
            version: metadata.revision(),
        }
    };
    beliefs.known.extend(cache.list().iter().map(|object| state(object)));
    beliefs.stored.extend(cluster.store.list::<T>().iter().map(|object| state(object)));
    beliefs.awaited.extend(cache.awaited(since).iter().map(|object| object.metadata().uid.0));
}
