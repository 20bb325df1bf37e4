//! A NodeClaim's finalizer goes only once its Linode, held or tagged with its name, is gone.
//!
//! # Why it matters
//!
//! When the NodeClaim is gone, nothing remembers its Linode: it is billed until garbage collection finds it, and a
//! nodeclaim tag of a claim that is no more can hide it even from that.
//!
//! # How it is judged
//!
//! When a NodeClaim is gone while a Linode lives that it held, or that bears its nodeclaim tag in its own cluster or in
//! none. A Linode that bears the tag but is held by another NodeClaim is that one's: shortened names can share a tag.

use super::{Findings, Invariant, Moment, Topics, words};
use crate::event::What;
use crate::truth::{Fact, Truth};
use lkesim_linode_api::InstanceId;
use std::collections::BTreeSet;

#[derive(Default)]
pub struct FinalizerAfterInstance;

impl Invariant for FinalizerAfterInstance {
    fn follows(&self) -> Topics {
        Topics::CLAIM_GONE
    }

    fn on(&mut self, moment: &Moment<'_>, found: &mut Findings) {
        let What::ClaimGone { claim } = moment.what() else {
            return;
        };
        let left = left_behind(moment.truth, claim.uid);
        if left.is_empty() {
            return;
        }
        found.breach(moment.at(), || {
            let linodes: Vec<String> = left.iter().map(|id| words::linode(*id)).collect();
            let text = format!("{claim} is gone, and its Linode lives: {}", words::list(&linodes));
            (text, std::iter::once(claim.to_string()).chain(linodes).collect())
        });
    }
}

fn left_behind(truth: &Truth, uid: u64) -> BTreeSet<InstanceId> {
    let held = truth.facts().iter().filter_map(|fact| match fact {
        Fact::Released { claim, instance } if *claim == uid => Some(*instance),
        _ => None,
    });
    let unheld = |id: &InstanceId| truth.linode(*id).is_some_and(|linode| linode.holders.is_empty());
    let tagged = truth.claim(uid).into_iter().flat_map(|claim| truth.bearers(claim)).filter(unheld);
    held.filter(|id| truth.is_live(*id)).chain(tagged).collect()
}
