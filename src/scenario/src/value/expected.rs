//! What a figure of the run is expected to be: `50`, `600..700`, `">= 1"`, `"<= 60s"`.

use super::{Malformed, Span};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// A number with up to six decimals, or a length of time for figures in milliseconds.
///
/// Kept in whole millionths, as floats would decide an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// A number, in millionths.
    Number(i64),
    /// A length of time, to compare with a figure whose name ends in `_ms`.
    Length(Span),
}

impl Figure {
    /// Millionths of the figure's own unit; a length counts in milliseconds.
    pub fn micros(self) -> i128 {
        match self {
            Figure::Number(micros) => i128::from(micros),
            Figure::Length(span) => i128::from(span.nanos()),
        }
    }
}

impl FromStr for Figure {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Figure, Malformed> {
        if let Ok(span) = text.parse() {
            return Ok(Figure::Length(span));
        }
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !all_digits(whole) || !all_digits(fraction) || whole.len() > 12 || fraction.len() > 6 {
            return Err(Malformed::Form);
        }
        let whole: i64 = whole.parse().map_err(|_| Malformed::Form)?;
        let fraction: i64 = format!("{fraction:0<6}").parse().map_err(|_| Malformed::Form)?;
        let micros = whole * 1_000_000 + fraction;
        Ok(Figure::Number(if negative { -micros } else { micros }))
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Figure::Length(span) => span.fmt(f),
            Figure::Number(micros) => {
                let (whole, fraction) = (micros.unsigned_abs() / 1_000_000, micros.unsigned_abs() % 1_000_000);
                let sign = if micros < 0 { "-" } else { "" };
                match fraction {
                    0 => write!(f, "{sign}{whole}"),
                    _ => write!(f, "{sign}{whole}.{}", format!("{fraction:06}").trim_end_matches('0')),
                }
            }
        }
    }
}

/// What a figure of the run is expected to be. A bare value means exactly that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// This value.
    Exactly(Figure),
    /// From the first to the second, both included: `600..700`.
    Within(Figure, Figure),
    /// `>= n`.
    AtLeast(Figure),
    /// `<= n`.
    AtMost(Figure),
    /// `> n`.
    Above(Figure),
    /// `< n`.
    Below(Figure),
}

impl Expected {
    /// Whether a figure, in millionths of its unit, is as expected.
    pub fn holds(&self, micros: i128) -> bool {
        match *self {
            Expected::Exactly(figure) => micros == figure.micros(),
            Expected::Within(low, high) => (low.micros()..=high.micros()).contains(&micros),
            Expected::AtLeast(figure) => micros >= figure.micros(),
            Expected::AtMost(figure) => micros <= figure.micros(),
            Expected::Above(figure) => micros > figure.micros(),
            Expected::Below(figure) => micros < figure.micros(),
        }
    }

    /// The same for a number of a JSON document. One with more than six decimals never holds.
    pub fn holds_for(&self, number: &serde_json::Number) -> bool {
        matches!(number.to_string().parse(), Ok(figure @ Figure::Number(_)) if self.holds(figure.micros()))
    }

    /// Whether it speaks of a length of time, which only figures in milliseconds have.
    pub fn is_length(&self) -> bool {
        let (first, second) = match *self {
            Expected::Within(low, high) => (low, high),
            Expected::Exactly(figure)
            | Expected::AtLeast(figure)
            | Expected::AtMost(figure)
            | Expected::Above(figure)
            | Expected::Below(figure) => (figure, figure),
        };
        matches!(first, Figure::Length(_)) || matches!(second, Figure::Length(_))
    }
}

impl FromStr for Expected {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Expected, Malformed> {
        let text = text.trim();
        // The longer operators first, as the shorter begin them.
        for operator in [">=", "<=", ">", "<"] {
            let Some(figure) = text.strip_prefix(operator) else {
                continue;
            };
            let figure = figure.trim().parse()?;
            return Ok(match operator {
                ">=" => Expected::AtLeast(figure),
                "<=" => Expected::AtMost(figure),
                ">" => Expected::Above(figure),
                _ => Expected::Below(figure),
            });
        }
        let Some((low, high)) = text.split_once("..") else {
            return text.parse().map(Expected::Exactly);
        };
        let (low, high): (Figure, Figure) = (low.trim().parse()?, high.trim().parse()?);
        let same_kind = matches!(low, Figure::Length(_)) == matches!(high, Figure::Length(_));
        if !same_kind || low.micros() > high.micros() {
            return Err(Malformed::Form);
        }
        Ok(Expected::Within(low, high))
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expected::Exactly(figure) => figure.fmt(f),
            Expected::Within(low, high) => write!(f, "{low}..{high}"),
            Expected::AtLeast(figure) => write!(f, ">= {figure}"),
            Expected::AtMost(figure) => write!(f, "<= {figure}"),
            Expected::Above(figure) => write!(f, "> {figure}"),
            Expected::Below(figure) => write!(f, "< {figure}"),
        }
    }
}

struct ExpectedVisitor;

impl Visitor<'_> for ExpectedVisitor {
    type Value = Expected;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a rising range such as `600..700`, or a bound such as `\">= 1\"` or `\"<= 60s\"`")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Expected, E> {
        text.parse().map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Expected, E> {
        let text = number.to_string();
        text.parse().map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Expected, E> {
        let text = number.to_string();
        text.parse().map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Expected, E> {
        // The shortest text that reads back as this float is what was written.
        let text = number.to_string();
        text.parse().map_err(|_| E::invalid_value(Unexpected::Float(number), &self))
    }
}

impl<'de> Deserialize<'de> for Expected {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Expected, D::Error> {
        deserializer.deserialize_any(ExpectedVisitor)
    }
}

impl Serialize for Expected {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Expected::Exactly(Figure::Number(micros)) if micros % 1_000_000 == 0 => {
                serializer.serialize_i64(micros / 1_000_000)
            }
            _ => serializer.collect_str(self),
        }
    }
}

impl JsonSchema for Expected {
    fn schema_name() -> Cow<'static, str> {
        "Expected".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number, a range such as `600..700`, or a bound such as `>= 1`. \
                Figures that end in `_ms` may be given as durations: `<= 60s`.",
            "anyOf": [{ "type": "number" }, { "type": "string", "pattern": r"^\s*(>=|<=|>|<)?\s*-?[0-9].*$" }],
        })
    }
}
