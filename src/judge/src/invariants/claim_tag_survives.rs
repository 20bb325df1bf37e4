//! From Create's return to accepted deletion, the tags by which the design finds and owns a held Linode stay.
//!
//! # Why it matters
//!
//! A PUT of a Linode's tags replaces the whole list. Written from an old reading it removes the nodeclaim tag of
//! another writer: the Linode then looks unclaimed and is claimed twice, or it looks like an orphan and is deleted
//! alive.
//!
//! # How it is judged
//!
//! The design's file names the tags, by tier. When a write removes one of them from a live Linode that a NodeClaim
//! holds, whoever wrote it, the write is named. When a Create returns a Linode that lacks one, that is a breach too,
//! and the write that last removed the tag is named.

use super::{Findings, Invariant, Moment, Topics, words};
use crate::event::{Returned, What};
use crate::truth::{Claim, Linode, Owned, Truth};
use lkesim_linode_api::{CallNumber, InstanceId, Operation, Tags};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Default)]
pub struct ClaimTagSurvives {
    /// The write that last removed a tag from a Linode.
    removals: BTreeMap<(InstanceId, Arc<str>), Option<CallNumber>>,
}

impl Invariant for ClaimTagSurvives {
    fn follows(&self) -> Topics {
        Topics::TAGS.and(Topics::RETURNED)
    }

    fn on(&mut self, moment: &Moment<'_>, found: &mut Findings) {
        match moment.what() {
            What::InstanceTagged { instance, before, after, call } => {
                self.tagged(moment, *instance, before, after, *call, found);
            }
            What::OperationReturned { run, result: Returned::Instance(instance) } => {
                self.returned(moment, *run, *instance, found);
            }
            _ => {}
        }
    }
}

impl ClaimTagSurvives {
    fn tagged(
        &mut self,
        moment: &Moment<'_>,
        id: InstanceId,
        before: &Tags,
        after: &Tags,
        call: Option<CallNumber>,
        found: &mut Findings,
    ) {
        let removed: Vec<&Arc<str>> = before.iter().filter(|tag| !after.has(tag)).collect();
        let Some(linode) = moment.truth.linode(id).filter(|linode| linode.is_live() && !removed.is_empty()) else {
            return;
        };
        for tag in &removed {
            self.removals.insert((id, (*tag).clone()), call);
        }
        for claim in linode.holders.iter().filter_map(|uid| moment.truth.claim(*uid)) {
            let owned = owned_tags(moment.truth, claim, linode);
            let lost: Vec<String> = owned.into_iter().filter(|tag| before.has(tag) && !after.has(tag)).collect();
            if !lost.is_empty() {
                found.breach(moment.at(), || describe(moment.truth, claim, id, &lost, "lost", call));
            }
        }
    }

    fn returned(&mut self, moment: &Moment<'_>, run: u64, id: InstanceId, found: &mut Findings) {
        let truth = moment.truth;
        let create = truth.operation(run).filter(|running| running.operation == Operation::Create);
        let claim = create.and_then(|create| truth.claim(create.claim?)).filter(|claim| claim.holds(id));
        let (Some(claim), Some(linode)) = (claim, truth.linode(id).filter(|linode| linode.is_live())) else {
            return;
        };
        let lacking: Vec<String> =
            owned_tags(truth, claim, linode).into_iter().filter(|tag| !linode.tags.has(tag)).collect();
        let Some(first) = lacking.first() else { return };
        let call = self.removals.get(&(id, Arc::from(&**first))).copied();
        found.breach(moment.at(), || match call {
            Some(call) => describe(truth, claim, id, &lacking, "was returned without", call),
            None => {
                let text = format!("{} was returned to {claim} without {}", words::linode(id), words::list(&lacking));
                (text, vec![words::linode(id), claim.to_string()])
            }
        });
    }
}

pub(super) fn owned_tags(truth: &Truth, claim: &Claim, linode: &Linode) -> Vec<String> {
    let facts = truth.cluster(claim.cluster);
    let owned = Owned {
        tier: facts.tier,
        cluster: claim.cluster,
        lke_pool: linode.lke_pool,
        node_pool: &claim.node_pool,
        claim_name: claim.claim.of_object(),
    };
    (facts.design.owned_tags)(&owned)
}

fn describe(
    truth: &Truth,
    claim: &Claim,
    id: InstanceId,
    tags: &[String],
    verb: &str,
    call: Option<CallNumber>,
) -> (String, Vec<String>) {
    let (linode, tags, doer) = (words::linode(id), words::list(tags), words::doer(truth, call));
    (format!("{linode} of {claim} {verb} {tags}, removed by {doer}"), vec![linode, claim.to_string()])
}
