//! In the end, every pod that can be scheduled is bound, or it is on record why not.
//!
//! # Why it matters
//!
//! Provisioning exists so that pods run. A pod that waits for a node which Karpenter believes is coming, and which never
//! does, waits for ever without a word: nobody buys it another one.
//!
//! # How it is judged
//!
//! In the calm: each pod that has not ended and is not being deleted is bound, or both the scheduler's text and
//! Karpenter's last word on it, which is then that no node could be had for it, say why. Of a pod that Karpenter leaves
//! alone, one of a DaemonSet or one that keeps off Karpenter's nodes, the scheduler's text is enough, and of one with
//! scheduling gates the gates are. Judged in runs with pods.

use super::{Invariant, Pending, Topics};
use crate::truth::{Pod, Truth};

#[derive(Default)]
pub struct PodsRun;

impl Invariant for PodsRun {
    fn follows(&self) -> Topics {
        Topics::POD
    }

    fn holds(&self, truth: &Truth) -> bool {
        truth.unsettled_pods().is_empty()
    }

    fn waits_for(&self, truth: &Truth) -> Vec<Pending> {
        truth.unsettled_pods().iter().filter_map(|uid| truth.pod(*uid)).map(describe).collect()
    }
}

fn describe(pod: &Pod) -> Pending {
    let objects = std::iter::once(pod.pod.to_string()).chain(pod.should_go_to.as_ref().map(ToString::to_string));
    let waits = match (&pod.unschedulable, &pod.should_go_to) {
        (_, Some(on)) => format!("is not bound: it should go to {on}"),
        (Some(text), None) => format!("is not bound, and Karpenter has said nothing: {text}"),
        (None, None) => "is not bound: the scheduler has not said why".into(),
    };
    Pending { text: format!("{} {waits}", pod.pod), objects: objects.collect() }
}
