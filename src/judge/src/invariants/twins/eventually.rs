//! What must hold in the end, by looking at everything.

use super::world::World;
use crate::event::Condition;
use crate::invariants::stream::DESIGN;
use std::collections::BTreeSet;

pub fn a_linode_is_unheld(world: &World<'_>) -> bool {
    let managed = world.live_linodes().into_iter().filter(|linode| world.is_managed(linode));
    managed.into_iter().any(|linode| world.live_holders(linode.id).is_empty())
}

pub fn a_claim_is_unsettled(world: &World<'_>) -> bool {
    let settled = |uid: u64| {
        !world.exists(uid) || (world.is_live_claim(uid) && world.condition(uid, Condition::Initialized) == Some(true))
    };
    world.claims().iter().any(|made| !settled(made.claim.uid))
}

pub fn something_disagrees(world: &World<'_>) -> bool {
    let managed: Vec<_> = world.live_linodes().into_iter().filter(|linode| world.is_managed(linode)).collect();
    let there: BTreeSet<_> = managed.iter().map(|linode| linode.id).collect();
    let live = world.live_claims();
    let held: BTreeSet<_> = live.iter().flat_map(|made| world.held_by(made.claim.uid)).collect();
    let tags_differ = managed.iter().any(|linode| {
        let holders = world.live_holders(linode.id);
        let tags: BTreeSet<String> = holders.iter().map(|made| (DESIGN.claim_tag)(&made.claim.name)).collect();
        world.claim_tags(linode.id) != tags
    });
    let counts_differ = world.pools().iter().any(|lke_pool| {
        let nodes = managed.iter().filter(|linode| linode.lke_pool == Some(lke_pool.id)).count();
        let judged = lke_pool.node_pool.is_some() && world.is_live_pool(lke_pool.id);
        judged && world.count(lke_pool.id) as usize != nodes
    });
    let beliefs_differ = live.iter().any(|made| {
        let returned = world.returned(made.claim.uid);
        returned.is_some() && returned != world.stored(made.claim.uid)
    });
    held != there || tags_differ || counts_differ || beliefs_differ
}
