//! What must hold of pods, by looking at everything.

use super::world::World;
use crate::event::{PodChange, PodKind, What};
use lkesim_linode_api::{ClusterId, Operation};
use std::rc::Rc;

fn changes<'a>(world: &World<'a>, uid: u64) -> impl Iterator<Item = &'a PodChange> {
    world.whats().filter_map(move |what| match what {
        What::Pod { pod, change } if pod.uid == uid => Some(change),
        _ => None,
    })
}

/// The kind of a pod that is there and has not ended.
fn kind(world: &World<'_>, uid: u64) -> Option<PodKind> {
    let ended = changes(world, uid).any(|change| matches!(change, PodChange::Ended { .. } | PodChange::Gone));
    let kind = changes(world, uid).find_map(|change| match change {
        PodChange::Created { kind } => Some(*kind),
        _ => None,
    });
    kind.filter(|_| !ended)
}

pub fn another_than_the_scheduler_bound(world: &World<'_>) -> bool {
    match &world.last().what {
        What::Pod { pod, change: PodChange::Bound { by, .. } } => {
            !["kube-scheduler", "start"].contains(by) && kind(world, pod.uid) != Some(PodKind::Static)
        }
        _ => false,
    }
}

pub fn a_pass_deleted(world: &World<'_>) -> bool {
    let by = match &world.last().what {
        What::ClaimDeleting { by, .. }
        | What::NodeDeletionAsked { by, .. }
        | What::Pod { change: PodChange::Deleting { by }, .. } => by,
        What::OperationStarted { operation: Operation::Delete, caller, .. } => caller,
        _ => return false,
    };
    *by == "provisioner"
}

/// The limit of a NodePool's cores, and what its live NodeClaims have of them.
fn cores(world: &World<'_>, cluster: ClusterId, node_pool: &Rc<str>) -> (Option<u64>, u64) {
    let limits = world.whats().filter_map(|what| match what {
        What::NodePoolLimits { cluster: of, node_pool: name, limits } if *of == cluster && name == node_pool => {
            Some(limits[0].1)
        }
        _ => None,
    });
    let live = world.live_claims().into_iter();
    let own = live.filter(|made| made.cluster == cluster && made.node_pool == *node_pool);
    let used = own.filter_map(|made| {
        let told = world.whats().filter_map(|what| match what {
            What::ClaimCapacity { claim, capacity } if claim.uid == made.claim.uid => Some(capacity[0].1),
            _ => None,
        });
        told.last()
    });
    (limits.last(), used.sum())
}

pub fn a_claim_broke_a_limit(world: &World<'_>) -> bool {
    let What::ClaimCapacity { claim, .. } = &world.last().what else {
        return false;
    };
    let Some(made) = world.claim(claim.uid).filter(|made| world.is_live_claim(made.claim.uid)) else {
        return false;
    };
    let (limit, used) = cores(world, made.cluster, &made.node_pool);
    limit.is_some_and(|limit| used > limit)
}

pub fn a_pod_waits_without_a_reason(world: &World<'_>) -> bool {
    let uids = world.whats().filter_map(|what| match what {
        What::Pod { pod, change: PodChange::Created { .. } } => Some(pod.uid),
        _ => None,
    });
    let waits = |uid: u64| {
        let Some(kind) = kind(world, uid) else {
            return false;
        };
        let has = |is: fn(&PodChange) -> bool| changes(world, uid).any(is);
        let given_up = has(|change| matches!(change, PodChange::Unschedulable { .. }));
        let words = changes(world, uid).filter_map(|change| match change {
            PodChange::ShouldScheduleOn { .. } => Some(false),
            PodChange::FailedScheduling { .. } => Some(true),
            _ => None,
        });
        let on_record = match kind {
            PodKind::Gated => true,
            PodKind::Static => false,
            PodKind::DaemonSet | PodKind::NotOnKarpenter => given_up,
            PodKind::Usual => given_up && words.last() == Some(true),
        };
        !on_record && !has(|change| matches!(change, PodChange::Bound { .. } | PodChange::Deleting { .. }))
    };
    uids.into_iter().any(waits)
}
