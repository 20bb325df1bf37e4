//! An object as plain data, the way a scenario keeps it.

use crate::tree::Node;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// Kubernetes objects, or a part of one, as they are written.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree(pub(crate) Node);

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tree, D::Error> {
        Node::deserialize(deserializer).map(Tree)
    }
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl JsonSchema for Tree {
    fn schema_name() -> Cow<'static, str> {
        "Tree".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "Kubernetes objects, or a part of one, as Kubernetes writes them." })
    }
}
