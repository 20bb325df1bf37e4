//! The controllers of Nodes.

pub mod drain;
pub mod termination;
