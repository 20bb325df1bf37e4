//! JSON for programs: `lkesim.run/1`, or `lkesim.runs/1` for several.

use super::Format;
use crate::Run;
use crate::runs::Runs;
use crate::style::Style;
use serde::Serialize;
use std::io::{self, Write};

/// The format.
pub struct Json;

impl Format for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn summary(&self) -> &'static str {
        "every figure, for programs; `lkesim schema run` and `lkesim schema runs` describe it"
    }

    fn one(&self, run: &Run<'_>, _: Style, out: &mut dyn Write) -> io::Result<()> {
        document(run.outcome, out)
    }

    fn several(&self, runs: &[Run<'_>], _: Style, out: &mut dyn Write) -> io::Result<()> {
        document(&Runs::of(runs.iter().map(|run| run.outcome.clone())), out)
    }
}

fn document(value: &impl Serialize, mut out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut out, value)?;
    out.write_all(b"\n")
}
