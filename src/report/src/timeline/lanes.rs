//! A lane for each NodeClaim: how far it had come, and the API calls that were made for it.

use super::{ACROSS, seconds};
use crate::page::chart::{Chart, Drawn, Lane};
use crate::units::count;
use lkesim_judge::trace::{ConditionName, Trace, TraceEvent};
use std::collections::BTreeMap;

/// As many NodeClaims have a lane; the first ones.
const LANES: usize = 60;

/// As many calls of a lane are marked; the first ones.
const MARKS: usize = 120;

/// The lanes of the first NodeClaims. Calls that serve several, such as those of garbage collection, are in none.
pub fn lanes(trace: &Trace) -> Chart {
    let mut lives = Lives::default();
    for event in &trace.events {
        lives.take(event.at_ms, &event.what);
    }
    let end = trace.footer.outcome.virtual_ms;
    let all = lives.all.len();
    let shown = all.min(LANES);
    let unmarked = lives.unmarked;
    let mut about = format!(
        "{} of {}, in order of creation; a stroke is an API call of an operation for it",
        shown,
        count(all as u64, "NodeClaim")
    );
    if unmarked > 0 {
        about.push_str(&format!(", of which {unmarked} beyond the first {MARKS} of a lane are left out"));
    }
    about.push('.');
    let mut all: Vec<Life> = lives.all.into_values().collect();
    all.sort_by_key(|life| life.place);
    Chart {
        title: "What did each NodeClaim wait for?".to_owned(),
        about,
        across: ACROSS.to_owned(),
        up: String::new(),
        drawn: Drawn::Lanes(all.into_iter().take(LANES).map(|life| life.lane(end)).collect()),
    }
}

/// A NodeClaim's life so far.
struct Life {
    place: usize,
    name: String,
    /// When each stage began, in order.
    stages: Vec<(u64, &'static str)>,
    gone_ms: Option<u64>,
    calls: Vec<(i64, String)>,
}

impl Life {
    fn lane(self, end_ms: u64) -> Lane {
        let ends = self.stages.iter().skip(1).map(|stage| stage.0).chain([self.gone_ms.unwrap_or(end_ms)]);
        let spans = self.stages.iter().zip(ends);
        let spans = spans.map(|((from, stage), to)| (seconds(*from), seconds(to), (*stage).to_owned())).collect();
        Lane { label: self.name, spans, marks: self.calls }
    }
}

#[derive(Default)]
struct Lives {
    /// By uid.
    all: BTreeMap<u64, Life>,
    /// Whose operation runs.
    runs: BTreeMap<u64, u64>,
    unmarked: u64,
}

impl Lives {
    fn take(&mut self, at_ms: u64, what: &TraceEvent) {
        match what {
            TraceEvent::StartedWith { claims, .. } => {
                claims.iter().for_each(|claim| self.begin(claim.uid, &claim.name, at_ms, "launched before the run"));
            }
            TraceEvent::NodeClaimCreated { claim, .. } => self.begin(claim.uid, &claim.name, at_ms, "launching"),
            TraceEvent::NodeClaimCondition { claim, condition, status: Some(true), .. } => {
                let stage = match condition {
                    ConditionName::Launched => "joining",
                    ConditionName::Registered => "getting ready",
                    ConditionName::Initialized => "ready",
                    ConditionName::InstanceTerminating | ConditionName::DisruptionReason => return,
                };
                self.stage(claim.uid, at_ms, stage);
            }
            TraceEvent::NodeClaimDeleting { claim, .. } => self.stage(claim.uid, at_ms, "being deleted"),
            TraceEvent::NodeClaimGone { claim } => {
                if let Some(life) = self.all.get_mut(&claim.uid) {
                    life.gone_ms = Some(at_ms);
                }
            }
            TraceEvent::OperationStarted { run, claim: Some(claim), .. } => {
                self.runs.insert(*run, claim.uid);
            }
            TraceEvent::ApiCalled { request, purpose, .. } => {
                let life = self.runs.get(&purpose.run).and_then(|uid| self.all.get_mut(uid));
                match life {
                    Some(life) if life.calls.len() < MARKS => {
                        life.calls.push((seconds(at_ms), format!("{} ({})", request.endpoint, purpose.cause)));
                    }
                    Some(_) => self.unmarked += 1,
                    None => {}
                }
            }
            _ => {}
        }
    }

    fn begin(&mut self, uid: u64, name: &str, at_ms: u64, stage: &'static str) {
        let (place, name, stages) = (self.all.len(), name.to_owned(), vec![(at_ms, stage)]);
        self.all.insert(uid, Life { place, name, stages, gone_ms: None, calls: Vec::new() });
    }

    /// A NodeClaim that is being deleted does not go back to an earlier stage.
    fn stage(&mut self, uid: u64, at_ms: u64, stage: &'static str) {
        if let Some(life) = self.all.get_mut(&uid)
            && life.stages.last().is_none_or(|last| last.1 != "being deleted" && last.1 != stage)
        {
            life.stages.push((at_ms, stage));
        }
    }
}
