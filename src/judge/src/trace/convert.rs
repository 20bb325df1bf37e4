//! From the stream's events to the trace's.

use super::event::{
    Claim, EventLine, Failure, FailureKind, LkePoolCount, NodeState, OlderLinode, Purpose, Returned, Seen, TraceEvent,
};
use super::request::tag_list;
use crate::event::{self, CallEnding, ClaimRef, Event, NodeChange, What};
use lkesim_linode_api::{CallError, InstanceId, Operation};
use std::time::Duration;

impl From<&Event> for EventLine {
    fn from(event: &Event) -> EventLine {
        EventLine { at_ms: event.at.as_millis(), at_ns: event.at.as_nanos(), what: TraceEvent::from(&event.what) }
    }
}

impl From<&What> for TraceEvent {
    fn from(what: &What) -> TraceEvent {
        match what {
            What::ProcessStarted { cluster, start } => TraceEvent::ProcessStarted { cluster: cluster.0, start: *start },
            What::ProcessTurned { cluster, start, turn } => {
                TraceEvent::ProcessTurned { cluster: cluster.0, start: *start, turn: *turn }
            }
            What::ProcessStopped { cluster, start } => TraceEvent::ProcessStopped { cluster: cluster.0, start: *start },
            What::StartedWith { linodes, claims } => TraceEvent::StartedWith {
                linodes: linodes.iter().map(older).collect(),
                claims: claims.iter().map(Claim::from).collect(),
            },
            What::CalmBegan => TraceEvent::CalmBegan,
            What::Called { .. } | What::Answered { .. } => of_api(what),
            What::PoolCreated { .. }
            | What::PoolCountChanged { .. }
            | What::PoolTagged { .. }
            | What::PoolDeleted { .. }
            | What::InstanceCreated { .. }
            | What::InstanceBooted { .. }
            | What::InstanceTagged { .. }
            | What::InstanceDeleted { .. } => of_cloud(what),
            What::ClaimCreated { .. }
            | What::ClaimDeleting { .. }
            | What::ClaimGone { .. }
            | What::ClaimProviderId { .. }
            | What::ClaimCondition { .. }
            | What::Node { .. } => of_cluster(what),
            What::Pod { .. }
            | What::Pass { .. }
            | What::NodeDeletionAsked { .. }
            | What::NodePoolLimits { .. }
            | What::ClaimCapacity { .. } => super::pods::of_pods(what),
            What::OperationStarted { .. } | What::OperationReturned { .. } => of_operation(what),
        }
    }
}

fn of_api(what: &What) -> TraceEvent {
    match what {
        What::Called { call, sent } => TraceEvent::ApiCalled {
            call: *call,
            client: (sent.purpose.operation == Operation::Foreign).then(|| sent.purpose.subject.to_string()),
            attempt: sent.attempt,
            request: (&sent.request).into(),
            purpose: Purpose {
                caller: sent.purpose.caller.to_owned(),
                operation: sent.purpose.operation.name().to_owned(),
                run: sent.purpose.invocation,
                attempt: sent.purpose.attempt,
                subject: sent.purpose.subject.to_string(),
                cause: sent.purpose.cause.name().to_owned(),
                joined: sent.purpose.joined.runs().to_vec(),
            },
        },
        What::Answered { call, ending, .. } => match ending {
            CallEnding::Ok { seen } => TraceEvent::ApiAnswered { call: *call, seen: Some(seen.into()), failure: None },
            CallEnding::Failed { error, throttled, fault } => TraceEvent::ApiAnswered {
                call: *call,
                seen: None,
                failure: Some(failure(error, *throttled, fault.as_deref())),
            },
        },
        _ => unreachable!("only calls and answers come here"),
    }
}

fn failure(error: &CallError, throttled: bool, fault: Option<&str>) -> Failure {
    let (kind, retry_after_s, maintenance) = match error {
        CallError::Api(error) => (FailureKind::Api, error.retry_after_secs, error.maintenance),
        CallError::Timeout => (FailureKind::Timeout, None, false),
        CallError::ConnectionLost => (FailureKind::ConnectionLost, None, false),
        CallError::RetryAfter(_) => unreachable!("the client makes it of an answer; none is it"),
        CallError::Unreadable(_) => (FailureKind::Unreadable, None, false),
    };
    Failure {
        kind,
        status: error.status(),
        text: error.to_string(),
        retry_after_s,
        maintenance,
        throttled,
        fault: fault.map(str::to_owned),
    }
}

