//! The real provider and our designs, case by case.
//!
//! A case is a file: a cloud, and steps that somebody takes with a provider. The driver in Go takes them with the real
//! provider, against the served fake; [`Lab`] takes the same with a design, against the same fake in one process and on
//! a virtual clock. Both write a [`Record`]: each step's calls and the class of its result, and the state at the end.
//! [`compare`] tells where two records differ.

pub mod case;
pub mod compare;
mod hand;
mod lab;
mod normal;
pub mod record;
mod steps;
mod watched;

pub use case::{Case, Job, cases};
pub use compare::{Difference, compare};
pub use lab::Lab;
pub use record::Record;
pub use steps::drive;
