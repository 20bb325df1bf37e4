//! Writes a trace as the run goes: nothing is kept but one line.

use super::{EventLine, Footer, Header};
use crate::event::Event;
use crate::outcome::Outcome;
use serde::Serialize;
use std::io::{self, Write};

/// A trace on its way to `out`. Wrap slow outputs in a buffer of your own.
pub struct TraceWriter<W: Write> {
    out: W,
    line: Vec<u8>,
    events: u64,
}

impl<W: Write> TraceWriter<W> {
    /// Writes the header.
    pub fn begin(out: W, header: &Header) -> io::Result<TraceWriter<W>> {
        let mut writer = TraceWriter { out, line: Vec::new(), events: 0 };
        writer.write_line(header)?;
        Ok(writer)
    }

    /// Writes one event.
    pub fn event(&mut self, event: &Event) -> io::Result<()> {
        self.events += 1;
        self.write_line(&EventLine::from(event))
    }

    /// Writes the footer, without which a trace counts as cut short, and gives back the flushed output.
    pub fn end(mut self, outcome: &Outcome, deviations: Vec<String>) -> io::Result<W> {
        let footer = Footer {
            digest: outcome.digest.clone(),
            events: self.events,
            verdict: outcome.verdict,
            deviations,
            outcome: outcome.clone(),
        };
        self.write_line(&footer)?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// One line in one write, so that an unbuffered output never holds half of one for long.
    fn write_line(&mut self, line: &impl Serialize) -> io::Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, line)?;
        self.line.push(b'\n');
        self.out.write_all(&self.line)
    }
}