fn of_cloud(what: &What) -> TraceEvent {
    match what {
        What::PoolCreated { lke_pool, cluster, plan, count, node_pool, tags, call } => TraceEvent::LkePoolCreated {
            lke_pool: lke_pool.0,
            cluster: cluster.0,
            plan: plan.to_string(),
            count: *count,
            node_pool: node_pool.as_ref().map(|name| name.to_string()),
            tags: tag_list(tags),
            call: *call,
        },
        What::PoolCountChanged { lke_pool, from, to, call, by_count } => TraceEvent::LkePoolCountChanged {
            lke_pool: lke_pool.0,
            from: *from,
            to: *to,
            call: *call,
            by_count: *by_count,
        },
        What::PoolTagged { lke_pool, before, after, call } => TraceEvent::LkePoolTagged {
            lke_pool: lke_pool.0,
            before: tag_list(before),
            after: tag_list(after),
            call: *call,
        },
        What::PoolDeleted { lke_pool, call } => TraceEvent::LkePoolDeleted { lke_pool: lke_pool.0, call: *call },
        What::InstanceCreated { instance, label, lke_pool, node, cluster, plan, tags, call } => {
            TraceEvent::LinodeCreated {
                linode: instance.0,
                label: label.to_string(),
                lke_pool: lke_pool.map(|id| id.0),
                slot: node.map(|node| node.to_string()),
                cluster: cluster.map(|id| id.0),
                plan: plan.to_string(),
                tags: tag_list(tags),
                call: *call,
            }
        }
        What::InstanceBooted { instance } => TraceEvent::LinodeBooted { linode: instance.0 },
        What::InstanceTagged { instance, before, after, call } => TraceEvent::LinodeTagged {
            linode: instance.0,
            before: tag_list(before),
            after: tag_list(after),
            call: *call,
        },
        What::InstanceDeleted { instance, lke_pool, call } => {
            TraceEvent::LinodeDeleted { linode: instance.0, lke_pool: lke_pool.map(|id| id.0), call: *call }
        }
        _ => unreachable!("only changes of the cloud come here"),
    }
}

fn of_cluster(what: &What) -> TraceEvent {
    match what {
        What::ClaimCreated { claim, cluster, node_pool, plans } => TraceEvent::NodeClaimCreated {
            claim: claim.into(),
            cluster: cluster.0,
            node_pool: node_pool.to_string(),
            plans: plans.iter().map(|plan| plan.to_string()).collect(),
        },
        What::ClaimDeleting { claim, by } => {
            TraceEvent::NodeClaimDeleting { claim: claim.into(), by: (*by).to_owned() }
        }
        What::ClaimGone { claim } => TraceEvent::NodeClaimGone { claim: claim.into() },
        What::ClaimProviderId { claim, before, after } => {
            TraceEvent::NodeClaimProviderId { claim: claim.into(), before: number(*before), after: number(*after) }
        }
        What::ClaimCondition { claim, condition, status, reason } => TraceEvent::NodeClaimCondition {
            claim: claim.into(),
            condition: (*condition).into(),
            status: *status,
            reason: reason.to_string(),
        },
        What::Node { node, instance, change } => {
            TraceEvent::NodeChanged { node: node.to_string(), linode: number(*instance), change: node_state(*change) }
        }
        _ => unreachable!("only changes of the cluster come here"),
    }
}

fn of_operation(what: &What) -> TraceEvent {
    match what {
        What::OperationStarted { run, cluster: _, process, operation, caller, claim, instance } => {
            TraceEvent::OperationStarted {
                run: *run,
                process: *process,
                operation: operation.name().to_owned(),
                caller: (*caller).to_owned(),
                claim: claim.as_ref().map(Claim::from),
                linode: number(*instance),
            }
        }
        What::OperationReturned { run, result } => TraceEvent::OperationReturned { run: *run, result: result.into() },
        _ => unreachable!("only operations come here"),
    }
}

fn older(&(instance, age): &(InstanceId, Duration)) -> OlderLinode {
    OlderLinode { linode: instance.0, age_ms: u64::try_from(age.as_millis()).unwrap_or(u64::MAX) }
}

fn number(instance: Option<InstanceId>) -> Option<u64> {
    instance.map(|instance| instance.0)
}

fn node_state(change: NodeChange) -> NodeState {
    match change {
        NodeChange::Joined => NodeState::Joined,
        NodeChange::Ready => NodeState::Ready,
        NodeChange::NotReady => NodeState::NotReady,
        NodeChange::Deleting => NodeState::Deleting,
        NodeChange::TaintRemoved => NodeState::TaintRemoved,
        NodeChange::LabelsMissing => NodeState::LabelsMissing,
        NodeChange::LabelsForeign => NodeState::LabelsForeign,
        NodeChange::Gone => NodeState::Gone,
        NodeChange::Identified => NodeState::Identified,
        NodeChange::Disrupted => NodeState::Disrupted,
        NodeChange::Spared => NodeState::Spared,
    }
}

impl From<&ClaimRef> for Claim {
    fn from(claim: &ClaimRef) -> Claim {
        Claim { name: claim.name.to_string(), uid: claim.uid }
    }
}

impl From<&event::Seen> for Seen {
    fn from(seen: &event::Seen) -> Seen {
        let counts = seen.counts.as_ref().map(|counts| {
            let counts = counts.iter();
            counts.map(|&(lke_pool, count)| LkePoolCount { lke_pool: lke_pool.0, count }).collect()
        });
        Seen {
            pages: seen.pages,
            entries: seen.entries,
            counts,
            truncated: seen.truncated,
            fault: seen.fault.as_deref().map(str::to_owned),
        }
    }
}

impl From<&event::Returned> for Returned {
    fn from(returned: &event::Returned) -> Returned {
        match returned {
            event::Returned::Instance(instance) => Returned::Linode(instance.0),
            event::Returned::Instances(instances) => {
                Returned::Linodes(instances.iter().map(|instance| instance.0).collect())
            }
            event::Returned::Done => Returned::Done,
            event::Returned::NotFound(text) => Returned::NotFound(text.clone()),
            event::Returned::InsufficientCapacity(text) => Returned::InsufficientCapacity(text.clone()),
            event::Returned::Failed(text) => Returned::Failed(text.clone()),
            event::Returned::Dropped => Returned::Dropped,
        }
    }
}
