//! `lkesim merge`: one result of those of a search that ran in shards.

use super::explore::conclude;
use crate::args::Merge as Args;
use crate::{Failure, Terminal, input};
use lkesim_explore::Explored;

/// Runs the command.
pub fn merge(args: &Args, terminal: &mut Terminal) -> Result<u8, Failure> {
    let mut documents = Vec::new();
    for path in &args.file {
        let (name, text) = input::document(path, terminal)?;
        let explored: Explored = serde_json::from_str(&text).map_err(|error| {
            Failure::Input(format!("{name} is no result of `lkesim explore --format json`: {error}"))
        })?;
        documents.push((name, explored));
    }
    let whole = lkesim_explore::merge(documents).map_err(|error| Failure::Input(error.to_string()))?;
    conclude(&whole, args.format, args.junit.as_deref(), terminal)
}
