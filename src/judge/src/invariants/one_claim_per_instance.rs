//! No Linode is held by two live NodeClaims: the double claim.
//!
//! # Why it matters
//!
//! Two NodeClaims that believe in one Linode count its capacity twice, so pods wait for a node that never comes; and
//! the deletion of either takes the node of the other. It is what the design's lock and its nodeclaim tag are there to
//! rule out.
//!
//! # How it is judged
//!
//! A NodeClaim holds the Linode in its stored providerID, and the one that its latest Create returned, until that
//! process dies. A tag alone is not holding. When a live NodeClaim begins to hold a Linode that another live one holds,
//! the two are found, once for each Linode and newcomer.

use super::{Findings, Invariant, Moment, Topics, words};
use crate::truth::Fact;
use lkesim_linode_api::InstanceId;
use std::collections::BTreeSet;

#[derive(Default)]
pub struct OneClaimPerInstance {
    found: BTreeSet<(InstanceId, u64)>,
}

impl Invariant for OneClaimPerInstance {
    fn follows(&self) -> Topics {
        Topics::HOLDING
    }

    fn on(&mut self, moment: &Moment<'_>, found: &mut Findings) {
        for fact in moment.truth.facts() {
            let Fact::Held { claim, instance } = *fact else {
                continue;
            };
            let shared = moment.truth.linode(instance).is_some_and(|linode| linode.live_holders > 1);
            let is_live = moment.truth.claim(claim).is_some_and(|claim| claim.is_live());
            if shared && is_live && self.found.insert((instance, claim)) {
                found.breach(moment.at(), || describe(moment, instance));
            }
        }
    }
}

fn describe(moment: &Moment<'_>, instance: InstanceId) -> (String, Vec<String>) {
    let mut objects: Vec<String> = moment.truth.live_holders(instance).map(ToString::to_string).collect();
    let text = format!("{} is held by {}", words::linode(instance), words::list(&objects));
    objects.push(words::linode(instance));
    (text, objects)
}
