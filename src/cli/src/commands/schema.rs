//! `lkesim schema`: the JSON Schema of a document.

use crate::args::{Document, Schema as Args};
use crate::{Failure, Terminal, exit};
use lkesim_compare::document;
use lkesim_explore::{exhaustive, explored};
use lkesim_judge::{outcome, trace};
use lkesim_report::runs;
use schemars::{JsonSchema, schema_for};
use serde_json::Value;

/// Runs the command.
pub fn schema(args: &Args, terminal: &mut Terminal) -> Result<u8, Failure> {
    let schema = match args.name {
        Document::Scenario => lkesim_scenario::schema(),
        Document::Run => titled::<outcome::Outcome>(outcome::SCHEMA),
        Document::Runs => titled::<runs::Runs>(runs::SCHEMA),
        Document::Trace => titled::<trace::TraceLine>(trace::SCHEMA),
        Document::Explore => titled::<explored::Explored>(explored::SCHEMA),
        Document::Exhausted => titled::<exhaustive::Exhausted>(exhaustive::SCHEMA),
        Document::Compare => titled::<document::Compared>(document::COMPARE),
        Document::Screen => titled::<document::Screened>(document::SCREEN),
        Document::Sweep => titled::<document::Swept>(document::SWEEP),
    };
    let text = serde_json::to_string_pretty(&schema).map_err(|error| Failure::Bug(error.to_string()))?;
    terminal.print(&format!("{text}\n"))?;
    Ok(exit::OK)
}

/// The schema under the name that the document gives in its `schema` member.
fn titled<T: JsonSchema>(title: &str) -> Value {
    let mut schema = schema_for!(T);
    schema.insert("title".to_owned(), title.into());
    schema.to_value()
}
