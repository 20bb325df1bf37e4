//! What is said of manifests.

use crate::path::Path;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The objects can't be used.
    Error,
    /// A field would matter and is not modelled: what comes out may differ from a real cluster. An error where all of
    /// it must hold.
    Warning,
    /// Something is left out that makes no difference.
    Note,
}

/// One thing that is said.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// Where, in the scenario.
    pub path: Path,
    /// Whether the key is meant, and not its value.
    pub at_key: bool,
    /// What.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}
