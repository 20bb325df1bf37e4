//! Each event in words.

use crate::units::{count, exact};
use lkesim_judge::event::Turn;
use lkesim_judge::trace::{Claim, NodeState, Purpose, Request, Returned, TraceEvent};
use serde_json::Value;

/// The event in a line, without its time.
pub fn event_words(what: &TraceEvent) -> String {
    match what {
        TraceEvent::ProcessStarted { cluster, start } => format!("{} started", process(*cluster, *start)),
        TraceEvent::ProcessStopped { cluster, start } => format!("{} died", process(*cluster, *start)),
        TraceEvent::ProcessTurned { cluster, start, turn } => {
            let turn = match turn {
                Turn::Leads => "took the lease and leads".to_owned(),
                Turn::ToldToStop => "is told to stop".to_owned(),
                Turn::LostLease => "lost the lease and works on".to_owned(),
                Turn::Paused => "stands still".to_owned(),
                Turn::WokeUp => "wakes and works on".to_owned(),
                Turn::ClockSet { ahead_ms: 0 } => "has its clock set right".to_owned(),
                Turn::ClockSet { ahead_ms } => {
                    let side = if *ahead_ms > 0 { "ahead" } else { "behind" };
                    format!("has its clock set {} {side}", exact(ahead_ms.unsigned_abs()))
                }
            };
            format!("{} {turn}", process(*cluster, *start))
        }
        TraceEvent::StartedWith { linodes, claims } => {
            format!("the run began with {} Linodes and {} launched NodeClaims", linodes.len(), claims.len())
        }
        TraceEvent::CalmBegan => "the calm began".to_owned(),
        TraceEvent::ApiCalled { call, attempt, request, purpose, .. } => called(*call, *attempt, request, purpose),
        TraceEvent::ApiAnswered { call, failure, .. } => match failure {
            None => format!("call {call} succeeded"),
            Some(failure) => format!("call {call} failed: {}", failure.text),
        },
        TraceEvent::LkePoolCreated { .. }
        | TraceEvent::LkePoolCountChanged { .. }
        | TraceEvent::LkePoolTagged { .. }
        | TraceEvent::LkePoolDeleted { .. } => lke_pool(what),
        TraceEvent::LinodeCreated { .. }
        | TraceEvent::LinodeBooted { .. }
        | TraceEvent::LinodeTagged { .. }
        | TraceEvent::LinodeDeleted { .. } => linode(what),
        TraceEvent::NodeClaimCreated { .. }
        | TraceEvent::NodeClaimDeleting { .. }
        | TraceEvent::NodeClaimGone { .. }
        | TraceEvent::NodeClaimProviderId { .. }
        | TraceEvent::NodeClaimCondition { .. } => node_claim(what),
        TraceEvent::NodeChanged { node, linode, change } => {
            let on = linode.map_or(String::new(), |linode| format!(" (linode/{linode})"));
            let what = match change {
                NodeState::Disrupted => "is tainted: disruption takes it away".to_owned(),
                NodeState::Spared => "has lost its taint: disruption leaves it".to_owned(),
                _ => word(change),
            };
            format!("node/{node}{on} {what}")
        }
        TraceEvent::PodChanged { .. }
        | TraceEvent::ProvisioningPass { .. }
        | TraceEvent::NodeDeletionAsked { .. }
        | TraceEvent::NodePoolLimits { .. }
        | TraceEvent::NodeClaimCapacity { .. } => super::pods::words(what),
        TraceEvent::OperationStarted { run, operation, caller, claim, linode, .. } => {
            let claim = claim.as_ref().map(object);
            let linode = linode.map(|linode| format!("linode/{linode}"));
            let about: Vec<String> = claim.into_iter().chain(linode).collect();
            let about = if about.is_empty() { String::new() } else { format!(" of {}", about.join(" and ")) };
            format!("{operation} #{run}{about} began, by {caller}")
        }
        TraceEvent::OperationReturned { run, result } => {
            format!("#{run} returned {}", returned(result))
        }
    }
}

/// A process of Karpenter; the first one of a cluster needs no number.
fn process(cluster: u64, start: u32) -> String {
    match start {
        1 => format!("Karpenter of cluster {cluster}"),
        _ => format!("Karpenter of cluster {cluster}, its process {start},"),
    }
}

fn object(claim: &Claim) -> String {
    format!("nodeclaim/{}", claim.name)
}

/// The snake_case word that a plain enum is written as.
fn word(value: &impl serde::Serialize) -> String {
    let text = serde_json::to_value(value).ok();
    let text = text.as_ref().and_then(|value| value.as_str()).unwrap_or("changed");
    text.replace('_', " ")
}

fn called(call: u64, attempt: u32, request: &Request, purpose: &Purpose) -> String {
    let again = match attempt {
        0 => String::new(),
        _ => format!(", the SDK's retry {attempt}"),
    };
    let looped = match purpose.attempt {
        0 | 1 => String::new(),
        n => format!(", attempt {n}"),
    };
    let run = match purpose.run {
        0 => String::new(),
        run => format!(" #{run}"),
    };
    let of = match purpose.subject.is_empty() {
        true => String::new(),
        false => format!(" of {}", purpose.subject),
    };
    let (cause, operation) = (&purpose.cause, &purpose.operation);
    format!("[{call}] {} ({cause}, {operation}{run}{of}{looped}{again})", request_words(request))
}

/// A request as a log shows it: its line, filter and body.
pub fn request_words(request: &Request) -> String {
    let mut text = request.line.replace("?page=1&page_size=100", "");
    if let Some(filter) = &request.filter {
        text.push_str(&format!(" where {}", filter_words(filter)));
    }
    if let Some(body) = &request.body {
        text.push_str(&format!(" {body}"));
    }
    text
}

