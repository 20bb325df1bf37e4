//! Serde's view of a tree.

use super::error::DecodeError;
use super::{What, list_names, shortened};
use crate::path::Segment;
use crate::tree::Node;
use serde::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde::de::{
    self, DeserializeSeed, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use std::fmt;

/// Reads a node as serde asks.
#[derive(Clone, Copy)]
pub struct Decoder<'a>(pub &'a Node);

impl<'a> Decoder<'a> {
    /// Of a map's entries those that were not taken out.
    fn present(entries: &'a [(String, Node)]) -> impl Iterator<Item = &'a (String, Node)> {
        entries.iter().filter(|(_, node)| *node != Node::Gone)
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
            Node::Map(entries) => visitor.visit_map(Map { entries: entries.iter(), current: None }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.0.is_absent() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    /// A list. Where the file leaves the value out, it is empty.
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.0 {
            Node::Null => visitor.visit_seq(List([].iter().enumerate())),
            _ => self.deserialize_any(visitor),
        }
    }

    /// A map. Where the file leaves the value out, it is empty.
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.0 {
            Node::Null => visitor.visit_map(Map { entries: [].iter(), current: None }),
            _ => self.deserialize_any(visitor),
        }
    }

    /// A map with known keys. Serde would take a list of its values too.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match self.0 {
            Node::List(_) => Err(de::Error::invalid_type(Unexpected::Seq, &visitor)),
            _ => self.deserialize_map(visitor),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, DecodeError> {
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
                let mut present = Decoder::present(entries);
                match (present.next(), present.next()) {
                    (Some((name, node)), None) => visitor.visit_enum(Variant { name, value: Some(node) }),
                    (Some((first, _)), Some((second, _))) => Err(DecodeError::new(What::Other(format!(
                        "`{}` and `{}` stand in one entry; expected one key, so begin another entry with `- `",
                        shortened(first),
                        shortened(second)
                    )))),
                    (None, _) => {
                        Err(DecodeError::new(What::Mismatch { found: "an empty map".to_owned(), expected: one_of() }))
                    }
                }
            }
            other => {
                let found = match Decoder(other).deserialize_any(Nothing) {
                    Err(DecodeError { what: What::Mismatch { found, .. }, .. }) => found,
                    _ => "something else".to_owned(),
                };
                Err(DecodeError::new(What::Mismatch { found, expected: one_of() }))
            }
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct tuple
        tuple_struct identifier ignored_any
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

struct List<'a>(std::iter::Enumerate<std::slice::Iter<'a, Node>>);

impl<'de> SeqAccess<'de> for List<'de> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, DecodeError> {
        let Some((index, node)) = self.0.find(|(_, node)| **node != Node::Gone) else {
            return Ok(None);
        };
        seed.deserialize(Decoder(node)).map(Some).map_err(|error| error.below(Segment::Index(index)))
    }
}

struct Map<'a> {
    entries: std::slice::Iter<'a, (String, Node)>,
    current: Option<&'a (String, Node)>,
}

impl<'de> MapAccess<'de> for Map<'de> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, DecodeError> {
        self.current = self.entries.find(|(_, node)| *node != Node::Gone);
        let Some((key, _)) = self.current else {
            return Ok(None);
        };
        seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some).map_err(|error: DecodeError| at_key(error, key))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, DecodeError> {
        let Some((key, node)) = self.current else {
            return Err(DecodeError::new(What::Other("a value without a key".to_owned())));
        };
        seed.deserialize(Decoder(node)).map_err(|error| error.below(Segment::Key(key.clone())))
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

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Variant<'de>), DecodeError> {
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
            Some(_) => {
                Err(DecodeError::new(What::Other(format!("`{}` takes no settings; write the name alone", self.name))))
            }
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, DecodeError> {
        match self.value {
            Some(node) => {
                seed.deserialize(Decoder(node)).map_err(|error| error.below(Segment::Key(self.name.to_owned())))
            }
            None => {
                Err(DecodeError::new(What::Other(format!("`{}` needs settings: `{}: {{…}}`", self.name, self.name))))
            }
        }
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, DecodeError> {
        self.newtype_variant_seed(Through(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, DecodeError> {
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
