//! Who plays in the story of a NodeClaim.

use lkesim_judge::trace::{PodState, Returned, Trace, TraceEvent};
use std::collections::BTreeSet;

/// The operations, calls and Linodes that have to do with the NodeClaims of one name.
#[derive(Clone, Debug, Default)]
pub struct Cast {
    name: String,
    /// Runs of operations for it, or about its Linodes.
    pub runs: BTreeSet<u64>,
    /// Calls of these, calls that are about it by name, and calls that changed its Linodes.
    pub calls: BTreeSet<u64>,
    /// Linodes that it held, that its Create returned, or that bore its tag.
    pub linodes: BTreeSet<u64>,
}

/// The names of the trace's NodeClaims, in order of creation.
pub fn claims(trace: &Trace) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let events = trace.events.iter();
    events
        .filter_map(|event| match &event.what {
            TraceEvent::NodeClaimCreated { claim, .. } => Some(claim.name.as_str()),
            _ => None,
        })
        .filter(|name| seen.insert(*name))
        .collect()
}

impl Cast {
    /// The cast of the NodeClaims with this name.
    pub fn of(trace: &Trace, name: &str) -> Cast {
        let mut cast = Cast { name: name.to_owned(), ..Cast::default() };
        // Linodes come from operations, and operations about Linodes come from these: two rounds reach both.
        for _ in 0..2 {
            trace.events.iter().for_each(|event| cast.gather(&event.what));
        }
        cast
    }

    fn gather(&mut self, what: &TraceEvent) {
        match what {
            TraceEvent::OperationStarted { run, claim, linode, .. } => {
                let own = claim.as_ref().is_some_and(|claim| claim.name == self.name);
                if own || linode.is_some_and(|linode| self.linodes.contains(&linode)) {
                    self.runs.insert(*run);
                }
            }
            TraceEvent::OperationReturned { run, result: Returned::Linode(linode) } if self.runs.contains(run) => {
                self.linodes.insert(*linode);
            }
            TraceEvent::ApiCalled { call, purpose, .. }
                // A call's subject tells no cluster, so that with several of them its operation decides.
                if purpose.subject == self.name || (purpose.run > 0 && self.runs.contains(&purpose.run)) =>
            {
                self.calls.insert(*call);
            }
            TraceEvent::NodeClaimProviderId { claim, after: Some(linode), .. } if claim.name == self.name => {
                self.linodes.insert(*linode);
            }
            TraceEvent::LinodeTagged { linode, after, call, .. } => {
                if after.iter().any(|tag| self.is_own_tag(tag)) {
                    self.linodes.insert(*linode);
                }
                self.touched(*linode, *call);
            }
            TraceEvent::LinodeCreated { linode, call, .. } | TraceEvent::LinodeDeleted { linode, call, .. } => {
                self.touched(*linode, *call)
            }
            _ => {}
        }
    }

    /// A call that changed one of its Linodes belongs to the story, whoever made it.
    fn touched(&mut self, linode: u64, call: Option<u64>) {
        if self.linodes.contains(&linode) {
            self.calls.extend(call);
        }
    }

    /// A tag that names the NodeClaim, as `key=name` or `key:name`: in whatever cluster, as the tag tells none.
    fn is_own_tag(&self, tag: &str) -> bool {
        tag.strip_suffix(self.of_object()).is_some_and(|key| key.ends_with("nodeclaim=") || key.ends_with("nodeclaim:"))
    }

    /// The object's own name, without its cluster's.
    fn of_object(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or_default()
    }

    /// Whether an event belongs to the story.
    pub fn has(&self, what: &TraceEvent) -> bool {
        let caused = |call: &Option<u64>| call.is_some_and(|call| self.calls.contains(&call));
        match what {
            TraceEvent::ProcessStarted { .. }
            | TraceEvent::ProcessStopped { .. }
            | TraceEvent::ProcessTurned { .. }
            | TraceEvent::StartedWith { .. }
            | TraceEvent::CalmBegan => true,
            TraceEvent::ApiCalled { call, .. } | TraceEvent::ApiAnswered { call, .. } => self.calls.contains(call),
            TraceEvent::LkePoolCreated { call, .. }
            | TraceEvent::LkePoolCountChanged { call, .. }
            | TraceEvent::LkePoolTagged { call, .. }
            | TraceEvent::LkePoolDeleted { call, .. } => caused(call),
            TraceEvent::LinodeCreated { linode, call, .. }
            | TraceEvent::LinodeTagged { linode, call, .. }
            | TraceEvent::LinodeDeleted { linode, call, .. } => self.linodes.contains(linode) || caused(call),
            TraceEvent::LinodeBooted { linode } => self.linodes.contains(linode),
            TraceEvent::NodeClaimCreated { claim, .. }
            | TraceEvent::NodeClaimDeleting { claim, .. }
            | TraceEvent::NodeClaimGone { claim }
            | TraceEvent::NodeClaimProviderId { claim, .. }
            | TraceEvent::NodeClaimCapacity { claim, .. }
            | TraceEvent::NodeClaimCondition { claim, .. } => claim.name == self.name,
            TraceEvent::PodChanged { change: PodState::ShouldScheduleOn(on), .. } => {
                on.strip_prefix("nodeclaim/").is_some_and(|name| name == self.of_object())
            }
            TraceEvent::PodChanged { .. }
            | TraceEvent::ProvisioningPass { .. }
            | TraceEvent::NodeDeletionAsked { .. }
            | TraceEvent::NodePoolLimits { .. } => false,
            TraceEvent::NodeChanged { linode, .. } => linode.is_some_and(|linode| self.linodes.contains(&linode)),
            TraceEvent::OperationStarted { run, .. } | TraceEvent::OperationReturned { run, .. } => {
                self.runs.contains(run)
            }
        }
    }
}
