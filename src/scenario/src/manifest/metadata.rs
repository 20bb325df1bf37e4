//! What every object says of itself: its name, labels, annotations, and whose it is.

use super::reader::{Fields, Reader};
use crate::path::Segment;
use crate::tree::Node;
use lkesim_kube::object::meta::DEFAULT_NAMESPACE;
use lkesim_kube::object::{ObjectMeta, StringMap};
use std::rc::Rc;
use std::time::Duration;

/// `metav1.ObjectMeta`, as far as it matters.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    pub name: Rc<str>,
    pub namespace: Rc<str>,
    pub labels: StringMap,
    pub annotations: StringMap,
    pub owners: Vec<Owner>,
    /// Which form of its spec the object was at, where that is told.
    pub generation: Option<i64>,
}

/// Whose an object is: kind and name.
#[derive(Clone, Debug)]
pub struct Owner {
    pub kind: Rc<str>,
    pub name: Rc<str>,
}

impl Metadata {
    /// The metadata of an object of the store.
    pub fn dress(&self, metadata: &mut ObjectMeta) {
        metadata.labels = self.labels.clone();
        metadata.annotations = self.annotations.clone();
    }
}

/// Where an object belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// To a namespace.
    Namespace,
    /// To the cluster.
    Cluster,
}

/// The metadata of an object, whose name is there.
pub fn metadata(reader: &mut Reader, object: &mut Fields<'_>, scope: Scope) -> Option<Metadata> {
    object.must(reader, "metadata", |reader, node| {
        let mut found = dressed(reader, node)?;
        if found.name.is_empty() {
            reader.wrong("`name` is missing here");
            return None;
        }
        if !is_object_name(&found.name) {
            let message = "expected a name of at most 253 small letters, digits, inner hyphens and dots";
            reader.wrong_at("name", format!("found `{}`; {message}", crate::decode::shortened(&found.name)));
            return None;
        }
        if scope == Scope::Cluster {
            found.namespace = "".into();
        } else if found.namespace.is_empty() {
            found.namespace = DEFAULT_NAMESPACE.into();
        }
        reader.namespace = found.namespace.clone();
        Some(found)
    })
}

/// The metadata of a template, which needs no name.
pub fn dressed(reader: &mut Reader, node: &Node) -> Option<Metadata> {
    let mut fields = reader.fields(node)?;
    let metadata = Metadata {
        name: fields.read(reader, "name", Reader::shared).unwrap_or_default(),
        namespace: fields.read(reader, "namespace", Reader::shared).unwrap_or_default(),
        labels: fields.read(reader, "labels", labels).unwrap_or_default(),
        annotations: fields.read(reader, "annotations", annotations).unwrap_or_default(),
        owners: fields.read(reader, "ownerReferences", |reader, node| reader.list(node, owner)).unwrap_or_default(),
        generation: fields.read(reader, "generation", |reader, node| reader.number(node, 0, i64::MAX)),
    };
    fields.unmodelled(reader, "deletionTimestamp", "the object is taken as one that nobody deletes", |_| false);
    fields.ignore(&[
        "generateName",
        "finalizers",
        "uid",
        "resourceVersion",
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "managedFields",
        "selfLink",
    ]);
    fields.end(reader);
    Some(metadata)
}

/// The annotations; those of this program's own domain must be known to it.
fn annotations(reader: &mut Reader, node: &Node) -> Option<StringMap> {
    let annotations = reader.string_map(node)?;
    for (key, _) in annotations.iter().filter(|(key, _)| key.starts_with("lkesim/") && **key != *super::RUNS_FOR) {
        reader.below(Segment::Key(key.to_string()), |reader| {
            reader.unknown("annotation", key, &[super::RUNS_FOR], true);
        });
    }
    Some(annotations)
}

fn owner(reader: &mut Reader, node: &Node) -> Option<Owner> {
    let mut fields = reader.fields(node)?;
    let (kind, name) = (fields.must(reader, "kind", Reader::shared), fields.must(reader, "name", Reader::shared));
    fields.ignore(&["apiVersion", "uid", "controller", "blockOwnerDeletion"]);
    fields.end(reader);
    Some(Owner { kind: kind?, name: name? })
}

/// Labels, as the API server takes them.
pub fn labels(reader: &mut Reader, node: &Node) -> Option<StringMap> {
    let labels = reader.string_map(node)?;
    for (key, value) in labels.iter() {
        let is_right = is_label_key(key) && is_label_value(value);
        if !is_right {
            let message = "expected `name` or `domain/name`, and a value of at most 63 letters, digits and inner hyphens, \
                           underscores and dots";
            reader.below(Segment::Key(key.to_string()), |reader| {
                reader.wrong(format!("found the label `{}: {}`; {message}", short(key), short(value)));
            });
        }
    }
    Some(labels)
}

fn short(text: &str) -> String {
    crate::decode::shortened(text)
}

/// How long pods run, as the annotation says.
pub fn runs_for(reader: &mut Reader, annotations: &StringMap) -> Option<Duration> {
    let text = annotations.get(super::RUNS_FOR)?;
    let node = Node::Text(text.to_string());
    let segments = ["metadata", "annotations", super::RUNS_FOR];
    let read = |reader: &mut Reader| reader.duration(&node);
    segments.into_iter().rev().fold(Box::new(read) as Box<dyn FnOnce(&mut Reader) -> Option<Duration>>, |read, key| {
        Box::new(move |reader: &mut Reader| reader.below(Segment::Key(key.to_owned()), read))
    })(reader)
}

/// A name of at most 253 small letters, digits, inner hyphens and dots (RFC 1123).
pub fn is_object_name(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(inner) && !part.starts_with('-') && !part.ends_with('-');
    name.len() <= 253 && name.split('.').all(is_part)
}

fn is_label_key(key: &str) -> bool {
    match key.split_once('/') {
        None => !key.is_empty() && is_label_value(key),
        Some((domain, name)) => !name.is_empty() && is_label_value(name) && is_object_name(domain),
    }
}

fn is_label_value(value: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let ends_well = |byte: Option<u8>| byte.is_none_or(|byte| byte.is_ascii_alphanumeric());
    let mut bytes = value.bytes();
    value.len() <= 63 && value.bytes().all(inner) && ends_well(bytes.next()) && ends_well(value.bytes().next_back())
}
