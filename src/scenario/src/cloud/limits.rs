//! The rate limits.

use crate::value::{Rate, Span};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

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
    /// Which limit the POST of a pool counts against.
    pub create_pool: PoolLimit,
    /// What shares a window.
    pub scope: LimitScope,
    /// The value of the header `X-RateLimit-Limit`, which is not the limit that is enforced; of the creation of a
    /// Linode it is.
    pub header: u32,
}

impl Default for RateLimits {
    fn default() -> RateLimits {
        RateLimits {
            list: Rate::new(200, Span::mins(1)),
            other: Rate::new(1_600, Span::mins(1)),
            create_instance: Rate::new(20, Span::secs(15)),
            create_pool: PoolLimit::default(),
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

/// Which limit the POST of a pool counts against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PoolLimit {
    /// That of every call without a limit of its own.
    #[default]
    Other,
    /// That of making a Linode.
    CreateInstance,
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
