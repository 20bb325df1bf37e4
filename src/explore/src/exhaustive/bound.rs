//! What is tiny enough: beyond it, all orders are more than anyone has time for.

use lkesim_scenario::Scenario;
use std::collections::BTreeSet;

/// How many NodeClaims there may be, those of the start included.
const CLAIMS: usize = 2;

/// How many LKE pools: pairs of a NodePool and a type.
const LKE_POOLS: usize = 2;

/// How many troubles: faults, crashes and the like, hand edits, other clients, shortages.
const TROUBLES: usize = 1;

/// Why a scenario is too large to try all its orders, if it is.
pub fn too_large(scenario: &Scenario) -> Option<String> {
    let wrong = |what: &str, are: usize, most: usize| {
        format!("{what}: {are}, and at most {most} can be; all orders of more would take longer than anyone waits")
    };
    if scenario.clusters.len() > 1 {
        return Some(wrong("clusters", scenario.clusters.len(), 1));
    }
    let resolved = scenario.resolved();
    let claims = resolved.clusters.iter().map(|of| of.claims.len()).sum::<usize>() + of_start(scenario);
    if claims > CLAIMS {
        return Some(wrong("NodeClaims", claims, CLAIMS));
    }
    let made = resolved.clusters.iter().flat_map(|of| &of.claims);
    let made = made.flat_map(|claim| claim.types.iter().map(|plan| (claim.node_pool.to_string(), plan.clone())));
    let there = scenario.start.lke_pools.iter().map(|pool| (pool.node_pool.clone(), pool.plan.clone()));
    let keys: BTreeSet<(String, String)> = made.chain(there).collect();
    let pools = keys.len().max(scenario.start.lke_pools.len());
    if pools > LKE_POOLS {
        return Some(wrong("LKE pools (a NodePool's of one type each)", pools, LKE_POOLS));
    }
    let troubles = scenario.faults.len()
        + scenario.chaos.len()
        + scenario.by_hand.len()
        + scenario.clients.len()
        + scenario.cloud.sold_out.len();
    (troubles > TROUBLES).then(|| wrong("faults, chaos, hand edits, other clients", troubles, TROUBLES))
}

fn of_start(scenario: &Scenario) -> usize {
    let counted: u32 = scenario.start.lke_pools.iter().map(|pool| pool.claims).sum();
    counted as usize + scenario.start.claims.len()
}
