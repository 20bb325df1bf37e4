//! Draining: pods are evicted off a node that goes, in four groups, each once the one before is gone.
//!
//! Core v1.9.0 `node/termination/terminator/terminator.go`. First pods that are neither critical nor of a DaemonSet, then
//! those of DaemonSets, then critical ones, then critical ones of DaemonSets. Pods that tolerate the taint of the node stay;
//! so do static pods, and pods that have been ending for a minute longer than their grace are not waited for. Where the
//! NodeClaim has a time by which it must be gone, pods are deleted early enough to have all of their grace before it.

mod eviction;

pub use eviction::NAME as EVICTION_QUEUE;

use crate::Context;
use crate::context::ignore_not_found;
use crate::provisioning::InformerPods;
use eviction::EvictionQueue;
use lkesim_kube::controller::ReconcileError;
use lkesim_kube::object::{Node, NodeClaim, ObjectMeta, Pod, PodOwner, Taint, TaintEffect, labels};
use lkesim_kube::store::DeleteOptions;
use lkesim_runtime::Time;
use std::rc::Rc;
use std::time::Duration;

/// From here on a priority is that of a pod that the cluster needs (`scheduling.SystemCriticalPriority`).
const CRITICAL: i32 = 2_000_000_000;

/// How long a pod may end beyond its grace.
const STUCK: Duration = Duration::from_secs(60);

/// Drains nodes.
pub struct Drain {
    context: Context,
    pods: Rc<InformerPods>,
    evictions: Rc<EvictionQueue>,
}

impl Drain {
    /// Starts the eviction queue of one process.
    pub fn start(context: &Context, pods: Rc<InformerPods>) -> Drain {
        Drain { context: context.clone(), evictions: EvictionQueue::start(context, pods.clone()), pods }
    }

    /// Goes on with it. Whether the node is drained.
    pub async fn drain(&self, node: &Node, node_claim: Option<&NodeClaim>) -> Result<bool, ReconcileError> {
        let now = self.context.runtime.wall_clock();
        let ends = node_claim.and_then(termination_time);
        let pods: Vec<Rc<Pod>> =
            self.pods.all_on_node(node.name()).into_iter().filter(|pod| is_waiting_for_eviction(pod, now)).collect();
        if let Some(ends) = ends {
            self.delete_expiring(&pods, ends, now).await?;
        }
        let group = pods.iter().map(|pod| group(pod)).min();
        let Some(first) = group else { return Ok(true) };
        let of_group = pods.iter().filter(|pod| group_is(pod, first) && is_evictable(pod));
        of_group.for_each(|pod| self.evictions.add(pod));
        Ok(false)
    }

    /// Deletes pods of which the grace would last beyond the node's end.
    async fn delete_expiring(&self, pods: &[Rc<Pod>], ends: Time, now: Time) -> Result<(), ReconcileError> {
        for pod in pods {
            let outlives = pod.metadata.deletion_timestamp.is_some_and(|gone| gone > ends);
            let is_late = now + pod.grace() > ends;
            if (pod.is_terminating() && !outlives) || !is_late {
                continue;
            }
            let grace = Duration::from_secs(ends.since(now).as_secs());
            let options = DeleteOptions { grace: Some(grace), uid: None };
            ignore_not_found(self.context.client.delete_with(&**pod, options).await)?;
        }
        Ok(())
    }
}

/// When the claim's node must be gone, if it says so.
pub fn termination_time(node_claim: &NodeClaim) -> Option<Time> {
    let seconds = node_claim.metadata.annotations.get(labels::TERMINATION_TIMESTAMP)?;
    seconds.parse().ok().map(Time::from_secs)
}

/// The text of the annotation for a claim whose deletion was asked for then: whole seconds, as upstream's.
pub fn termination_timestamp(deleted: Time, grace: Duration) -> String {
    ObjectMeta::whole_second(deleted + grace).as_secs().to_string()
}

fn group_is(pod: &Pod, first: u8) -> bool {
    group(pod) == first
}

/// The lower, the sooner.
fn group(pod: &Pod) -> u8 {
    u8::from(pod.spec.priority >= CRITICAL) * 2 + u8::from(pod.owner == PodOwner::DaemonSet)
}

/// Whether Karpenter evicts the pod by itself (core v1.9.0 `pkg/utils/pod/scheduling.go` IsEvictable).
pub fn is_evictable(pod: &Pod) -> bool {
    pod.is_active() && !tolerates_disruption(pod) && pod.owner != PodOwner::Node && !pod.has_do_not_disrupt()
}

/// Whether the node's end waits for the pod (IsWaitingEviction). One that is not to be disturbed is waited for too, until
/// somebody else ends it.
pub fn is_waiting_for_eviction(pod: &Pod, now: Time) -> bool {
    let is_stuck = pod.metadata.deletion_timestamp.is_some_and(|gone| now.since(gone) > STUCK);
    !pod.is_terminal() && !tolerates_disruption(pod) && !is_stuck && pod.owner != PodOwner::Node
}

fn tolerates_disruption(pod: &Pod) -> bool {
    let taint = Taint::new(labels::DISRUPTED_TAINT, TaintEffect::NoSchedule);
    pod.spec.tolerations.iter().any(|one| one.tolerates(&taint))
}

#[cfg(test)]
mod tests;
