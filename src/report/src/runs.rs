//! Several runs of one scenario as one document.

use lkesim_judge::Outcome;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The name of the document's format.
pub const SCHEMA: &str = "lkesim.runs/1";

/// The runs of one scenario under one seed by several designs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Runs {
    /// `lkesim.runs/1`.
    pub schema: String,
    /// The runs, in the order in which the designs were named.
    pub runs: Vec<Outcome>,
}

impl Runs {
    /// The document of these runs.
    pub fn of(runs: impl IntoIterator<Item = Outcome>) -> Runs {
        Runs { schema: SCHEMA.to_owned(), runs: runs.into_iter().collect() }
    }
}
