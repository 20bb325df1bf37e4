//! What a run did, as far as the reason of a breach could lie in it.
//!
//! A scribe follows the events of every run, as most of a search's time would be gone if runs that failed were run
//! again. A note is small and copies no request; calls that only read and were answered as usual are kept too, as a
//! fault may yet turn out to have hit what they asked for.

use lkesim_judge::event::{CallEnding, Event, Returned, What};
use lkesim_judge::invariants::Judge;
use lkesim_linode_api::{CallError, CallNumber, Cause, ClusterId, Endpoint, InstanceId, LkePoolId, Operation, Request};
use std::rc::Rc;
use std::sync::Arc;

/// Something that happened.
#[derive(Clone, Debug)]
pub(crate) enum Note {
    Called {
        call: CallNumber,
        run: u64,
        operation: Operation,
        cause: Cause,
        endpoint: Endpoint,
        on: On,
    },
    /// An answer that was none, or an error, or bore a fault.
    Hindered {
        call: CallNumber,
        by: Hindrance,
    },
    Changed {
        on: On,
        change: Change,
        call: Option<CallNumber>,
    },
    ClaimMade {
        uid: u64,
        name: Rc<str>,
    },
    ClaimStored {
        uid: u64,
        linode: Option<InstanceId>,
    },
    Claim(&'static str),
    Began {
        run: u64,
        operation: Operation,
        caller: &'static str,
        claim: Option<u64>,
        of: (ClusterId, u32),
        on: On,
    },
    Returned {
        run: u64,
        how: &'static str,
        linode: Option<InstanceId>,
    },
    Process {
        starts: bool,
    },
    Calm,
}

/// What something is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct On {
    pub linode: Option<InstanceId>,
    pub lke_pool: Option<LkePoolId>,
}

/// What happened to a Linode or a LKE pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Made,
    Counted,
    Tagged,
    Deleted,
}

/// What became of a call that was not answered as usual.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hindrance {
    /// A fault of this name; its kind follows the last dot.
    Fault(Arc<str>),
    /// A rate limit.
    Throttled,
    /// Its caller gave up waiting.
    TimedOut,
    /// Another error.
    Error,
}

/// A breach, by the number of the note that made it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub invariant: &'static str,
    /// Which breach of the invariant, from 0.
    pub nth: u64,
    pub note: usize,
}

/// The notes of one run.
#[derive(Debug, Default)]
pub(crate) struct Scribe {
    pub notes: Vec<Note>,
    pub marks: Vec<Mark>,
    breaches: u64,
}

impl Scribe {
    /// Forgets the last run.
    pub fn clear(&mut self) {
        self.notes.clear();
        self.marks.clear();
        self.breaches = 0;
    }

    /// Takes an event, and what the judge has found so far.
    pub fn see(&mut self, event: &Event, judge: &Judge) {
        self.notes.extend(noted(&event.what));
        let breaches = judge.findings().map(|(_, findings)| findings.count()).sum();
        if breaches > self.breaches {
            self.breaches = breaches;
            self.mark(judge);
        }
    }

    /// Marks what was found since the last mark.
    fn mark(&mut self, judge: &Judge) {
        let note = self.notes.len().saturating_sub(1);
        for (invariant, findings) in judge.findings() {
            let known = self.marks.iter().filter(|mark| mark.invariant == invariant).count() as u64;
            self.marks.extend((known..findings.count()).map(|nth| Mark { invariant, nth, note }));
        }
    }
}

