//! The values of the language: each is written as a Kubernetes person would write it, and knows what it expected.
//!
//! All are read by visitors. `#[serde(try_from)]` would be shorter, but an error inside it loses its place in the
//! file.

pub mod amount;
pub mod delay;
pub mod expected;
pub mod percent;
pub mod price;
pub mod range;
pub mod rate;
pub mod span;

pub use amount::Amount;
pub use delay::Delay;
pub use expected::{Expected, Figure};
pub use percent::Percent;
pub use price::Price;
pub use range::Range;
pub use rate::Rate;
pub use span::Span;

/// Gives a value type that is written as text its `Serialize`, `Deserialize` and `JsonSchema`.
///
/// The type brings `FromStr` and `Display`, which must undo each other. With `number:`, a whole number is read too.
macro_rules! text_value {
    ($type:ty, $name:literal, $expected:expr, $pattern:literal $(, number: $number:expr)?) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                struct Visitor;
                impl serde::de::Visitor<'_> for Visitor {
                    type Value = $type;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str($expected)
                    }

                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$type, E> {
                        let found = serde::de::Unexpected::Str(text);
                        text.parse().map_err(|malformed| match malformed {
                            $crate::value::Malformed::Form => E::invalid_value(found, &self),
                            $crate::value::Malformed::Bound(expected) => E::invalid_value(found, &expected),
                        })
                    }

                    $(
                        fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<$type, E> {
                            Ok($number(number))
                        }
                    )?
                }
                deserializer.deserialize_any(Visitor)
            }
        }

        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                const NUMBERS: &[&str] = &[$(stringify!($number))?];
                $crate::value::text_schema($expected, $pattern, !NUMBERS.is_empty())
            }
        }
    };
}
pub(crate) use text_value;

/// The schema of a value written as text, or also as a whole number.
pub(crate) fn text_schema(expected: &str, pattern: &str, or_number: bool) -> schemars::Schema {
    if or_number {
        schemars::json_schema!({
            "description": expected,
            "anyOf": [{ "type": "string", "pattern": pattern }, { "type": "integer", "minimum": 0 }],
        })
    } else {
        schemars::json_schema!({ "description": expected, "type": "string", "pattern": pattern })
    }
}

/// A text is not written as its type asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// It has another form. What was expected is in the type's visitor.
    #[error("the text is not of the form that its type asks for")]
    Form,
    /// The form is right and the value is beyond its bounds.
    #[error("expected {0}")]
    Bound(&'static str),
}

#[cfg(test)]
mod tests;
