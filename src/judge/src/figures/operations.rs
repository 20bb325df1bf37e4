//! The runs of the provider's operations, and the work that their budgets depend on.
//!
//! The work is counted here from what the calls were and what came back, never told by the design under test.

use super::calls::Sent;
use super::claims::Claims;
use super::hard_case::{HardCase, HardCases};
use super::numbered::Numbered;
use crate::event::Returned;
use lkesim_linode_api::budget::Work;
use lkesim_linode_api::{Cause, InstanceId, Operation, Request};

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
}

/// All runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Operations {
    running: Numbered<Run>,
    work: [Work; Operation::ALL.len()],
}

impl Operations {
    /// What all runs of an operation did.
    pub fn work(&self, operation: Operation) -> &Work {
        &self.work[operation as usize]
    }

    /// The same, to add to.
    pub fn work_mut(&mut self, operation: Operation) -> &mut Work {
        &mut self.work[operation as usize]
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
        self.work_mut(operation).runs += 1;
        let creates = claim.filter(|_| operation == Operation::Create);
        if let Some(uid) = creates {
            claims.create_started(uid, cases);
        }
        self.running.insert(run, Run { creates, attempt: 0, verify_reads: 0, tagged: None });
    }

    /// A run returned.
    pub fn returned(&mut self, run: u64, result: &Returned, claims: &mut Claims, cases: &mut HardCases) {
        let Some(Run { creates: Some(uid), .. }) = self.running.remove(run) else {
            return;
        };
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
        let purpose = sent.purpose;
        let Some(run) = self.running.get_mut(purpose.invocation) else {
            return;
        };
        if purpose.attempt > run.attempt {
            let begun = u64::from(purpose.attempt - run.attempt);
            self.work[purpose.operation as usize].attempts += begun;
            if run.attempt < 2 && purpose.attempt > 1 && run.creates.is_some() {
                cases.hit(HardCase::ClaimWaited);
            }
            run.attempt = purpose.attempt;
        }
        match sent.request {
            Request::UpdateInstance { .. } | Request::CreateTag { .. } => run.verify_reads = 0,
            _ if purpose.cause == Cause::Verify && sent.attempt == 0 => {
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
        self.work_mut(operation).tag_writes += 1;
    }
}
