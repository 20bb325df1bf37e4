//! Operations that run, and the requests that they made.
//!
//! Most requests only read. They cost one entry each; what a request may change is kept whole, as its effect may come
//! after its answer was given up.

use crate::event::{CallEnding, ClaimRef, Seen};
use lkesim_linode_api::{Call, CallNumber, Cause, ClusterId, InstanceId, LkePoolId, Operation, Request};
use lkesim_runtime::Time;
use std::collections::BTreeMap;
use std::rc::Rc;

/// An operation that runs.
#[derive(Clone, Debug)]
pub struct RunningOperation {
    /// Its number.
    pub run: u64,
    /// The cluster that it serves.
    pub cluster: ClusterId,
    /// Which of its cluster's processes runs it.
    pub process: u32,
    /// Which.
    pub operation: Operation,
    /// The controller's pass that asked.
    pub caller: &'static str,
    /// The uid of the NodeClaim that it is for.
    pub claim: Option<u64>,
    /// The Linode that it is about.
    pub instance: Option<InstanceId>,
    /// When it began.
    pub started: Time,
    /// Requests that were answered.
    pub answers: u32,
    /// Answers that were errors, or never came. A 404 is none of them: it says that the object is absent.
    pub errors: u32,
    /// Whether a fault cut a list that it read.
    cut: bool,
    /// Pages of lists that it has not read.
    pages_missing: u32,
    reads: Vec<Rc<[(LkePoolId, u32)]>>,
}

impl RunningOperation {
    /// Whether an answer was an error, or a list was not read to its end.
    pub fn is_misled(&self) -> bool {
        self.errors > 0 || self.has_truncated_list()
    }

    /// Whether a list was not read to its end.
    pub fn has_truncated_list(&self) -> bool {
        self.cut || self.pages_missing > 0
    }

    /// The count of the LKE pool that it read last.
    fn last_read(&self, lke_pool: LkePoolId) -> Option<u32> {
        let in_reply =
            |counts: &Rc<[(LkePoolId, u32)]>| counts.iter().find(|(id, _)| *id == lke_pool).map(|read| read.1);
        self.reads.iter().rev().find_map(in_reply)
    }

    fn saw(&mut self, page: u32, seen: &Seen) {
        self.cut |= seen.truncated;
        match page {
            0 => {}
            1 => self.pages_missing += seen.pages.saturating_sub(1),
            _ => self.pages_missing = self.pages_missing.saturating_sub(1),
        }
        if let Some(counts) = &seen.counts {
            self.reads.push(counts.clone());
        }
    }
}

/// A request that may change something.
#[derive(Clone, Debug)]
pub struct Write {
    /// The request.
    pub call: CallNumber,
    /// The operation's number; 0 outside any.
    pub run: u64,
    /// The operation.
    pub operation: Operation,
    /// The controller's pass that asked for the operation.
    pub caller: &'static str,
    /// What it is for.
    pub cause: Cause,
    /// The uid of the operation's NodeClaim.
    pub claim: Option<u64>,
    /// The LKE pool whose count it writes.
    pub lke_pool: Option<LkePoolId>,
    /// The count that it asks for.
    pub asked: Option<u32>,
    /// The count that its operation had read last of the same LKE pool.
    pub read: Option<u32>,
    /// The method and path.
    pub endpoint: &'static str,
    /// Whether the SDK asks again what an earlier try of the same request, whose answer was lost, has done to the
    /// count.
    pub repeats: bool,
    /// Whether a change of a count came of it.
    counted: bool,
}

impl Write {
    /// Whether it is the work of Karpenter, and not of another client of the account.
    pub fn is_karpenters(&self) -> bool {
        self.operation != Operation::Foreign
    }

    /// Whether it belongs to the search for orphans.
    pub fn is_garbage_collection(&self) -> bool {
        self.cause == Cause::Gc || (self.operation == Operation::Delete && self.caller.ends_with("garbagecollection"))
    }

    /// By how much it means to raise the count that its operation read.
    pub fn raise(&self) -> Option<u32> {
        self.asked?.checked_sub(self.read?).filter(|raise| *raise > 0)
    }
}

const NO_WRITE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Entry {
    run: u64,
    /// The page of a list, from 1; 0 where it is no list.
    page: u32,
    write: u32,
}

const NO_ENTRY: Entry = Entry { run: 0, page: 0, write: NO_WRITE };

/// Requests by number, and operations that run.
#[derive(Debug, Default)]
pub(super) struct Calls {
    entries: Vec<Entry>,
    writes: Vec<Write>,
    running: BTreeMap<u64, RunningOperation>,
    /// The operation that returned last: it is forgotten when another returns.
    returned: Option<u64>,
    last_run: u64,
}

