//! The calls that the document allows.
//!
//! Source: design document, "Per-function API call budgets", section "LKE provider".

use crate::budgets::{CLAIMED_AGAIN, GROWN_AGAIN};
use lkesim_linode_api::budget::{Budget, Work};
use lkesim_linode_api::{Endpoint, Operation, Tier};

/// The lines.
pub const BUDGETS: &[Budget] = &with_the_rest::<{ CREATE.len() + THE_REST.len() }>(CREATE);

/// Those of Create.
const CREATE: &[Budget] = &[
    line(Operation::Create, STANDARD, Endpoint::ListInstances, "the lookup", |work| work.runs)
        .fewer("a Create for which no type can be had asks nothing"),
    line(Operation::Create, ENTERPRISE, Endpoint::ListInstances, "the lookup, and the members an attempt", |work| {
        work.runs + work.attempts + work.extra_instance_pages
    })
    .fewer("an attempt whose list of pools or new pool fails looks for no member"),
    line(Operation::Create, BOTH, Endpoint::ListPools, "one an attempt", |work| work.attempts + work.extra_pool_pages),
    line(Operation::Create, STANDARD, Endpoint::GetPool, "one an attempt", |work| work.attempts)
        .fewer("an attempt whose list of pools or new pool fails reads no pool"),
    line(Operation::Create, STANDARD, Endpoint::GetInstance, "one a node scanned, five a claim", |work| {
        work.nodes_scanned + 5 * work.tag_writes
    })
    .fewer("the scan ends at the first Linode that can be claimed, and reading back at the first that shows the tag")
    .over(CLAIMED_AGAIN),
    line(Operation::Create, ENTERPRISE, Endpoint::GetInstance, "five a claim", |work| 5 * work.tag_writes)
        .fewer("reading back ends at the first answer that shows the tag")
        .over(CLAIMED_AGAIN),
    line(Operation::Create, BOTH, Endpoint::UpdateInstance, "one an attempt", |work| work.attempts)
        .fewer("an attempt that finds nothing to claim writes nothing"),
    line(Operation::Create, BOTH, Endpoint::CreatePool, "one a Create", |work| work.runs)
        .or(Endpoint::UpdatePool)
        .fewer("a Create that finds a Linode to claim asks for none")
        .over(GROWN_AGAIN),
];

/// Those of all else, which designs share that only create in another way.
pub const THE_REST: &[Budget] = &[
    line(Operation::Get, BOTH, Endpoint::GetInstance, "at most one", |work| work.runs)
        .fewer("what the cache knows is not asked for"),
    line(Operation::List, BOTH, Endpoint::ListInstances, "one a page", |work| work.runs + work.extra_instance_pages)
        .fewer("where `orphans_by` is `pool`, garbage collection lists pools in its place"),
    line(Operation::Delete, BOTH, Endpoint::ListPools, "one a page", |work| work.runs + work.extra_pool_pages),
    line(Operation::Delete, BOTH, Endpoint::DeleteNode, "one", |work| work.runs)
        .or(Endpoint::DeletePool)
        .fewer("Karpenter asks until the Linode is not found, and the last time there is nothing left to delete"),
    line(Operation::CreateTags, BOTH, Endpoint::GetInstance, "one", |work| work.runs),
    line(Operation::CreateTags, BOTH, Endpoint::UpdateInstance, "one", |work| work.runs)
        .fewer("a Linode that is not found gets no tag"),
];

/// The lines of another Create, and the rest.
///
/// # Panics
/// While compiling, where `N` is not the number of both.
pub const fn with_the_rest<const N: usize>(create: &[Budget]) -> [Budget; N] {
    assert!(N == create.len() + THE_REST.len(), "as many lines as both have");
    let mut all = [THE_REST[0]; N];
    let mut at = 0;
    while at < N {
        all[at] = if at < create.len() { create[at] } else { THE_REST[at - create.len()] };
        at += 1;
    }
    all
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
    Budget::line(operation, tier, endpoint, text, calls)
}
