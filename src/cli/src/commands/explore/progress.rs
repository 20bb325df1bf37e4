//! How a search goes, on standard error: a line now and then.

use crate::pace::Pace;
use lkesim_explore::Tally;
use std::fmt::Display;

pub fn line(tally: &Tally, pace: &Pace) -> String {
    let hours = tally.virtual_ms / 3_600_000;
    let found = found(&tally.by_invariant());
    let (seen, all) = tally.hard_cases_seen();
    format!(
        "{} runs, {} a second, {} virtual hours a second; found: {found}; {seen} of {all} hard cases",
        tally.runs,
        pace.per_second(tally.runs),
        pace.per_second(hours),
    )
}

/// What was found so far, by invariant.
pub fn found<'a, K: Display + 'a>(by_invariant: impl IntoIterator<Item = (&'a K, &'a u64)>) -> String {
    let found = by_invariant.into_iter().map(|(invariant, count)| format!("{invariant} {count}"));
    let found: Vec<String> = found.collect();
    if found.is_empty() { "nothing".to_owned() } else { found.join(", ") }
}
