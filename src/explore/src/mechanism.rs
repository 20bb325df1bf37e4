//! The mechanism of a breach: a signature that is the same for failures of one cause.
//!
//! It has three parts, each of words that no seed, name, number or time is in:
//!
//! 1. **What broke it**: the event with which the invariant broke, and whose it was: `Create returned a Linode`, `Linode
//!    deleted by DeleteLKENodePoolNode (Delete, termination)`, or `at the end` of the calm.
//! 2. **The deciding write**: the last accepted write before it to one of the objects involved, with endpoint, operation
//!    and cause. It made the state that the first part met.
//! 3. **What hindered**: kinds of faults, limits and time-outs on calls of the operations involved, the death of a process
//!    in one of them or between two, two processes at once, hands, and what LKE did itself. Troubles elsewhere in the run
//!    are no part of it: random runs have many that have nothing to do with the failure.
//!
//! *Involved* are the objects that the violation names; NodeClaims that held such a Linode; and where it names no
//! Linode, those that its NodeClaims held. An operation is involved if it is for such a NodeClaim or Linode.

use crate::notes::{Change, Hindrance, Note, On};
use lkesim_linode_api::{CallNumber, Cause, Endpoint, InstanceId, LkePoolId, Operation};
use std::collections::{BTreeMap, BTreeSet};

/// When an invariant broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// With the event of this note.
    At(usize),
    /// At the end, as something had not come to hold.
    End,
}

/// The signature of a breach about these objects, such as `linode/1001`.
pub(crate) fn of(notes: &[Note], moment: Moment, objects: &[String]) -> String {
    let before = match moment {
        Moment::At(note) => note,
        Moment::End => notes.len(),
    };
    let calls = calls(notes);
    let involved = Involved::of(&notes[..before], objects);
    let broke = match moment {
        Moment::At(note) => broke(notes, note, &calls),
        Moment::End => "at the end".to_owned(),
    };
    let own = match moment {
        Moment::At(note) => call_of(&notes[note]),
        Moment::End => None,
    };
    let mut text = broke;
    if let Some(write) = involved.deciding_write(&notes[..before], own, &calls) {
        text.push_str("; after ");
        text.push_str(&write);
    }
    let hindered = involved.hindered(&notes[..before], &calls);
    if !hindered.is_empty() {
        text.push_str(UNDER);
        text.push_str(&hindered.into_iter().collect::<Vec<_>>().join(", "));
    }
    text
}

/// What stands before the hindrances.
const UNDER: &str = "; under ";

/// Whether two signatures are of one cause, and the first has no hindrance that the second lacks.
pub(crate) fn is_no_more_than(one: &str, other: &str) -> bool {
    let parts =
        |text: &'_ str| text.split_once(UNDER).map_or((text.to_owned(), String::new()), |(a, b)| (a.into(), b.into()));
    let ((one, fewer), (other, more)) = (parts(one), parts(other));
    let more: Vec<&str> = more.split(", ").collect();
    one == other && (fewer.is_empty() || fewer.split(", ").all(|hindrance| more.contains(&hindrance)))
}

/// Who made a call.
#[derive(Clone, Copy)]
struct Caller {
    run: u64,
    operation: Operation,
    cause: Cause,
    endpoint: Endpoint,
    on: On,
}

impl Caller {
    /// `UpdateInstance (Create, claim)`
    fn words(&self) -> String {
        match self.operation {
            Operation::Foreign => format!("{} by another client", self.endpoint.name()),
            operation => format!("{} ({}, {})", self.endpoint.name(), operation.name(), self.cause.name()),
        }
    }
}

type Calls = BTreeMap<CallNumber, Caller>;

fn calls(notes: &[Note]) -> Calls {
    let called = |note: &Note| match *note {
        Note::Called { call, run, operation, cause, endpoint, on } => {
            Some((call, Caller { run, operation, cause, endpoint, on }))
        }
        _ => None,
    };
    notes.iter().filter_map(called).collect()
}

/// The call that an event came of.
fn call_of(what: &Note) -> Option<CallNumber> {
    match what {
        Note::Changed { call, .. } => *call,
        Note::Called { call, .. } | Note::Hindered { call, .. } => Some(*call),
        _ => None,
    }
}

/// The event of a note, in words.
fn broke(notes: &[Note], note: usize, calls: &Calls) -> String {
    let operation = |run: u64| {
        notes[..=note].iter().rev().find_map(|note| match *note {
            Note::Began { run: own, operation, caller, .. } if own == run => Some((operation, caller)),
            _ => None,
        })
    };
    match &notes[note] {
        Note::Called { call, .. } => format!("{} asked", words_of(calls, *call)),
        Note::Hindered { call, .. } => format!("{} answered", words_of(calls, *call)),
        Note::Changed { on, change, call } => {
            let what = if on.linode.is_some() { "Linode" } else { "LKE pool" };
            let by = call.map_or_else(|| "LKE itself".to_owned(), |call| words_of(calls, call));
            format!("{what} {} by {by}", change_words(*change))
        }
        Note::ClaimMade { .. } => "NodeClaim made".to_owned(),
        Note::ClaimStored { linode: Some(_), .. } => "providerID stored".to_owned(),
        Note::ClaimStored { linode: None, .. } => "providerID removed".to_owned(),
        Note::Claim(change) => format!("NodeClaim {change}"),
        Note::Began { operation, caller, .. } => format!("{} began, by {caller}", operation.name()),
        Note::Returned { run, how, .. } => match operation(*run) {
            Some((operation, caller)) => format!("{} {how}, to {caller}", operation.name()),
            None => format!("an operation {how}"),
        },
        Note::Process { starts: true } => "a process started".to_owned(),
        Note::Process { starts: false } => "a process died".to_owned(),
        Note::Calm => "the calm began".to_owned(),
    }
}

