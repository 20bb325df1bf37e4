//! Which calls a fault is about.

use lkesim_linode_api::request::Endpoint;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Which calls: the SDK's name of one, a list of them, or `any`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Calls {
    /// Every call.
    Any,
    /// The calls of these endpoints.
    Of(Vec<Endpoint>),
}

impl Calls {
    /// Whether the calls of `endpoint` are among them.
    pub fn has(&self, endpoint: Endpoint) -> bool {
        match self {
            Calls::Any => true,
            Calls::Of(endpoints) => endpoints.contains(&endpoint),
        }
    }
}

/// `any`, and the SDK's names of all calls.
pub const CALL_NAMES: &[&str] = &{
    let mut names = ["any"; Endpoint::ALL.len() + 1];
    let mut at = 0;
    while at < Endpoint::ALL.len() {
        names[at + 1] = Endpoint::ALL[at].name();
        at += 1;
    }
    names
};

/// One endpoint by its SDK name.
struct Named(Endpoint);

/// The SDK's names of all calls.
const ENDPOINT_NAMES: &[&str] = CALL_NAMES.split_at(1).1;

struct NamedVisitor;

impl Visitor<'_> for NamedVisitor {
    type Value = Named;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the SDK's name of a call, such as `ListInstances`")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Named, E> {
        let endpoint = Endpoint::ALL.into_iter().find(|endpoint| endpoint.name() == text);
        endpoint.map(Named).ok_or_else(|| E::unknown_variant(text, ENDPOINT_NAMES))
    }
}

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Named, D::Error> {
        deserializer.deserialize_any(NamedVisitor)
    }
}

struct CallsVisitor;

impl<'de> Visitor<'de> for CallsVisitor {
    type Value = Calls;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the SDK's name of a call, such as `ListInstances`, a list of them, or `any`")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Calls, E> {
        if text == "any" {
            return Ok(Calls::Any);
        }
        let endpoint = Endpoint::ALL.into_iter().find(|endpoint| endpoint.name() == text);
        endpoint.map(|endpoint| Calls::Of(vec![endpoint])).ok_or_else(|| E::unknown_variant(text, CALL_NAMES))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Calls, A::Error> {
        let mut endpoints = Vec::new();
        while let Some(Named(endpoint)) = seq.next_element()? {
            endpoints.push(endpoint);
        }
        Ok(Calls::Of(endpoints))
    }
}

impl<'de> Deserialize<'de> for Calls {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Calls, D::Error> {
        deserializer.deserialize_any(CallsVisitor)
    }
}

impl Serialize for Calls {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Calls::Any => serializer.serialize_str("any"),
            Calls::Of(endpoints) => match &endpoints[..] {
                [endpoint] => serializer.serialize_str(endpoint.name()),
                endpoints => serializer.collect_seq(endpoints.iter().map(|endpoint| endpoint.name())),
            },
        }
    }
}

impl JsonSchema for Calls {
    fn schema_name() -> Cow<'static, str> {
        "Calls".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The SDK's name of a call, a list of them, or `any`.",
            "anyOf": [
                { "enum": CALL_NAMES },
                { "type": "array", "items": { "enum": ENDPOINT_NAMES }, "minItems": 1 },
            ],
        })
    }
}
