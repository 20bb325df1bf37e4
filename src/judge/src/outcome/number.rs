//! Numbers with decimals, held as integers.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Number;
use std::borrow::Cow;
use std::fmt;

/// An amount in millionths of a US dollar, printed as dollars with four decimals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dollars(pub u64);

impl fmt::Display for Dollars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths_of_mills = (self.0 + 50) / 100;
        write!(f, "{}.{:04}", tenths_of_mills / 10_000, tenths_of_mills % 10_000)
    }
}

/// A JSON number of at most four decimals.
impl Serialize for Dollars {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number: Number = self.to_string().parse().map_err(S::Error::custom)?;
        number.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Dollars {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Dollars, D::Error> {
        let dollars = f64::deserialize(deserializer)?;
        Ok(Dollars((dollars * 1_000_000.0).round() as u64))
    }
}

impl JsonSchema for Dollars {
    fn schema_name() -> Cow<'static, str> {
        "Dollars".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "description": "US dollars, with four decimals." })
    }
}

/// A figure's value in millionths of its own unit, printed as a number with at most six decimals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Quantity(pub i64);

impl Quantity {
    /// A whole number.
    pub const fn whole(number: i64) -> Quantity {
        Quantity(number.saturating_mul(1_000_000))
    }

    /// The value of a JSON number with at most six decimals, read from its digits; of one so small that JSON writes it
    /// with an exponent, from its value.
    pub fn of_json(number: &Number) -> Option<Quantity> {
        let small = || number.as_f64().map(|value| value * 1_000_000.0).filter(|millionths| millionths.abs() < 100.0);
        let exact = |millionths: f64| (millionths - millionths.round()).abs() < 1e-6;
        let of_small = || small().filter(|value| exact(*value)).map(|value| Quantity(value.round() as i64));
        number.to_string().parse().ok().or_else(of_small)
    }
}

/// The text is no decimal number of at most six decimals, or is too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a number of at most six decimals")]
pub struct NotAQuantity;

impl std::str::FromStr for Quantity {
    type Err = NotAQuantity;

    fn from_str(text: &str) -> Result<Quantity, NotAQuantity> {
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !all_digits(whole) || !all_digits(fraction) || fraction.len() > 6 {
            return Err(NotAQuantity);
        }
        let number: i64 = format!("{whole}{fraction:0<6}").parse().map_err(|_| NotAQuantity)?;
        Ok(Quantity(if negative { -number } else { number }))
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.0.unsigned_abs() / 1_000_000, self.0.unsigned_abs() % 1_000_000);
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{whole}")?;
        if fraction > 0 {
            write!(f, ".{}", format!("{fraction:06}").trim_end_matches('0'))?;
        }
        Ok(())
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number: Number = self.to_string().parse().map_err(S::Error::custom)?;
        number.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Quantity, D::Error> {
        let number = Number::deserialize(deserializer)?;
        Quantity::of_json(&number).ok_or_else(|| D::Error::custom(NotAQuantity))
    }
}

impl JsonSchema for Quantity {
    fn schema_name() -> Cow<'static, str> {
        "Quantity".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "description": "A number with at most six decimals." })
    }
}
