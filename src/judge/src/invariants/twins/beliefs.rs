//! What a process believes when the run is over, beside what a full scan of the history says.

use super::streams::{Step, steps, told};
use super::world::World;
use crate::invariants::stream::{OURS, Stream, clusters};
use crate::invariants::{Beliefs, BelievedClaim, Judge, ObjectState};
use lkesim_linode_api::InstanceId;
use lkesim_runtime::Time;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// What a process of our cluster believes after a stream: for each NodeClaim that ever was, of whichever cluster, what
/// its lot says; for the first so many uids, of which some are those of NodeClaims, what `objects` say.
fn believed(world: &World<'_>, lots: &[u8], objects: &[u8]) -> Beliefs {
    let mut beliefs = Beliefs::none(OURS, 1);
    for (made, lot) in world.claims().into_iter().zip(lots.iter().cycle()) {
        let uid = made.claim.uid;
        let (stored, is_live) = (world.stored(uid), world.is_live_claim(uid));
        let exists = made.cluster == OURS && world.exists(uid);
        let known = BelievedClaim { claim: made.claim, stored, is_live };
        match lot {
            // It is forgotten, has another Linode, or another life.
            0 => {}
            1 => beliefs.claims.push(BelievedClaim { stored: Some(InstanceId(999)), ..known }),
            2 => beliefs.claims.push(BelievedClaim { is_live: !is_live, ..known }),
            // It is known, though it be gone or another cluster's.
            3 => beliefs.claims.push(known),
            _ => beliefs.claims.extend(exists.then_some(known)),
        }
        if lot.is_multiple_of(5) {
            beliefs.awaited.insert(uid);
        }
    }
    for (uid, lot) in (1..).zip(objects) {
        object(&mut beliefs, uid, *lot);
    }
    beliefs
}

/// An object, and what a cache has of it.
fn object(beliefs: &mut Beliefs, uid: u64, lot: u8) {
    let kind = ["NodeClaim", "Node", "NodePool"][uid as usize % 3];
    let (name, linode) = (format!("object-{uid}").into(), uid.is_multiple_of(2).then_some(InstanceId(uid)));
    let stored = ObjectState { kind, uid, name, linode, is_live: lot < 7, version: 2 };
    beliefs.known.extend(match lot {
        0 => None,
        1 => Some(ObjectState { linode: Some(InstanceId(999)), ..stored.clone() }),
        2 => Some(ObjectState { is_live: !stored.is_live, ..stored.clone() }),
        3 => Some(ObjectState { version: 1, ..stored.clone() }),
        _ => Some(stored.clone()),
    });
    // It is known and gone.
    if lot != 4 {
        beliefs.stored.push(stored);
    }
    if lot.is_multiple_of(5) {
        beliefs.awaited.insert(uid);
    }
}

/// The uids of what the process is wrong about, each asked for by itself: NodeClaims by events, objects by the store.
fn wrong(world: &World<'_>, beliefs: &Beliefs) -> BTreeSet<u64> {
    let is_wrong = |uid: &u64| {
        let there = world.claim(*uid).is_some_and(|made| made.cluster == beliefs.cluster) && world.exists(*uid);
        let known = beliefs.claims.iter().find(|known| known.claim.uid == *uid);
        let right = match known {
            None => !there,
            Some(known) => there && known.stored == world.stored(*uid) && known.is_live == world.is_live_claim(*uid),
        };
        !right && !beliefs.awaited.contains(uid)
    };
    let find = |all: &[ObjectState], uid: u64| all.iter().find(|object| object.uid == uid).cloned();
    let differs = |uid: &u64| find(&beliefs.known, *uid) != find(&beliefs.stored, *uid);
    let objects = beliefs.known.iter().chain(&beliefs.stored).map(|object| object.uid);
    let objects = objects.filter(|uid| differs(uid) && !beliefs.awaited.contains(uid));
    world.claims().iter().map(|made| made.claim.uid).filter(is_wrong).chain(objects).collect()
}

/// How often each invariant is broken once the run is over.
fn concluded(stream: &Stream, beliefs: &[Beliefs]) -> Vec<(String, u64)> {
    let mut judge = Judge::new(clusters());
    stream.events.iter().for_each(|event| judge.see(event));
    judge.conclude(Time::ZERO, beliefs).into_iter().map(|one| (one.name, one.count)).collect()
}

fn agree(steps: &[Step], lots: &[u8], objects: &[u8]) -> Result<u64, TestCaseError> {
    let stream = told(steps);
    let world = World { events: &stream.events };
    let beliefs = believed(&world, lots, objects);
    let wrong = wrong(&world, &beliefs).len() as u64;
    for ((name, without), (_, with)) in concluded(&stream, &[]).into_iter().zip(concluded(&stream, &[beliefs])) {
        let more = if name == "state-agrees" { wrong } else { 0 };
        prop_assert_eq!(with, without + more, "{}", name);
    }
    Ok(wrong)
}

fn lots(least: usize) -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(0..12_u8, least..9)
}

proptest! {
    #[test]
    fn a_judge_finds_the_beliefs_that_a_full_scan_finds(steps in steps(70), claims in lots(1), objects in lots(0)) {
        agree(&steps, &claims, &objects)?;
    }
}

/// Random beliefs that are never wrong would compare nothing.
#[test]
fn random_beliefs_are_wrong_at_times() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut counts = Vec::new();
    for _ in 0..100 {
        let all = (steps(120), lots(1), lots(0));
        let (steps, claims, objects) = all.new_tree(&mut runner).expect("a strategy without filters").current();
        counts.push(agree(&steps, &claims, &objects).expect("they agree"));
    }
    assert!(counts.contains(&0) && counts.iter().any(|wrong| *wrong > 2), "{counts:?}");
}
