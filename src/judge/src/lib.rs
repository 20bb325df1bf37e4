//! Reads the stream of events of a run and says what is true, what broke, what it cost and how it went.
//!
//! It knows neither the simulator that makes the events nor the designs under test: it reads the truth, never the API.

pub mod event;
pub mod expect;
pub mod figures;
pub mod invariants;
pub mod outcome;
pub mod trace;
pub mod truth;

pub use event::{Event, What};
pub use outcome::Outcome;
