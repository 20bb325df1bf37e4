//! A tree to a type, with the path of what went wrong, and on to the next mistake.
//!
//! The serde formats stop at the first mistake, and most forget where it was. This deserializer notes each key and index on the
//! error's way up. The loop in [`decode`] takes the faulty node out of the tree and reads it again, until nothing is wrong or
//! there are enough mistakes.

use crate::path::{Path, Segment};
use crate::tree::Node;
use serde::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde::de::{
    self, DeserializeSeed, EnumAccess, Expected, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};
use std::fmt::{self, Display};

/// After so many mistakes the rest is not looked for.
pub const MAX_MISTAKES: usize = 50;

/// Something that the tree says and the type does not allow.
#[derive(Clone, Debug)]
pub struct Mistake {
    /// Where, in the tree.
    pub path: Path,
    /// Whether the key is wrong, and not its value.
    pub at_key: bool,
    /// What.
    pub what: What,
}

/// What is wrong.
#[derive(Clone, Debug)]
pub enum What {
    /// No such field or variant; these exist.
    Unknown {
        /// Whether it is a field, and not a value from a list.
        field: bool,
        /// What was written.
        name: String,
        /// What could have been.
        known: &'static [&'static str],
    },
    /// A field that must be there is not.
    Missing(String),
    /// A value that is not what was expected.
    Mismatch {
        /// What was found.
        found: String,
        /// What was expected.
        expected: String,
    },
    /// Something else, in words.
    Other(String),
}

/// A mistake on its way up: the path is gathered from its end.
#[derive(Clone, Debug)]
pub struct DecodeError {
    reversed: Vec<Segment>,
    at_key: bool,
    what: What,
}

impl DecodeError {
    fn new(what: What) -> DecodeError {
        DecodeError {
            reversed: Vec::new(),
            at_key: false,
            what,
        }
    }

    fn below(mut self, segment: Segment) -> DecodeError {
        self.reversed.push(segment);
        self
    }

    fn into_mistake(mut self) -> Mistake {
        self.reversed.reverse();
        Mistake {
            path: Path(self.reversed),
            at_key: self.at_key,
            what: self.what,
        }
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
        DecodeError::new(What::Mismatch {
            found: describe(found),
            expected: plain_words(&expected.to_string()),
        })
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> DecodeError {
        DecodeError::invalid_type(found, expected)
    }

    fn unknown_variant(name: &str, known: &'static [&'static str]) -> DecodeError {
        let name = name.to_owned();
        DecodeError::new(What::Unknown {
            field: false,
            name,
            known,
        })
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> DecodeError {
        let name = name.to_owned();
        DecodeError::new(What::Unknown {
            field: true,
            name,
            known,
        })
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

/// The start of a text, on one line.
pub fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    let short: String = text
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if short.len() < text.len() {
        format!("{short}…")
    } else {
        short
    }
}

/// What serde calls the primitive types, in the words of a user.
fn plain_words(expected: &str) -> String {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0",
        "i8" | "i16" | "i32" | "i64" => "a whole number",
        "a string" | "string" | "str" => "text",
        "a sequence" => "a list",
        "a boolean" => "`true` or `false`",
        other => other,
    }
    .to_owned()
}

/// Reads a `T`. Mistakes go to `mistakes`, and their nodes out of `tree`; `placeholders` fill fields of the top that are missing.
///
/// Where there were mistakes, the result is what is left, for further checks only.
pub fn decode<T: for<'a> Deserialize<'a>>(
    tree: &mut Node,
    placeholders: &[(&str, Node)],
    mistakes: &mut Vec<Mistake>,
) -> Option<T> {
    // Each round takes a node out or ends; those that only clear up after a mistake are not counted as mistakes.
    for _ in 0..MAX_MISTAKES * 8 {
        let mistake = match T::deserialize(Decoder(tree)) {
            Ok(value) => return Some(value),
            Err(error) => error.into_mistake(),
        };
        let follows = follows_from_another(tree, &mistake);
        let removed = match &mistake.what {
            What::Missing(field) if mistake.path.0.is_empty() => placeholders
                .iter()
                .find(|(name, _)| name == field)
                .is_some_and(|(_, node)| fill(tree, field, node.clone())),
            _ if mistake.path.0.is_empty() => false,
            _ => tree.remove(&mistake.path),
        };
        if !follows {
            mistakes.push(mistake);
        }
        if !removed || mistakes.len() >= MAX_MISTAKES {
            return None;
        }
    }
    None
}

/// Whether this is wrong only because a faulty node was taken out.
fn follows_from_another(tree: &Node, mistake: &Mistake) -> bool {
    match &mistake.what {
        What::Missing(field) => tree.get(&mistake.path.key(field)) == Some(&Node::Gone),
        What::Mismatch { .. } | What::Other(_) => tree.has_gaps(&mistake.path),
        What::Unknown { .. } => false,
    }
}

/// Puts `node` where the top's `field` is missing.
fn fill(tree: &mut Node, field: &str, node: Node) -> bool {
    let Node::Map(entries) = tree else {
        return false;
    };
    entries.retain(|(name, _)| name != field);
    entries.push((field.to_owned(), node));
    true
}

/// Reads a node as serde asks.
#[derive(Clone, Copy)]
struct Decoder<'a>(&'a Node);

