//! Budgets of the shipped providers: the design document's lines, with what their loops allow in place of what it says of its own.
//!
//! Source: design document, "Per-function API call budgets", section "LKE provider"; provider e1c5200 and v0.1.3
//! pkg/providers/lke/lke.go. Two reads fit into the time for verifying a tag, where the document has five.

use lkesim_linode_api::budget::{Budget, Work};
use lkesim_linode_api::{Endpoint, Operation, Tier};

/// Flags live for an attempt: each may scale.
pub const UPSTREAM_PER_ATTEMPT: &[Budget] =
    &upstream(line(Operation::Create, BOTH, Endpoint::UpdatePool, "one an attempt", |work| work.attempts));

/// Flags live for a Create: one may scale.
pub const UPSTREAM_PER_CREATE: &[Budget] =
    &upstream(line(Operation::Create, BOTH, Endpoint::UpdatePool, "one a Create", |work| work.runs));

const fn upstream(scaling: Budget) -> [Budget; 17] {
    [
        line(Operation::Create, STANDARD, Endpoint::ListInstances, "the lookup", |work| work.runs),
        line(
            Operation::Create,
            ENTERPRISE,
            Endpoint::ListInstances,
            "the lookup, and the members an attempt",
            |work| work.runs + work.attempts + work.extra_instance_pages,
        ),
        line(Operation::Create, BOTH, Endpoint::ListPools, "one an attempt", |work| {
            work.attempts + work.extra_pool_pages
        }),
        line(Operation::Create, STANDARD, Endpoint::GetPool, "one an attempt", |work| work.attempts),
        line(Operation::Create, STANDARD, Endpoint::GetInstance, "one a node scanned, two a claim", |work| {
            work.nodes_scanned + 2 * work.tag_writes
        }),
        line(Operation::Create, ENTERPRISE, Endpoint::GetInstance, "two a claim", |work| 2 * work.tag_writes),
        line(Operation::Create, BOTH, Endpoint::UpdateInstance, "one an attempt", |work| work.attempts),
        line(Operation::Create, BOTH, Endpoint::CreatePool, "one an attempt", |work| work.attempts),
        scaling,
        line(Operation::Get, BOTH, Endpoint::GetInstance, "one on a cache miss", |work| work.runs),
        line(Operation::List, BOTH, Endpoint::ListInstances, "one a page", |work| {
            work.runs + work.extra_instance_pages
        }),
        line(Operation::Delete, BOTH, Endpoint::ListPools, "one a page", |work| work.runs + work.extra_pool_pages),
        line(Operation::Delete, BOTH, Endpoint::DeleteNode, "one, or the pool", |work| work.runs),
        line(Operation::Delete, BOTH, Endpoint::DeletePool, "one, or the node", |work| work.runs),
        line(Operation::CreateTags, BOTH, Endpoint::GetInstance, "one", |work| work.runs),
        line(Operation::CreateTags, BOTH, Endpoint::UpdateInstance, "one", |work| work.runs),
        line(Operation::UpdateTags, BOTH, Endpoint::UpdateInstance, "one", |work| work.runs),
    ]
}

const STANDARD: Option<Tier> = Some(Tier::Standard);
const ENTERPRISE: Option<Tier> = Some(Tier::Enterprise);
const BOTH: Option<Tier> = None;

const fn line(
    operation: Operation,
    tier: Option<Tier>,
    endpoint: Endpoint,
    text: &'static str,
    calls: fn(&Work) -> u64,
) -> Budget {
    Budget { operation, tier, endpoint, text, calls }
}
