//! What was found: every breach is counted, the first few are kept.

use crate::outcome::Violation;
use lkesim_runtime::Time;

/// How many breaches of one invariant are kept with their words.
pub const KEPT: usize = 20;

/// Something that must hold in the end and does not yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// What does not hold, and what it waits for.
    pub text: String,
    /// The objects involved.
    pub objects: Vec<String>,
}

/// The breaches of one invariant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    count: u64,
    kept: Vec<Violation>,
}

impl Findings {
    /// Notes a breach. `describe` gives its text and the objects involved, and is asked for the first few alone.
    pub fn breach(&mut self, at: Time, describe: impl FnOnce() -> (String, Vec<String>)) {
        self.count += 1;
        if self.kept.len() < KEPT {
            let (text, objects) = describe();
            self.kept.push(Violation { at_ms: at.as_millis(), text, objects });
        }
    }

    /// How many breaches there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The first breaches, in order, for good.
    pub fn into_first_few(self) -> Vec<Violation> {
        self.kept
    }

    /// The first breaches, in order.
    pub fn first_few(&self) -> &[Violation] {
        &self.kept
    }
}
