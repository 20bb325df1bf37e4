//! What the processes that lead believe when the run is over. It is handed to the judge and to nobody else: no event,
//! no part of the digest.

use crate::acts::SETTLED_FOR;
use crate::cluster::Cluster;
use crate::cluster_events::instance;
use crate::world::World;
use lkesim_judge::invariants::{Beliefs, BelievedClaim};
use lkesim_kube::object::NodeClaim;
use lkesim_runtime::Time;

/// The beliefs of each cluster's leading process that lives and has its first list.
pub(crate) fn at_the_end(world: &World) -> Vec<Beliefs> {
    world.clusters.iter().filter_map(|cluster| of_cluster(cluster, world.runtime.now())).collect()
}

fn of_cluster(cluster: &Cluster, at: Time) -> Option<Beliefs> {
    let led = cluster.led.borrow();
    let (running, cache) = led.as_ref().filter(|(running, _)| !running.is_over())?;
    let cache = cache.upgrade().filter(|cache| cache.is_synced())?;
    let believed = |claim: &NodeClaim| BelievedClaim {
        claim: cluster.claim_ref(claim),
        stored: instance(claim.status.provider_id.as_ref()),
        is_live: claim.is_live(),
    };
    // A change may be on its way to a cache for as long as a run that has settled goes on.
    let since = Time::ZERO + at.since(Time::ZERO).saturating_sub(SETTLED_FOR);
    Some(Beliefs {
        cluster: cluster.id,
        process: running.start,
        claims: cache.list().iter().map(|claim| believed(claim)).collect(),
        awaited: cache.awaited(since).iter().map(|claim| claim.metadata.uid.0).collect(),
    })
}
