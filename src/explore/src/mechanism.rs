//! The mechanism of a breach: a signature that is the same for failures of one cause.
//!
//! It has three parts, each of words that no seed, name, number or time is in:
//!
//! 1. **What broke it**: the event with which the invariant broke, and whose it was: `Create returned a Linode`, `Linode
//!    deleted by garbage collection`; or what has not come to hold `at the end` of the calm.
//! 2. **What decided**: who made the state that the first part met: who last tagged the Linode, counted the LKE pool,
//!    deleted it, save the operation that broke the invariant itself; or what Delete said. Which of them it is depends
//!    on the invariant ([`deciding`]).
//! 3. **What hindered**: kinds of trouble on calls of the operations involved: answers that mislead, or come late or
//!    never, refusals; another process, another cluster, hands. Troubles elsewhere in the run are no part of it: random
//!    runs have many that have nothing to do with the failure.
//!
//! *Involved* are the objects that the violation names; NodeClaims that held such a Linode; and where it names no
//! Linode, those that its NodeClaims held. An operation is involved if it is for such a NodeClaim or Linode.

mod words;

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

/// The signature of a breach of this invariant about these objects, such as `linode/1001`. `text` tells it in words.
pub(crate) fn of(notes: &[Note], moment: Moment, invariant: &str, text: &str, objects: &[String]) -> String {
    let before = match moment {
        Moment::At(note) => note,
        Moment::End => notes.len(),
    };
    let calls = calls(notes);
    let involved = Involved::of(&notes[..before], objects);
    let mut signature = match moment {
        Moment::At(note) => broke(notes, note, &calls),
        Moment::End => format!("at the end: {}", words::without_names(text)),
    };
    if let Moment::At(note) = moment {
        let notes_before = &notes[..before];
        let decided = match deciding(invariant) {
            Deciding::Nothing => None,
            Deciding::Delete => involved.last_delete(notes_before),
            Deciding::Change(kinds) => {
                let last = involved.last_change(notes_before, kinds, run_of(&notes[note], &calls), &calls);
                last.map(|(change, by)| format!("last {change} by {by}"))
            }
        };
        signature.push_str(&decided.map_or(String::new(), |decided| format!("; {decided}")));
    }
    let hindered = involved.hindered(&notes[..before], &calls);
    if !hindered.is_empty() {
        signature.push_str(UNDER);
        signature.push_str(&hindered.into_iter().collect::<Vec<_>>().join(", "));
    }
    signature
}

/// What tells one way in which an invariant breaks from another.
enum Deciding {
    /// What broke it says it all.
    Nothing,
    /// Who made the state that was met, by the last of these changes.
    Change(&'static [Change]),
    /// What the last Delete said.
    Delete,
}

fn deciding(invariant: &str) -> Deciding {
    Deciding::Change(match invariant {
        "one-claim-per-instance" => &[Change::Tagged],
        "create-returns-a-living-linode" => &[Change::Deleted],
        "one-pool-per-key" => &[Change::Made],
        "scale-matches-demand" | "no-lost-scale" | "scale-up-never-shrinks" => &[Change::Made, Change::Counted],
        "finalizer-after-instance" => return Deciding::Delete,
        _ => return Deciding::Nothing,
    })
}

/// What stands before the hindrances.
const UNDER: &str = "; under ";

/// The parts of a signature.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Parts<'a> {
    /// What broke the invariant, and the deciding write.
    pub cause: &'a str,
    /// What hindered.
    pub under: BTreeSet<&'a str>,
}

impl Parts<'_> {
    pub fn of(signature: &str) -> Parts<'_> {
        match signature.split_once(UNDER) {
            Some((cause, under)) => Parts { cause, under: under.split(", ").collect() },
            None => Parts { cause: signature, under: BTreeSet::new() },
        }
    }
}

