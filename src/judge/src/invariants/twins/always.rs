//! What must hold at every moment: of the state after the last event, or of the last event itself.

use super::world::{Began, MadeClaim, World};
use crate::event::{CallEnding, Condition, Returned, What};
use crate::invariants::stream::DESIGN;
use lkesim_linode_api::{CallNumber, Cause, ClusterId, InstanceId, Operation, Request, Tags};
use std::collections::BTreeMap;

pub fn a_linode_has_two_live_holders(world: &World<'_>) -> bool {
    let held: Vec<InstanceId> = world.live_claims().iter().flat_map(|made| world.held_by(made.claim.uid)).collect();
    held.iter().any(|id| held.iter().filter(|other| *other == id).count() > 1)
}

pub fn a_live_claim_has_two_linodes(world: &World<'_>) -> bool {
    world.live_claims().iter().any(|made| {
        let mut linodes = world.bearers(made);
        linodes.extend(world.held_by(made.claim.uid).into_iter().filter(|id| world.is_live(*id)));
        linodes.len() > 1
    })
}

pub fn two_pools_share_a_key(world: &World<'_>) -> bool {
    let live: Vec<_> = world.pools().into_iter().filter(|lke_pool| world.is_live_pool(lke_pool.id)).collect();
    let keys: Vec<_> = live.iter().filter_map(|lke_pool| lke_pool.key()).collect();
    keys.iter().any(|key| keys.iter().filter(|other| *other == key).count() > 1)
}

pub fn a_claim_holds_a_strange_linode(world: &World<'_>) -> bool {
    world.claims().iter().any(|made| {
        let held = world.held_by(made.claim.uid).into_iter().filter_map(|id| world.linode(id));
        held.into_iter().any(|linode| {
            let node_pool = world.node_pool_of(&linode);
            let allowed = made.plans.is_empty() || made.plans.iter().any(|plan| **plan == *linode.plan);
            linode.cluster != Some(made.cluster) || node_pool.as_deref() != Some(&*made.node_pool) || !allowed
        })
    })
}

/// The Linode that the last event's Create returned, and that Create's number and claim.
fn create_returned(world: &World<'_>) -> Option<(InstanceId, u64, Option<u64>)> {
    let What::OperationReturned { run, result: Returned::Instance(id) } = &world.last().what else {
        return None;
    };
    let began = world.started(*run)?;
    (began.operation == Operation::Create).then_some((*id, *run, began.claim))
}

pub fn a_create_returned_what_is_gone(world: &World<'_>) -> bool {
    create_returned(world).is_some_and(|(id, ..)| !world.is_live(id))
}

pub fn a_launched_claim_lacks_or_changes_its_provider_id(world: &World<'_>) -> bool {
    let launched = |world: &World<'_>, uid: u64| {
        world.whats().any(|what| {
            matches!(what, What::ClaimCondition { claim, condition: Condition::Launched, status: Some(true), .. }
                if claim.uid == uid)
        })
    };
    match &world.last().what {
        What::ClaimCondition { claim, condition: Condition::Launched, status: Some(true), .. } => {
            !launched(&world.before(), claim.uid) && world.stored(claim.uid).is_none()
        }
        What::ClaimProviderId { claim, before, after } => {
            launched(world, claim.uid) && before.is_some() && before != after
        }
        _ => false,
    }
}

pub fn a_delete_took_anothers_linode(world: &World<'_>) -> bool {
    let What::InstanceDeleted { instance, call, .. } = &world.last().what else {
        return false;
    };
    let target = call.and_then(|call| world.request(call)).and_then(|(_, purpose, _)| {
        let began = world.started(purpose.invocation)?;
        began.claim.filter(|_| began.operation == Operation::Delete)
    });
    world.is_karpenters_write(*call) && world.live_holders(*instance).iter().any(|made| Some(made.claim.uid) != target)
}

/// The key that the claim's last Create resolved to.
fn resolved(world: &World<'_>, made: &MadeClaim) -> Option<(lkesim_linode_api::ClusterId, String, String)> {
    let keys = world.whats().enumerate().filter_map(|(index, what)| {
        if let What::OperationStarted { operation: Operation::Create, claim: Some(claim), .. } = what {
            let only = made.plans.first().filter(|_| made.plans.len() == 1);
            return only
                .filter(|_| claim.uid == made.claim.uid)
                .map(|plan| (made.cluster, made.node_pool.to_string(), plan.to_string()));
        }
        let What::Called { sent, .. } = what else {
            return None;
        };
        let by_then = World { events: &world.events[..index] };
        let hers = by_then.is_create_for(sent.purpose.invocation, made.claim.uid);
        match &sent.request {
            _ if !hers => None,
            Request::CreatePool { body, .. } => Some((made.cluster, made.node_pool.to_string(), body.plan.to_string())),
            Request::GetPool { .. } if made.plans.len() == 1 => None,
            Request::GetPool { lke_pool, .. } | Request::UpdatePool { lke_pool, .. } => by_then.pool(*lke_pool)?.key(),
            _ => None,
        }
    });
    keys.last()
}

