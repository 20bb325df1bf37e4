//! What a search found: the document that `explore --format json` prints.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name of this document's format.
pub const SCHEMA: &str = "lkesim.explore/1";

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Explored {
    /// `lkesim.explore/1`.
    pub schema: String,
    /// What scenarios were drawn from: `general`, or those around which they were drawn.
    pub palette: Vec<String>,
    /// The design.
    pub design: String,
    /// The first seed.
    pub start_seed: u64,
    /// How many seeds ran, one after the other from the first.
    pub runs: u64,
    /// Why it ended.
    pub ended: Ended,
    /// Whether nothing broke, every declared hard case occurred, and everything was modelled.
    pub verdict: Verdict,
    /// The virtual time of all runs.
    pub virtual_ms: u64,
    /// The steps of all runs.
    pub steps: u64,
    /// How many runs broke something.
    pub failed_runs: u64,
    /// What broke: one for each mechanism, the most frequent first.
    pub findings: Vec<Finding>,
    /// How often each hard case occurred.
    pub hard_cases: BTreeMap<String, u64>,
    /// Hard cases that had to occur and did not. Only judged after as many runs as the palette says are enough.
    pub missing: Vec<String>,
    /// What was asked for that is not modelled, and in how many runs.
    pub not_modelled: BTreeMap<String, u64>,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// All seeds ran.
    Done,
    /// Something broke, and that was to end it.
    FirstFinding,
    /// Its time was over, or it was interrupted.
    Stopped,
}

/// Whether a search found nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It did.
    Pass,
    /// Something broke, a declared hard case never occurred, or something is not modelled.
    Fail,
}

/// Failures of one mechanism.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The invariant; `no-panic` and `no-spinning` beside those that `lkesim list invariants` names.
    pub invariant: String,
    /// The signature: what broke it, the deciding write before, and what hindered the operations involved.
    pub mechanism: String,
    /// How many runs broke it so.
    pub count: u64,
    /// The first seed that did.
    pub first_seed: u64,
    /// When, in that run, in virtual milliseconds.
    pub at_ms: u64,
    /// What happened in that run, in words.
    pub text: String,
    /// The command that repeats that run.
    pub repro: String,
}
