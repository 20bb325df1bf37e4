//! No Create() returns a Linode that is gone.
//!
//! # Why it matters
//!
//! The NodeClaim is launched with a providerID that no node will ever have. It stays so until registration gives up
//! after 15 minutes, while its pods wait. A deleted Linode stays visible for a while, bears its tags, and looks
//! claimable.
//!
//! # How it is judged
//!
//! When a Create returns a Linode whose deletion the cloud had accepted, or that never was.

use super::{Findings, Invariant, Moment, Topics, words};
use crate::event::{Returned, What};
use lkesim_linode_api::Operation;

#[derive(Default)]
pub struct CreateReturnsALivingLinode;

impl Invariant for CreateReturnsALivingLinode {
    fn follows(&self) -> Topics {
        Topics::RETURNED
    }

    fn on(&mut self, moment: &Moment<'_>, found: &mut Findings) {
        let What::OperationReturned { run, result: Returned::Instance(instance) } = moment.what() else {
            return;
        };
        let create = moment.truth.operation(*run).filter(|running| running.operation == Operation::Create);
        let Some(create) = create.filter(|_| !moment.truth.is_live(*instance)) else {
            return;
        };
        found.breach(moment.at(), || {
            let mut objects = vec![words::linode(*instance)];
            objects.extend(create.claim.map(|uid| words::claim(moment.truth, uid)));
            let whose = create.claim.map(|uid| format!(" for {}", words::claim(moment.truth, uid))).unwrap_or_default();
            (format!("Create{whose} returned {}, which is gone", words::linode(*instance)), objects)
        });
    }
}
