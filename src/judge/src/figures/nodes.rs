//! Nodes of Linodes that Karpenter manages, by instance type.

use crate::event::NodeChange;
use crate::outcome::NodeCounts;
use lkesim_linode_api::InstanceId;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Nodes {
    /// The plans of the Linodes whose nodes are there.
    there: BTreeMap<InstanceId, Arc<str>>,
    counts: NodeCounts,
}

impl Nodes {
    /// Counts what happened to the node of a Linode of this plan.
    pub fn changed(&mut self, instance: InstanceId, plan: Option<&Arc<str>>, change: NodeChange) {
        match (change, plan) {
            (NodeChange::Joined | NodeChange::Identified, Some(plan)) => {
                self.there.insert(instance, plan.clone());
                let now = self.counts.at_end.entry(plan.to_string()).or_default();
                *now += 1;
                let peak = self.counts.peak.entry(plan.to_string()).or_default();
                *peak = (*peak).max(*now);
                self.counts.total_peak = self.counts.total_peak.max(self.there.len() as u64);
            }
            (NodeChange::Gone, _) => {
                let Some(plan) = self.there.remove(&instance) else {
                    return;
                };
                let now = self.counts.at_end.entry(plan.to_string()).or_default();
                *now -= 1;
            }
            _ => {}
        }
    }

    /// The counts at the end of a run.
    pub fn finish(mut self) -> NodeCounts {
        self.counts.at_end.retain(|_, count| *count > 0);
        self.counts.total_at_end = self.there.len() as u64;
        self.counts
    }
}
