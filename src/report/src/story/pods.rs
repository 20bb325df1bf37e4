//! Pods in words: what befell them, and how passes of provisioning tried them.

use crate::units::count;
use lkesim_judge::event::{PodKind, Step};
use lkesim_judge::trace::{AmountOf, PodState, Trace, TraceEvent};
use std::collections::BTreeSet;

/// So many instance types are named one by one.
const TYPES: usize = 8;

/// The names of the trace's pods, in order of creation.
pub fn pods(trace: &Trace) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let made = trace.events.iter().filter_map(|event| match &event.what {
        TraceEvent::PodChanged { pod, change: PodState::Created(_) } => Some(pod.name.as_str()),
        _ => None,
    });
    made.filter(|name| seen.insert(*name)).collect()
}

/// An event that only runs with pods have, in a line.
pub(super) fn words(what: &TraceEvent) -> String {
    match what {
        TraceEvent::PodChanged { pod, change } => format!("pod/{} {}", pod.name, state(change)),
        TraceEvent::ProvisioningPass { pods, placed, claims, failed, .. } => {
            let mut parts = Vec::new();
            if *placed > 0 {
                parts.push(format!("{placed} on what there is"));
            }
            if *claims > 0 {
                parts.push(format!("{} to be made", count((*claims).into(), "NodeClaim")));
            }
            if *failed > 0 {
                parts.push(format!("{failed} without room"));
            }
            let came_to = if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") };
            format!("provisioning: a pass over {}: {came_to}", count((*pods).into(), "pod"))
        }
        TraceEvent::NodeDeletionAsked { node, by } => format!("node/{node} is being deleted, by {by}"),
        TraceEvent::NodePoolLimits { node_pool, limits, .. } if limits.is_empty() => {
            format!("nodepool/{node_pool} has no limits")
        }
        TraceEvent::NodePoolLimits { node_pool, limits, .. } => {
            format!("nodepool/{node_pool} may have {}", amounts(limits))
        }
        TraceEvent::NodeClaimCapacity { claim, capacity } => {
            format!("nodeclaim/{} has {}", claim.name, amounts(capacity))
        }
        _ => String::new(),
    }
}

fn state(change: &PodState) -> String {
    match change {
        PodState::Created(kind) => match kind {
            PodKind::Usual => "made".into(),
            PodKind::DaemonSet => "made by a DaemonSet".into(),
            PodKind::Static => "made by its kubelet".into(),
            PodKind::NotOnKarpenter => "made; it keeps off Karpenter's nodes".into(),
            PodKind::Gated => "made, with scheduling gates".into(),
        },
        PodState::Unschedulable(text) => format!("is Unschedulable: {text}"),
        PodState::Preempts(node) => format!("takes the place of others on node/{node}"),
        PodState::Bound { node, by } => format!("is bound to node/{node}, by {by}"),
        PodState::Running => "runs".into(),
        PodState::Ready => "is ready".into(),
        PodState::NotReady => "is not ready".into(),
        PodState::Succeeded => "ended well".into(),
        PodState::Failed => "failed".into(),
        PodState::Deleting(by) => format!("is being deleted, by {by}"),
        PodState::Gone => "is gone".into(),
        PodState::ShouldScheduleOn(on) => format!("(Nominated): Pod should schedule on: {on}"),
        PodState::FailedScheduling(text) => format!("(FailedScheduling): {text}"),
    }
}

