//! To be written.

/// An `X-Filter` header.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Filter(pub String);
