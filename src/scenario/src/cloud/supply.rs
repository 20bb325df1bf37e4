//! What can be had.

use crate::value::Span;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// A type that can't be had for a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map with at least `type`")]
pub struct SoldOut {
    /// The instance type.
    #[serde(rename = "type")]
    pub plan: String,
    /// The region in which that is so; every one if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// From when.
    #[serde(default)]
    pub from: Span,
    /// Until when, exclusive; for ever if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Span>,
    /// The status of the reply: 403 or 400; left out, that of `sold_out_status`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
}

/// Which types have rows in a region's availability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AvailabilityRows {
    /// Every type, as the design document reads the list.
    #[default]
    All,
    /// Premium and GPU types alone, as recorded: read literally, no other type is then available.
    RestrictedOnly,
}

/// The most that there may be of something, or `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Most {
    /// There is no bound.
    None,
    /// This many.
    Of(u32),
}

impl Most {
    /// The bound, if there is one.
    pub const fn bound(self) -> Option<u32> {
        match self {
            Most::None => None,
            Most::Of(most) => Some(most),
        }
    }
}

const EXPECTED: &str = "a whole number, or `none`";

struct MostVisitor;

impl Visitor<'_> for MostVisitor {
    type Value = Most;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(EXPECTED)
    }

    fn visit_u64<E: Error>(self, most: u64) -> Result<Most, E> {
        let most = u32::try_from(most).map_err(|_| E::custom(format_args!("{most} is more than there can be")))?;
        Ok(Most::Of(most))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Most, E> {
        match text {
            "none" => Ok(Most::None),
            _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
        }
    }
}

impl<'de> Deserialize<'de> for Most {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Most, D::Error> {
        deserializer.deserialize_any(MostVisitor)
    }
}

impl Serialize for Most {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Most::None => serializer.serialize_str("none"),
            Most::Of(most) => serializer.serialize_u32(*most),
        }
    }
}

impl JsonSchema for Most {
    fn schema_name() -> Cow<'static, str> {
        "Most".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": EXPECTED, "anyOf": [{ "const": "none" }, { "type": "integer", "minimum": 0 }] })
    }
}
