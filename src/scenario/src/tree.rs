//! A scenario as a tree of plain values, from which faulty nodes can be taken out.
//!
//! A node that was taken out leaves [`Node::Gone`] behind, so that the paths of all others stay as they are in the
//! file.

use crate::path::{Path, Segment};
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A value of the file.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// Nothing: the same as leaving the field out.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number from 0.
    Unsigned(u64),
    /// A negative whole number.
    Signed(i64),
    /// Another number.
    Float(f64),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A map in the order of the file; each key stands once.
    Map(Vec<(String, Node)>),
    /// Taken out for a mistake that is already recorded.
    Gone,
}

/// Why a path can't be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CannotSet {
    /// At this path is no map, so it has no such field.
    NoMap(Path),
    /// At this path is no list.
    NoList(Path),
    /// The list at this path has only so many entries.
    TooShort(Path, usize),
}

impl Node {
    /// The node at `path`.
    pub fn get(&self, path: &Path) -> Option<&Node> {
        path.0.iter().try_fold(self, |node, segment| match (node, segment) {
            (Node::Map(entries), Segment::Key(key)) => {
                entries.iter().find(|(name, _)| name == key).map(|(_, node)| node)
            }
            (Node::List(entries), Segment::Index(index)) => entries.get(*index),
            _ => None,
        })
    }

    fn get_mut(&mut self, path: &Path) -> Option<&mut Node> {
        path.0.iter().try_fold(self, |node, segment| match (node, segment) {
            (Node::Map(entries), Segment::Key(key)) => {
                entries.iter_mut().find(|(name, _)| name == key).map(|(_, node)| node)
            }
            (Node::List(entries), Segment::Index(index)) => entries.get_mut(*index),
            _ => None,
        })
    }

    /// Takes the node at `path` out; tells whether one was there.
    pub fn remove(&mut self, path: &Path) -> bool {
        match self.get_mut(path) {
            None | Some(Node::Gone) => false,
            Some(node) => {
                *node = Node::Gone;
                true
            }
        }
    }

    /// Takes the key at `path` out if it has no value; tells whether it did. Entries of lists stay, as others count
    /// on them.
    pub fn drop_null(&mut self, path: &Path) -> bool {
        let Some(Segment::Key(key)) = path.0.last() else {
            return false;
        };
        match path.parent().and_then(|above| self.get_mut(&above)) {
            Some(Node::Map(entries)) => {
                let before = entries.len();
                entries.retain(|(name, node)| name != key || *node != Node::Null);
                entries.len() < before
            }
            _ => false,
        }
    }

    /// Whether something right below `path` was taken out.
    pub fn has_gaps(&self, path: &Path) -> bool {
        match self.get(path) {
            Some(Node::List(entries)) => entries.contains(&Node::Gone),
            Some(Node::Map(entries)) => entries.iter().any(|(_, node)| *node == Node::Gone),
            _ => false,
        }
    }

    /// The path in the file of what has `path` in the [`crate::Scenario`]: entries that were taken out of lists
    /// count again.
    pub fn in_file(&self, path: &Path) -> Path {
        let (mut node, mut found) = (Some(self), Path::default());
        for segment in &path.0 {
            let segment = match (node, segment) {
                (Some(Node::List(entries)), Segment::Index(index)) => {
                    let mut left = entries.iter().enumerate().filter(|(_, node)| **node != Node::Gone);
                    Segment::Index(left.nth(*index).map_or(*index, |(index, _)| index))
                }
                _ => segment.clone(),
            };
            node = node.and_then(|node| node.get(&Path(vec![segment.clone()])));
            found.0.push(segment);
        }
        found
    }

    /// A number as text; nothing else has one.
    pub fn number_text(&self) -> String {
        match self {
            Node::Unsigned(number) => number.to_string(),
            Node::Signed(number) => number.to_string(),
            Node::Float(number) => number.to_string(),
            _ => String::new(),
        }
    }

    /// Whether the file says nothing here, or what it said was taken out.
    pub fn is_absent(&self) -> bool {
        matches!(self, Node::Null | Node::Gone)
    }

    /// Puts `value` at `path`, and the maps and the one new list entry that lead there.
    pub fn set(&mut self, path: &Path, value: Node) -> Result<(), CannotSet> {
        let (mut node, mut above) = (self, Path::default());
        for segment in &path.0 {
            if node.is_absent() {
                *node = match segment {
                    Segment::Key(_) => Node::Map(Vec::new()),
                    Segment::Index(_) => Node::List(Vec::new()),
                };
            }
            let next = match (node, segment) {
                (Node::Map(entries), Segment::Key(key)) => {
                    let at = entries.iter().position(|(name, _)| name == key).unwrap_or_else(|| {
                        entries.push((key.clone(), Node::Null));
                        entries.len() - 1
                    });
                    &mut entries[at].1
                }
                (Node::List(entries), Segment::Index(index)) => {
                    if *index == entries.len() {
                        entries.push(Node::Null);
                    }
                    let length = entries.len();
                    entries.get_mut(*index).ok_or(CannotSet::TooShort(above.clone(), length))?
                }
                (_, Segment::Key(_)) => return Err(CannotSet::NoMap(above)),
                (_, Segment::Index(_)) => return Err(CannotSet::NoList(above)),
            };
            above.0.push(segment.clone());
            node = next;
        }
        *node = value;
        Ok(())
    }
}

/// Writes what was read. What was taken out is nothing.
impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Node::Null | Node::Gone => serializer.serialize_unit(),
            Node::Bool(value) => serializer.serialize_bool(*value),
            Node::Unsigned(value) => serializer.serialize_u64(*value),
            Node::Signed(value) => serializer.serialize_i64(*value),
            Node::Float(value) => serializer.serialize_f64(*value),
            Node::Text(text) => serializer.serialize_str(text),
            Node::List(entries) => serializer.collect_seq(entries),
            Node::Map(entries) => serializer.collect_map(entries.iter().map(|(key, value)| (key, value))),
        }
    }
}

/// Reads any value that serde knows. Of a key that stands twice the first counts; the index reports the second.
impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        Node::deserialize(deserializer)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Unsigned(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Node, E> {
        Ok(u64::try_from(value).map_or(Node::Signed(value), Node::Unsigned))
    }

    /// Beyond 64 bits a number is no whole number that any field takes; which one it is matters to its message alone.
    fn visit_u128<E: Error>(self, value: u128) -> Result<Node, E> {
        Ok(Node::Float(value as f64))
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<Node, E> {
        Ok(Node::Float(value as f64))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Float(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Node, E> {
        Ok(Node::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = seq.next_element()? {
            entries.push(entry);
        }
        Ok(Node::List(entries))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut entries: Vec<(String, Node)> = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        while let Some(key) = map.next_key_seed(KeySeed)? {
            let node = map.next_value()?;
            if seen.insert(key.clone()) {
                entries.push((key, node));
            }
        }
        Ok(Node::Map(entries))
    }
}

/// A key as text, however it was written: `1: x` has the key `1`.
struct KeySeed;

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for KeySeed {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key that is text")
    }

    fn visit_unit<E: Error>(self) -> Result<String, E> {
        Ok("null".to_owned())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<String, E> {
        Ok(value.to_owned())
    }
}
