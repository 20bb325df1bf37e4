//! From the stream's events to the trace's: pods, and what provisioning does for them.

use super::event::{AmountOf, Pod, PodState, TraceEvent};
use crate::event::{Amount, PodChange, PodRef, What};

/// The line of an event that only runs with pods have.
pub(super) fn of_pods(what: &What) -> TraceEvent {
    match what {
        What::Pod { pod, change } => TraceEvent::PodChanged { pod: pod.into(), change: change.into() },
        What::Pass { cluster, process, pass } => TraceEvent::ProvisioningPass {
            cluster: cluster.0,
            process: *process,
            pods: pass.pods,
            placed: pass.placed,
            claims: pass.claims,
            failed: pass.failed,
            steps: pass.steps.clone().unwrap_or_default(),
        },
        What::NodeDeletionAsked { node, by } => {
            TraceEvent::NodeDeletionAsked { node: node.to_string(), by: (*by).to_owned() }
        }
        What::NodePoolLimits { cluster, node_pool, limits } => {
            TraceEvent::NodePoolLimits { cluster: cluster.0, node_pool: node_pool.to_string(), limits: amounts(limits) }
        }
        What::ClaimCapacity { claim, capacity } => {
            TraceEvent::NodeClaimCapacity { claim: claim.into(), capacity: amounts(capacity) }
        }
        _ => unreachable!("only events of runs with pods come here"),
    }
}

fn amounts(from: &[Amount]) -> Vec<AmountOf> {
    from.iter().map(|(resource, milli)| AmountOf { resource: resource.to_string(), milli: *milli }).collect()
}

impl From<&PodRef> for Pod {
    fn from(pod: &PodRef) -> Pod {
        Pod { name: pod.name.to_string(), uid: pod.uid }
    }
}

impl From<&PodChange> for PodState {
    fn from(change: &PodChange) -> PodState {
        match change {
            PodChange::Created { kind } => PodState::Created(*kind),
            PodChange::Unschedulable { text } => PodState::Unschedulable(text.to_string()),
            PodChange::Preempts { node } => PodState::Preempts(node.to_string()),
            PodChange::Bound { node, by } => PodState::Bound { node: node.to_string(), by: (*by).to_owned() },
            PodChange::Running => PodState::Running,
            PodChange::Ready => PodState::Ready,
            PodChange::NotReady => PodState::NotReady,
            PodChange::Ended { well: true } => PodState::Succeeded,
            PodChange::Ended { well: false } => PodState::Failed,
            PodChange::Deleting { by } => PodState::Deleting((*by).to_owned()),
            PodChange::Gone => PodState::Gone,
            PodChange::ShouldScheduleOn { on } => PodState::ShouldScheduleOn(on.to_string()),
            PodChange::FailedScheduling { text } => PodState::FailedScheduling(text.to_string()),
        }
    }
}
