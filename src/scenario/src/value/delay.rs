//! A delay: one duration, or the quantiles of many.

use super::Span;
use lkesim_runtime::Quantiles;
use lkesim_runtime::quantiles::QuantilesError;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, MapAccess, Unexpected, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// A delay: `30s`, or quantiles such as `{p50: 45s, p99: 60s}` with straight lines between them.
///
/// A missing p0 is 0 and a missing p100 is the last point given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delay(Quantiles);

impl Delay {
    /// Always the same.
    pub fn constant(length: Span) -> Delay {
        Delay(Quantiles::constant(length.get()))
    }

    /// The distribution that is drawn from.
    pub fn quantiles(&self) -> &Quantiles {
        &self.0
    }
}

impl From<Quantiles> for Delay {
    fn from(quantiles: Quantiles) -> Delay {
        Delay(quantiles)
    }
}

/// The quantiles that can be named, and their places in parts per million.
const PLACES: [(&str, u32); 11] = [
    ("p0", 0),
    ("p1", 10_000),
    ("p10", 100_000),
    ("p25", 250_000),
    ("p50", 500_000),
    ("p75", 750_000),
    ("p90", 900_000),
    ("p95", 950_000),
    ("p99", 990_000),
    ("p99.9", 999_000),
    ("p100", 1_000_000),
];

const NAMES: &[&str] = &{
    let mut names = [""; PLACES.len()];
    let mut at = 0;
    while at < PLACES.len() {
        names[at] = PLACES[at].0;
        at += 1;
    }
    names
};

/// A key such as `p50`.
struct Place(u32);

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Place, D::Error> {
        struct PlaceVisitor;
        impl Visitor<'_> for PlaceVisitor {
            type Value = Place;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a quantile, such as `p50`")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Place, E> {
                let place = PLACES.iter().find(|(known, _)| *known == name);
                place.map(|&(_, ppm)| Place(ppm)).ok_or_else(|| E::unknown_field(name, NAMES))
            }
        }
        deserializer.deserialize_identifier(PlaceVisitor)
    }
}

struct DelayVisitor;

impl<'de> Visitor<'de> for DelayVisitor {
    type Value = Delay;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a duration with its unit, such as `30s`, or quantiles, such as `{p50: 45s, p99: 60s}`")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Delay, E> {
        let length = text.parse::<Span>();
        length.map(Delay::constant).map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Delay, A::Error> {
        let mut points = Vec::new();
        while let Some(Place(ppm)) = map.next_key()? {
            points.push((ppm, map.next_value::<Span>()?.get()));
        }
        points.sort_unstable();
        Quantiles::through(&points).map(Delay).map_err(|error| A::Error::custom(describe(error, &points)))
    }
}

fn describe(error: QuantilesError, points: &[(u32, std::time::Duration)]) -> String {
    let name = |ppm: u32| PLACES.iter().find(|(_, place)| *place == ppm).map_or("?", |(name, _)| name);
    match error {
        QuantilesError::Empty => "no quantile is given; expected some of `p0`, `p50`, `p90`, `p99`, `p100`".to_owned(),
        QuantilesError::NotRising(ppm) | QuantilesError::Beyond(ppm) => {
            let at = points.iter().position(|&(place, _)| place == ppm).unwrap_or(0);
            let (low, high) = (points[at.saturating_sub(1)], points[at]);
            format!(
                "quantiles must rise, but `{}` ({}) is below `{}` ({})",
                name(high.0),
                Span::from(high.1),
                name(low.0),
                Span::from(low.1)
            )
        }
    }
}

impl<'de> Deserialize<'de> for Delay {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Delay, D::Error> {
        deserializer.deserialize_any(DelayVisitor)
    }
}

impl Serialize for Delay {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.min() == self.0.max() {
            return serializer.collect_str(&Span::from(self.0.min()));
        }
        let mut map = serializer.serialize_map(None)?;
        for (ppm, delay) in self.0.points() {
            if let Some((name, _)) = PLACES.iter().find(|(_, place)| *place == ppm) {
                map.serialize_entry(name, &Span::from(delay))?;
            }
        }
        map.end()
    }
}

impl JsonSchema for Delay {
    fn schema_name() -> Cow<'static, str> {
        "Delay".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let span = generator.subschema_for::<Span>();
        let properties: serde_json::Map<_, _> =
            PLACES.iter().map(|(name, _)| ((*name).to_owned(), span.clone().into())).collect();
        json_schema!({
            "description": "A duration with its unit, such as `30s`, or rising quantiles: `{p50: 45s, p99: 60s}`.",
            "anyOf": [
                span,
                { "type": "object", "properties": properties, "additionalProperties": false, "minProperties": 1 },
            ],
        })
    }
}
