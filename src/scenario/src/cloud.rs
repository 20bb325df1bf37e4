//! The cloud as the scenario's author describes it.

use crate::value::{Delay, Range, Rate, Span};
use lkesim_linode_api::object::Tier;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

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
    /// What a filter on tags does to a list of pools.
    pub pool_tag_filter: PoolTagFilter,
    /// Which Linodes a lowered count removes.
    pub shrink_victim: ShrinkVictim,
    /// What a change of a Linode's tags meets while the Linode is deleted but still visible.
    pub dying_update: DyingUpdate,
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
            pool_tag_filter: PoolTagFilter::default(),
            shrink_victim: ShrinkVictim::default(),
            dying_update: DyingUpdate::default(),
            lags: Lags::default(),
            latency: Latency::default(),
            limits: Limits::default(),
            base_pool: BasePool::default(),
        }
    }
}

/// LKE's tiers, as the file names them.
#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TierName {
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
        Ok(match TierName::deserialize(deserializer)? {
            TierName::Standard => Tier::Standard,
            TierName::Enterprise => Tier::Enterprise,
        })
    }
}

/// The order of lists of Linodes and pools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ListOrder {
    /// The oldest, which has the lowest id, first.
    #[default]
    Id,
    /// The newest first.
    Newest,
    /// Anew by chance for each list.
    Shuffled,
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

/// What a filter on tags does to a list of pools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PoolTagFilter {
    /// Nothing: all pools are listed, as the design document warns ("server-side tag filtering is unreliable").
    #[default]
    Ignored,
    /// It filters. Not modelled yet.
    Applied,
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

/// The rate limits: a map, or `none`.
#[derive(Clone, Debug, PartialEq)]
pub enum Limits {
    /// No call is ever refused for its rate.
    Unlimited,
    /// These limits.
    Limited(RateLimits),
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::Limited(RateLimits::default())
    }
}

/// One limit for each class of calls, by token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of rate limits, or `none`")]
pub struct RateLimits {
    /// GETs of lists.
    pub list: Rate,
    /// Every call without a limit of its own.
    pub other: Rate,
    /// POST of a Linode.
    pub create_instance: Rate,
    /// What shares a window.
    pub scope: LimitScope,
    /// The value of the header `X-RateLimit-Limit`, which is not the limit that is enforced.
    pub header: u32,
}

impl Default for RateLimits {
    fn default() -> RateLimits {
        RateLimits {
            list: Rate::new(200, Span::mins(1)),
            other: Rate::new(1_600, Span::mins(1)),
            create_instance: Rate::new(20, Span::secs(15)),
            scope: LimitScope::default(),
            header: 1_840,
        }
    }
}

/// What shares a window of a rate limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitScope {
    /// All calls of a class.
    #[default]
    Class,
    /// The calls of one endpoint.
    Endpoint,
}

struct LimitsVisitor;

impl<'de> Visitor<'de> for LimitsVisitor {
    type Value = Limits;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of rate limits, or `none`")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Limits, E> {
        match text {
            "none" => Ok(Limits::Unlimited),
            _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Limits, A::Error> {
        RateLimits::deserialize(MapAccessDeserializer::new(map)).map(Limits::Limited)
    }
}

impl<'de> Deserialize<'de> for Limits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Limits, D::Error> {
        deserializer.deserialize_any(LimitsVisitor)
    }
}

impl Serialize for Limits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Limits::Unlimited => serializer.serialize_str("none"),
            Limits::Limited(limits) => limits.serialize(serializer),
        }
    }
}

impl JsonSchema for Limits {
    fn schema_name() -> Cow<'static, str> {
        "Limits".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The rate limits: a map, or `none`.",
            "anyOf": [{ "const": "none" }, generator.subschema_for::<RateLimits>()],
        })
    }
}

/// The pool that the cluster was made with. Its nodes take no workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of `type` and `count`")]
pub struct BasePool {
    /// The plan of its Linodes.
    #[serde(rename = "type")]
    pub plan: String,
    /// How many nodes it has.
    pub count: u32,
}

impl BasePool {
    /// How many nodes a base pool may have; Standard LKE allows 100 in a pool.
    pub const COUNTS: Range<u64> = Range { low: Some(0), high: Some(100) };
}

impl Default for BasePool {
    fn default() -> BasePool {
        BasePool { plan: "g6-standard-2".to_owned(), count: 3 }
    }
}
