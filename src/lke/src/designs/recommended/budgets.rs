//! The calls that the recommendation allows itself.
//!
//! A call that several Creates share counts for the one that made it, so that the lines are bounds and most Creates
//! stay far below.

use lkesim_linode_api::budget::Budget;
use lkesim_linode_api::{Endpoint, Operation, Tier};

const BOTH: Option<Tier> = None;
const MOST_OFTEN: &str = "most often the pool shows it";
const SHARED: &str = "whoever of those that wait comes first makes it for all";

/// The lines.
pub const BUDGETS: &[Budget] = &[
    Budget::line(Operation::Create, BOTH, Endpoint::ListInstances, "one an attempt", |work| {
        work.attempts + work.extra_instance_pages + work.runs
    })
    .fewer(SHARED)
    .over(SHARED),
    Budget::line(Operation::Create, BOTH, Endpoint::ListPools, "one a new key, one a process", |work| {
        work.runs + work.extra_pool_pages
    })
    .fewer(SHARED)
    .over(SHARED),
    Budget::line(Operation::Create, BOTH, Endpoint::GetInstance, "one a Linode that is promised", |work| work.attempts)
        .fewer("most attempts are promised none")
        .over("a Linode that is known and that the list leaves out is read by itself"),
    Budget::line(Operation::Create, BOTH, Endpoint::UpdatePool, "two a round that may grow", |work| 2 * work.attempts)
        .fewer(SHARED)
        .over(SHARED),
    Budget::line(Operation::Create, BOTH, Endpoint::CreatePool, "one a key", |work| work.attempts)
        .fewer(SHARED)
        .over(SHARED),
    Budget::line(Operation::Get, BOTH, Endpoint::GetInstance, "at most one", |work| work.runs)
        .fewer("what the cache knows is not asked for"),
    Budget::line(Operation::List, BOTH, Endpoint::ListInstances, "one a page", |work| {
        work.runs + work.extra_instance_pages
    })
    .fewer("a list of the last 5 s is used again")
    .over("the first of a process learns who holds what"),
    Budget::line(Operation::Delete, BOTH, Endpoint::GetPool, "one", |work| work.runs)
        .fewer("what was deleted is known to be"),
    Budget::line(Operation::Delete, BOTH, Endpoint::DeleteNode, "one", |work| work.runs)
        .or(Endpoint::DeletePool)
        .fewer("what was deleted is known to be")
        .over(
            "the last node takes its pool with it once its own deletion is refused, \
             and one that has another id by now is deleted by that",
        ),
    Budget::line(Operation::Delete, BOTH, Endpoint::UpdatePool, "one where the pool does not show it", |work| {
        work.runs
    })
    .fewer(MOST_OFTEN),
    Budget::line(Operation::Delete, BOTH, Endpoint::GetInstance, "one where the pool does not show it", |work| {
        work.runs
    })
    .fewer(MOST_OFTEN),
    Budget::line(Operation::Delete, BOTH, Endpoint::ListInstances, "one where no pool can tell", |work| {
        work.runs + work.extra_instance_pages
    })
    .fewer(MOST_OFTEN),
    Budget::line(Operation::CreateTags, BOTH, Endpoint::UpdateInstance, "one", |work| work.runs),
];
