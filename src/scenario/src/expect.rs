//! What must come out of a run, by design.

use crate::value::{Expected, Range, Span};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, MapAccess, Unexpected, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// The name that stands for every design.
pub const ALL_DESIGNS: &str = "all";

/// What must come out, by design; `all` speaks of every design.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of `violates`, `near_miss`, `figures` and `sometimes`")]
pub struct Expect {
    /// The invariants that must break. All others must hold.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub violates: BTreeMap<String, Vec<Violation>>,
    /// The invariants that this scenario all but breaks: it does what breaks them elsewhere, and they hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near_miss: Vec<String>,
    /// Figures of the run, by their path in `lkesim run --format json`: `api.calls: 600..700`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub figures: BTreeMap<String, BTreeMap<String, Expected>>,
    /// Hard cases, and how often each must have occurred: `throttled: ">= 1"`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sometimes: BTreeMap<String, BTreeMap<String, Expected>>,
}

impl Expect {
    /// Whether nothing but "no invariant breaks" is expected.
    pub fn is_empty(&self) -> bool {
        *self == Expect::default()
    }

    /// Whether something is expected of this design by its name.
    pub fn speaks_of(&self, design: &str) -> bool {
        self.violates.contains_key(design) || self.figures.contains_key(design) || self.sometimes.contains_key(design)
    }

    /// The invariants that must break under `design`.
    pub fn violations(&self, design: &str) -> impl Iterator<Item = &Violation> {
        of(&self.violates, design).flatten()
    }

    /// What the figures must be under `design`.
    pub fn figures(&self, design: &str) -> impl Iterator<Item = (&str, Expected)> {
        of(&self.figures, design).flatten().map(|(name, expected)| (name.as_str(), *expected))
    }

    /// How often hard cases must occur under `design`.
    pub fn sometimes(&self, design: &str) -> impl Iterator<Item = (&str, Expected)> {
        of(&self.sometimes, design).flatten().map(|(name, expected)| (name.as_str(), *expected))
    }
}

/// What is said of all designs, then of this one.
fn of<'a, T>(map: &'a BTreeMap<String, T>, design: &str) -> impl Iterator<Item = &'a T> {
    map.get(ALL_DESIGNS).into_iter().chain(map.get(design))
}

/// An invariant that must break: its name, or `{name: {count: 1..3, first: 10s..60s}}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// The invariant's name.
    pub invariant: String,
    /// How often it must break, and when first.
    pub detail: ViolationDetail,
}

/// How often an invariant must break, and when first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of `count` and `first`")]
pub struct ViolationDetail {
    /// How often.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<Range<u64>>,
    /// When for the first time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Range<Span>>,
}

struct ViolationVisitor;

impl<'de> Visitor<'de> for ViolationVisitor {
    type Value = Violation;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of an invariant, or `{name: {count: 1..3, first: 10s..60s}}`")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Violation, E> {
        Ok(Violation { invariant: name.to_owned(), detail: ViolationDetail::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Violation, A::Error> {
        let Some((invariant, detail)) = map.next_entry()? else {
            return Err(A::Error::invalid_value(Unexpected::Map, &self));
        };
        match map.next_key::<String>()? {
            None => Ok(Violation { invariant, detail }),
            Some(other) => Err(A::Error::custom(format_args!(
                "found both `{invariant}` and `{other}` in one entry; expected one invariant an entry"
            ))),
        }
    }
}

impl<'de> Deserialize<'de> for Violation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Violation, D::Error> {
        deserializer.deserialize_any(ViolationVisitor)
    }
}

impl Serialize for Violation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.detail == ViolationDetail::default() {
            return serializer.serialize_str(&self.invariant);
        }
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(&self.invariant, &self.detail)?;
        map.end()
    }
}

impl JsonSchema for Violation {
    fn schema_name() -> Cow<'static, str> {
        "Violation".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The name of an invariant, or `{name: {count: 1..3, first: 10s..60s}}`.",
            "anyOf": [
                { "type": "string" },
                {
                    "type": "object",
                    "additionalProperties": generator.subschema_for::<ViolationDetail>(),
                    "minProperties": 1,
                    "maxProperties": 1,
                },
            ],
        })
    }
}
