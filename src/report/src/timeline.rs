//! Charts of one run over its time, from its trace: calls against their limits, what there was, and a lane for each
//! NodeClaim.

mod lanes;

pub use lanes::lanes;

use crate::page::chart::{Chart, Drawn, Line};
use crate::units::{clock, count, window};
use lkesim_judge::outcome::ClassUse;
use lkesim_judge::trace::{ConditionName, Failure, NodeState, Trace, TraceEvent};
use lkesim_linode_api::{Endpoint, RateClass};
use std::collections::{BTreeMap, BTreeSet};

/// Times on the horizontal axis are whole seconds of virtual time.
const ACROSS: &str = "seconds of the run";

/// For each rate limit that was used: its calls by windows of the limit's length, laid from the start of the run, beside
/// the limit. The limiter's own windows begin with a call, so that its fullest one may be somewhat fuller.
pub fn calls(trace: &Trace) -> Vec<Chart> {
    let uses = &trace.footer.outcome.api.by_class;
    let of = |class: RateClass| uses.get(class.name()).filter(|used| used.calls > 0).map(|used| (class, used));
    RateClass::ALL.into_iter().filter_map(of).map(|(class, used)| calls_of(trace, class, used)).collect()
}

/// Calls of one window.
#[derive(Clone, Copy, Default)]
struct Window {
    made: i64,
    throttled: i64,
}

fn calls_of(trace: &Trace, class: RateClass, used: &ClassUse) -> Chart {
    let length = used.window_ms.unwrap_or(60_000).max(1);
    let windows = windows(trace, class, length);
    let fullest = windows.iter().max_by_key(|(at, window)| (window.made, std::cmp::Reverse(**at)));
    let mut about = match fullest {
        None => "No call is in the trace.".to_owned(),
        Some((at, full)) => format!(
            "The most {} is {}, from {} on",
            in_window(length),
            count(full.made.unsigned_abs(), "call"),
            clock(at * length)
        ),
    };
    match used.limit {
        Some(limit) => about.push_str(&format!(", beside a limit of {limit}; {} throttled.", used.throttled)),
        None => about.push_str("; there is no limit."),
    }
    let line = |label: &str, of: fn(&Window) -> i64| Line {
        label: label.to_owned(),
        points: windows.iter().map(|(at, window)| (seconds(at * length), of(window))).collect(),
        in_steps: true,
    };
    let mut lines = vec![line("calls", |window| window.made)];
    if used.throttled > 0 {
        lines.push(line("throttled", |window| window.throttled));
    }
    let limit = used.limit.and_then(|limit| i64::try_from(limit).ok());
    let levels = limit.map(|limit| (format!("limit {limit}"), limit)).into_iter().collect();
    Chart {
        title: format!("How near do `{}` calls come to their limit?", class.name()),
        about,
        across: ACROSS.to_owned(),
        up: format!("calls {}", in_window(length)),
        drawn: Drawn::Lines { lines, levels },
    }
}

fn in_window(ms: u64) -> String {
    if ms == 60_000 { "a minute".to_owned() } else { format!("in {}", window(ms)) }
}

/// By its place, each window from the first to the last, empty ones too.
fn windows(trace: &Trace, class: RateClass, length: u64) -> BTreeMap<u64, Window> {
    let mut windows = BTreeMap::<u64, Window>::new();
    let mut places = BTreeMap::new();
    for event in &trace.events {
        match &event.what {
            TraceEvent::ApiCalled { call, request, .. } if class_of(&request.endpoint) == Some(class) => {
                places.insert(*call, event.at_ms / length);
                windows.entry(event.at_ms / length).or_default().made += 1;
            }
            TraceEvent::ApiAnswered { call, failure: Some(Failure { throttled: true, .. }), .. } => {
                if let Some(window) = places.get(call).and_then(|place| windows.get_mut(place)) {
                    window.throttled += 1;
                }
            }
            _ => {}
        }
    }
    let last = windows.last_key_value().map(|(place, _)| *place);
    for place in 0..=last.map_or(0, |last| last + 1) {
        windows.entry(place).or_default();
    }
    windows
}

