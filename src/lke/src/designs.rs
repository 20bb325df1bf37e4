//! The designs, one file each.

mod documented;

use crate::context::Context;
use crate::{Provider, tags};
use lkesim_linode_api::Tier;
use lkesim_linode_api::budget::Budget;
use std::rc::Rc;
use std::sync::Arc;

/// A design: how a provider makes, finds and removes the Linode of a NodeClaim.
pub struct Design {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// What it is, where it comes from, and the settings that it leaves open, for `lkesim explain`.
    pub about: &'static str,
    /// Builds it for a process.
    pub build: fn(Rc<Context>) -> Rc<dyn Provider>,
    /// The calls that its source allows.
    pub budgets: &'static [Budget],
    /// The invariants that it cannot hold by its nature.
    pub not_promised: &'static [&'static str],
    /// The tags by which it finds and owns the Linode that a NodeClaim holds: the keys of `key=value` tags.
    pub owning_tags: fn(Tier) -> &'static [&'static str],
    /// The tag that gives a Linode to the NodeClaim of this name.
    pub claim_tag: fn(&str) -> Arc<str>,
}

/// Every design, in the order of `lkesim list designs`.
pub const DESIGNS: &[&Design] = &[&documented::DESIGN];

/// The design of this name.
pub fn design(name: &str) -> Option<&'static Design> {
    DESIGNS.iter().copied().find(|design| design.name == name)
}

/// The tags of a design that claims by the nodeclaim tag and, on Standard, copies the pool's tags.
fn tags_as_documented(tier: Tier) -> &'static [&'static str] {
    match tier {
        Tier::Standard => &[tags::NODE_CLAIM, tags::MANAGED],
        Tier::Enterprise => &[tags::NODE_CLAIM, tags::MANAGED, "nodepool"],
    }
}
