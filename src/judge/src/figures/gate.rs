//! The sync gate: for how long Karpenter could neither provision nor disrupt.
//!
//! Its cluster state counts as synced only while each NodeClaim that it knows has a providerID (core v1.9.0
//! `state/cluster.go:113`).

use super::hard_case::{HardCase, HardCases};
use crate::event::What;
use lkesim_linode_api::ClusterId;
use lkesim_runtime::Time;
use std::collections::BTreeMap;
use std::time::Duration;

/// Shut for so long, it is a hard case.
const LONG: Duration = Duration::from_secs(60);

/// One cluster's gate.
#[derive(Clone, Copy, Debug, Default)]
struct Gate {
    /// NodeClaims that exist without a providerID.
    unlaunched: u32,
    since: Time,
}

/// The gates of all clusters.
#[derive(Clone, Debug, Default)]
pub(super) struct Gates {
    clusters: BTreeMap<ClusterId, Gate>,
    /// The NodeClaims without a providerID, and their clusters.
    unlaunched: BTreeMap<u64, ClusterId>,
    shut: Duration,
}

impl Gates {
    /// Follows an event.
    pub fn apply(&mut self, at: Time, what: &What, cases: &mut HardCases) {
        match what {
            What::ClaimCreated { claim, cluster, .. } => self.shut(at, claim.uid, *cluster),
            What::ClaimProviderId { claim, after: Some(_), .. } | What::ClaimGone { claim } => {
                self.launched(at, claim.uid, cases);
            }
            _ => {}
        }
    }

    /// For how long the gates were shut, one cluster's time added to another's, in a run that ends at `at`.
    pub fn finish(mut self, at: Time, cases: &mut HardCases) -> Duration {
        let left: Vec<u64> = self.unlaunched.keys().copied().collect();
        left.into_iter().for_each(|uid| self.launched(at, uid, cases));
        self.shut
    }

    fn shut(&mut self, at: Time, uid: u64, cluster: ClusterId) {
        self.unlaunched.insert(uid, cluster);
        let gate = self.clusters.entry(cluster).or_default();
        if gate.unlaunched == 0 {
            gate.since = at;
        }
        gate.unlaunched += 1;
    }

    fn launched(&mut self, at: Time, uid: u64, cases: &mut HardCases) {
        let cluster = self.unlaunched.remove(&uid);
        let Some(gate) = cluster.and_then(|cluster| self.clusters.get_mut(&cluster)) else {
            return;
        };
        gate.unlaunched -= 1;
        if gate.unlaunched == 0 {
            let length = at.since(gate.since);
            self.shut += length;
            if length >= LONG {
                cases.hit(HardCase::GateShut);
            }
        }
    }
}

#[cfg(test)]
mod tests;
