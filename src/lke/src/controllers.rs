//! The provider's own controllers, which designs start as they need them.

pub mod garbage_collection;
pub mod inplace_update;
pub mod node_class;
pub mod offerings;
pub mod tagging;
