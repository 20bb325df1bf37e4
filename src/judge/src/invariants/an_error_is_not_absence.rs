//! No operation whose answers included an error or a truncated list takes a Linode that is there for absent.
//!
//! # Why it matters
//!
//! "Not found" makes Karpenter drop a finalizer or delete a NodeClaim, with its node and pods. A failed list, a refused
//! request or a page that was never read shows nothing about absence.
//!
//! # How it is judged
//!
//! An operation is misled if one of its requests failed, other than by a 404, or if it did not read a list to its last
//! page. It is a breach when it returns "not found" though its Linode (the one that it was asked about, or its
//! NodeClaim holds) lived from its start to its return; and when a pass deletes a NodeClaim after its latest List, in
//! one of the processes that its cluster has, was misled and left out the Linode in the claim's providerID, which lived
//! throughout.

use super::{Findings, Invariant, Moment, Topics, words};
use crate::event::{ClaimRef, Returned, What};
use crate::truth::{RunningOperation, Truth};
use lkesim_linode_api::{ClusterId, InstanceId, Operation};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub struct AnErrorIsNotAbsence {
    /// By cluster, process and pass: the live Linodes that its latest List left out, where that was misled.
    left_out: BTreeMap<(ClusterId, u32, &'static str), BTreeSet<InstanceId>>,
}

impl Invariant for AnErrorIsNotAbsence {
    fn follows(&self) -> Topics {
        Topics::RETURNED.and(Topics::CLAIM_DELETING).and(Topics::PROCESS_STOPPED)
    }

    fn on(&mut self, moment: &Moment<'_>, found: &mut Findings) {
        match moment.what() {
            What::OperationReturned { run, result } => {
                let Some(operation) = moment.truth.operation(*run) else {
                    return;
                };
                match result {
                    Returned::NotFound(_) => not_found(moment, operation, found),
                    Returned::Instances(listed) if operation.operation == Operation::List => {
                        self.listed(moment.truth, operation, listed);
                    }
                    _ => {}
                }
            }
            What::ProcessStopped { cluster, start } => {
                self.left_out.retain(|(of, process, _), _| (of, process) != (cluster, start));
            }
            What::ClaimDeleting { claim, by } => self.deleting(moment, claim, by, found),
            _ => {}
        }
    }
}

fn not_found(moment: &Moment<'_>, operation: &RunningOperation, found: &mut Findings) {
    if !operation.is_misled() {
        return;
    }
    let truth = moment.truth;
    let of_claim = operation.claim.and_then(|uid| truth.claim(uid)).into_iter().flat_map(|claim| claim.holdings());
    let mut asked = operation.instance.into_iter().chain(of_claim);
    let Some(id) = asked.find(|id| lived_throughout(truth, *id, operation)) else {
        return;
    };
    found.breach(moment.at(), || {
        let (linode, name, why) = (words::linode(id), operation.operation.name(), misled(operation));
        let mut objects = vec![linode.clone()];
        objects.extend(operation.claim.map(|uid| words::claim(truth, uid)));
        (
            format!("{name}, asked by {}, reported {linode} as not found, though it lives: {why}", operation.caller),
            objects,
        )
    });
}

impl AnErrorIsNotAbsence {
    fn listed(&mut self, truth: &Truth, operation: &RunningOperation, listed: &[InstanceId]) {
        let by = (operation.cluster, operation.process, operation.caller);
        self.left_out.remove(&by);
        if !operation.is_misled() {
            return;
        }
        let stored = truth.claims().filter(|claim| claim.is_live()).filter_map(|claim| claim.stored);
        let left_out = stored.filter(|id| !listed.contains(id) && lived_throughout(truth, *id, operation)).collect();
        self.left_out.insert(by, left_out);
    }

    fn deleting(&mut self, moment: &Moment<'_>, claim: &ClaimRef, by: &'static str, found: &mut Findings) {
        let Some((cluster, stored)) =
            moment.truth.claim(claim.uid).and_then(|claim| Some((claim.cluster, claim.stored?)))
        else {
            return;
        };
        let heard = |(of, _, pass): &(ClusterId, u32, &str)| *of == cluster && *pass == by;
        let mut heard = self.left_out.iter().filter(|(list, _)| heard(list));
        let left_out = heard.any(|(_, left_out)| left_out.contains(&stored));
        if left_out && moment.truth.is_live(stored) {
            found.breach(moment.at(), || {
                let linode = words::linode(stored);
                let text = format!(
                    "{by} deleted {claim}, though its {linode} lives: an error or a page not read left it out of a list"
                );
                (text, vec![claim.to_string(), linode])
            });
        }
    }
}

fn lived_throughout(truth: &Truth, id: InstanceId, operation: &RunningOperation) -> bool {
    truth.linode(id).is_some_and(|linode| linode.is_live() && linode.created <= operation.started)
}

fn misled(operation: &RunningOperation) -> String {
    let errors = (operation.errors > 0).then(|| format!("{} of its requests failed", operation.errors));
    let list = operation.has_truncated_list().then(|| "a list was not read to its end".to_string());
    errors.into_iter().chain(list).collect::<Vec<_>>().join(", and ")
}
