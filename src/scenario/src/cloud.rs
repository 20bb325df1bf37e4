//! The cloud as the scenario's author describes it.

mod behaviour;
mod limits;
mod supply;

pub use behaviour::{
    Accepts, AutoscalerBounds, ClusterLabels, ContainsList, DyingDelete, DyingUpdate, EmptyPools, EnterpriseFields,
    ListOrder, PoolTagFilter, PoolTagResync, SelfHeal, ShrinkVictim, TagMatch,
};
pub use limits::{LimitScope, Limits, PoolLimit, RateLimits};
pub use supply::{AvailabilityRows, Most, SoldOut};

use crate::value::{Delay, Range};
use lkesim_linode_api::object::Tier;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Linode: tier, region, what lags, how long calls take, what is limited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of settings of the cloud")]
pub struct Cloud {
    /// The cluster's tier. They differ in tags, in lags and in limits.
    #[serde(with = "tier")]
    #[schemars(with = "TierName")]
    pub tier: Tier,
    /// The region, such as `us-ord`.
    pub region: String,
    /// The order of lists of Linodes and pools.
    pub list_order: ListOrder,
    /// How a filter on tags compares: whether `nodepool=12` also finds `nodepool=123`.
    pub tag_match: TagMatch,
    /// What `+contains` with an array of texts finds in tags.
    pub contains_list: ContainsList,
    /// What a filter on tags does to a list of pools.
    pub pool_tag_filter: PoolTagFilter,
    /// Which Linodes a lowered count removes.
    pub shrink_victim: ShrinkVictim,
    /// What a change of a pool does to the tags of its Linodes (Enterprise).
    pub pool_tag_resync: PoolTagResync,
    /// What LKE does about a node whose Linode was deleted by itself.
    pub self_heal: SelfHeal,
    /// Whether a pool may have no nodes.
    pub empty_pools: EmptyPools,
    /// Whether a cluster's last pool may be deleted.
    pub last_pool: Accepts,
    /// The most nodes of a pool, or `none`. Left out: 100 on Standard, 500 on Enterprise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes_per_pool: Option<Most>,
    /// The most nodes of a cluster, or `none`. Left out: 250 on Standard, none on Enterprise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes_per_cluster: Option<Most>,
    /// The most Linodes of each account, or `none`.
    pub account_limit: Most,
    /// How many Linodes of a type a region has at once, for all accounts: by type for each region, or by `region/type`.
    /// Types that are not named have no bound.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub capacity: BTreeMap<String, u32>,
    /// Types that can't be had for a time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sold_out: Vec<SoldOut>,
    /// The status of the reply to a type that can't be had: 403 or 400.
    pub sold_out_status: u16,
    /// Which types have rows in a region's availability.
    pub availability_rows: AvailabilityRows,
    /// What a change of a Linode's tags meets while the Linode is deleted but still visible.
    pub dying_update: DyingUpdate,
    /// What a deletion of a Linode meets while the Linode is deleted but still visible.
    pub dying_delete: DyingDelete,
    /// What a Standard pool makes of a firewall, a version or an update strategy, which Enterprise pools have.
    pub enterprise_fields: EnterpriseFields,
    /// Versions of Kubernetes that can be had beside those that the fake knows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more_versions: Vec<String>,
    /// The characters of a cluster's label.
    pub cluster_labels: ClusterLabels,
    /// The most tags of a Linode, a pool or a cluster, or `none`.
    pub tags_allowed: Most,
    /// What a count that is set does to the bounds of an autoscaler that is off.
    pub autoscaler_bounds: AutoscalerBounds,
    /// The ids of the first pools, the base pool first; those after the last rise from 101, or from the highest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pool_ids: Vec<u32>,
    /// How long changes stay unseen, and how long machines take.
    pub lags: Lags,
    /// How long calls take, there and back. Half of it passes before the cloud judges.
    pub latency: Latency,
    /// The rate limits, or `none`.
    pub limits: Limits,
    /// The pool that the cluster was made with, which Karpenter does not manage.
    pub base_pool: BasePool,
}

