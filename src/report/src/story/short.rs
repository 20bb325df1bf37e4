//! How a breach came about, in a few lines: the events that lead to it, and the two that decide.
//!
//! Of the objects that the breach names, told is what changed something or went wrong: reads that were answered as
//! usual decide nothing by themselves. Operations on a Linode that it names are told too where they have no NodeClaim,
//! such as those of garbage collection: they may be what broke it. Where that is still too much, the beginning and the end are kept.

use super::{Cast, event_words};
use crate::style::harmless;
use crate::units::clock;
use lkesim_judge::trace::{EventLine, Trace, TraceEvent};
use std::collections::BTreeSet;

/// So many events of the beginning are kept where there are too many.
const BEGINNING: usize = 4;

/// The lines about a breach of these objects at this time, of which at most `most` are events.
pub fn short(trace: &Trace, objects: &[String], at_ms: u64, most: usize) -> Vec<String> {
    let nobodys = Nobodys::of(trace, &ids(objects, "linode/"), at_ms);
    let told: Vec<&EventLine> = told(trace, objects, at_ms, &nobodys);
    let mut lines = Vec::new();
    let skipped = told.len().saturating_sub(most.max(BEGINNING + 1));
    for (place, event) in told.iter().enumerate() {
        match place {
            place if skipped > 0 && place == BEGINNING => lines.push(format!("            … {} more …", skipped + 1)),
            place if skipped > 0 && (BEGINNING..=BEGINNING + skipped).contains(&place) => {}
            _ => lines.push(line(event)),
        }
    }
    if let Some((broke, before)) = told.split_last()
        && let Some(decides) =
            before.iter().rev().find(|event| is_change(&event.what) || nobodys.was_refused(&event.what))
    {
        lines.push(String::new());
        lines.push(format!("It is decided by {}", line(decides).trim_start()));
        lines.push(format!("and then by      {}", line(broke).trim_start()));
    }
    lines
}

fn line(event: &EventLine) -> String {
    format!("{:>10}  {}", clock(event.at_ms), harmless(&event_words(&event.what)))
}

/// What leads to the breach.
fn told<'a>(trace: &'a Trace, objects: &[String], at_ms: u64, nobodys: &Nobodys) -> Vec<&'a EventLine> {
    let claims = objects.iter().filter_map(|object| object.strip_prefix("nodeclaim/"));
    let casts: Vec<Cast> = claims.map(|name| Cast::of(trace, name)).collect();
    let (linodes, lke_pools) = (ids(objects, "linode/"), ids(objects, "lke_pool/"));
    let writes = writes(trace);
    let is_told = |event: &&EventLine| {
        let is_involved = casts.iter().any(|cast| cast.has(&event.what))
            || is_about(&event.what, &linodes, &lke_pools)
            || nobodys.has(&event.what);
        event.at_ms <= at_ms && is_involved && (matters(&event.what, &writes) || nobodys.begins(&event.what))
    };
    trace.events.iter().filter(is_told).collect()
}

/// The ids of the objects of a kind.
fn ids(objects: &[String], kind: &str) -> BTreeSet<u64> {
    objects.iter().filter_map(|object| object.strip_prefix(kind)?.parse().ok()).collect()
}

/// Operations on the Linodes that a breach names that are for no NodeClaim: deletions, and whatever returned when it
/// broke.
#[derive(Default)]
struct Nobodys {
    runs: BTreeSet<u64>,
    calls: BTreeSet<u64>,
}

impl Nobodys {
    fn of(trace: &Trace, linodes: &BTreeSet<u64>, at_ms: u64) -> Nobodys {
        let (mut of_linodes, mut nobodys) = (BTreeSet::new(), Nobodys::default());
        for event in &trace.events {
            match &event.what {
                TraceEvent::OperationStarted { run, operation, claim: None, linode: Some(linode), .. }
                    if linodes.contains(linode) =>
                {
                    of_linodes.insert(*run);
                    if operation == "Delete" {
                        nobodys.runs.insert(*run);
                    }
                }
                TraceEvent::OperationReturned { run, .. } if event.at_ms == at_ms && of_linodes.contains(run) => {
                    nobodys.runs.insert(*run);
                }
                _ => {}
            }
        }
        for event in &trace.events {
            if let TraceEvent::ApiCalled { call, purpose, .. } = &event.what
                && nobodys.runs.contains(&purpose.run)
            {
                nobodys.calls.insert(*call);
            }
        }
        nobodys
    }

    fn has(&self, what: &TraceEvent) -> bool {
        match what {
            TraceEvent::OperationStarted { run, .. } | TraceEvent::OperationReturned { run, .. } => {
                self.runs.contains(run)
            }
            TraceEvent::ApiCalled { call, .. } | TraceEvent::ApiAnswered { call, .. } => self.calls.contains(call),
            _ => false,
        }
    }

    /// What an operation made of a call that failed is what it decided by.
    fn was_refused(&self, what: &TraceEvent) -> bool {
        matches!(what, TraceEvent::ApiAnswered { failure: Some(_), .. }) && self.has(what)
    }

    fn begins(&self, what: &TraceEvent) -> bool {
        matches!(what, TraceEvent::OperationStarted { .. }) && self.has(what)
    }
}

/// Calls that may change something.
fn writes(trace: &Trace) -> BTreeSet<u64> {
    let write = |event: &EventLine| match &event.what {
        TraceEvent::ApiCalled { call, request, .. } if !request.line.starts_with("GET") => Some(*call),
        _ => None,
    };
    trace.events.iter().filter_map(write).collect()
}

fn matters(what: &TraceEvent, writes: &BTreeSet<u64>) -> bool {
    match what {
        TraceEvent::ApiCalled { call, .. } => writes.contains(call),
        TraceEvent::ApiAnswered { failure, .. } => failure.is_some(),
        TraceEvent::OperationStarted { operation, .. } => ["Create", "Delete"].contains(&operation.as_str()),
        TraceEvent::StartedWith { .. }
        | TraceEvent::NodeClaimCondition { .. }
        | TraceEvent::NodeChanged { .. }
        | TraceEvent::LinodeBooted { .. }
        | TraceEvent::NodeClaimCapacity { .. } => false,
        TraceEvent::ProcessStarted { start, .. } => *start > 1,
        _ => true,
    }
}

fn is_about(what: &TraceEvent, linodes: &BTreeSet<u64>, lke_pools: &BTreeSet<u64>) -> bool {
    match what {
        TraceEvent::LinodeCreated { linode, .. }
        | TraceEvent::LinodeTagged { linode, .. }
        | TraceEvent::LinodeDeleted { linode, .. } => linodes.contains(linode),
        TraceEvent::LkePoolCreated { lke_pool, .. }
        | TraceEvent::LkePoolCountChanged { lke_pool, .. }
        | TraceEvent::LkePoolTagged { lke_pool, .. }
        | TraceEvent::LkePoolDeleted { lke_pool, .. } => lke_pools.contains(lke_pool),
        _ => false,
    }
}

fn is_change(what: &TraceEvent) -> bool {
    matches!(
        what,
        TraceEvent::LinodeCreated { .. }
            | TraceEvent::LinodeTagged { .. }
            | TraceEvent::LinodeDeleted { .. }
            | TraceEvent::LkePoolCreated { .. }
            | TraceEvent::LkePoolCountChanged { .. }
            | TraceEvent::LkePoolTagged { .. }
            | TraceEvent::LkePoolDeleted { .. }
            | TraceEvent::NodeClaimDeleting { .. }
            | TraceEvent::ProcessStopped { .. }
    )
}
