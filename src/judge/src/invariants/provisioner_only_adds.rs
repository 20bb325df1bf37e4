//! Provisioning adds machines and takes nothing away.
//!
//! # Why it matters
//!
//! A pod that can't be scheduled is never a reason to delete capacity: removing is for disruption, which checks budgets
//! and simulates first. A pass that deletes would do so without either, while it decides on what it is deleting.
//!
//! # How it is judged
//!
//! Whatever is deleted, be it a NodeClaim, a Node, a pod or, by an operation of the provider, a Linode: who asks for it
//! is not `provisioner`. Judged in runs with pods.

use super::{Findings, Invariant, Moment, Topics, words};
use crate::event::{PodChange, What};
use lkesim_linode_api::Operation;

/// The name of the controller whose passes provision.
const PROVISIONER: &str = "provisioner";

#[derive(Default)]
pub struct ProvisionerOnlyAdds;

impl Invariant for ProvisionerOnlyAdds {
    fn follows(&self) -> Topics {
        Topics::CLAIM_DELETING.and(Topics::NODE_DELETION).and(Topics::POD).and(Topics::STARTED)
    }

    fn on(&mut self, moment: &Moment<'_>, found: &mut Findings) {
        let object = match moment.what() {
            What::ClaimDeleting { claim, by } if *by == PROVISIONER => claim.to_string(),
            What::NodeDeletionAsked { node, by } if *by == PROVISIONER => format!("node/{node}"),
            What::Pod { pod, change: PodChange::Deleting { by } } if *by == PROVISIONER => pod.to_string(),
            What::OperationStarted { operation: Operation::Delete, caller, claim, instance, .. }
                if *caller == PROVISIONER =>
            {
                let of_claim = claim.as_ref().map(ToString::to_string);
                of_claim.or(instance.map(words::linode)).unwrap_or_else(|| "a Linode".into())
            }
            _ => return,
        };
        found.breach(moment.at(), || (format!("a pass of provisioning deleted {object}"), vec![object]));
    }
}
