//! What goes wrong with calls of Linode's API.

use crate::value::{Delay, Percent, Range, Span};
use lkesim_linode_api::request::Endpoint;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// A fault. A call that the rate limit lets pass meets the first fault that matches it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The call is answered with an error and changes nothing.
    Refuse(Refuse),
    /// The call takes longer.
    Delay(Slow),
    /// The change is made, and its answer is lost.
    Lose(Lose),
}

impl Fault {
    /// When it applies.
    pub fn when(&self) -> When<'_> {
        match self {
            Fault::Refuse(refuse) => When {
                calls: &refuse.call,
                chance: refuse.chance,
                nth: refuse.nth,
                from: refuse.from,
                until: refuse.until,
            },
            Fault::Delay(slow) => {
                When { calls: &slow.call, chance: slow.chance, nth: slow.nth, from: slow.from, until: slow.until }
            }
            Fault::Lose(lose) => {
                When { calls: &lose.call, chance: lose.chance, nth: lose.nth, from: lose.from, until: lose.until }
            }
        }
    }

    /// The name of its kind, as the file writes it.
    pub fn kind(&self) -> &'static str {
        match self {
            Fault::Refuse(_) => "refuse",
            Fault::Delay(_) => "delay",
            Fault::Lose(_) => "lose",
        }
    }
}

/// When a fault applies: the call, the time, the count and the chance must all agree.
#[derive(Clone, Copy, Debug)]
pub struct When<'a> {
    /// Which calls.
    pub calls: &'a Calls,
    /// How likely a matching call meets it.
    pub chance: Percent,
    /// Which of the matching calls within its time, counted from 1; all if left out.
    pub nth: Option<Range<u64>>,
    /// From when.
    pub from: Span,
    /// Until when, exclusive; to the end of `duration` if left out.
    pub until: Option<Span>,
}

fn always() -> Percent {
    Percent::ALWAYS
}

fn unavailable() -> u16 {
    503
}

/// The call is answered with an error and changes nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map with at least `call`")]
pub struct Refuse {
    /// Which calls.
    pub call: Calls,
    /// The HTTP status, 400 to 599.
    #[serde(default = "unavailable")]
    pub status: u16,
    /// The text of the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The header `Retry-After`, in whole seconds; left out, the time to the end of the rate limit's window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<Span>,
    /// Whether that header is a date, which HTTP allows and linodego returns as an error of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retry_after_date: bool,
    /// The body; left out, a list with the one reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
    /// Whether the header `X-Maintenance-Mode` is there, which keeps the SDK from retrying a 503.
    #[serde(default)]
    pub maintenance: bool,
    /// How likely a matching call meets it.
    #[serde(default = "always")]
    pub chance: Percent,
    /// Which of the matching calls, counted from 1: `3`, `2..5`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nth: Option<Range<u64>>,
    /// From when.
    #[serde(default)]
    pub from: Span,
    /// Until when; to the end of `duration` if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Span>,
}

/// The body of an error that names no reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// JSON that lists no reason, which linodego takes for a success: an empty list, a Linode without id.
    Empty,
    /// The HTML page of the nginx before the API. linodego asks again after one of status 400.
    NginxPage,
    /// What can't be read, so that the status is lost.
    Garbled,
}

/// The call takes longer: half of `by` before the cloud judges, half after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map with at least `call` and `by`")]
pub struct Slow {
    /// Which calls.
    pub call: Calls,
    /// How much longer.
    pub by: Delay,
    /// How likely a matching call meets it.
    #[serde(default = "always")]
    pub chance: Percent,
    /// Which of the matching calls, counted from 1: `3`, `2..5`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nth: Option<Range<u64>>,
    /// From when.
    #[serde(default)]
    pub from: Span,
    /// Until when; to the end of `duration` if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Span>,
}

/// The change is made, and its answer is lost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map with at least `call`")]
pub struct Lose {
    /// Which calls.
    pub call: Calls,
    /// How likely a matching call meets it.
    #[serde(default = "always")]
    pub chance: Percent,
    /// Which of the matching calls, counted from 1: `3`, `2..5`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nth: Option<Range<u64>>,
    /// From when.
    #[serde(default)]
    pub from: Span,
    /// Until when; to the end of `duration` if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Span>,
}

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
