//! The cloud behind a socket: the API under `/v4` and `/v4beta`, and beside it an administration interface under
//! `/_fake`.
//!
//! One thread, one [`Cloud`](crate::Cloud): a request is judged in one step, at the time that the clock shows when its
//! last byte has come. The clock runs at a speed or is moved by hand. What the value can't do alone is done here: a
//! lost answer is silence and then the connection's end, a late answer really waits, and clients that are slow or many
//! are bounded.

mod admin;
mod api;
mod auth;
mod beta;
mod clock;
mod connection;
mod headers;
mod latency;
mod log;
mod object;
mod recorded;
mod render;
mod room;
mod scopes;
mod span;
mod state;
mod statics;

pub use clock::{Pace, Speed};
pub use connection::{Bounds, serve};
pub use latency::Latency;
pub use log::Sink;
pub use state::{Beginning, Server, Source};

#[cfg(test)]
mod tests;
