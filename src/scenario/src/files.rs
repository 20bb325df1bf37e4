//! Files with Kubernetes objects, read into the scenario that names them.
//!
//! A path in `manifests:` or in an `apply` becomes a map of the file's name and its objects, so that from then on the
//! scenario needs no file. What no object of the store is made of is left out: who manages which field, the last
//! applied configuration, and the state of what this program finds the state of itself.

use crate::decode::shortened;
use crate::diagnostic::Diagnostic;
use crate::index::{self, Index, Limits};
use crate::load::{Input, as_text, span_of};
use crate::parse::parse_documents;
use crate::path::{Path, Segment};
use crate::tree::Node;

/// Where the files are that a scenario names.
pub trait Files {
    /// The bytes of a file, whose path is from the folder of the scenario on.
    ///
    /// # Errors
    /// Why it can't be read, in words that follow its name.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;
}

/// A file with Kubernetes objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// Its name, as the user knows it.
    pub name: String,
    /// What it has.
    pub bytes: Vec<u8>,
}

/// A file that was read into the scenario.
pub struct Embedded {
    /// Where its objects stand in the scenario.
    pub at: Path,
    name: String,
    text: String,
    documents: Vec<Index>,
}

impl Embedded {
    /// A mistake of what stands at `path` of the scenario.
    pub fn diagnostic(&self, path: &Path, at_key: bool, message: String) -> Diagnostic {
        let rest = &path.0[self.at.0.len()..];
        let span = match rest.split_first() {
            Some((Segment::Index(document), rest)) => {
                let path = Path(rest.to_vec());
                self.documents.get(*document).map_or(0..0, |index| index.span(&path, at_key))
            }
            _ => 0..0,
        };
        Diagnostic::in_text(&self.name, &self.text, span, message)
    }
}

/// A scenario around manifests that come without one.
pub fn around(manifests: &[Given]) -> Node {
    let first = manifests.first().map_or("nothing", |given| given.name.as_str());
    let about = match manifests.len() {
        0 | 1 => format!("The objects of {first}."),
        count => format!("The objects of {first} and {} more.", count - 1),
    };
    let entry = |key: &str, node: Node| (key.to_owned(), node);
    Node::Map(vec![entry("about", Node::Text(about)), entry("workload", Node::List(Vec::new()))])
}

/// Reads the files that the tree names, and those that are given beside it, into the tree.
pub fn embed(
    tree: &mut Node,
    input: &Input<'_>,
    index: &Index,
    text: &str,
    found: &mut Vec<Diagnostic>,
) -> Vec<Embedded> {
    let mut embedding = Embedding { input, index, text, found, files: Vec::new() };
    let Node::Map(top) = tree else { return Vec::new() };
    for given in input.manifests {
        let place = match top.iter().position(|(key, _)| key == "manifests") {
            Some(place) => place,
            None => {
                top.push(("manifests".to_owned(), Node::List(Vec::new())));
                top.len() - 1
            }
        };
        if top[place].1 == Node::Null {
            top[place].1 = Node::List(Vec::new());
        }
        if let Node::List(entries) = &mut top[place].1 {
            let path = Path::default().key("manifests").index(entries.len());
            entries.push(embedding.given(&path, given));
        }
    }
    for (key, node) in top.iter_mut() {
        let path = Path::default().key(key);
        match (key.as_str(), node) {
            ("manifests", Node::List(entries)) => {
                for (index, entry) in entries.iter_mut().enumerate() {
                    embedding.entry(&path.index(index), entry);
                }
            }
            ("workload", Node::List(steps)) => {
                for (index, step) in steps.iter_mut().enumerate() {
                    let Node::Map(fields) = step else { continue };
                    for (kind, step) in fields.iter_mut().filter(|(kind, _)| kind == "apply") {
                        embedding.map(&path.index(index).key(kind), step);
                    }
                }
            }
            _ => {}
        }
    }
    // Pods may be all that happens.
    let has = |name: &str| top.iter().any(|(key, _)| key == name);
    if has("manifests") && !has("workload") {
        top.push(("workload".to_owned(), Node::List(Vec::new())));
    }
    embedding.files
}

struct Embedding<'a> {
    input: &'a Input<'a>,
    index: &'a Index,
    text: &'a str,
    found: &'a mut Vec<Diagnostic>,
    files: Vec<Embedded>,
}