fn noted(what: &What) -> Option<Note> {
    let linode = |linode: &InstanceId| On { linode: Some(*linode), lke_pool: None };
    let both = |linode: &InstanceId, lke_pool: &Option<LkePoolId>| On { linode: Some(*linode), lke_pool: *lke_pool };
    let lke_pool = |lke_pool: &LkePoolId| On { linode: None, lke_pool: Some(*lke_pool) };
    let changed = |on, change, call: &Option<CallNumber>| Note::Changed { on, change, call: *call };
    Some(match what {
        What::Called { call, sent } => Note::Called {
            call: *call,
            run: sent.purpose.invocation,
            operation: sent.purpose.operation,
            cause: sent.purpose.cause,
            endpoint: sent.request.endpoint(),
            on: target(&sent.request),
        },
        What::Answered { call, ending, .. } => Note::Hindered { call: *call, by: hindrance(ending)? },
        What::PoolCreated { lke_pool: id, call, .. } => changed(lke_pool(id), Change::Made, call),
        What::PoolCountChanged { lke_pool: id, call, .. } => changed(lke_pool(id), Change::Counted, call),
        What::PoolTagged { lke_pool: id, call, .. } => changed(lke_pool(id), Change::Tagged, call),
        What::PoolDeleted { lke_pool: id, call } => changed(lke_pool(id), Change::Deleted, call),
        What::InstanceCreated { instance, lke_pool, call, .. } => changed(both(instance, lke_pool), Change::Made, call),
        What::InstanceTagged { instance, call, .. } => changed(linode(instance), Change::Tagged, call),
        What::InstanceDeleted { instance, lke_pool, call } => changed(both(instance, lke_pool), Change::Deleted, call),
        What::ClaimCreated { claim, .. } => Note::ClaimMade { uid: claim.uid, name: claim.name.clone() },
        What::ClaimProviderId { claim, after, .. } => Note::ClaimStored { uid: claim.uid, linode: *after },
        What::ClaimDeleting { by, .. } => Note::Claim(by),
        What::ClaimGone { .. } => Note::Claim("gone"),
        What::ClaimCondition { .. } => Note::Claim("condition"),
        What::OperationStarted { run, cluster, process, operation, caller, claim, instance } => Note::Began {
            run: *run,
            operation: *operation,
            caller,
            claim: claim.as_ref().map(|claim| claim.uid),
            of: (*cluster, *process),
            on: On { linode: *instance, lke_pool: None },
        },
        What::OperationReturned { run, result } => {
            let (how, linode) = returned(result);
            Note::Returned { run: *run, how, linode }
        }
        What::ProcessStarted { start: 2.., .. } => Note::Process { starts: true },
        What::ProcessStopped { .. } => Note::Process { starts: false },
        What::CalmBegan => Note::Calm,
        What::ProcessStarted { .. }
        | What::ProcessTurned { .. }
        | What::StartedWith { .. }
        | What::InstanceBooted { .. }
        | What::Pod { .. }
        | What::Pass { .. }
        | What::NodeDeletionAsked { .. }
        | What::NodePoolLimits { .. }
        | What::ClaimCapacity { .. }
        | What::Node { .. } => {
            return None;
        }
    })
}

fn target(request: &Request) -> On {
    match request {
        Request::GetPool { lke_pool, .. }
        | Request::UpdatePool { lke_pool, .. }
        | Request::ListMembers { lke_pool, .. }
        | Request::ClaimNode { lke_pool, .. }
        | Request::DeletePool { lke_pool, .. } => On { linode: None, lke_pool: Some(*lke_pool) },
        Request::GetInstance { instance }
        | Request::UpdateInstance { instance, .. }
        | Request::DeleteInstance { instance } => On { linode: Some(*instance), lke_pool: None },
        _ => On::default(),
    }
}

fn hindrance(ending: &CallEnding) -> Option<Hindrance> {
    match ending {
        CallEnding::Ok { seen } => seen.fault.clone().map(Hindrance::Fault),
        CallEnding::Failed { fault: Some(fault), .. } => Some(Hindrance::Fault(fault.clone())),
        CallEnding::Failed { throttled: true, .. } => Some(Hindrance::Throttled),
        CallEnding::Failed { error: CallError::Timeout, .. } => Some(Hindrance::TimedOut),
        CallEnding::Failed { .. } => Some(Hindrance::Error),
    }
}

fn returned(result: &Returned) -> (&'static str, Option<InstanceId>) {
    match result {
        Returned::Instance(linode) => ("returned a Linode", Some(*linode)),
        Returned::Instances(_) => ("returned a list", None),
        Returned::Done => ("returned", None),
        Returned::NotFound(_) => ("said \"not found\"", None),
        Returned::InsufficientCapacity(_) => ("said that no offering is left", None),
        Returned::Failed(_) => ("failed", None),
        Returned::Dropped => ("died", None),
    }
}
