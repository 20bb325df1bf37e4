//! What is there when the run begins: LKE pools with their Linodes, and NodeClaims with their Nodes.
//!
//! No API call makes any of it. The usual state is short to write (`claims: 40` in a LKE pool); what is odd about a
//! start (orphans, duplicates, a claim whose write was lost) is listed one by one.

use crate::value::Span;
use crate::workload::DEFAULT_TYPE;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is there when the run begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of `lke_pools` and `claims`")]
pub struct Start {
    /// LKE pools and the Linodes in them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lke_pools: Vec<StartLkePool>,
    /// NodeClaims beside those that a LKE pool's `claims` counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<StartClaim>,
}

impl Start {
    /// Whether nothing is there but the base pool.
    pub fn is_empty(&self) -> bool {
        self.lke_pools.is_empty() && self.claims.is_empty()
    }
}

/// A LKE pool that is there when the run begins. Its count is the number of its Linodes that are not dying.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of `type`, `claims`, `orphans`, `linodes` and the like")]
pub struct StartLkePool {
    /// The plan of its Linodes.
    #[serde(rename = "type")]
    pub plan: String,
    /// The cluster that it is of. Left out, the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The Karpenter NodePool that it serves, which its tags name.
    pub node_pool: String,
    /// Whether Karpenter made it: whether it has the five tags that Karpenter gives.
    pub managed: bool,
    /// Whether its Linodes stand alone, as no LKE nodes: there is then no pool, and they bear its tags themselves, as
    /// those that the provider's instance mode makes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub outside_lke: bool,
    /// Further tags of the pool.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// How long before the run its Linodes were created.
    pub age: Span,
    /// So many initialized NodeClaims, each with a Linode of this pool and a ready Node. They are called `name`-1,
    /// `name`-2, …, and a workload's steps with the same `name` go on counting.
    #[serde(skip_serializing_if = "is_zero")]
    pub claims: u32,
    /// What the names of these NodeClaims begin with.
    pub name: String,
    /// So many Linodes that no NodeClaim owns and that bear no nodeclaim tag.
    #[serde(skip_serializing_if = "is_zero")]
    pub orphans: u32,
    /// Further Linodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub linodes: Vec<StartLinode>,
}

impl Default for StartLkePool {
    fn default() -> StartLkePool {
        StartLkePool {
            plan: DEFAULT_TYPE.to_owned(),
            cluster: None,
            node_pool: "default".to_owned(),
            managed: true,
            outside_lke: false,
            tags: Vec::new(),
            age: Span::mins(60),
            claims: 0,
            name: "claim".to_owned(),
            orphans: 0,
            linodes: Vec::new(),
        }
    }
}

impl StartLkePool {
    /// How many Linodes it begins with, dying ones included.
    pub fn size(&self) -> u64 {
        let listed: u64 = self.linodes.iter().map(|linode| u64::from(linode.count)).sum();
        u64::from(self.claims) + u64::from(self.orphans) + listed
    }
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A Linode of a LKE pool, or several alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of `name`, `age`, `claim_tag` and the like")]
pub struct StartLinode {
    /// What `start.claims` calls it by. It is no label: LKE labels its Linodes itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How many of this kind.
    pub count: u32,
    /// How long before the run it was created. Left out, the pool's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age: Option<Span>,
    /// The NodeClaim whose nodeclaim tag it bears, which need not exist. Left out, that of the first NodeClaim in
    /// `start.claims` that holds it, and none where none does. `none` is no nodeclaim tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim_tag: Option<String>,
    /// Further tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Whether its deletion was accepted just before the run: it is gone, and stays visible for a while.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dying: bool,
}

/// The `claim_tag` of a Linode that bears no nodeclaim tag though a NodeClaim holds it.
pub const NO_TAG: &str = "none";

impl Default for StartLinode {
    fn default() -> StartLinode {
        StartLinode { name: None, count: 1, age: None, claim_tag: None, tags: Vec::new(), dying: false }
    }
}

/// A NodeClaim that is there when the run begins. Karpenter's time limits count from the run's beginning for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map of `name`, `linode`, `state` and the like")]
pub struct StartClaim {
    /// Its name.
    pub name: String,
    /// The cluster that it is an object of. Left out, the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The NodePool that it belongs to.
    #[serde(default = "default_node_pool")]
    pub node_pool: String,
    /// The instance type that it allows. Left out, that of its Linode, or `g6-standard-4`.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// The `name` of the Linode in its providerID.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linode: Option<String>,
    /// How far it has come. Left out, `initialized` with a `linode` and `created` without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<ClaimState>,
}

fn default_node_pool() -> String {
    "default".to_owned()
}

impl StartClaim {
    /// How far it has come.
    pub fn state(&self) -> ClaimState {
        let usual = if self.linode.is_some() { ClaimState::Initialized } else { ClaimState::Created };
        self.state.unwrap_or(usual)
    }
}

/// How far a NodeClaim has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimState {
    /// It exists. It has no providerID, whatever a Linode's tag says.
    Created,
    /// It has a providerID. Its Linode runs, and its Node joins as a booted one's does.
    Launched,
    /// Its Node is there and is its own, and is not initialized.
    Registered,
    /// Its Node is ready.
    Initialized,
}
