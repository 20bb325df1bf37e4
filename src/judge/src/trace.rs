//! The trace: what happened in a run, as a file that people and programs read.
//!
//! It is JSON Lines. The first line is a [`Header`] that holds all that the run depends on, so that a trace repeats
//! without the scenario's file. Then comes one [`EventLine`] an event, in order, and last a [`Footer`] with the
//! digest and what came of the run. Its absence tells that the file was cut short.
//!
//! Equal runs write equal bytes: members have a fixed order, numbers are integers, nothing names the machine or the
//! hour. The file mirrors [`Event`](crate::Event) in types of its own, so that the stream stays free of serialization
//! and the format changes only on purpose.

mod convert;
pub mod digest;
mod event;
mod header;
mod pods;
mod reader;
mod request;
mod writer;

pub use digest::Digest;
pub use event::{
    AmountOf, Claim, ConditionName, EventLine, Failure, FailureKind, LkePoolCount, NodeState, Pod, PodState, Purpose,
    Returned, Seen, TraceEvent,
};
pub use header::{Footer, Header, Schedule, TraceLine};
pub use reader::{Trace, TraceError, TraceReader};
pub use request::Request;
pub use writer::TraceWriter;

/// The name of this file's format.
pub const SCHEMA: &str = "lkesim.trace/1";

#[cfg(test)]
mod tests;