impl Default for Cloud {
    fn default() -> Cloud {
        Cloud {
            tier: Tier::Enterprise,
            region: "us-ord".to_owned(),
            list_order: ListOrder::default(),
            tag_match: TagMatch::default(),
            contains_list: ContainsList::default(),
            pool_tag_filter: PoolTagFilter::default(),
            shrink_victim: ShrinkVictim::default(),
            pool_tag_resync: PoolTagResync::default(),
            self_heal: SelfHeal::default(),
            empty_pools: EmptyPools::default(),
            last_pool: Accepts::default(),
            nodes_per_pool: None,
            nodes_per_cluster: None,
            account_limit: Most::None,
            capacity: BTreeMap::new(),
            sold_out: Vec::new(),
            sold_out_status: 403,
            availability_rows: AvailabilityRows::default(),
            dying_update: DyingUpdate::default(),
            dying_delete: DyingDelete::default(),
            enterprise_fields: EnterpriseFields::default(),
            more_versions: Vec::new(),
            cluster_labels: ClusterLabels::default(),
            tags_allowed: Most::Of(100),
            autoscaler_bounds: AutoscalerBounds::default(),
            pool_ids: Vec::new(),
            lags: Lags::default(),
            latency: Latency::default(),
            limits: Limits::default(),
            base_pool: BasePool::default(),
        }
    }
}

/// LKE's tiers, as the file names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TierName {
    /// Pool tags stay on the pool; members are read from the pool.
    Standard,
    /// Pool tags reach the Linodes; the pool's nodes come late.
    Enterprise,
}

/// [`Tier`] belongs to a crate without schemas; this reads and writes it through [`TierName`].
mod tier {
    use super::{Tier, TierName};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(tier: &Tier, serializer: S) -> Result<S::Ok, S::Error> {
        match tier {
            Tier::Standard => TierName::Standard,
            Tier::Enterprise => TierName::Enterprise,
        }
        .serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Tier, D::Error> {
        TierName::deserialize(deserializer).map(Tier::from)
    }
}

impl From<TierName> for Tier {
    fn from(name: TierName) -> Tier {
        match name {
            TierName::Standard => Tier::Standard,
            TierName::Enterprise => Tier::Enterprise,
        }
    }
}

/// How long changes stay unseen, and how long machines take. What is left out comes from the preset.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of lags")]
pub struct Lags {
    /// From a pool's creation, change or deletion until lists of pools show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool_list: Option<Delay>,
    /// The same for reading one pool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool_get: Option<Delay>,
    /// From a count's increase until the pool shows the new node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub members: Option<Delay>,
    /// From a count's increase until the node in the pool shows its Linode's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot_id: Option<Delay>,
    /// From a Linode's creation until it is seen, read alone and in lists. The next two name one of them alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_seen: Option<Delay>,
    /// From a Linode's creation until reading it alone finds it; beats `instance_seen`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_get: Option<Delay>,
    /// From a Linode's creation until lists show it; beats `instance_seen`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_list: Option<Delay>,
    /// From a change of a Linode's tags until reading it alone shows them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag_to_get: Option<Delay>,
    /// From a change of a Linode's tags until lists and their filters know them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag_to_list: Option<Delay>,
    /// From a Linode's creation until it bears its pool's tags (Enterprise).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub propagation: Option<Delay>,
    /// From a Linode's creation until it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boot: Option<Delay>,
    /// From a Linode's deletion until it is no longer shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion: Option<Delay>,
    /// From the deletion of a node's Linode by itself until LKE replaces it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heal: Option<Delay>,
    /// From the shutdown of a Linode until it is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shutdown: Option<Delay>,
    /// From a cluster's creation until it has a kubeconfig.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kubeconfig: Option<Delay>,
    /// From a cluster's creation until its control plane has an address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_endpoints: Option<Delay>,
    /// From a cluster's deletion until it is no longer shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster_deletion: Option<Delay>,
}

/// How long calls take, there and back. What is left out comes from the preset.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of latencies")]
pub struct Latency {
    /// GET of one object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub get: Option<Delay>,
    /// GET of a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<Delay>,
    /// PUT.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub put: Option<Delay>,
    /// DELETE.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete: Option<Delay>,
    /// POST of a pool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub create_pool: Option<Delay>,
    /// Every other POST.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub post: Option<Delay>,
}

/// The pool that the cluster was made with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of `type` and `count`")]
pub struct BasePool {
    /// The plan of its Linodes.
    #[serde(rename = "type")]
    pub plan: String,
    /// How many nodes it has.
    pub count: u32,
    /// Whether pods go to its nodes. Otherwise they are cordoned, so that what pods need is Karpenter's to make.
    #[serde(default, skip_serializing_if = "is_not")]
    pub schedulable: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_not(value: &bool) -> bool {
    !*value
}

impl BasePool {
    /// How many nodes a base pool may have; Standard LKE allows 100 in a pool.
    pub const COUNTS: Range<u64> = Range { low: Some(0), high: Some(100) };
}

impl Default for BasePool {
    fn default() -> BasePool {
        BasePool { plan: "g6-standard-2".to_owned(), count: 3, schedulable: false }
    }
}