pub fn a_count_rose_above_demand(world: &World<'_>) -> bool {
    let (id, from, to, call) = match &world.last().what {
        What::PoolCreated { lke_pool, count, call, .. } => (lke_pool, 0, *count, call),
        What::PoolCountChanged { lke_pool, from, to, call, .. } => (lke_pool, *from, *to, call),
        _ => return false,
    };
    let Some(key) = world.pool(*id).and_then(|lke_pool| lke_pool.key()) else {
        return false;
    };
    let in_pool = |linode: InstanceId| world.is_live(linode) && world.linode(linode).unwrap().lke_pool == Some(*id);
    let holds = |made: &&MadeClaim| world.held_by(made.claim.uid).into_iter().any(in_pool);
    let waits = |made: &&MadeClaim| {
        world.is_live_claim(made.claim.uid)
            && world.held_by(made.claim.uid).is_empty()
            && resolved(world, made).as_ref() == Some(&key)
    };
    let claims = world.claims();
    let demand = claims.iter().filter(holds).count() + claims.iter().filter(waits).count();
    world.is_karpenters_write(*call) && to > from && to as usize > demand
}

pub fn a_scale_up_lowered_a_count(world: &World<'_>) -> bool {
    let What::PoolCountChanged { from, to, call: Some(call), by_count: true, .. } = &world.last().what else {
        return false;
    };
    world.meant_raise(*call).is_some() && to < from
}

pub fn a_scale_up_missed_its_difference(world: &World<'_>) -> bool {
    let changed = |call: CallNumber| {
        world.whats().any(|what| matches!(what, What::PoolCountChanged { call: Some(by), .. } if *by == call))
    };
    match &world.last().what {
        What::PoolCountChanged { from, to, call: Some(call), by_count: true, .. } => {
            let change = i64::from(*to) - i64::from(*from);
            world.meant_raise(*call).is_some_and(|meant| i64::from(meant) != change)
        }
        What::Answered { call, ending: CallEnding::Ok { .. }, .. } => {
            world.meant_raise(*call).is_some() && !changed(*call)
        }
        _ => false,
    }
}

fn is_garbage_collection(world: &World<'_>, call: Option<CallNumber>) -> bool {
    let purpose = call.and_then(|call| world.request(call)).map(|(_, purpose, _)| purpose);
    world.is_karpenters_write(call)
        && purpose.is_some_and(|purpose| {
            let collector = purpose.caller.ends_with("garbagecollection");
            purpose.cause == Cause::Gc || (purpose.operation == Operation::Delete && collector)
        })
}

pub fn garbage_collection_took_a_claimed_linode(world: &World<'_>) -> bool {
    if let What::InstanceDeleted { instance, call, .. } = &world.last().what {
        return is_garbage_collection(world, *call) && !world.live_holders(*instance).is_empty();
    }
    let Some((id, run, _)) = create_returned(world) else {
        return false;
    };
    let began = world.started(run).unwrap().index;
    world.whats().skip(began).any(|what| {
        matches!(what, What::InstanceDeleted { instance, call, .. }
            if *instance == id && is_garbage_collection(world, *call))
    })
}

pub fn a_finalizer_went_before_its_linode(world: &World<'_>) -> bool {
    let What::ClaimGone { claim } = &world.last().what else {
        return false;
    };
    let before = world.before();
    let Some(made) = before.claim(claim.uid).filter(|_| before.exists(claim.uid)) else {
        return false;
    };
    let held = before.held_by(claim.uid).into_iter().any(|id| before.is_live(id));
    let held_by_another =
        |id: InstanceId| world.claims().iter().any(|other| world.held_by(other.claim.uid).contains(&id));
    held || world.bearers(&made).into_iter().any(|id| !held_by_another(id))
}

fn owned_tags(made: &MadeClaim) -> [String; 2] {
    [(DESIGN.claim_tag)(&made.claim.name), "managed=true".into()]
}