fn words_of(calls: &Calls, call: CallNumber) -> String {
    calls.get(&call).map_or_else(|| "a hand".to_owned(), Caller::words)
}

fn change_words(change: Change) -> &'static str {
    match change {
        Change::Made => "made",
        Change::Counted => "counted",
        Change::Tagged => "tagged",
        Change::Deleted => "deleted",
    }
}

/// The objects that a breach is about.
#[derive(Debug, Default)]
struct Involved {
    claims: BTreeSet<u64>,
    linodes: BTreeSet<InstanceId>,
    lke_pools: BTreeSet<LkePoolId>,
    runs: BTreeSet<u64>,
}

impl Involved {
    fn of(notes: &[Note], objects: &[String]) -> Involved {
        let mut involved = Involved::default();
        for object in objects {
            involved.name(object, notes);
        }
        let names_linodes = !involved.linodes.is_empty();
        let made_by = operations(notes);
        for note in notes {
            let (claim, linode) = match *note {
                Note::ClaimStored { uid, linode: Some(linode) } => (uid, linode),
                Note::Returned { run, linode: Some(linode), .. } => match made_by.get(&run) {
                    Some((Operation::Create, Some(claim))) => (*claim, linode),
                    _ => continue,
                },
                _ => continue,
            };
            if involved.linodes.contains(&linode) {
                involved.claims.insert(claim);
            } else if !names_linodes && involved.claims.contains(&claim) {
                involved.linodes.insert(linode);
            }
        }
        for note in notes {
            if let Note::Began { run, claim, on, .. } = *note {
                let of_claim = claim.is_some_and(|claim| involved.claims.contains(&claim));
                if of_claim || on.linode.is_some_and(|linode| involved.linodes.contains(&linode)) {
                    involved.runs.insert(run);
                }
            }
        }
        involved
    }

    fn name(&mut self, object: &str, notes: &[Note]) {
        let Some((kind, name)) = object.split_once('/') else {
            return;
        };
        match (kind, name.parse()) {
            ("linode", Ok(id)) => drop(self.linodes.insert(InstanceId(id))),
            ("lke_pool", Ok(id)) => drop(self.lke_pools.insert(LkePoolId(id))),
            _ => self.claims.extend(notes.iter().filter_map(|note| match note {
                Note::ClaimMade { uid, name: own } if **own == *name => Some(*uid),
                _ => None,
            })),
        }
    }

    fn has(&self, on: On) -> bool {
        on.linode.is_some_and(|linode| self.linodes.contains(&linode))
            || on.lke_pool.is_some_and(|lke_pool| self.lke_pools.contains(&lke_pool))
    }

    /// The last write that changed one of the objects, save the one that broke the invariant itself.
    fn deciding_write(&self, notes: &[Note], own: Option<CallNumber>, calls: &Calls) -> Option<String> {
        notes.iter().rev().find_map(|note| match *note {
            Note::Changed { on, call, .. } if call.is_none() || call != own => {
                let by_operation = call.and_then(|call| calls.get(&call)).is_some_and(|by| self.runs.contains(&by.run));
                if !self.has(on) && !by_operation {
                    return None;
                }
                Some(call.map_or_else(|| "LKE's own change".to_owned(), |call| words_of(calls, call)))
            }
            _ => None,
        })
    }

    /// What stood in the way of the operations involved.
    fn hindered(&self, notes: &[Note], calls: &Calls) -> BTreeSet<String> {
        let mut hindered = BTreeSet::new();
        let mut processes = BTreeSet::new();
        let is_involved =
            |call: CallNumber| calls.get(&call).is_some_and(|by| self.runs.contains(&by.run) || self.has(by.on));
        for note in notes {
            match note {
                Note::Hindered { call, by } if is_involved(*call) => match by {
                    Hindrance::Fault(name) => drop(hindered.insert(kind_of(name).to_owned())),
                    Hindrance::Throttled => drop(hindered.insert("throttled".to_owned())),
                    Hindrance::TimedOut => drop(hindered.insert("time-out".to_owned())),
                    Hindrance::Error => {}
                },
                Note::Returned { run, how: "died", .. } if self.runs.contains(run) => {
                    hindered.insert("death in an operation".to_owned());
                }
                Note::Began { run, of, .. } if self.runs.contains(run) => drop(processes.insert(*of)),
                Note::Changed { on, call, .. } if self.has(*on) => match call.map(|call| calls.get(&call)) {
                    Some(None) => drop(hindered.insert("a hand".to_owned())),
                    Some(Some(by)) if by.operation == Operation::Foreign => {
                        hindered.insert("a hand".to_owned());
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        let mut clusters: Vec<_> = processes.iter().map(|(cluster, _)| *cluster).collect();
        clusters.dedup();
        if clusters.len() > 1 {
            hindered.insert("two clusters".to_owned());
        }
        if processes.len() > clusters.len() {
            hindered.insert("several processes".to_owned());
        }
        hindered
    }
}

/// Which operation each run is of, and for which NodeClaim.
fn operations(notes: &[Note]) -> BTreeMap<u64, (Operation, Option<u64>)> {
    let began = |note: &Note| match *note {
        Note::Began { run, operation, claim, .. } => Some((run, (operation, claim))),
        _ => None,
    };
    notes.iter().filter_map(began).collect()
}

/// A fault's kind is what follows the last dot of its name.
fn kind_of(fault: &str) -> &str {
    fault.rsplit('.').next().unwrap_or(fault)
}
