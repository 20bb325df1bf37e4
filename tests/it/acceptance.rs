//! What the provider's own tests demand of it, call by call, under each design to which it applies.
//!
//! Source: provider e1c5200, the `suite_test.go` files of pkg/providers/lke and of the controllers. Where a design does
//! otherwise than those tests say, the case says so.

mod calls;
mod create;
mod delete;
mod direct;
mod direct_collection;
mod errors;
mod garbage_collection;
mod idempotency;
mod lab;
mod node_class;
mod reading;
mod scaling;
mod strict;
mod tagging;
mod types;
mod variations;
mod verification;
