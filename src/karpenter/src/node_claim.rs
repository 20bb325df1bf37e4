//! The controllers of NodeClaims.

pub mod garbage_collection;
pub mod lifecycle;
mod termination;
