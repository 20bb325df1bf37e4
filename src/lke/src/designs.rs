//! The designs, one file each.

mod atomic_claim;
mod batched_scale;
mod claimed_tags;
mod direct_instances;
mod documented;
mod ledger;
mod membership_with_claims;
mod pool_per_claim;
mod recommended;
mod shared_list;
mod shipped;
mod v0_1_3;

use crate::context::Context;
use crate::controllers::node_class::Checks;
use crate::settings::{ProviderSettings, SettingFact};
use crate::{Provider, tags};
use lkesim_linode_api::Tier;
use lkesim_linode_api::budget::Budget;
use lkesim_linode_api::design_facts::{DesignFacts, Owned};
use std::rc::Rc;

/// A design: how a provider makes, finds and removes the Linode of a NodeClaim.
#[derive(Clone, Copy)]
pub struct Design {
    /// What it is, in a line.
    pub summary: &'static str,
    /// What it is and where it comes from, for `lkesim explain`.
    pub about: &'static str,
    /// What it reads of [`ProviderSettings`], with each value's source.
    pub settings: &'static [SettingFact],
    /// The settings where nobody sets them.
    pub defaults: ProviderSettings,
    /// What it does about NodeClasses.
    pub node_classes: Care,
    /// Builds it for a process.
    pub build: fn(Rc<Context>) -> Rc<dyn Provider>,
    /// The calls that its source allows.
    pub budgets: &'static [Budget],
    /// Its name, what it does not promise, and the tags by which it owns Linodes.
    pub facts: DesignFacts,
}

/// What a design does about NodeClasses, beside reading them when it launches a NodeClaim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Care {
    /// What of them its controller looks at before they can be used.
    pub checks: Checks,
    /// Whether a change of their tags reaches Linodes that are there.
    pub updates_tags: bool,
}

impl Care {
    /// Of a design that does as provider e1c5200 where the design document says nothing. Tags in place it leaves out: the
    /// document counts what each controller costs, and knows none that does this.
    pub const AS_SHIPPED: Care = Care { checks: Checks::VersionAndTags, updates_tags: false };
}

impl Design {
    /// The names of what a scenario can set under `provider`.
    pub fn setting_names(&self) -> Vec<&'static str> {
        self.settings.iter().filter(|fact| !fact.fixed).map(|fact| fact.name).collect()
    }
}

/// Every design, in the order of `lkesim list designs`.
pub const DESIGNS: &[&Design] = &[
    &documented::DESIGN,
    &documented::STRICT,
    &v0_1_3::DESIGN,
    &shipped::DESIGN,
    &direct_instances::DESIGN,
    &pool_per_claim::DESIGN,
    &shared_list::DESIGN,
    &batched_scale::DESIGN,
    &ledger::DESIGN,
    &atomic_claim::DESIGN,
    &membership_with_claims::DESIGN,
    &recommended::DESIGN,
];

/// The design of this name.
pub fn design(name: &str) -> Option<&'static Design> {
    DESIGNS.iter().copied().find(|design| design.facts.name == name)
}

/// The nodeclaim tag, as the designs that shorten names write it.
fn claim_tag(claim_name: &str) -> String {
    tags::of_node_claim(claim_name).to_string()
}

/// The tags of a design that claims by the nodeclaim tag and finds its Linodes by the tags that List and discovery
/// filter by. On Standard the pool's tags are copied at the claim; members are read from the pool.
fn owned_as_documented(owned: &Owned<'_>) -> Vec<String> {
    let mut all = vec![claim_tag(owned.claim_name), format!("{}=true", tags::MANAGED)];
    if owned.tier == Tier::Enterprise {
        all.extend(owned.lke_pool.map(|lke_pool| format!("nodepool={lke_pool}")));
        all.push(format!("lke{}", owned.cluster));
    }
    all
}

/// The nodeclaim tag with the full name, whatever its length.
fn full_claim_tag(claim_name: &str) -> String {
    tags::tag(tags::NODE_CLAIM, claim_name).to_string()
}

/// The tags of a shipped provider: discovery and, on Standard, List ask for the managed tag alone, List on Enterprise
/// for the cluster's.
fn owned_as_shipped(owned: &Owned<'_>) -> Vec<String> {
    owned_with(claim_tag(owned.claim_name), owned)
}

fn owned_as_v0_1_3(owned: &Owned<'_>) -> Vec<String> {
    owned_with(full_claim_tag(owned.claim_name), owned)
}

fn owned_with(claim_tag: String, owned: &Owned<'_>) -> Vec<String> {
    let mut all = vec![claim_tag, format!("{}=true", tags::MANAGED)];
    if owned.tier == Tier::Enterprise {
        all.push(format!("lke{}", owned.cluster));
    }
    all
}
