//! What must hold in every run, by fixed name, and the judge that watches it.
//!
//! Each invariant is a file: its doc comment is the text that `lkesim explain NAME` prints, and its code follows
//! changes and rescans nothing. It reads the truth, never the API under test. An *always* invariant is broken the
//! moment a change breaks it, once for each distinct breach; an *eventually* invariant is asked during the calm, and at
//! its end.
//!
//! Judged is what Karpenter's own requests do. What another client, a hand or the cloud itself does is no breach of the
//! design's, save where an invariant says that a state stays, whoever ends it.

mod belief;
mod finding;
mod judge;
mod registry;
mod topic;
mod words;

mod an_error_is_not_absence;
mod claim_in_own_pool;
mod claim_tag_survives;
mod claims_settle;
mod create_returns_a_living_linode;
mod delete_removes_only_its_target;
mod finalizer_after_instance;
mod gc_spares_the_claimed;
mod launched_has_provider_id;
mod no_claim_tag_on_a_pool;
mod no_lost_scale;
mod nodepool_limits_hold;
mod one_claim_per_instance;
mod one_instance_per_claim;
mod one_pool_per_key;
mod only_the_scheduler_binds;
mod orphans_collected;
mod pods_run;
mod provisioner_only_adds;
mod scale_matches_demand;
mod scale_up_never_shrinks;
mod state_agrees;

pub use belief::{Beliefs, BelievedClaim, ObjectState};
pub use finding::{Findings, Pending};
pub use judge::Judge;
pub use registry::{INVARIANTS, InvariantInfo, by_name};
pub use topic::Topics;

pub(crate) use only_the_scheduler_binds::{SCHEDULER, START};

use crate::event::{Event, What};
use crate::truth::Truth;
use lkesim_runtime::Time;

/// An event that just happened, and the truth that it left.
#[derive(Clone, Copy)]
pub struct Moment<'a> {
    /// The event.
    pub event: &'a Event,
    /// What is true after it.
    pub truth: &'a Truth,
}

impl Moment<'_> {
    /// When.
    pub fn at(&self) -> Time {
        self.event.at
    }

    /// What happened.
    pub fn what(&self) -> &What {
        &self.event.what
    }
}

/// Something that must hold. It keeps what it has found, so that a breach that lasts is found once.
pub trait Invariant {
    /// What it follows: it is called, or asked whether it holds, after nothing else.
    fn follows(&self) -> Topics;

    /// For what must hold at every moment: looks at a change.
    fn on(&mut self, _moment: &Moment<'_>, _found: &mut Findings) {}

    /// For what must hold in the end: each thing that does not hold yet, and what it waits for.
    fn waits_for(&self, _truth: &Truth) -> Vec<Pending> {
        Vec::new()
    }

    /// For what must hold in the end: whether it holds at this moment. The judge asks after each change.
    fn holds(&self, truth: &Truth) -> bool {
        self.waits_for(truth).is_empty()
    }

    /// For what must hold in the end: what a process believes that is not so. It is asked once, when the run is over.
    fn misbelieved(&self, _truth: &Truth, _beliefs: &Beliefs) -> Vec<Pending> {
        Vec::new()
    }
}

#[cfg(test)]
pub(crate) mod stream;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod twins;
