//! Budgets of the shipped providers: the design document's lines, with what their loops allow in place of what it says
//! of its own.
//!
//! Source: design document, "Per-function API call budgets", section "LKE provider"; provider e1c5200 and v0.1.3
//! pkg/providers/lke/lke.go. Two reads fit into the time for verifying a tag, where the document has five.

use lkesim_linode_api::budget::Budget;
use lkesim_linode_api::{Endpoint, Operation, Tier};

/// Why a Create may grow a key more than once, though its flag outlasts its attempts: the flag is set by a change that
/// was accepted.
pub const GROWN_AGAIN: &str =
    "a change that is refused is asked for again, as is a pool that the next attempt does not list, be it late or gone";

/// Why a Create may read back more often than a claim allows: the lines count Linodes, and a Linode whose tag did not
/// show in time is claimed again in the loop's next attempt.
pub const CLAIMED_AGAIN: &str =
    "a Linode whose tag did not show in time is claimed again in a later attempt, and read back again";

/// Flags live for an attempt: each makes a pool or scales.
pub const UPSTREAM_PER_ATTEMPT: &[Budget] = &upstream(
    Budget::line(Operation::Create, BOTH, Endpoint::CreatePool, "one an attempt", |work| work.attempts)
        .or(Endpoint::UpdatePool)
        .fewer("an attempt that finds a Linode to claim asks for none"),
);

/// Flags live for a Create: it makes a pool or scales once, as the document says.
pub const UPSTREAM_PER_CREATE: &[Budget] = &upstream(
    Budget::line(Operation::Create, BOTH, Endpoint::CreatePool, "one a Create", |work| work.runs)
        .or(Endpoint::UpdatePool)
        .fewer("a Create that finds a Linode to claim asks for none")
        .over(GROWN_AGAIN),
);

const fn upstream(growth: Budget) -> [Budget; 14] {
    [
        Budget::line(Operation::Create, STANDARD, Endpoint::ListInstances, "the lookup", |work| work.runs)
            .fewer("a Create for which no type can be had asks nothing"),
        Budget::line(
            Operation::Create,
            ENTERPRISE,
            Endpoint::ListInstances,
            "the lookup, and the managed Linodes an attempt",
            |work| work.runs + work.attempts + work.extra_instance_pages,
        )
        .fewer("an attempt whose list of pools or new pool fails looks for no Linode"),
        Budget::line(Operation::Create, BOTH, Endpoint::ListPools, "one an attempt", |work| {
            work.attempts + work.extra_pool_pages
        }),
        Budget::line(Operation::Create, STANDARD, Endpoint::GetPool, "one an attempt", |work| work.attempts)
            .fewer("an attempt whose list of pools or new pool fails reads no pool"),
        Budget::line(Operation::Create, STANDARD, Endpoint::GetInstance, "one a node scanned, two a claim", |work| {
            work.nodes_scanned + 2 * work.tag_writes
        })
        .fewer("the scan ends at the first Linode that can be claimed, and reading back at the first that shows the tag")
        .over(CLAIMED_AGAIN),
        Budget::line(Operation::Create, ENTERPRISE, Endpoint::GetInstance, "two a claim", |work| 2 * work.tag_writes)
            .fewer("reading back ends at the first answer that shows the tag")
            .over(CLAIMED_AGAIN),
        Budget::line(Operation::Create, BOTH, Endpoint::UpdateInstance, "one an attempt", |work| work.attempts)
            .fewer("an attempt that finds nothing to claim writes nothing"),
        growth,
        Budget::line(Operation::Get, BOTH, Endpoint::GetInstance, "at most one", |work| work.runs)
            .fewer("what the cache knows is not asked for"),
        Budget::line(Operation::List, BOTH, Endpoint::ListInstances, "one a page", |work| {
            work.runs + work.extra_instance_pages
        }),
        Budget::line(Operation::Delete, BOTH, Endpoint::ListPools, "one a page", |work| {
            work.runs + work.extra_pool_pages
        }),
        Budget::line(Operation::Delete, BOTH, Endpoint::DeleteNode, "one", |work| work.runs)
            .or(Endpoint::DeletePool)
            .fewer("what is in no managed pool is not deleted: Karpenter asks until then, and collection asks for foreign Linodes"),
        Budget::line(Operation::CreateTags, BOTH, Endpoint::GetInstance, "one", |work| work.runs),
        Budget::line(Operation::CreateTags, BOTH, Endpoint::UpdateInstance, "one", |work| work.runs)
            .fewer("a Linode that is not found gets no tag"),
    ]
}

const STANDARD: Option<Tier> = Some(Tier::Standard);
const ENTERPRISE: Option<Tier> = Some(Tier::Enterprise);
const BOTH: Option<Tier> = None;
