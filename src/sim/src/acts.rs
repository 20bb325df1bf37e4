//! The two acts of a run: trouble, then a calm in which everything has to converge.

use crate::chaos;
use crate::world::World;
use lkesim_judge::event::What;
use lkesim_runtime::Time;
use std::rc::Rc;
use std::time::Duration;

/// How long all eventual invariants have to hold for a run to end before its calm does.
pub(crate) const SETTLED_FOR: Duration = Duration::from_secs(150);

/// How often an unsettled run is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(10);

/// Plays both acts, and returns when the run is over: settled, at its horizon, or aborted.
pub(crate) async fn play(world: Rc<World>) {
    let (calm_from, horizon) = (world.plan.calm_from(), world.plan.horizon());
    if aborted_before(&world, calm_from).await {
        return;
    }
    world.cloud.borrow_mut().end_faults();
    world.record(What::CalmBegan);
    chaos::warn_of_crashes_that_never_came(&world);
    while world.runtime.now() < horizon {
        let settled = world.settled_since().map(|since| since.max(calm_from) + SETTLED_FOR);
        let next = match settled {
            Some(end) if end <= world.runtime.now() => return,
            Some(end) => end,
            None => world.runtime.now() + LOOK_EVERY,
        };
        if aborted_before(&world, next.min(horizon)).await {
            return;
        }
    }
}

/// Waits until `deadline`, and says whether the run was aborted first.
async fn aborted_before(world: &World, deadline: Time) -> bool {
    let length = deadline.since(world.runtime.now());
    world.runtime.timeout(length, world.aborted()).await.is_ok()
}
