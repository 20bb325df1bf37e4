//! What serde reports, kept as data, with the path that it came up along.

use super::{Mistake, What, shortened};
use crate::path::{Path, Segment};
use serde::de::{self, Expected, Unexpected};
use std::fmt::{self, Display};

/// A mistake on its way up: the path is gathered from its end.
#[derive(Clone, Debug)]
pub struct DecodeError {
    reversed: Vec<Segment>,
    /// Whether the key is wrong, and not its value.
    pub at_key: bool,
    /// What is wrong.
    pub what: What,
}

impl DecodeError {
    /// A mistake right here.
    pub fn new(what: What) -> DecodeError {
        DecodeError { reversed: Vec::new(), at_key: false, what }
    }

    /// The same, seen from one step above.
    pub fn below(mut self, segment: Segment) -> DecodeError {
        self.reversed.push(segment);
        self
    }

    /// The same, seen from the top.
    pub fn into_mistake(mut self) -> Mistake {
        self.reversed.reverse();
        Mistake { path: Path(self.reversed), at_key: self.at_key, what: self.what }
    }
}

impl Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.what)
    }
}

impl std::error::Error for DecodeError {}

impl de::Error for DecodeError {
    fn custom<T: Display>(message: T) -> DecodeError {
        DecodeError::new(What::Other(message.to_string()))
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> DecodeError {
        DecodeError::new(What::Mismatch { found: describe(found), expected: plain_words(&expected.to_string()) })
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> DecodeError {
        DecodeError::invalid_type(found, expected)
    }

    fn unknown_variant(name: &str, known: &'static [&'static str]) -> DecodeError {
        let name = name.to_owned();
        DecodeError::new(What::Unknown { field: false, name, known })
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> DecodeError {
        let name = name.to_owned();
        DecodeError::new(What::Unknown { field: true, name, known })
    }

    fn missing_field(field: &'static str) -> DecodeError {
        DecodeError::new(What::Missing(field.to_owned()))
    }
}

/// A found value in words, cut where it is long.
fn describe(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => format!("`{value}`"),
        Unexpected::Unsigned(value) => format!("the number `{value}`"),
        Unexpected::Signed(value) => format!("the number `{value}`"),
        Unexpected::Float(value) => format!("the number `{value}`"),
        Unexpected::Str(text) => format!("`{}`", shortened(text)),
        Unexpected::Unit | Unexpected::Option => "nothing".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a map".to_owned(),
        other => other.to_string(),
    }
}

/// What serde calls the primitive types, in the words of a user.
fn plain_words(expected: &str) -> String {
    match expected {
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number from 0",
        "i32" => "a whole number from -2147483648 to 2147483647",
        "i64" => "a whole number",
        "a string" | "string" | "str" => "text",
        "a sequence" => "a list",
        "a boolean" => "`true` or `false`",
        other => other,
    }
    .to_owned()
}
