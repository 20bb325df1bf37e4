//! What a person does in Linode's console, past Karpenter.
//!
//! It passes Karpenter's rate limits and faults: that person has a token of their own. What is not there when its time
//! comes is left alone, and the report warns of it.

use crate::value::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something done by hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ByHand {
    /// A Linode is deleted by itself, not through its pool.
    DeleteLinode(OneLinode),
    /// A node is deleted from its pool.
    DeleteNode(OneLinode),
    /// A Linode's tags are changed.
    RetagLinode(RetagLinode),
    /// A pool's count is set.
    ResizePool(ResizePool),
    /// A pool's tags are changed.
    RetagPool(RetagPool),
    /// A pool is deleted, with all its Linodes.
    DeletePool(OnePool),
    /// Every node of a pool is replaced by another.
    RecyclePool(OnePool),
}

impl ByHand {
    /// The name, as the file writes it.
    pub const fn kind(&self) -> &'static str {
        match self {
            ByHand::DeleteLinode(_) => "delete_linode",
            ByHand::DeleteNode(_) => "delete_node",
            ByHand::RetagLinode(_) => "retag_linode",
            ByHand::ResizePool(_) => "resize_pool",
            ByHand::RetagPool(_) => "retag_pool",
            ByHand::DeletePool(_) => "delete_pool",
            ByHand::RecyclePool(_) => "recycle_pool",
        }
    }

    /// When.
    pub const fn at(&self) -> Span {
        match self {
            ByHand::DeleteLinode(act) | ByHand::DeleteNode(act) => act.at,
            ByHand::RetagLinode(act) => act.at,
            ByHand::ResizePool(act) => act.at,
            ByHand::RetagPool(act) => act.at,
            ByHand::DeletePool(act) | ByHand::RecyclePool(act) => act.at,
        }
    }

    /// The cluster that it names.
    pub const fn cluster(&self) -> &Option<String> {
        match self {
            ByHand::DeleteLinode(act) | ByHand::DeleteNode(act) => &act.cluster,
            ByHand::RetagLinode(act) => &act.cluster,
            ByHand::ResizePool(act) => &act.cluster,
            ByHand::RetagPool(act) => &act.cluster,
            ByHand::DeletePool(act) | ByHand::RecyclePool(act) => &act.cluster,
        }
    }

    /// The NodeClaim whose Linode it is about, where it names one.
    pub fn claim(&self) -> Option<&str> {
        match self {
            ByHand::DeleteLinode(act) | ByHand::DeleteNode(act) => act.claim.as_deref(),
            ByHand::RetagLinode(act) => act.claim.as_deref(),
            _ => None,
        }
    }

    /// What the act names beside a NodeClaim to say which Linode it means.
    pub fn named_beside(&self) -> Option<&'static str> {
        let (node_pool, which) = match self {
            ByHand::DeleteLinode(act) | ByHand::DeleteNode(act) => (&act.node_pool, act.which),
            ByHand::RetagLinode(act) => (&act.node_pool, act.which),
            _ => return None,
        };
        match (node_pool, which) {
            (Some(_), _) => Some("node_pool"),
            (None, Some(_)) => Some("which"),
            (None, None) => None,
        }
    }

    /// The instance type of the pool that it names.
    pub fn plan(&self) -> Option<&str> {
        match self {
            ByHand::ResizePool(act) => act.plan.as_deref(),
            ByHand::RetagPool(act) => act.plan.as_deref(),
            ByHand::DeletePool(act) | ByHand::RecyclePool(act) => act.plan.as_deref(),
            ByHand::DeleteLinode(_) | ByHand::DeleteNode(_) | ByHand::RetagLinode(_) => None,
        }
    }

    /// The NodePool whose Linode or pool it is about, where it names no NodeClaim.
    pub fn node_pool(&self) -> &str {
        match self {
            ByHand::DeleteLinode(act) | ByHand::DeleteNode(act) => or_default(&act.node_pool),
            ByHand::RetagLinode(act) => or_default(&act.node_pool),
            ByHand::ResizePool(act) => &act.node_pool,
            ByHand::RetagPool(act) => &act.node_pool,
            ByHand::DeletePool(act) | ByHand::RecyclePool(act) => &act.node_pool,
        }
    }
}

fn or_default(node_pool: &Option<String>) -> &str {
    node_pool.as_deref().unwrap_or(DEFAULT_NODE_POOL)
}

/// Which of several Linodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pick {
    /// The one that was made last.
    #[default]
    Newest,
    /// The one that was made first.
    Oldest,
}

/// The NodePool that is meant where none is named.
pub(crate) const DEFAULT_NODE_POOL: &str = "default";

fn default_node_pool() -> String {
    DEFAULT_NODE_POOL.to_owned()
}

/// A Linode: that of a NodeClaim, or one of a NodePool's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map with at least `at`")]
pub struct OneLinode {
    /// When.
    pub at: Span,
    /// The NodeClaim that holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// The cluster that it is of. Left out, the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The NodePool that it is of, where no NodeClaim is named. Left out, `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_pool: Option<String>,
    /// Which of that NodePool's. Left out, the newest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub which: Option<Pick>,
}

/// Changes a Linode's tags.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map with at least `at`")]
pub struct RetagLinode {
    /// When.
    pub at: Span,
    /// The NodeClaim that holds the Linode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// The cluster that it is of. Left out, the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The NodePool that it is of, where no NodeClaim is named. Left out, `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_pool: Option<String>,
    /// Which of that NodePool's. Left out, the newest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub which: Option<Pick>,
    /// Tags that go: whole ones, or keys.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<String>,
    /// Tags that come.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<String>,
}

/// A pool of a NodePool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map with at least `at`")]
pub struct OnePool {
    /// When.
    pub at: Span,
    /// The cluster that it is of. Left out, the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The NodePool that it is of.
    #[serde(default = "default_node_pool")]
    pub node_pool: String,
    /// Its instance type; any if left out.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
}

/// Sets a pool's count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map with at least `at`, and `to` or `by`")]
pub struct ResizePool {
    /// When.
    pub at: Span,
    /// The cluster that it is of. Left out, the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The NodePool that it is of.
    #[serde(default = "default_node_pool")]
    pub node_pool: String,
    /// Its instance type; any if left out.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// The count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<u32>,
    /// By how much the count changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<i32>,
}

/// Changes a pool's tags.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map with at least `at`")]
pub struct RetagPool {
    /// When.
    pub at: Span,
    /// The cluster that it is of. Left out, the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The NodePool that it is of.
    #[serde(default = "default_node_pool")]
    pub node_pool: String,
    /// Its instance type; any if left out.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// Tags that go: whole ones, or keys.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<String>,
    /// Tags that come.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<String>,
}
