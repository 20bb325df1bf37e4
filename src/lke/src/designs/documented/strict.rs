//! The design document with its invariants as hard errors: several where one should be fails Create.

use super::several::Several;
use super::variation::AsWritten;
use super::{DESIGN as DOCUMENTED, Documented};
use crate::designs::Design;
use lkesim_linode_api::design_facts::DesignFacts;

/// The design document, where Create fails on what its one-to-one rules out.
pub const DESIGN: Design = Design {
    summary: "the design document, but several pools, Linodes or nodeclaim tags where one should be fail Create",
    about: include_str!("../documented_strict.md"),
    build: |context| Documented::provider(context, Several::Fail, AsWritten),
    facts: DesignFacts { name: "documented-strict", ..DOCUMENTED.facts },
    ..DOCUMENTED
};
