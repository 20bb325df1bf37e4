//! The runs of the provider's operations, and the work that their budgets depend on.
//!
//! The work is counted here from what the calls were and what came back, never told by the design under test.

use super::FiguresSettings;
use super::budgets::{Counts, Lines};
use super::calls::Sent;
use super::claims::Claims;
use super::hard_case::{HardCase, HardCases};
use super::numbered::Numbered;
use crate::event::Returned;
use lkesim_linode_api::budget::Work;
use lkesim_linode_api::{Call, Cause, Endpoint, InstanceId, Operation, Request};

/// A run that has not returned.
#[derive(Clone, Debug)]
struct Run {
    /// Set for a Create: its NodeClaim.
    creates: Option<u64>,
    /// The last attempt that a call came from.
    attempt: u32,
    /// First tries of reads back since the last write of tags.
    verify_reads: u32,
    /// The Linode whose tags it wrote last.
    tagged: Option<InstanceId>,
    operation: Operation,
    /// What it did, and its first tries.
    work: Work,
    calls: Counts,
}

/// All runs.
#[derive(Clone)]
pub(super) struct Operations {
    running: Numbered<Run>,
    work: [Work; Operation::ALL.len()],
    lines: Lines,
}

impl Operations {
    pub fn new(settings: &FiguresSettings) -> Operations {
        Operations { running: Numbered::default(), work: Default::default(), lines: Lines::new(settings) }
    }

    /// What all runs of an operation did.
    pub fn work(&self, operation: Operation) -> &Work {
        &self.work[operation as usize]
    }

    /// A run did something, and so did all runs together.
    pub fn did(&mut self, operation: Operation, run: u64, what: impl Fn(&mut Work)) {
        what(&mut self.work[operation as usize]);
        if let Some(run) = self.running.get_mut(run) {
            what(&mut run.work);
        }
    }

    /// The budget's lines. What still runs counts as it stands.
    pub fn lines(&self) -> Lines {
        let mut lines = self.lines.clone();
        for run in self.running.iter() {
            lines.ended(run.operation, &run.work, &run.calls);
        }
        lines
    }

    /// A run began.
    pub fn started(
        &mut self,
        run: u64,
        operation: Operation,
        claim: Option<u64>,
        claims: &mut Claims,
        cases: &mut HardCases,
    ) {
        self.work[operation as usize].runs += 1;
        let creates = claim.filter(|_| operation == Operation::Create);
        if let Some(uid) = creates {
            claims.create_started(uid, cases);
        }
        let calls = [0; Endpoint::PROVIDER.len()];
        let work = Work { runs: 1, ..Work::default() };
        self.running.insert(run, Run { creates, attempt: 0, verify_reads: 0, tagged: None, operation, work, calls });
    }

    /// A run returned.
    pub fn returned(&mut self, run: u64, result: &Returned, claims: &mut Claims, cases: &mut HardCases) {
        let Some(run) = self.running.remove(run) else {
            return;
        };
        self.lines.ended(run.operation, &run.work, &run.calls);
        let Some(uid) = run.creates else { return };
        claims.create_ended(uid, matches!(result, Returned::InsufficientCapacity(_)));
        match result {
            Returned::InsufficientCapacity(_) => cases.hit(HardCase::CapacityMissing),
            Returned::Failed(text) if text.contains("NodePoolProvisioning") => cases.hit(HardCase::CreateTimedOut),
            Returned::Dropped => cases.hit(HardCase::CreateInterrupted),
            _ => {}
        }
    }

    /// A request left: its run may be in a new attempt.
    #[inline]
    pub fn called(&mut self, sent: &Sent<'_>, cases: &mut HardCases) {
        let Call { purpose, attempt, request } = sent.call;
        let Some(run) = self.running.get_mut(purpose.invocation) else {
            return;
        };
        if purpose.attempt > run.attempt {
            let begun = u64::from(purpose.attempt - run.attempt);
            self.work[purpose.operation as usize].attempts += begun;
            run.work.attempts += begun;
            if run.attempt < 2 && purpose.attempt > 1 && run.creates.is_some() {
                cases.hit(HardCase::ClaimWaited);
            }
            run.attempt = purpose.attempt;
        }
        run.calls[request.endpoint() as usize] += u32::from(*attempt == 0);
        match request {
            Request::UpdateInstance { .. } | Request::CreateTag { .. } => run.verify_reads = 0,
            _ if purpose.cause == Cause::Verify && *attempt == 0 => {
                run.verify_reads += 1;
                if run.verify_reads == 2 {
                    cases.hit(HardCase::VerifyNeededAgain);
                }
            }
            _ => {}
        }
    }

    /// A Linode's tags were written. A run that writes those of one Linode again has done no more work.
    pub fn tagged(&mut self, operation: Operation, run: u64, instance: InstanceId) {
        if let Some(run) = self.running.get_mut(run) {
            if run.tagged == Some(instance) {
                return;
            }
            run.tagged = Some(instance);
        }
        self.did(operation, run, |work| work.tag_writes += 1);
    }
}
