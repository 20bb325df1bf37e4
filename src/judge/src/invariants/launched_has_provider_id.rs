//! Launched means a providerID, which never changes after.
//!
//! # Why it matters
//!
//! Karpenter never calls Create again for a NodeClaim that is launched. Without a providerID its Linode is lost to it,
//! and with another one the first Linode is.
//!
//! # How it is judged
//!
//! When the condition Launched becomes true while no providerID is stored; and when the stored providerID of a
//! NodeClaim that was once launched changes. A write that stores both stores the providerID first.

use super::{Findings, Invariant, Moment, Topics, words};
use crate::event::{ClaimRef, Condition, What};
use std::collections::BTreeSet;

#[derive(Default)]
pub struct LaunchedHasProviderId {
    launched: BTreeSet<u64>,
}

impl Invariant for LaunchedHasProviderId {
    fn follows(&self) -> Topics {
        Topics::CONDITION.and(Topics::PROVIDER_ID)
    }

    fn on(&mut self, moment: &Moment<'_>, found: &mut Findings) {
        match moment.what() {
            What::ClaimCondition { claim, condition: Condition::Launched, status: Some(true), .. } => {
                self.launched(moment, claim, found);
            }
            What::ClaimProviderId { claim, before: Some(before), after } if *after != Some(*before) => {
                if !self.launched.contains(&claim.uid) {
                    return;
                }
                found.breach(moment.at(), || {
                    let after = after.map_or("nothing".into(), words::linode);
                    let text = format!(
                        "{claim} was launched with {} and its providerID became {after}",
                        words::linode(*before)
                    );
                    (text, vec![claim.to_string(), words::linode(*before)])
                });
            }
            _ => {}
        }
    }
}

impl LaunchedHasProviderId {
    fn launched(&mut self, moment: &Moment<'_>, claim: &ClaimRef, found: &mut Findings) {
        let first = self.launched.insert(claim.uid);
        let stored = moment.truth.claim(claim.uid).and_then(|claim| claim.stored);
        if first && stored.is_none() {
            found
                .breach(moment.at(), || (format!("{claim} is launched without a providerID"), vec![claim.to_string()]));
        }
    }
}
