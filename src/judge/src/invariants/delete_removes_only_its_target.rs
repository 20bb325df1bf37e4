//! No delete takes a Linode that another live NodeClaim holds.
//!
//! # Why it matters
//!
//! A running node dies with its pods. Deleting a whole LKE pool for its "last" node, and writing a count that is below
//! the present one, are deletes of whatever they remove.
//!
//! # How it is judged
//!
//! When a Linode is gone by one of Karpenter's own requests while a live NodeClaim holds it. The claim that a Delete is
//! for is no "other"; every other request has no claim to delete for. Hands, other clients and the cloud itself are not
//! judged.

use super::{Findings, Invariant, Moment, Topics, words};
use crate::event::What;
use crate::truth::Claim;
use lkesim_linode_api::Operation;

#[derive(Default)]
pub struct DeleteRemovesOnlyItsTarget;

impl Invariant for DeleteRemovesOnlyItsTarget {
    fn follows(&self) -> Topics {
        Topics::INSTANCE_DELETED
    }

    fn on(&mut self, moment: &Moment<'_>, found: &mut Findings) {
        let What::InstanceDeleted { instance, call, .. } = moment.what() else {
            return;
        };
        let Some(write) = moment.truth.write(*call).filter(|write| write.is_karpenters()) else {
            return;
        };
        let target = write.claim.filter(|_| write.operation == Operation::Delete);
        let others = || moment.truth.live_holders(*instance).filter(|claim| Some(claim.uid()) != target);
        if others().next().is_none() {
            return;
        }
        found.breach(moment.at(), || {
            let mut objects: Vec<String> = others().map(Claim::to_string).collect();
            let (holders, linode) = (words::list(&objects), words::linode(*instance));
            let text = format!("{} removed {linode}, which {holders} holds", words::doer(moment.truth, *call));
            objects.push(linode);
            (text, objects)
        });
    }
}
