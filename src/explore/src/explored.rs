//! What a search found: the document that `explore --format json` prints.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The name of this document's format.
pub const SCHEMA: &str = "lkesim.explore/1";

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Explored {
    /// `lkesim.explore/1`.
    pub schema: String,
    /// The version of the program that searched.
    pub version: String,
    /// What scenarios were drawn from: `general`, or those around which they were drawn.
    pub palette: Vec<String>,
    /// A hash of these scenarios: searches of one are of the others too where it is the same.
    pub palette_hash: String,
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
    /// Hard cases that have to occur.
    pub declared: Vec<String>,
    /// From how many runs on that is judged.
    pub declared_from: u64,
    /// Hard cases that had to occur and did not. A shard does not judge it: only the merged whole does.
    pub missing: Vec<String>,
    /// What was asked for that is not modelled, and in how many runs.
    pub not_modelled: BTreeMap<String, u64>,
    /// Which part of a search this is, where it is one. Its findings have all hindrances: which of them are one finding is
    /// known once all parts are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Part>,
}

/// A part of a search, as others run the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// Which, from 0.
    pub index: u64,
    /// Of how many.
    pub of: u64,
    /// How many seeds it has to run.
    pub seeds: u64,
}

impl Explored {
    /// Finds out again what is missing, and the verdict.
    pub(crate) fn judge(&mut self) {
        let occurred = |case: &String| self.hard_cases.get(case).is_some_and(|count| *count > 0);
        let is_judged = self.shard.is_none() && self.runs >= self.declared_from;
        let missing = self.declared.iter().filter(|case| is_judged && !occurred(case));
        self.missing = missing.cloned().collect();
        let is_clean = self.findings.is_empty() && self.missing.is_empty() && self.not_modelled.is_empty();
        self.verdict = if is_clean { Verdict::Pass } else { Verdict::Fail };
    }
}

/// The most frequent first, then by the first seed.
pub(crate) fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by_key(|finding| (Reverse(finding.count), finding.first_seed));
    findings
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
