//! The header `Retry-After` of a refusal.

use crate::value::Span;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// The header `Retry-After`: whole seconds, `none`, or `date`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    /// These seconds.
    After(Span),
    /// The reply has no such header.
    None,
    /// A date, which linodego can't read.
    Date,
}

const EXPECTED: &str = "whole seconds such as `5s`, `none`, or `date`";

struct RetryAfterVisitor;

impl Visitor<'_> for RetryAfterVisitor {
    type Value = RetryAfter;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(EXPECTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<RetryAfter, E> {
        match text {
            "none" => Ok(RetryAfter::None),
            "date" => Ok(RetryAfter::Date),
            span => span.parse().map(RetryAfter::After).map_err(|_| E::invalid_value(Unexpected::Str(text), &self)),
        }
    }
}

impl<'de> Deserialize<'de> for RetryAfter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RetryAfter, D::Error> {
        deserializer.deserialize_any(RetryAfterVisitor)
    }
}

impl Serialize for RetryAfter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            RetryAfter::After(span) => span.serialize(serializer),
            RetryAfter::None => serializer.serialize_str("none"),
            RetryAfter::Date => serializer.serialize_str("date"),
        }
    }
}

impl JsonSchema for RetryAfter {
    fn schema_name() -> Cow<'static, str> {
        "RetryAfter".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": EXPECTED,
            "anyOf": [{ "enum": ["none", "date"] }, generator.subschema_for::<Span>()],
        })
    }
}
