//! What the API and LKE do where it is not known, or differs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The order of lists of Linodes and pools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ListOrder {
    /// The oldest, which has the lowest id, first.
    #[default]
    Id,
    /// The newest first.
    Newest,
    /// By a number that each object draws once and keeps.
    Shuffled,
}

impl ListOrder {
    /// Every order.
    pub const ALL: [ListOrder; 3] = [ListOrder::Id, ListOrder::Newest, ListOrder::Shuffled];
}

/// How a filter on tags compares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TagMatch {
    /// A tag matches that contains the text: `nodepool=12` also finds `nodepool=123`.
    #[default]
    Contains,
    /// Only the same tag matches.
    Equal,
}

/// What `+contains` with an array of texts finds in tags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContainsList {
    /// What has all of them.
    #[default]
    Each,
    /// What has one of them.
    Any,
    /// Everything, as the provider's own fake does.
    Ignored,
    /// The filter is answered with status 400.
    Refused,
}

/// What a filter on tags does to a list of pools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PoolTagFilter {
    /// Nothing: all pools are listed, as the design document warns ("server-side tag filtering is unreliable").
    #[default]
    Ignored,
    /// It filters.
    Applied,
    /// It finds none.
    Empty,
}

/// Which Linodes a lowered count removes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShrinkVictim {
    /// Any, by chance.
    #[default]
    Random,
    /// The newest.
    Newest,
    /// The oldest.
    Oldest,
}

/// What a change of a Linode's tags meets while the Linode is deleted but still visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DyingUpdate {
    /// It is accepted, and lost with the Linode.
    #[default]
    Accepted,
    /// 404, as if the Linode were out of sight.
    NotFound,
    /// 400 `Linode busy.`, which the SDK tries again.
    Busy,
}

/// What a change of a pool does to the tags of its Linodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PoolTagResync {
    /// Nothing: a pool's tags reach a Linode once, after it was made.
    #[default]
    Never,
    /// The pool's tags that a Linode lacks are added again.
    Merge,
    /// A Linode's tags become those of its pool: what was written to the Linode itself is lost.
    Replace,
}

/// What LKE does about a node whose Linode was deleted by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SelfHeal {
    /// It replaces the Linode after `lags.heal`; the count stays.
    #[default]
    Replace,
    /// Nothing: the pool goes on to list the node.
    Never,
}

/// Whether the API accepts something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Accepts {
    /// It does.
    #[default]
    Accepted,
    /// It answers with status 400.
    Refused,
}

/// Whether a pool may have no nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EmptyPools {
    /// A count of 0 can be set on Enterprise alone, and the last node can be deleted on both tiers.
    #[default]
    Documented,
    /// Always.
    Accepted,
    /// Never: it answers with status 400.
    Refused,
}

/// What a pool of a Standard cluster makes of fields of Enterprise pools: a firewall, a version, an update strategy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EnterpriseFields {
    /// It answers with status 400.
    #[default]
    Refused,
    /// They are as absent.
    Ignored,
    /// They are taken and shown, as on Enterprise.
    Accepted,
}

/// The characters of a cluster's label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClusterLabels {
    /// Letters, digits and `-`.
    #[default]
    Plain,
    /// Any of at most three bytes in UTF-8.
    Any,
}

/// What a deletion of a Linode meets while the Linode is deleted but still visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DyingDelete {
    /// 404, as if the Linode were out of sight.
    #[default]
    NotFound,
    /// It is accepted once more.
    Accepted,
    /// 400 `Linode busy.`, which the SDK tries again.
    Busy,
}

/// What a count that is set does to the bounds of an autoscaler that is off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AutoscalerBounds {
    /// Nothing: they are what they were at the pool's creation.
    #[default]
    Kept,
    /// Both become the count.
    Moved,
}
