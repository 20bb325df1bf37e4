//! Every pod gets its Node from the scheduler, and from nobody else.
//!
//! # Why it matters
//!
//! Karpenter's simulation only says which machines should be there; where a pod runs is for kube-scheduler to decide,
//! which alone sees all that is bound at that moment. Who binds past it puts pods where there is no room, or where
//! taints and affinities forbid them, and its next decisions rest on sums that are wrong.
//!
//! # How it is judged
//!
//! When a pod gets the name of its Node: the writer is `kube-scheduler`. Static pods belong to their kubelet, and what
//! was bound before the run is taken as it is. Judged in runs with pods.

use super::{Findings, Invariant, Moment, Topics};
use crate::event::{PodChange, PodKind, What};

/// The scheduler's name as a writer.
pub(crate) const SCHEDULER: &str = "kube-scheduler";

/// Who puts there what was there before the run.
pub(crate) const START: &str = "start";

#[derive(Default)]
pub struct OnlyTheSchedulerBinds;

impl Invariant for OnlyTheSchedulerBinds {
    fn follows(&self) -> Topics {
        Topics::POD
    }

    fn on(&mut self, moment: &Moment<'_>, found: &mut Findings) {
        let What::Pod { pod, change: PodChange::Bound { node, by } } = moment.what() else {
            return;
        };
        let is_static = moment.truth.pod(pod.uid).is_some_and(|pod| pod.kind == PodKind::Static);
        if *by == SCHEDULER || *by == START || is_static {
            return;
        }
        found.breach(moment.at(), || {
            (format!("{pod} was bound to node/{node} by {by}"), vec![pod.to_string(), format!("node/{node}")])
        });
    }
}