fn amounts(all: &[AmountOf]) -> String {
    let one = |of: &AmountOf| match of.milli % 1_000 {
        0 => format!("{} {}", of.milli / 1_000, of.resource),
        _ => format!("{}m {}", of.milli, of.resource),
    };
    all.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// How a pass tried a pod, a line each: what refused it, what it gave up, what took it.
pub(super) fn step(step: &Step) -> Vec<String> {
    let mut lines = Vec::new();
    for what in &step.gave_up {
        lines.push(format!("pod/{} gives up: {what}", step.pod));
    }
    for refused in &step.refused {
        lines.push(format!("pod/{} is refused by {}: {}", step.pod, refused.bin, refused.why));
    }
    let Some(placed) = &step.placed else {
        lines.push(format!("pod/{} fits nowhere", step.pod));
        return lines;
    };
    let mut text = match &step.opened {
        Some(node_pool) => format!("pod/{} opens {placed}, of nodepool/{node_pool}", step.pod),
        None => format!("pod/{} joins {placed}", step.pod),
    };
    if !step.requirements_added.is_empty() {
        text.push_str(&format!("; requirements added: {}", step.requirements_added.join(", ")));
    }
    if !step.types_left.is_empty() {
        text.push_str(&format!("; {}", types(&step.types_left)));
    }
    lines.push(text);
    lines
}

fn types(left: &[String]) -> String {
    let named = left.iter().take(TYPES).cloned().collect::<Vec<_>>().join(", ");
    let more = left.len().saturating_sub(TYPES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{} left: {named}{more}", count(left.len() as u64, "type"))
}

/// The NodeClaims and Nodes that have to do with the pods of one name.
#[derive(Clone, Debug, Default)]
pub struct PodCast {
    name: String,
    claims: BTreeSet<String>,
    nodes: BTreeSet<String>,
    linodes: BTreeSet<u64>,
}

impl PodCast {
    /// The cast of the pods with this name.
    pub fn of(trace: &Trace, name: &str) -> PodCast {
        let mut cast = PodCast { name: name.to_owned(), ..PodCast::default() };
        for _ in 0..2 {
            trace.events.iter().for_each(|event| cast.gather(&event.what));
        }
        cast
    }

    fn gather(&mut self, what: &TraceEvent) {
        match what {
            TraceEvent::PodChanged { pod, change } if pod.name == self.name => match change {
                PodState::Bound { node, .. } | PodState::Preempts(node) => {
                    self.nodes.insert(node.clone());
                }
                PodState::ShouldScheduleOn(on) => {
                    let (kind, object) = on.split_once('/').unwrap_or_default();
                    let all = if kind == "nodeclaim" { &mut self.claims } else { &mut self.nodes };
                    all.insert(object.to_owned());
                }
                _ => {}
            },
            TraceEvent::NodeClaimProviderId { claim, after: Some(linode), .. } if self.has_claim(&claim.name) => {
                self.linodes.insert(*linode);
            }
            _ => {}
        }
    }

    /// Karpenter's own words name no cluster.
    fn has_claim(&self, name: &str) -> bool {
        self.claims.contains(name.rsplit('/').next().unwrap_or_default())
    }

    /// Whether an event belongs to the story.
    pub fn has(&self, what: &TraceEvent) -> bool {
        match what {
            TraceEvent::ProcessStarted { .. }
            | TraceEvent::ProcessStopped { .. }
            | TraceEvent::ProcessTurned { .. }
            | TraceEvent::CalmBegan => true,
            TraceEvent::PodChanged { pod, .. } => pod.name == self.name,
            TraceEvent::ProvisioningPass { steps, .. } => steps.iter().any(|step| self.is_own(step)),
            TraceEvent::NodeClaimCreated { claim, .. }
            | TraceEvent::NodeClaimDeleting { claim, .. }
            | TraceEvent::NodeClaimGone { claim }
            | TraceEvent::NodeClaimProviderId { claim, .. }
            | TraceEvent::NodeClaimCondition { claim, .. } => self.has_claim(&claim.name),
            TraceEvent::LinodeCreated { linode, .. }
            | TraceEvent::LinodeBooted { linode }
            | TraceEvent::LinodeDeleted { linode, .. } => self.linodes.contains(linode),
            TraceEvent::NodeChanged { node, linode, .. } => {
                self.nodes.contains(node) || linode.is_some_and(|linode| self.linodes.contains(&linode))
            }
            TraceEvent::NodeDeletionAsked { node, .. } => self.nodes.contains(node),
            _ => false,
        }
    }

    /// Whether the step is about it.
    pub fn is_own(&self, step: &Step) -> bool {
        step.pod == self.name
    }
}