impl<'a> Decoder<'a> {
    fn map_entries(entries: &'a [(String, Node)]) -> impl Iterator<Item = &'a (String, Node)> {
        entries.iter().filter(|(_, node)| !node.is_absent())
    }
}

impl<'de> de::Deserializer<'de> for Decoder<'de> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.0 {
            Node::Null | Node::Gone => visitor.visit_unit(),
            Node::Bool(value) => visitor.visit_bool(*value),
            Node::Unsigned(value) => visitor.visit_u64(*value),
            Node::Signed(value) => visitor.visit_i64(*value),
            Node::Float(value) => visitor.visit_f64(*value),
            Node::Text(text) => visitor.visit_borrowed_str(text),
            Node::List(entries) => visitor.visit_seq(List(entries.iter().enumerate())),
            Node::Map(entries) => visitor.visit_map(Map {
                entries: entries.iter(),
                current: None,
            }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.0.is_absent() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let one_of = || format!("one of {}", list_names(variants));
        match self.0 {
            Node::Text(name) => visitor.visit_enum(Variant { name, value: None }),
            Node::Map(entries) => {
                let mut present = Decoder::map_entries(entries);
                match (present.next(), present.next()) {
                    (Some((name, node)), None) => visitor.visit_enum(Variant {
                        name,
                        value: Some(node),
                    }),
                    (Some((first, _)), Some((second, _))) => {
                        Err(DecodeError::new(What::Other(format!(
                            "`{}` and `{}` stand in one entry; expected one key, so begin another entry with `- `",
                            shortened(first),
                            shortened(second)
                        ))))
                    }
                    (None, _) => Err(DecodeError::new(What::Mismatch {
                        found: "an empty map".to_owned(),
                        expected: one_of(),
                    })),
                }
            }
            other => {
                let found = match Decoder(other).deserialize_any(Nothing) {
                    Err(DecodeError {
                        what: What::Mismatch { found, .. },
                        ..
                    }) => found,
                    _ => "something else".to_owned(),
                };
                Err(DecodeError::new(What::Mismatch {
                    found,
                    expected: one_of(),
                }))
            }
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

/// Accepts nothing, to have serde describe what it found.
struct Nothing;

impl Visitor<'_> for Nothing {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nothing")
    }
}

/// Names in backticks, separated by commas.
pub fn list_names(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

struct List<'a>(std::iter::Enumerate<std::slice::Iter<'a, Node>>);

impl<'de> SeqAccess<'de> for List<'de> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DecodeError> {
        let Some((index, node)) = self.0.find(|(_, node)| **node != Node::Gone) else {
            return Ok(None);
        };
        seed.deserialize(Decoder(node))
            .map(Some)
            .map_err(|error| error.below(Segment::Index(index)))
    }
}

struct Map<'a> {
    entries: std::slice::Iter<'a, (String, Node)>,
    current: Option<&'a (String, Node)>,
}

impl<'de> MapAccess<'de> for Map<'de> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, DecodeError> {
        self.current = self.entries.find(|(_, node)| !node.is_absent());
        let Some((key, _)) = self.current else {
            return Ok(None);
        };
        seed.deserialize(BorrowedStrDeserializer::new(key))
            .map(Some)
            .map_err(|error: DecodeError| at_key(error, key))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, DecodeError> {
        let Some((key, node)) = self.current else {
            return Err(DecodeError::new(What::Other(
                "a value without a key".to_owned(),
            )));
        };
        seed.deserialize(Decoder(node))
            .map_err(|error| error.below(Segment::Key(key.clone())))
    }
}

fn at_key(mut error: DecodeError, key: &str) -> DecodeError {
    error.at_key = true;
    error.below(Segment::Key(key.to_owned()))
}

/// `name`, or `{name: value}`.
struct Variant<'a> {
    name: &'a str,
    value: Option<&'a Node>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = DecodeError;
    type Variant = Variant<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Variant<'de>), DecodeError> {
        let name: StrDeserializer<'_, DecodeError> = self.name.into_deserializer();
        match seed.deserialize(name) {
            Ok(variant) => Ok((variant, self)),
            Err(error) if self.value.is_some() => Err(at_key(error, self.name)),
            Err(error) => Err(error),
        }
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<(), DecodeError> {
        match self.value {
            None => Ok(()),
            Some(_) => Err(DecodeError::new(What::Other(format!(
                "`{}` takes no settings; write the name alone",
                self.name
            )))),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, DecodeError> {
        match self.value {
            Some(node) => seed
                .deserialize(Decoder(node))
                .map_err(|error| error.below(Segment::Key(self.name.to_owned()))),
            None => Err(DecodeError::new(What::Other(format!(
                "`{}` needs settings: `{}: {{…}}`",
                self.name, self.name
            )))),
        }
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, DecodeError> {
        self.newtype_variant_seed(Through(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.newtype_variant_seed(Through(visitor))
    }
}

/// Reads whatever is there with a visitor.
struct Through<V>(V);

impl<'de, V: Visitor<'de>> DeserializeSeed<'de> for Through<V> {
    type Value = V::Value;

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        deserializer.deserialize_any(self.0)
    }
}
