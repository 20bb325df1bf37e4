//! Turns what came of a run into pages for people and documents for programs. It runs nothing.
//!
//! Two things are read: an [`Outcome`](lkesim_judge::Outcome), the figures of a run, and a
//! [`Trace`](lkesim_judge::trace::Trace), all that happened in it. Figures become [`table::Table`]s once, and each
//! [`format::Format`] lays out the same tables, so that no number is computed twice. Traces become a [`story`], a
//! [`sequence`] diagram, a [`timeline`] of charts, or a [`diff`]. Where there is room, all of it is a [`page`], which each
//! of its layouts writes.

pub mod compared;
pub mod diff;
pub mod format;
pub mod page;
pub mod ran;
pub mod repeat;
pub mod runs;
pub mod screened;
pub mod sequence;
pub mod side_by_side;
pub mod story;
pub mod style;
pub mod summary;
pub mod table;
pub mod timeline;
pub mod units;

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

use lkesim_judge::Outcome;
use lkesim_judge::trace::Trace;

/// A run to report on.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// What came of it.
    pub outcome: &'a Outcome,
    /// The command that repeats it.
    pub repeat: &'a str,
    /// All that happened in it, for formats that draw it.
    pub trace: Option<&'a Trace>,
}
