//! What broke, what was to break and did not, and what was expected and did not come.

use crate::style::Tone;
use crate::units::{clock, count};
use lkesim_judge::Outcome;
use lkesim_judge::outcome::{ExpectationOutcome, InvariantOutcome, PendingPods, Verdict, Violation, Warning};

/// One thing to report, the ones that fail a run first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// `broken`, `as expected`, …
    pub mark: &'static str,
    /// How it is meant.
    pub tone: Tone,
    /// What it is about: an invariant, a figure.
    pub name: String,
    /// What happened, in a line.
    pub text: String,
    /// Each breach with its time and objects, or each thing that is waited for.
    pub details: Vec<String>,
    /// How many details there would be in all.
    pub count: u64,
}

/// All that is to be said of invariants, expectations and the end of the run.
pub fn findings(outcome: &Outcome) -> Vec<Finding> {
    let invariants = outcome.invariants.iter();
    let mut found: Vec<Finding> = invariants.filter_map(|invariant| of_invariant(invariant, outcome.verdict)).collect();
    found.extend(outcome.expectations.iter().filter_map(of_expectation));
    if !outcome.ending.unsettled.is_empty() {
        found.push(Finding {
            mark: "unsettled",
            tone: Tone::Warn,
            name: "the calm".to_owned(),
            text: "not everything converged".to_owned(),
            details: outcome.ending.unsettled.clone(),
            count: outcome.ending.unsettled.len() as u64,
        });
    }
    found.extend(outcome.warnings.iter().map(of_warning));
    found.extend(of_pending(outcome));
    // What fails the run stands first; the order is kept within.
    found.sort_by_key(|finding| finding.tone != Tone::Bad);
    found
}

/// Why pods have no node at the end: a line a reason.
fn of_pending(outcome: &Outcome) -> Option<Finding> {
    let pods = outcome.pods.as_ref().filter(|pods| pods.pending_at_end > 0)?;
    let of = |one: &PendingPods| {
        let more = one.count.saturating_sub(one.pods.len() as u64);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let verb = if one.count == 1 { "pends" } else { "pend" };
        format!("{} {verb} ({}{more}): {}", count(one.count, "pod"), one.pods.join(", "), one.reason)
    };
    let mut details: Vec<String> = outcome.pending.iter().map(of).collect();
    let told: u64 = outcome.pending.iter().map(|one| one.count).sum();
    let rest = pods.pending_at_end.saturating_sub(told);
    if rest > 0 && !details.is_empty() {
        details.push(format!("{} for other reasons", count(rest, "pod")));
    }
    Some(Finding {
        mark: "pending",
        tone: Tone::Warn,
        name: count(pods.pending_at_end, "pod"),
        text: "without a node at the end".to_owned(),
        details,
        count: pods.pending_at_end,
    })
}

/// Something of the scenario that came to nothing.
fn of_warning(warning: &Warning) -> Finding {
    Finding {
        mark: "warning",
        tone: Tone::Warn,
        name: warning.path.clone(),
        text: format!("came to nothing, at {}", clock(warning.at_ms)),
        details: vec![warning.text.clone()],
        count: 1,
    }
}

fn of_invariant(invariant: &InvariantOutcome, verdict: Verdict) -> Option<Finding> {
    let (mark, tone) = match (invariant.held, invariant.expected_to_break) {
        _ if invariant.not_promised && !invariant.held => ("not promised", Tone::Faint),
        (true, false) => return None,
        (false, true) => ("as expected", Tone::Warn),
        (false, false) => ("broken", Tone::Bad),
        (true, true) if verdict == Verdict::Fail => ("did not break", Tone::Bad),
        (true, true) => ("did not break", Tone::Faint),
    };
    let first = invariant.violations.first();
    let text = match (first, invariant.count) {
        (None, _) if invariant.held => {
            let weight = if verdict == Verdict::Fail { "" } else { "; this does not decide" };
            format!("the scenario lists it as one that breaks{weight}")
        }
        (None, count) => format!("{count} times"),
        (Some(first), 1) => format!("once, at {}", clock(first.at_ms)),
        (Some(first), count) => format!("{count} times, first at {}", clock(first.at_ms)),
    };
    let details = invariant.violations.iter().map(detail).collect();
    Some(Finding { mark, tone, name: invariant.name.clone(), text, details, count: invariant.count })
}

/// A breach: when, what, and the objects that its text does not name itself.
fn detail(violation: &Violation) -> String {
    let objects = violation.objects.iter();
    let others: Vec<&str> = objects.map(String::as_str).filter(|object| !violation.text.contains(object)).collect();
    let others = match others.is_empty() {
        true => String::new(),
        false => format!(" ({})", others.join(", ")),
    };
    format!("{} {}{others}", clock(violation.at_ms), violation.text)
}

fn of_expectation(expectation: &ExpectationOutcome) -> Option<Finding> {
    if expectation.held {
        return None;
    }
    let actual = match super::actual(expectation) {
        Some(actual) => format!("was {actual}"),
        None => "there is no such figure".to_owned(),
    };
    let (tone, weight) = match expectation.decides {
        true => (Tone::Bad, ""),
        false => (Tone::Faint, "; this does not decide"),
    };
    Some(Finding {
        mark: "not met",
        tone,
        name: expectation.figure.clone(),
        text: format!("expected {}, {actual}{weight}", expectation.expected),
        details: Vec::new(),
        count: 0,
    })
}
