//! What a folder of a finding says of it, beside its scenario and its deviations.

use serde::{Deserialize, Serialize};

/// A finding that was kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// The design.
    pub design: String,
    /// The seed of all luck.
    pub seed: u64,
    /// The invariant.
    pub invariant: String,
    /// How it broke.
    pub mechanism: String,
    /// What happened, in words.
    pub text: String,
}
