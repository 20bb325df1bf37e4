//! The lives of pods, and the passes that provision for them.

use super::hard_case::{HardCase, HardCases};
use super::lasted::Reached;
use crate::event::{Pass, PodChange, PodKind, PodRef};
use crate::invariants::{SCHEDULER, START};
use crate::outcome::{PassCounts, PodCounts, Spread};
use lkesim_runtime::Time;
use std::collections::BTreeMap;
use std::time::Duration;

/// Who evicts pods: Karpenter's drain of a node, and Kubernetes where a taint says NoExecute.
const EVICTORS: [&str; 2] = ["eviction-queue", "taint-eviction-controller"];

/// One pod that is there and has not ended.
#[derive(Clone, Copy, Debug)]
struct Life {
    kind: PodKind,
    created: Time,
    /// Whether it was on its Node before the run.
    was_there: bool,
    is_bound: bool,
    runs: bool,
    was_ready: bool,
    was_unschedulable: bool,
    had_no_room: bool,
    is_deleting: bool,
}

/// All pods, and all passes.
#[derive(Clone, Debug, Default)]
pub(super) struct Pods {
    lives: BTreeMap<u64, Life>,
    /// How many of them are counted.
    there: u64,
    counts: PodCounts,
    bind: Vec<Duration>,
    ready: Vec<Duration>,
    passes: PassCounts,
    pods_a_pass: Vec<u64>,
}

impl Pods {
    /// Counts what happened to a pod. Those of DaemonSets and static ones are counted by themselves.
    pub fn changed(&mut self, at: Time, pod: &PodRef, change: &PodChange) {
        if let PodChange::Created { kind } = change {
            return self.created(at, pod.uid, *kind);
        }
        let Some(life) = self.lives.get_mut(&pod.uid) else {
            return;
        };
        if matches!(life.kind, PodKind::DaemonSet | PodKind::Static) {
            if matches!(change, PodChange::Gone) {
                self.lives.remove(&pod.uid);
            }
            return;
        }
        let counts = &mut self.counts;
        match change {
            PodChange::Bound { by, .. } => {
                counts.bound += 1;
                life.is_bound = true;
                life.was_there = *by == START;
                if !life.was_there {
                    self.bind.push(at.since(life.created));
                }
            }
            PodChange::Unschedulable { .. } => {
                counts.unschedulable += u64::from(!std::mem::replace(&mut life.was_unschedulable, true));
            }
            PodChange::FailedScheduling { .. } => {
                counts.failed_scheduling += u64::from(!std::mem::replace(&mut life.had_no_room, true));
            }
            PodChange::Running => {
                counts.running += 1;
                life.runs = true;
            }
            PodChange::Ready if !std::mem::replace(&mut life.was_ready, true) && !life.was_there => {
                self.ready.push(at.since(life.created));
            }
            PodChange::Deleting { by } => {
                life.is_deleting = true;
                counts.evicted += u64::from(EVICTORS.contains(by));
                counts.preempted += u64::from(*by == SCHEDULER);
            }
            PodChange::Ended { .. } | PodChange::Gone => {
                counts.ended += u64::from(matches!(change, PodChange::Ended { .. }));
                self.there -= 1;
                self.lives.remove(&pod.uid);
            }
            _ => {}
        }
    }

    fn created(&mut self, at: Time, uid: u64, kind: PodKind) {
        let life = Life {
            kind,
            created: at,
            was_there: false,
            is_bound: false,
            runs: false,
            was_ready: false,
            was_unschedulable: false,
            had_no_room: false,
            is_deleting: false,
        };
        self.lives.insert(uid, life);
        if matches!(kind, PodKind::DaemonSet | PodKind::Static) {
            self.counts.of_daemon_sets += 1;
        } else {
            self.counts.created += 1;
            self.there += 1;
            self.counts.peak = self.counts.peak.max(self.there);
        }
    }

    /// Counts a pass.
    pub fn passed(&mut self, pass: &Pass) {
        self.passes.count += 1;
        self.passes.pods += u64::from(pass.pods);
        self.passes.claims += u64::from(pass.claims);
        self.passes.buying += u64::from(pass.claims > 0);
        self.pods_a_pass.push(pass.pods.into());
    }

    /// From creation to the scheduler's choice, and to readiness. What is on its way out counts in neither unless it
    /// came so far.
    pub fn lasted(&self, horizon: Duration) -> (Reached, Reached) {
        let counted = || self.lives.values().filter(|life| life.counts_as_unfinished());
        let unbound = counted().filter(|life| !life.is_bound).count();
        let unready = counted().filter(|life| !life.was_ready).count();
        let reached = |finished: &[Duration], rest| Reached::of(finished.iter().copied(), rest, horizon);
        (reached(&self.bind, unbound), reached(&self.ready, unready))
    }

    /// The counts at the end of a run.
    pub fn finish(mut self, cases: &mut HardCases) -> (PodCounts, PassCounts) {
        cases.add(HardCase::PodBound, self.bind.len() as u64);
        cases.add(HardCase::PodHadNoRoom, self.counts.failed_scheduling);
        cases.add(HardCase::PodPreempted, self.counts.preempted);
        let usual = self.lives.values().filter(|life| !matches!(life.kind, PodKind::DaemonSet | PodKind::Static));
        for life in usual.filter(|life| !life.is_deleting) {
            self.counts.pending_at_end += u64::from(!life.is_bound);
            self.counts.running_at_end += u64::from(life.runs);
        }
        self.pods_a_pass.sort_unstable();
        if let (Some(&min), Some(&max)) = (self.pods_a_pass.first(), self.pods_a_pass.last()) {
            let median = self.pods_a_pass[(self.pods_a_pass.len() - 1) / 2];
            self.passes.pods_a_pass = Spread { min, median, max };
        }
        (self.counts, self.passes)
    }
}

impl Life {
    fn counts_as_unfinished(&self) -> bool {
        !self.is_deleting && !matches!(self.kind, PodKind::DaemonSet | PodKind::Static)
    }
}

#[cfg(test)]
mod tests;