pub fn a_held_linode_lost_a_tag(world: &World<'_>) -> bool {
    if let What::InstanceTagged { instance, before, after, .. } = &world.last().what {
        let claims = world.claims();
        let mut holders = claims.iter().filter(|made| world.held_by(made.claim.uid).contains(instance));
        let lost = |tag: &String| before.has(tag) && !after.has(tag);
        return world.is_live(*instance) && holders.any(|made| owned_tags(made).iter().any(lost));
    }
    let Some((id, _, Some(uid))) = create_returned(world) else {
        return false;
    };
    let Some(made) = world.claim(uid).filter(|_| world.exists(uid)) else {
        return false;
    };
    world.is_live(id) && owned_tags(&made).iter().any(|tag| !world.tags(id).has(tag))
}

pub fn a_pool_got_a_claim_tag(world: &World<'_>) -> bool {
    let (before, after) = match &world.last().what {
        What::PoolCreated { tags, .. } => (&Tags::default(), tags),
        What::PoolTagged { before, after, .. } => (before, after),
        _ => return false,
    };
    after.iter().any(|tag| tag.starts_with(DESIGN.claim_tag_prefix) && !before.has(tag))
}

fn is_misled(world: &World<'_>, run: u64) -> bool {
    let answers = world.answers(run);
    let failed = answers.iter().any(|(_, ending)| match ending {
        CallEnding::Failed { error, .. } => !error.is_not_found(),
        CallEnding::Ok { seen } => seen.truncated,
    });
    let pages = answers.iter().filter_map(|(request, ending)| match (request, ending) {
        (Request::ListInstances { page, .. }, CallEnding::Ok { seen }) => Some((page.page, seen.pages)),
        _ => None,
    });
    let (firsts, others): (Vec<_>, Vec<_>) = pages.partition(|(page, _)| *page == 1);
    let promised: u32 = firsts.iter().map(|(_, pages)| pages - 1).sum();
    failed || promised as usize > others.len()
}

fn lived_throughout(world: &World<'_>, id: InstanceId, run: u64) -> bool {
    let began = world.started(run).unwrap().index;
    world.is_live(id) && world.linode(id).unwrap().at <= world.events[began].at
}

pub fn an_error_was_taken_for_absence(world: &World<'_>) -> bool {
    match &world.last().what {
        What::OperationReturned { run, result: Returned::NotFound(_) } => {
            let Some(began) = world.started(*run) else {
                return false;
            };
            let held = began.claim.map(|uid| world.held_by(uid)).unwrap_or_default();
            let mut asked = began.instance.into_iter().chain(held);
            is_misled(world, *run) && asked.any(|id| lived_throughout(world, id, *run))
        }
        What::ClaimDeleting { claim, by } => {
            let Some((id, made)) = world.stored(claim.uid).zip(world.claim(claim.uid)) else {
                return false;
            };
            let lists = latest_lists(world, made.cluster, by);
            world.is_live(id) && lists.into_iter().any(|(index, run)| is_left_out(world, id, index, run))
        }
        _ => false,
    }
}

/// For each of the cluster's processes that lives, where its latest List by this pass returned, and which it was.
fn latest_lists(world: &World<'_>, cluster: ClusterId, by: &str) -> Vec<(usize, u64)> {
    let mut latest = BTreeMap::new();
    for (index, what) in world.whats().enumerate() {
        match what {
            What::ProcessStopped { cluster: of, start } if *of == cluster => {
                latest.remove(start);
            }
            What::OperationReturned { run, result: Returned::Instances(_) } => {
                let hers = |began: &Began| {
                    began.operation == Operation::List && began.caller == by && began.cluster == cluster
                };
                if let Some(began) = world.started(*run).filter(hers) {
                    latest.insert(began.process, (index, *run));
                }
            }
            _ => {}
        }
    }
    latest.into_values().collect()
}

/// Whether a List that was misled left the Linode out, which lived throughout and was a live claim's.
fn is_left_out(world: &World<'_>, id: InstanceId, index: usize, run: u64) -> bool {
    let What::OperationReturned { result: Returned::Instances(listed), .. } = &world.events[index].what else {
        return false;
    };
    let by_then = World { events: &world.events[..=index] };
    let stored = by_then.live_claims().iter().any(|made| by_then.stored(made.claim.uid) == Some(id));
    stored && is_misled(&by_then, run) && !listed.contains(&id) && lived_throughout(&by_then, id, run)
}
