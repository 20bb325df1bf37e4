//! Controllers of NodePools.

pub mod counter;
