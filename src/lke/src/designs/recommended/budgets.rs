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
    .differs(SHARED),
    Budget::line(Operation::Create, BOTH, Endpoint::ListPools, "one a new key or process", |work| {
        work.runs + work.extra_pool_pages
    })
    .differs(SHARED),
    Budget::line(Operation::Create, BOTH, Endpoint::GetInstance, "one a Linode that is promised", |work| work.attempts),
    Budget::line(Operation::Create, BOTH, Endpoint::UpdatePool, "two a round that may grow", |work| 2 * work.attempts)
        .differs(SHARED),
    Budget::line(Operation::Create, BOTH, Endpoint::CreatePool, "one a key", |work| work.attempts).differs(SHARED),
    Budget::line(Operation::Get, BOTH, Endpoint::GetInstance, "one on a cache miss", |work| work.runs)
        .differs("what the cache knows is not asked for"),
    Budget::line(Operation::List, BOTH, Endpoint::ListInstances, "one a page", |work| {
        work.runs + work.extra_instance_pages
    })
    .differs("a list of the last 5 s is used again"),
    Budget::line(Operation::Delete, BOTH, Endpoint::GetPool, "one", |work| work.runs)
        .differs("what was deleted is known to be"),
    Budget::line(Operation::Delete, BOTH, Endpoint::DeleteNode, "one", |work| work.runs)
        .or(Endpoint::DeletePool)
        .differs("what was deleted is known to be"),
    Budget::line(Operation::Delete, BOTH, Endpoint::UpdatePool, "one where the pool does not show it", |work| {
        work.runs
    })
    .differs(MOST_OFTEN),
    Budget::line(Operation::Delete, BOTH, Endpoint::GetInstance, "one where the pool does not show it", |work| {
        work.runs
    })
    .differs(MOST_OFTEN),
    Budget::line(Operation::Delete, BOTH, Endpoint::ListInstances, "one where no pool can tell", |work| {
        work.runs + work.extra_instance_pages
    })
    .differs(MOST_OFTEN),
    Budget::line(Operation::CreateTags, BOTH, Endpoint::UpdateInstance, "one", |work| work.runs),
];