impl Embedding<'_> {
    /// An entry of `manifests`: a path, or a map.
    fn entry(&mut self, path: &Path, entry: &mut Node) {
        match entry {
            Node::Text(file) => {
                let file = file.clone();
                if let Some(objects) = self.read(path, path, &file) {
                    *entry = Node::Map(vec![("file".to_owned(), Node::Text(file)), ("objects".to_owned(), objects)]);
                } else {
                    // What can't be read is told once.
                    *entry = Node::Map(vec![("objects".to_owned(), Node::List(Vec::new()))]);
                }
            }
            _ => self.map(path, entry),
        }
    }

    /// A map with a `file` and no `objects` yet.
    fn map(&mut self, path: &Path, entry: &mut Node) {
        let Node::Map(fields) = entry else { return };
        if fields.iter().any(|(key, _)| key == "objects") {
            return;
        }
        let file = fields.iter().find_map(|(key, node)| match node {
            Node::Text(file) if key == "file" => Some(file.clone()),
            _ => None,
        });
        let Some(file) = file else { return };
        let objects = self.read(path, &path.key("file"), &file);
        fields.push(("objects".to_owned(), objects.unwrap_or_else(|| Node::List(Vec::new()))));
    }

    fn read(&mut self, path: &Path, named_at: &Path, file: &str) -> Option<Node> {
        match self.input.files.read(file) {
            Ok(bytes) => self.documents(&path.key("objects"), &Given { name: file.to_owned(), bytes }),
            Err(why) => {
                let message = format!("the file `{}` {why}", shortened(file));
                let span = self.index.span(named_at, false);
                self.found.push(Diagnostic::in_text(self.input.name, self.text, span, message).with_path(named_at));
                None
            }
        }
    }

    fn given(&mut self, path: &Path, given: &Given) -> Node {
        let objects = self.documents(&path.key("objects"), given);
        Node::Map(vec![
            ("file".to_owned(), Node::Text(given.name.clone())),
            ("objects".to_owned(), objects.unwrap_or_else(|| Node::List(Vec::new()))),
        ])
    }

    /// The documents of a file.
    fn documents(&mut self, at: &Path, given: &Given) -> Option<Node> {
        let text = match as_text(&given.name, &given.bytes) {
            Ok(text) => text,
            Err(wrong) => {
                self.found.extend(wrong.iter().cloned());
                return None;
            }
        };
        let fail = |span, message: String| Diagnostic::in_text(&given.name, text, span, message);
        let documents = match index::scan_documents(text, Limits::MANIFEST, true) {
            Ok(documents) => documents,
            Err(refused) => {
                self.found.push(fail(refused.span, refused.message));
                return None;
            }
        };
        let nodes = match parse_documents(text) {
            Ok(nodes) => nodes,
            Err(error) => {
                let span = error.at.map_or(0..0, |at| span_of(text, at.line, at.column));
                self.found.push(fail(span, format!("not YAML: {}", error.message)));
                return None;
            }
        };
        for (path, span) in documents.iter().flat_map(|index| &index.duplicates) {
            let message = "this key stands twice in one map".to_owned();
            self.found.push(fail(span.clone(), message).with_path(path));
        }
        self.files.push(Embedded { at: at.clone(), name: given.name.clone(), text: text.to_owned(), documents });
        Some(Node::List(nodes.into_iter().map(pruned).collect()))
    }
}

/// Kinds whose status is read.
const WITH_STATUS: [&str; 4] = ["Node", "NodeClaim", "Pod", "PersistentVolumeClaim"];

/// An object, or a list of some, without what is never looked at. Paths of what is left stay as they are.
fn pruned(mut node: Node) -> Node {
    let Node::Map(fields) = &mut node else { return node };
    let text = |fields: &[(String, Node)], name: &str| match fields.iter().find(|(key, _)| key == name) {
        Some((_, Node::Text(text))) => text.clone(),
        _ => String::new(),
    };
    let kind = text(fields, "kind");
    if kind.ends_with("List") {
        for (_, items) in fields.iter_mut().filter(|(key, _)| key == "items") {
            if let Node::List(entries) = items {
                entries.iter_mut().for_each(|entry| *entry = pruned(std::mem::replace(entry, Node::Null)));
            }
        }
        return node;
    }
    fields.retain(|(key, _)| key != "status" || WITH_STATUS.contains(&kind.as_str()));
    for (_, metadata) in fields.iter_mut().filter(|(key, _)| key == "metadata") {
        let Node::Map(metadata) = metadata else { continue };
        metadata.retain(|(key, _)| key != "managedFields");
        for (_, annotations) in metadata.iter_mut().filter(|(key, _)| key == "annotations") {
            if let Node::Map(annotations) = annotations {
                annotations.retain(|(key, _)| key != "kubectl.kubernetes.io/last-applied-configuration");
            }
        }
    }
    node
}
