//! How a search goes, on standard error: a line now and then, and one for each finding that is new.

use super::EVERY;
use crate::Terminal;
use lkesim_explore::Tally;
use std::time::Instant;

/// Tells how a search goes.
pub struct Progress {
    start: Instant,
    told: Instant,
}

impl Progress {
    pub fn new(start: Instant) -> Progress {
        Progress { start, told: start }
    }

    /// Another seed was merged.
    pub fn after(&mut self, _is_new: bool, tally: &Tally, terminal: &mut Terminal) {
        if self.told.elapsed() < EVERY {
            return;
        }
        self.told = super::now();
        terminal.tell(&line(tally, self.start.elapsed().as_millis()));
    }
}

fn line(tally: &Tally, millis: u128) -> String {
    let per_second = |count: u64| u128::from(count) * 1_000 / millis.max(1);
    let hours = tally.virtual_ms / 3_600_000;
    let found = tally.by_invariant();
    let found: Vec<String> = found.iter().map(|(invariant, count)| format!("{invariant} {count}")).collect();
    let found = if found.is_empty() { "nothing".to_owned() } else { found.join(", ") };
    let (seen, all) = tally.hard_cases_seen();
    format!(
        "{} runs, {} a second, {} virtual hours a second; found: {found}; {seen} of {all} hard cases",
        tally.runs,
        per_second(tally.runs),
        per_second(hours),
    )
}
