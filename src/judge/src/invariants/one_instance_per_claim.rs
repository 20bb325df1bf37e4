//! The live Linodes that a live NodeClaim holds or that bear its tag are together at most one.
//!
//! # Why it matters
//!
//! A second Linode for one NodeClaim is paid for and used by nobody; with the claim's tag on it, garbage collection and
//! every other Create take it for owned. It comes of a Create that lost sight of its own earlier claim.
//!
//! # How it is judged
//!
//! Counted are the Linodes that the claim holds, and those of its own cluster, or of none, that bear the nodeclaim tag
//! of its name, as its design writes it. Two names that are shortened to one tag share it. Judged when a claim begins
//! to hold a Linode, when a Linode is made with the tag or gets it, and when a claim is made whose tag is there before
//! it; found once for each claim and added Linode.

use super::{Findings, Invariant, Moment, Topics, words};
use crate::event::What;
use crate::truth::{Claim, Fact, Truth};
use lkesim_linode_api::{InstanceId, Tags};
use std::collections::BTreeSet;
use std::sync::Arc;

#[derive(Default)]
pub struct OneInstancePerClaim {
    found: BTreeSet<(u64, InstanceId)>,
}

impl Invariant for OneInstancePerClaim {
    fn follows(&self) -> Topics {
        Topics::HOLDING.and(Topics::TAGS).and(Topics::CLOUD).and(Topics::CLAIM_CREATED)
    }

    fn on(&mut self, moment: &Moment<'_>, found: &mut Findings) {
        let truth = moment.truth;
        for fact in truth.facts() {
            if let Fact::Held { claim, instance } = *fact {
                self.look(moment, truth.claim(claim), instance, found);
            }
        }
        match moment.what() {
            What::InstanceTagged { instance, before, after, .. } => {
                self.look_at_tags(moment, *instance, before, after, found);
            }
            What::InstanceCreated { instance, tags, .. } => {
                self.look_at_tags(moment, *instance, &Tags::default(), tags, found);
            }
            What::ClaimCreated { claim, .. } => {
                let claim = truth.claim(claim.uid);
                if let Some(last) = claim.and_then(|claim| truth.bearers(claim).last()) {
                    self.look(moment, claim, last, found);
                }
            }
            _ => {}
        }
    }
}

impl OneInstancePerClaim {
    fn look_at_tags(
        &mut self,
        moment: &Moment<'_>,
        instance: InstanceId,
        before: &Tags,
        after: &Tags,
        found: &mut Findings,
    ) {
        let Some(linode) = moment.truth.linode(instance) else {
            return;
        };
        let prefix = moment.truth.design_of(linode).claim_tag_prefix;
        let claims = |tag: &&Arc<str>| tag.starts_with(prefix) && !before.has(tag);
        for tag in after.iter().filter(claims) {
            let named = moment.truth.named_by(tag).filter(|claim| linode.can_serve(claim.cluster));
            for claim in named {
                self.look(moment, Some(claim), instance, found);
            }
        }
    }

    /// Looks at a claim to which this Linode came.
    fn look(&mut self, moment: &Moment<'_>, claim: Option<&Claim>, instance: InstanceId, found: &mut Findings) {
        let Some(claim) = claim.filter(|claim| claim.is_live()) else {
            return;
        };
        if !moment.truth.is_live(instance) {
            return;
        }
        let has_another = belongings(moment.truth, claim).any(|other| other != instance);
        if has_another && self.found.insert((claim.uid(), instance)) {
            found.breach(moment.at(), || describe(moment.truth, claim));
        }
    }
}

/// The live Linodes that the claim holds or that bear its tag; one that does both comes twice.
fn belongings<'a>(truth: &'a Truth, claim: &'a Claim) -> impl Iterator<Item = InstanceId> + 'a {
    let held = claim.holdings().filter(|id| truth.is_live(*id));
    held.chain(truth.bearers(claim))
}

fn describe(truth: &Truth, claim: &Claim) -> (String, Vec<String>) {
    let linodes: BTreeSet<InstanceId> = belongings(truth, claim).collect();
    let told = |id: &InstanceId| {
        let how = if claim.holds(*id) { "held" } else { "by its tag alone" };
        format!("{} ({how})", words::linode(*id))
    };
    let told: Vec<String> = linodes.iter().map(told).collect();
    let objects = std::iter::once(claim.to_string()).chain(linodes.iter().map(|id| words::linode(*id)));
    (format!("{claim} has {}", words::list(&told)), objects.collect())
}
