//! Checks of what happens to Karpenter's processes.

use super::Checker;
use crate::chaos::Chaos;
use crate::fault::Calls;
use crate::path::Path;
use crate::value::Span;

impl Checker<'_> {
    pub(super) fn chaos(&mut self) {
        let replicas = self.scenario.replicas();
        for (index, chaos) in self.scenario.chaos.iter().enumerate() {
            let path = Path::default().key("chaos").index(index).key(chaos.kind());
            match chaos {
                Chaos::Crash(crash) => match (crash.at, &crash.after) {
                    (Some(at), None) => {
                        self.in_trouble(path.key("at"), at);
                        if crash.nth != 1 {
                            self.wrong(path.key("nth"), "`nth` counts the calls of `after`, which is not there");
                        }
                    }
                    (None, Some(calls)) => {
                        if matches!(calls, Calls::Of(endpoints) if endpoints.is_empty()) {
                            self.wrong(path.key("after"), "the list is empty; expected names of calls, or `any`");
                        }
                        if crash.nth == 0 {
                            self.wrong(path.key("nth"), "calls are counted from 1; found 0");
                        }
                    }
                    _ => self.wrong(path, "expected one of `at` and `after`"),
                },
                Chaos::LeaderChange(change) => {
                    self.in_trouble(path.key("at"), change.at);
                    self.span(path.key("overlap"), change.overlap, true);
                    if replicas < 2 {
                        let message = "there is no other leader; expected `karpenter.replicas` of 2 or more";
                        self.wrong(path, message);
                    }
                }
                Chaos::Pause(pause) => {
                    self.in_trouble(path.key("at"), pause.at);
                    self.span(path.key("for"), pause.length, false);
                }
                Chaos::ClockStep(step) => {
                    self.in_trouble(path.key("at"), step.at);
                    match (step.ahead, step.behind) {
                        (Some(ahead), None) => self.span(path.key("ahead"), ahead, true),
                        (None, Some(behind)) => {
                            self.span(path.key("behind"), behind, true);
                            if behind > step.at {
                                let message = format!(
                                    "at {} the clock would show a time before the run began; expected {} at most",
                                    step.at, step.at
                                );
                                self.wrong(path.key("behind"), message);
                            }
                        }
                        _ => self.wrong(path, "expected one of `ahead` and `behind`"),
                    }
                }
            }
        }
    }

    fn in_trouble(&mut self, path: Path, at: Span) {
        let duration = self.scenario.duration;
        if at >= duration {
            self.wrong(path, format!("{at} is not before the end of `duration` ({duration}), where chaos stops"));
        }
    }

    pub(super) fn processes(&mut self) {
        let karpenter = &self.scenario.karpenter;
        let path = Path::default().key("karpenter");
        self.at_most(path.key("replicas"), self.scenario.replicas().into(), 1, 10);
        self.span(path.key("restart"), karpenter.restart, true);
        let lease = path.key("lease");
        self.span(lease.key("duration"), karpenter.lease.duration, false);
        self.span(lease.key("renew_deadline"), karpenter.lease.renew_deadline, false);
        self.span(lease.key("retry"), karpenter.lease.retry, false);
        if karpenter.lease.duration <= karpenter.lease.renew_deadline {
            let message = "the lease is to outlast `renew_deadline`, or a leader could not know that it lost it";
            self.wrong(lease.key("duration"), message);
        }
        // client-go refuses a lease otherwise.
        let (retry, renew_deadline) = (karpenter.lease.retry, karpenter.lease.renew_deadline);
        if renew_deadline.get() <= retry.get() * 6 / 5 {
            let message =
                format!("{retry} is too long: `renew_deadline` ({renew_deadline}) is to be more than 1.2 times it");
            self.wrong(lease.key("retry"), message);
        }
    }
}