impl Calls {
    pub fn started(
        &mut self,
        at: Time,
        run: u64,
        operation: Operation,
        (cluster, process, caller): (ClusterId, u32, &'static str),
        claim: Option<&ClaimRef>,
        instance: Option<InstanceId>,
    ) {
        self.last_run = self.last_run.max(run);
        let running = RunningOperation {
            run,
            cluster,
            process,
            operation,
            caller,
            claim: claim.map(|claim| claim.uid),
            instance,
            started: at,
            answers: 0,
            errors: 0,
            cut: false,
            pages_missing: 0,
            reads: Vec::new(),
        };
        self.running.insert(run, running);
    }

    pub fn returned(&mut self, run: u64) {
        if let Some(before) = self.returned.replace(run) {
            self.running.remove(&before);
        }
    }

    pub fn operation(&self, run: u64) -> Option<&RunningOperation> {
        self.running.get(&run)
    }

    pub fn last_run(&self) -> u64 {
        self.last_run
    }

    pub fn write(&self, call: CallNumber) -> Option<&Write> {
        let entry = self.entries.get(usize::try_from(call).ok()?)?;
        self.writes.get(entry.write as usize)
    }

    #[inline]
    pub fn called(&mut self, call: CallNumber, sent: &Call) {
        let index = usize::try_from(call).expect("requests fit in memory");
        if index >= self.entries.len() {
            self.entries.resize(index + 1, NO_ENTRY);
        }
        let (page, write) = match &sent.request {
            Request::ListClusters { page, .. }
            | Request::ListPools { page, .. }
            | Request::ListInstances { page, .. }
            | Request::ListTypes { page }
            | Request::ListRegionAvailability { page, .. } => (page.page, NO_WRITE),
            Request::GetCluster { .. }
            | Request::GetPool { .. }
            | Request::GetInstance { .. }
            | Request::GetType { .. }
            | Request::RegionAvailability { .. }
            | Request::ListMembers { .. } => (0, NO_WRITE),
            Request::Rarer(rarer) if rarer.endpoint().is_read() => (rarer.page().map_or(0, |page| page.page), NO_WRITE),
            _ => (0, self.writing(call, sent)),
        };
        self.entries[index] = Entry { run: sent.purpose.invocation, page, write };
    }

    fn writing(&mut self, call: CallNumber, sent: &Call) -> u32 {
        let Call { purpose, attempt, request } = sent;
        let operation = self.running.get(&purpose.invocation);
        let (lke_pool, asked) = match request {
            Request::UpdatePool { lke_pool, body, .. } => (Some(*lke_pool), body.count),
            _ => (None, None),
        };
        let read = operation.and_then(|operation| operation.last_read(lke_pool?));
        let write = Write {
            call,
            run: purpose.invocation,
            operation: purpose.operation,
            caller: purpose.caller,
            cause: purpose.cause,
            claim: operation.and_then(|operation| operation.claim),
            lke_pool,
            asked,
            read,
            endpoint: request.endpoint().path(),
            repeats: *attempt > 0 && self.has_counted(purpose.invocation, lke_pool, asked),
            counted: false,
        };
        self.writes.push(write);
        u32::try_from(self.writes.len() - 1).expect("a run has fewer than four thousand million writes")
    }

    /// Whether the operation's last PUT of this count took effect.
    fn has_counted(&self, run: u64, lke_pool: Option<LkePoolId>, asked: Option<u32>) -> bool {
        let same = |write: &&Write| write.run == run && write.lke_pool == lke_pool && write.asked == asked;
        let last = self.writes.iter().rev().find(same);
        asked.is_some() && last.is_some_and(|write| write.counted || write.repeats)
    }

    /// Whether the answer tells that a raise of a count changed none.
    #[inline]
    pub fn answered(&mut self, call: CallNumber, ending: &CallEnding) -> bool {
        let entry = usize::try_from(call).ok().and_then(|index| self.entries.get(index));
        let Entry { run, page, write } = entry.copied().unwrap_or(NO_ENTRY);
        if let Some(operation) = self.running.get_mut(&run) {
            operation.answers += 1;
            match ending {
                CallEnding::Ok { seen } => operation.saw(page, seen),
                CallEnding::Failed { error, .. } => operation.errors += u32::from(!error.is_not_found()),
            }
        }
        let ok = matches!(ending, CallEnding::Ok { .. });
        ok && write != NO_WRITE
            && self
                .writes
                .get(write as usize)
                .is_some_and(|write| !write.counted && !write.repeats && write.raise().is_some())
    }

    /// A count changed by this request.
    pub fn counted(&mut self, call: Option<CallNumber>) {
        let entry = call.and_then(|call| self.entries.get(usize::try_from(call).ok()?));
        let write = entry.and_then(|entry| self.writes.get_mut(entry.write as usize));
        if let Some(write) = write {
            write.counted = true;
        }
    }
}