fn class_of(endpoint: &str) -> Option<RateClass> {
    Endpoint::ALL.iter().find(|known| known.name() == endpoint).map(|known| known.class())
}

fn seconds(ms: u64) -> i64 {
    i64::try_from(ms / 1_000).unwrap_or(i64::MAX)
}

/// How many NodeClaims, Linodes and ready nodes there were.
pub fn population(trace: &Trace) -> Chart {
    let mut there = There::default();
    let mut lines = There::NAMES.map(|label| Line { label: label.to_owned(), points: vec![(0, 0)], in_steps: true });
    for event in &trace.events {
        if !there.take(&event.what) {
            continue;
        }
        for (line, n) in lines.iter_mut().zip(there.numbers()) {
            point(line, seconds(event.at_ms), n);
        }
    }
    let end = seconds(trace.footer.outcome.virtual_ms);
    for (line, n) in lines.iter_mut().zip(there.numbers()) {
        line.points.push((end, n));
    }
    let most = |line: &Line| line.points.iter().map(|point| point.1).max().unwrap_or(0);
    let peaks: Vec<String> = lines.iter().map(|line| format!("{} {}", most(line), line.label)).collect();
    let ends: Vec<String> = there.numbers().iter().map(ToString::to_string).collect();
    Chart {
        title: "What was there, and when?".to_owned(),
        about: format!("At most {}; at the end {}.", peaks.join(", "), ends.join(", ")),
        across: ACROSS.to_owned(),
        up: "how many".to_owned(),
        drawn: Drawn::Lines { lines: lines.to_vec(), levels: Vec::new() },
    }
}

/// Of several numbers within a second the last stands.
fn point(line: &mut Line, at: i64, n: i64) {
    match line.points.last_mut() {
        Some(last) if last.0 == at => last.1 = n,
        Some(last) if last.1 == n => {}
        _ => line.points.push((at, n)),
    }
}

/// What is there.
#[derive(Default)]
struct There {
    claims: BTreeSet<u64>,
    launched: BTreeSet<u64>,
    linodes: BTreeSet<u64>,
    ready: BTreeSet<String>,
}

impl There {
    const NAMES: [&'static str; 4] = ["NodeClaims", "launched", "Linodes", "ready nodes"];

    fn numbers(&self) -> [i64; 4] {
        [self.claims.len(), self.launched.len(), self.linodes.len(), self.ready.len()]
            .map(|n| i64::try_from(n).unwrap_or(i64::MAX))
    }

    /// Whether an event changed something.
    fn take(&mut self, what: &TraceEvent) -> bool {
        match what {
            TraceEvent::StartedWith { linodes, claims } => {
                self.linodes.extend(linodes.iter().map(|older| older.linode));
                self.claims.extend(claims.iter().map(|claim| claim.uid));
                self.launched.extend(claims.iter().map(|claim| claim.uid));
                true
            }
            TraceEvent::NodeClaimCreated { claim, .. } => self.claims.insert(claim.uid),
            TraceEvent::NodeClaimCondition {
                claim, condition: ConditionName::Launched, status: Some(true), ..
            } => self.launched.insert(claim.uid),
            TraceEvent::NodeClaimGone { claim } => {
                self.launched.remove(&claim.uid);
                self.claims.remove(&claim.uid)
            }
            TraceEvent::LinodeCreated { linode, .. } => self.linodes.insert(*linode),
            TraceEvent::LinodeDeleted { linode, .. } => self.linodes.remove(linode),
            TraceEvent::NodeChanged { node, change: NodeState::Ready, .. } => self.ready.insert(node.clone()),
            TraceEvent::NodeChanged { node, change: NodeState::NotReady | NodeState::Gone, .. } => {
                self.ready.remove(node)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
