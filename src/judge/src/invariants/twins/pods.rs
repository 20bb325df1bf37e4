//! What must hold of pods, by looking at everything.

use super::world::{MadeClaim, World};
use crate::event::{Event, PodChange, PodKind, What};
use lkesim_linode_api::{ClusterId, Operation};
use lkesim_runtime::Time;
use std::rc::Rc;
use std::time::Duration;

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

/// What a NodePool's live NodeClaims have of its cores.
fn cores(world: &World<'_>, cluster: ClusterId, node_pool: &Rc<str>) -> u64 {
    let live = world.live_claims().into_iter();
    let own = live.filter(|made| made.cluster == cluster && made.node_pool == *node_pool);
    let used = own.filter_map(|made| {
        let told = world.whats().filter_map(|what| match what {
            What::ClaimCapacity { claim, capacity } if claim.uid == made.claim.uid => Some(capacity[0].1),
            _ => None,
        });
        told.last()
    });
    used.sum()
}

/// The most of its cores that was allowed from a minute before this NodeClaim was made.
fn allowed(world: &World<'_>, made: &MadeClaim) -> Option<u64> {
    let created =
        |event: &&Event| matches!(&event.what, What::ClaimCreated { claim, .. } if claim.uid == made.claim.uid);
    let created = world.events.iter().find(created)?.at;
    let set = world.events.iter().filter_map(|event| match &event.what {
        What::NodePoolLimits { cluster, node_pool, limits }
            if (*cluster, node_pool) == (made.cluster, &made.node_pool) =>
        {
            Some((event.at, limits[0].1))
        }
        _ => None,
    });
    let set: Vec<(Time, u64)> = set.collect();
    let ends = set.iter().skip(1).map(|(at, _)| Some(*at)).chain([None]);
    let counts = |end: &Option<Time>| end.is_none_or(|end| end + Duration::from_secs(60) >= created);
    set.iter().zip(ends).filter(|(_, end)| counts(end)).map(|((_, limit), _)| *limit).max()
}

pub fn a_claim_broke_a_limit(world: &World<'_>) -> bool {
    let What::ClaimCapacity { claim, .. } = &world.last().what else {
        return false;
    };
    let Some(made) = world.claim(claim.uid).filter(|made| world.is_live_claim(made.claim.uid)) else {
        return false;
    };
    allowed(world, &made).is_some_and(|limit| cores(world, made.cluster, &made.node_pool) > limit)
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
