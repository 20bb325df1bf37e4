//! What a scenario does to Karpenter's processes, each at its time. A crash after a call is the link's business.

use crate::clock::Offset;
use crate::process::{Crew, Running};
use crate::world::World;
use lkesim_judge::event::Turn;
use lkesim_runtime::{TaskName, Time};
use lkesim_scenario::chaos::{ClockStep, Crash, LeaderChange, Pause};
use lkesim_scenario::{Chaos, Span};
use std::rc::Rc;
use std::time::Duration;

/// Starts a task for each thing that is to happen.
pub(crate) fn start(crew: &Rc<Crew>) {
    let plan = &crew.world.plan;
    let all = plan.scenario.chaos.iter().enumerate();
    for (place, chaos) in all.filter(|(_, chaos)| plan.place(chaos.cluster()) == Some(crew.place)) {
        let name = TaskName::on(chaos.kind(), place.to_string().into());
        let (crew, runtime) = (crew.clone(), &crew.world.runtime);
        match chaos.clone() {
            Chaos::Crash(Crash { at: Some(at), .. }) => runtime.spawn(name, crash(crew, place, Time::ZERO + at.get())),
            Chaos::Crash(_) => {}
            Chaos::LeaderChange(change) => runtime.spawn(name, change_leader(crew, place, change)),
            Chaos::Pause(pause) => runtime.spawn(name, stand_still(crew, place, pause)),
            Chaos::ClockStep(step) => runtime.spawn(name, set_clock(crew, place, step)),
        }
    }
}

async fn crash(crew: Rc<Crew>, place: usize, at: Time) {
    crew.world.runtime.sleep_until(at).await;
    if let Some(leader) = leader(&crew, place) {
        crew.crash(&leader);
    }
}

/// The leader that chaos is to happen to; where none leads, the report warns of it.
fn leader(crew: &Crew, place: usize) -> Option<Rc<Running>> {
    let leader = crew.leader();
    if leader.is_none() {
        let kind = crew.world.plan.scenario.chaos[place].kind();
        crew.world.warn(format!("chaos[{place}].{kind}"), "no process of Karpenter leads".to_owned());
    }
    leader
}

/// At the end of the trouble: crashes after a call that the cloud accepted too seldom.
pub(crate) fn warn_of_crashes_that_never_came(world: &World) {
    let accepted = world.accepted.borrow().clone();
    for (place, (chaos, accepted)) in world.plan.scenario.chaos.iter().zip(accepted).enumerate() {
        if let Chaos::Crash(Crash { after: Some(_), nth, .. }) = chaos
            && accepted < *nth
        {
            let text =
                format!("the crash is after {nth} such calls that the cloud accepts, and it accepted {accepted}");
            world.warn(format!("chaos[{place}].crash"), text);
        }
    }
}

/// Without an overlap the leader stops before it releases the lease; with one, it loses the lease first.
async fn change_leader(crew: Rc<Crew>, place: usize, change: LeaderChange) {
    let world = crew.world.clone();
    world.runtime.sleep_until(Time::ZERO + change.at.get()).await;
    let Some(leader) = leader(&crew, place) else {
        return;
    };
    let overlap = change.overlap.get();
    if overlap > Duration::ZERO {
        let took_over = crew.took_over.notified();
        leader.turned(&world, Turn::LostLease);
        crew.lease.release(leader.start);
        took_over.await;
        world.runtime.sleep(overlap).await;
        leader.end(&world);
    } else {
        leader.turned(&world, Turn::ToldToStop);
        leader.end(&world);
        crew.lease.release(leader.start);
    }
}

/// A leader that wakes and can renew its lease goes on. One that can't tries for as long as its deadline says, and
/// exits. One that died meanwhile does not wake: it must not take the lease for good.
async fn stand_still(crew: Rc<Crew>, place: usize, pause: Pause) {
    let world = crew.world.clone();
    world.runtime.sleep_until(Time::ZERO + pause.at.get()).await;
    let Some(leader) = leader(&crew, place) else {
        return;
    };
    leader.turned(&world, Turn::Paused);
    leader.gate.close();
    crew.lease.abandon(world.runtime.now(), leader.start);
    let ends = world.plan.calm_from().min(world.runtime.now() + pause.length.get());
    world.runtime.sleep_until(ends).await;
    if leader.is_over() {
        return;
    }
    leader.turned(&world, Turn::WokeUp);
    leader.gate.open();
    if !crew.lease.renew(world.runtime.now(), leader.start) {
        world.runtime.sleep(world.plan.scenario.karpenter.lease.renew_deadline.get()).await;
        leader.end(&world);
    }
}

/// The clock of the leader's machine stays as it was set until it is set again, or all trouble ends.
async fn set_clock(crew: Rc<Crew>, place: usize, step: ClockStep) {
    let world = crew.world.clone();
    world.runtime.sleep_until(Time::ZERO + step.at.get()).await;
    let Some(leader) = leader(&crew, place) else {
        return;
    };
    let of = |span: Option<Span>| span.map_or(Duration::ZERO, Span::get);
    crew.set_clock(&leader.clock, Offset { ahead: of(step.ahead), behind: of(step.behind) });
    world.runtime.sleep_until(world.plan.calm_from()).await;
    crew.set_clock(&leader.clock, Offset::default());
}