/// A filter as a condition: `tags=a`, `tags~b` for "contains", joined by `and` and `or`. One of another shape stays
/// as sent.
fn filter_words(header: &str) -> String {
    let read: Option<Value> = serde_json::from_str(header).ok();
    read.and_then(|filter| condition(&filter)).unwrap_or_else(|| header.to_owned())
}

fn condition(filter: &Value) -> Option<String> {
    let members = filter.as_object()?.iter();
    let parts: Option<Vec<String>> = members
        .map(|(key, value)| match (key.as_str(), value) {
            ("+and", Value::Array(items)) => joined(items, " and "),
            ("+or", Value::Array(items)) => joined(items, " or ").map(|text| format!("({text})")),
            (field, Value::Object(tests)) => {
                let tests = tests.iter().map(|(operator, value)| match operator.as_str() {
                    "+contains" => format!("{field}~{}", plain(value)),
                    operator => format!("{field} {operator} {}", plain(value)),
                });
                Some(tests.collect::<Vec<_>>().join(" and "))
            }
            (_, Value::Array(_)) => None,
            (field, value) => Some(format!("{field}={}", plain(value))),
        })
        .collect();
    Some(parts?.join(" and "))
}

fn joined(items: &[Value], word: &str) -> Option<String> {
    let parts: Option<Vec<String>> = items.iter().map(condition).collect();
    Some(parts?.join(word))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Which request did it.
fn by(call: &Option<u64>) -> String {
    call.map_or(String::new(), |call| format!(", by call {call}"))
}

fn lke_pool(what: &TraceEvent) -> String {
    match what {
        TraceEvent::LkePoolCreated { lke_pool, plan, count: n, node_pool, call, .. } => {
            let managed = match node_pool {
                Some(node_pool) => format!(" of NodePool {node_pool}"),
                None => " (unmanaged)".to_owned(),
            };
            format!("LKE pool {lke_pool}{managed} made: {} of {plan}{}", count((*n).into(), "node"), by(call))
        }
        TraceEvent::LkePoolCountChanged { lke_pool, from, to, call, by_count } => {
            let how = if *by_count { "" } else { ", as a node was deleted" };
            format!("LKE pool {lke_pool}: count {from} → {to}{how}{}", by(call))
        }
        TraceEvent::LkePoolTagged { lke_pool, before, after, call } => {
            format!("LKE pool {lke_pool}: tags {}{}", tag_changes(before, after), by(call))
        }
        TraceEvent::LkePoolDeleted { lke_pool, call } => {
            format!("LKE pool {lke_pool} deleted{}", by(call))
        }
        _ => String::new(),
    }
}

fn linode(what: &TraceEvent) -> String {
    match what {
        TraceEvent::LinodeCreated { linode, label, lke_pool, plan, call, .. } => {
            let place = lke_pool.map_or(String::new(), |lke_pool| format!(", in LKE pool {lke_pool}"));
            format!("linode/{linode} made: {label}, {plan}{place}{}", by(call))
        }
        TraceEvent::LinodeBooted { linode } => format!("linode/{linode} is up"),
        TraceEvent::LinodeTagged { linode, before, after, call } => {
            let by = call.map_or(", from its LKE pool".to_owned(), |call| format!(", by call {call}"));
            format!("linode/{linode}: tags {}{by}", tag_changes(before, after))
        }
        TraceEvent::LinodeDeleted { linode, call, .. } => {
            format!("linode/{linode} is gone{}", by(call))
        }
        _ => String::new(),
    }
}

/// What was added and removed.
fn tag_changes(before: &[String], after: &[String]) -> String {
    let added = after.iter().filter(|tag| !before.contains(tag)).map(|tag| format!("+{tag}"));
    let removed = before.iter().filter(|tag| !after.contains(tag)).map(|tag| format!("-{tag}"));
    let changes: Vec<String> = added.chain(removed).collect();
    if changes.is_empty() { "written anew".to_owned() } else { changes.join(" ") }
}

fn node_claim(what: &TraceEvent) -> String {
    match what {
        TraceEvent::NodeClaimCreated { claim, node_pool, plans, .. } => {
            let plans = if plans.is_empty() { "any type".to_owned() } else { plans.join(" or ") };
            format!("{} made in NodePool {node_pool}, for {plans}", object(claim))
        }
        TraceEvent::NodeClaimDeleting { claim, by } => {
            format!("{} is being deleted, by {by}", object(claim))
        }
        TraceEvent::NodeClaimGone { claim } => format!("{} is gone", object(claim)),
        TraceEvent::NodeClaimProviderId { claim, after: Some(linode), .. } => {
            format!("{} has providerID linode://{linode}", object(claim))
        }
        TraceEvent::NodeClaimProviderId { claim, after: None, .. } => format!("{} lost its providerID", object(claim)),
        TraceEvent::NodeClaimCondition { claim, condition, status, reason } => {
            let status = match status {
                Some(true) => "True",
                Some(false) => "False",
                None => "Unknown",
            };
            let reason = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
            format!("{}: {condition:?} is {status}{reason}", object(claim))
        }
        _ => String::new(),
    }
}

fn returned(result: &Returned) -> String {
    match result {
        Returned::Linode(linode) => format!("linode/{linode}"),
        Returned::Linodes(linodes) => count(linodes.len() as u64, "Linode"),
        Returned::Done => "success".to_owned(),
        Returned::NotFound(text) => format!("not found: {text}"),
        Returned::InsufficientCapacity(text) => format!("insufficient capacity: {text}"),
        Returned::Failed(text) => format!("an error: {text}"),
        Returned::Dropped => "nothing: the process died first".to_owned(),
    }
}
