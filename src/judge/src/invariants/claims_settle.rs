//! In the end, every NodeClaim is initialized or gone.
//!
//! # Why it matters
//!
//! A NodeClaim that never becomes a ready node holds back its pods, and while one has no providerID, Karpenter
//! provisions nothing else. One that never goes keeps its finalizer, and often its Linode.
//!
//! # How it is judged
//!
//! In the calm: each NodeClaim that exists has the condition Initialized. One that is being deleted settles by going:
//! had it been initialized before, a finalizer that stays would go unseen.

use super::{Invariant, Pending, Topics, words};
use crate::event::Condition;
use crate::truth::{Claim, ClaimLife, Truth};

#[derive(Default)]
pub struct ClaimsSettle;

impl Invariant for ClaimsSettle {
    fn follows(&self) -> Topics {
        Topics::CLAIM_CREATED.and(Topics::CLAIM_DELETING).and(Topics::CLAIM_GONE).and(Topics::CONDITION)
    }

    fn holds(&self, truth: &Truth) -> bool {
        truth.unsettled().is_empty()
    }

    fn waits_for(&self, truth: &Truth) -> Vec<Pending> {
        let unsettled = truth.unsettled().iter().filter_map(|uid| truth.claim(*uid));
        unsettled.map(|claim| describe(truth, claim)).collect()
    }
}

fn describe(truth: &Truth, claim: &Claim) -> Pending {
    let held: Vec<String> = claim.holdings().map(words::linode).collect();
    let waits = if claim.life == ClaimLife::Deleting {
        let living = claim.holdings().any(|id| truth.is_live(id));
        format!("is being deleted and waits for {}", if living { "its Linode to go" } else { "its finalizer to go" })
    } else if claim.stored.is_none() {
        format!("has no providerID and waits for a Linode{}", reason(claim, Condition::Launched))
    } else if claim.condition(Condition::Registered) != Some(true) {
        format!("is launched and waits for its node to join{}", reason(claim, Condition::Registered))
    } else {
        format!("is registered and waits for its node to be ready{}", reason(claim, Condition::Initialized))
    };
    let holds = if held.is_empty() { String::new() } else { format!("; it holds {}", words::list(&held)) };
    let objects = std::iter::once(claim.to_string()).chain(held).collect();
    Pending { text: format!("{claim} {waits}{holds}"), objects }
}

fn reason(claim: &Claim, condition: Condition) -> String {
    match claim.reason(condition) {
        "" => String::new(),
        reason => format!(" ({condition:?}: {reason})"),
    }
}
