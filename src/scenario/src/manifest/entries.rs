//! The entries of `manifests:` and of a step's `objects`: objects, and what files had.

use super::read::{Written, take_apart};
use super::reader::Reader;
use crate::path::Path;
use crate::tree::Node;

/// An entry's objects, with where they stand, and the cluster that it names.
pub struct Entry<'n> {
    pub objects: Vec<(Path, &'n Node)>,
    pub cluster: Option<&'n str>,
}

/// An entry of `manifests:`.
pub fn entry<'n>(reader: &mut Reader, path: Path, node: &'n Node) -> Entry<'n> {
    reader.go_to(&path);
    let mut found = Entry { objects: Vec::new(), cluster: None };
    match node {
        Node::Text(file) => {
            let file = crate::decode::shortened(file);
            reader.wrong(format!("the file `{file}` was not read, as this scenario does not come from one"));
        }
        Node::Map(entries) if entries.iter().any(|(key, _)| key == "objects" || key == "file") => {
            let Some(mut fields) = reader.fields(node) else { return found };
            let file = fields.read(reader, "file", Reader::text);
            found.cluster = fields.read(reader, "cluster", Reader::text);
            match (fields.get("objects"), file) {
                (Some(list), _) => found.objects = objects(reader, path.key("objects"), list),
                (None, Some(file)) => {
                    let file = crate::decode::shortened(file);
                    reader.wrong(format!("the file `{file}` was not read, as this scenario does not come from one"));
                }
                (None, None) => {}
            }
            reader.go_to(&path);
            fields.end(reader);
        }
        _ => found.objects.push((path, node)),
    }
    found
}

/// A list of objects.
pub fn objects<'n>(reader: &mut Reader, path: Path, node: &'n Node) -> Vec<(Path, &'n Node)> {
    reader.go_to(&path);
    match node {
        Node::List(entries) => entries.iter().enumerate().map(|(index, node)| (path.index(index), node)).collect(),
        Node::Map(_) => vec![(path, node)],
        _ => {
            reader.wrong("expected objects, as Kubernetes writes them");
            Vec::new()
        }
    }
}

/// All objects of a cluster, where `is_ours` tells whether an entry belongs to it.
pub fn written<'n>(
    reader: &mut Reader,
    manifests: impl Iterator<Item = &'n Node>,
    is_ours: impl Fn(Option<&str>) -> bool,
) -> Vec<Written<'n>> {
    let mut found = Vec::new();
    for (index, node) in manifests.enumerate() {
        let said = reader.found.len();
        let entry = entry(reader, Path::default().key("manifests").index(index), node);
        if !is_ours(entry.cluster) {
            reader.found.truncate(said);
            continue;
        }
        for (path, node) in entry.objects {
            take_apart(reader, &path, node, &mut found);
        }
    }
    found
}