/// Whether two signatures are of one cause, and the first has no hindrance that the second lacks.
pub(crate) fn is_no_more_than(one: &str, other: &str) -> bool {
    let (one, other) = (Parts::of(one), Parts::of(other));
    one.cause == other.cause && one.under.is_subset(&other.under)
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
    /// `Create`, `garbage collection`, `a hand`
    fn words(&self) -> &'static str {
        match (self.operation, self.cause) {
            (Operation::Foreign, _) => "a hand",
            (_, Cause::Gc) => "garbage collection",
            (operation, _) => operation.name(),
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

/// The operation that an event came of.
fn run_of(what: &Note, calls: &Calls) -> Option<u64> {
    match what {
        Note::Changed { call, .. } => Some(calls.get(call.as_ref()?)?.run),
        Note::Called { run, .. } | Note::Returned { run, .. } => Some(*run),
        Note::Hindered { call, .. } => Some(calls.get(call)?.run),
        _ => None,
    }
}

/// The event of a note, in words.
fn broke(notes: &[Note], note: usize, calls: &Calls) -> String {
    let operation = |run: u64| {
        notes[..=note].iter().rev().find_map(|note| match *note {
            Note::Began { run: own, operation, .. } if own == run => Some(operation),
            _ => None,
        })
    };
    match &notes[note] {
        Note::Called { call, .. } => format!("asked by {}", words_of(calls, *call)),
        Note::Hindered { call, .. } => format!("answered to {}", words_of(calls, *call)),
        Note::Changed { on, change, call } => {
            let what = if on.linode.is_some() { "Linode" } else { "LKE pool" };
            let way = call.and_then(|call| calls.get(&call)).map(|by| by.endpoint);
            let whole =
                if way == Some(Endpoint::DeletePool) && on.linode.is_some() { " with its LKE pool" } else { "" };
            format!("{what} {}{whole} by {}", change_words(*change), doer(calls, *call))
        }
        Note::ClaimMade { .. } => "NodeClaim made".to_owned(),
        Note::ClaimStored { linode: Some(_), .. } => "providerID stored".to_owned(),
        Note::ClaimStored { linode: None, .. } => "providerID removed".to_owned(),
        Note::Claim(change) => format!("NodeClaim {change}"),
        Note::Began { operation, caller, .. } => format!("{} began, by {caller}", operation.name()),
        Note::Returned { run, how, .. } => match operation(*run) {
            Some(operation) => format!("{} {how}", operation.name()),
            None => format!("an operation {how}"),
        },
        Note::Process { starts: true } => "a process started".to_owned(),
        Note::Process { starts: false } => "a process died".to_owned(),
        Note::Calm => "the calm began".to_owned(),
    }
}

fn doer(calls: &Calls, call: Option<CallNumber>) -> &'static str {
    call.map_or("LKE itself", |call| words_of(calls, call))
}

fn words_of(calls: &Calls, call: CallNumber) -> &'static str {
    calls.get(&call).map_or("a hand", Caller::words)
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

    /// The last such change by another operation to one of the Linodes; where there are none, to one of the pools.
    fn last_change(
        &self,
        notes: &[Note],
        kinds: &[Change],
        own: Option<u64>,
        calls: &Calls,
    ) -> Option<(&'static str, &'static str)> {
        notes.iter().rev().find_map(|note| match *note {
            Note::Changed { on, call, change } if kinds.contains(&change) && self.is_about(on) => {
                let by = call.and_then(|call| calls.get(&call));
                let is_own = by.is_some_and(|by| Some(by.run) == own);
                (!is_own).then(|| (change_words(change), doer(calls, call)))
            }
            _ => None,
        })
    }

    /// What the last Delete for one of the NodeClaims said.
    fn last_delete(&self, notes: &[Note]) -> Option<String> {
        let made_by = operations(notes);
        let said = notes.iter().rev().find_map(|note| match *note {
            Note::Returned { run, how, .. } => match made_by.get(&run) {
                Some((Operation::Delete, Some(claim))) if self.claims.contains(claim) => Some(how),
                _ => None,
            },
            _ => None,
        });
        Some(said.map_or("no Delete was asked for".to_owned(), |how| format!("Delete {how}")))
    }

    fn is_about(&self, on: On) -> bool {
        match on.linode {
            Some(linode) => self.linodes.contains(&linode),
            None => self.linodes.is_empty() && self.has(on),
        }
    }

    /// What stood in the way of the operations involved.
    fn hindered(&self, notes: &[Note], calls: &Calls) -> BTreeSet<&'static str> {
        let mut hindered = BTreeSet::new();
        let mut processes = BTreeSet::new();
        let is_involved =
            |call: CallNumber| calls.get(&call).is_some_and(|by| self.runs.contains(&by.run) || self.has(by.on));
        for note in notes {
            match note {
                Note::Hindered { call, by } if is_involved(*call) => match by {
                    Hindrance::Fault(name) => drop(hindered.insert(class_of(name))),
                    Hindrance::Throttled => drop(hindered.insert(REFUSALS)),
                    Hindrance::TimedOut => drop(hindered.insert(LATE)),
                    Hindrance::Error => {}
                },
                Note::Returned { run, how: "died", .. } if self.runs.contains(run) => {
                    hindered.insert(PROCESSES);
                }
                Note::Began { run, of, .. } if self.runs.contains(run) => drop(processes.insert(*of)),
                Note::Changed { on, call, .. } if self.has(*on) => match call.map(|call| calls.get(&call)) {
                    Some(None) => drop(hindered.insert("hands")),
                    Some(Some(by)) if by.operation == Operation::Foreign => {
                        hindered.insert("hands");
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        let mut clusters: Vec<_> = processes.iter().map(|(cluster, _)| *cluster).collect();
        clusters.dedup();
        if clusters.len() > 1 {
            hindered.insert("another cluster");
        }
        if processes.len() > clusters.len() {
            hindered.insert(PROCESSES);
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

/// Calls that were not carried out.
const REFUSALS: &str = "refusals";

/// Calls of which nobody knows at once whether they were carried out.
const LATE: &str = "answers late or lost";

/// A process that died, or two at once.
const PROCESSES: &str = "another process";

/// What a fault does to who asks, by its kind, which follows the last dot of its name.
fn class_of(fault: &str) -> &'static str {
    match fault.rsplit('.').next() {
        Some("refuse" | "maintenance") => REFUSALS,
        Some("lose" | "delay" | "garble") => LATE,
        Some("twice") => "calls made twice",
        _ => "answers that mislead",
    }
}
