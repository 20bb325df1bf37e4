//! The controllers of Nodes.

pub mod termination;
