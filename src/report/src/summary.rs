//! What there is to say of one run: a headline, what broke, and tables.

mod findings;
mod tables;

pub use findings::{Finding, findings};
pub use tables::{
    Quantile, actual, budgets, budgets_used, cases, causes, clients, endpoints, expectations, facts, in_order, limits,
    spent, times,
};

use crate::style::Tone;
use crate::units::{clock, count, length};
use lkesim_judge::Outcome;
use lkesim_judge::outcome::Verdict;

/// `PASS` or `FAIL`, and how it is meant.
pub fn verdict(outcome: &Outcome) -> (&'static str, Tone) {
    match outcome.verdict {
        Verdict::Pass => ("PASS", Tone::Good),
        Verdict::Fail => ("FAIL", Tone::Bad),
    }
}

/// What ran and what came of its invariants and expectations, in one line.
pub fn headline(outcome: &Outcome) -> String {
    let judged = outcome.invariants.iter().filter(|invariant| !invariant.not_promised);
    let (held, all) = judged.fold((0, 0), |(held, all), invariant| (held + u64::from(invariant.held), all + 1));
    let mut text = format!(
        "{} under {}, seed {}: {held} of {} held",
        outcome.scenario,
        designs(outcome),
        outcome.seed,
        count(all, "invariant"),
    );
    let deciding = outcome.expectations.iter().filter(|expectation| expectation.decides);
    let (met, expected) = deciding.fold((0, 0), |(met, all), expectation| (met + u64::from(expectation.held), all + 1));
    if expected > 0 {
        text.push_str(&format!(", {met} of {} met", count(expected, "expectation")));
    }
    text
}

/// The run's design; of several clusters with other designs, each with its own.
pub fn designs(outcome: &Outcome) -> String {
    if outcome.clusters.iter().all(|cluster| cluster.design == outcome.design) {
        return outcome.design.clone();
    }
    let clusters = outcome.clusters.iter();
    let each: Vec<String> = clusters.map(|cluster| format!("{} ({})", cluster.design, cluster.name)).collect();
    each.join(", ")
}

/// How long the run took and how it ended, in one line.
pub fn course(outcome: &Outcome) -> String {
    let ending = &outcome.ending;
    let calm = outcome.virtual_ms.saturating_sub(ending.calm_from_ms);
    let calm = match ending.settled {
        true => format!("settled {} into the calm", length(calm)),
        false => format!("had not settled after {} of calm", length(calm)),
    };
    format!(
        "{} of trouble, {calm}; ended at {} after {}; digest {}",
        length(ending.calm_from_ms),
        clock(outcome.virtual_ms),
        count(outcome.events, "step"),
        outcome.digest,
    )
}
