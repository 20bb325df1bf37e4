//! Reads the fields of an object, and notes all that is wrong with them.
//!
//! A reader knows where it is, so that what it says has a path. A mistake is noted and reading goes on: whoever asked
//! gets nothing for the field.

use super::finding::{Finding, Severity};
use super::known;
use crate::decode::{list_names, shortened};
use crate::path::{Path, Segment};
use crate::suggest::nearest;
use crate::tree::Node;
use crate::value::Span;
use lkesim_kube::object::{Quantity, ResourceList, StringMap};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

/// So much is said at most: a file may be wrong throughout.
const MOST: usize = 500;

/// The most pods that a run may have in all.
pub const MAX_PODS: u64 = 200_000;

/// Reads objects below one place.
pub struct Reader {
    path: Vec<Segment>,
    /// What was said so far.
    pub found: Vec<Finding>,
    /// What objects may name, where names are looked up.
    pub known: known::Shared,
    /// The namespace of the object that is being read.
    pub namespace: Rc<str>,
    /// How many pods the objects make.
    pub pods: u64,
    /// What is said once, however often it holds.
    said: BTreeSet<String>,
}

impl Reader {
    /// A reader that has said nothing.
    pub fn new() -> Reader {
        Reader {
            path: Vec::new(),
            found: Vec::new(),
            known: None,
            namespace: "".into(),
            pods: 0,
            said: BTreeSet::new(),
        }
    }

    /// Begins anew at a path of the scenario.
    pub fn go_to(&mut self, path: &Path) {
        self.path.clone_from(&path.0);
    }

    /// Where it is.
    pub fn path(&self) -> Path {
        Path(self.path.clone())
    }

    /// Reads below a key or an entry.
    pub fn below<T>(&mut self, segment: Segment, read: impl FnOnce(&mut Reader) -> T) -> T {
        self.path.push(segment);
        let result = read(self);
        self.path.pop();
        result
    }

    /// Reads below a path.
    pub fn at<T>(&mut self, path: &[Segment], read: impl FnOnce(&mut Reader) -> T) -> T {
        let depth = self.path.len();
        self.path.extend(path.iter().cloned());
        let result = read(self);
        self.path.truncate(depth);
        result
    }

    fn say(&mut self, severity: Severity, at_key: bool, message: String, help: Option<String>) {
        if self.found.len() < MOST {
            self.found.push(Finding { severity, path: self.path(), at_key, message, help });
        }
    }

    /// The value here is wrong.
    pub fn wrong(&mut self, message: impl Into<String>) {
        self.say(Severity::Error, false, message.into(), None);
    }

    /// The same, with what to do about it.
    pub fn wrong_with(&mut self, message: &str, help: &str) {
        self.say(Severity::Error, false, message.to_owned(), Some(help.to_owned()));
    }

    /// The value of a field below is wrong.
    pub fn wrong_at(&mut self, key: &str, message: impl Into<String>) {
        self.below(Segment::Key(key.to_owned()), |reader| reader.wrong(message));
    }

    /// The value here is none that is known.
    pub fn unknown(&mut self, kind: &str, name: &str, known: &[&str], at_key: bool) {
        let message = match known.len() {
            0..=24 => format!("unknown {kind} `{}`; expected one of {}", shortened(name), list_names(known)),
            _ => format!("unknown {kind} `{}`", shortened(name)),
        };
        let help = nearest(name, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        self.say(Severity::Error, at_key, message, help);
    }

    /// What stands here would matter and is not modelled.
    pub fn unmodelled(&mut self, message: impl Into<String>) {
        self.say(Severity::Warning, true, message.into(), None);
    }

    /// Whether this is said for the first time.
    pub fn is_news(&mut self, what: impl Into<String>) -> bool {
        self.said.insert(what.into())
    }

    /// So many more pods. A run with more than it can hold is refused, where the first is one too many.
    pub fn more_pods(&mut self, more: u64) {
        let before = self.pods;
        self.pods = before.saturating_add(more);
        if before <= MAX_PODS && self.pods > MAX_PODS {
            self.wrong(format!("{} pods would be made in all; expected at most {MAX_PODS}", self.pods));
        }
    }

    /// What is named here is not there, which a cluster would take.
    pub fn missing(&mut self, message: impl Into<String>, help: Option<String>) {
        self.say(Severity::Warning, false, message.into(), help);
    }

    /// What stands here is left out, which makes no difference.
    pub fn note(&mut self, message: impl Into<String>) {
        self.say(Severity::Note, false, message.into(), None);
    }

    fn mismatch<T>(&mut self, node: &Node, expected: &str) -> Option<T> {
        self.wrong(format!("found {}; expected {expected}", found(node)));
        None
    }

    /// The fields of a map.
    pub fn fields<'n>(&mut self, node: &'n Node) -> Option<Fields<'n>> {
        match node {
            Node::Map(entries) => Some(Fields { entries, known: Vec::new() }),
            _ => self.mismatch(node, "a map"),
        }
    }

    /// The entries of a list, those left out that can't be read.
    pub fn list<T>(&mut self, node: &Node, mut read: impl FnMut(&mut Reader, &Node) -> Option<T>) -> Option<Vec<T>> {
        let Node::List(entries) = node else { return self.mismatch(node, "a list") };
        let one = |(index, node): (usize, &Node)| self.below(Segment::Index(index), |reader| read(reader, node));
        Some(entries.iter().enumerate().filter_map(one).collect())
    }

    /// A text.
    pub fn text<'n>(&mut self, node: &'n Node) -> Option<&'n str> {
        match node {
            Node::Text(text) => Some(text),
            Node::Bool(_) | Node::Unsigned(_) | Node::Signed(_) | Node::Float(_) => {
                self.mismatch(node, "text, so put it in quotes")
            }
            _ => self.mismatch(node, "text"),
        }
    }

    /// A text that is shared.
    pub fn shared(&mut self, node: &Node) -> Option<Rc<str>> {
        self.text(node).map(Rc::from)
    }

    /// A text that is not empty.
    pub fn name(&mut self, node: &Node) -> Option<Rc<str>> {
        match self.text(node)? {
            "" => self.mismatch(node, "a name"),
            name => Some(name.into()),
        }
    }

    /// Several texts.
    pub fn texts(&mut self, node: &Node) -> Option<Vec<Rc<str>>> {
        self.list(node, Reader::shared)
    }

    /// `true` or `false`.
    pub fn bool(&mut self, node: &Node) -> Option<bool> {
        match node {
            Node::Bool(value) => Some(*value),
            _ => self.mismatch(node, "`true` or `false`"),
        }
    }

    /// A whole number within bounds.
    pub fn number(&mut self, node: &Node, low: i64, high: i64) -> Option<i64> {
        let number = match node {
            Node::Unsigned(number) => i64::try_from(*number).ok(),
            Node::Signed(number) => Some(*number),
            _ => None,
        };
        match number.filter(|number| (low..=high).contains(number)) {
            Some(number) => Some(number),
            None => {
                let expected = format!("a whole number from {low} to {high}");
                match node {
                    Node::Text(text) if text.parse::<i64>().is_ok() => {
                        self.wrong(format!(
                            "found the text `{}`; expected {expected}, without quotes",
                            shortened(text)
                        ));
                        None
                    }
                    _ => self.mismatch(node, &expected),
                }
            }
        }
    }

    /// A count.
    pub fn count(&mut self, node: &Node) -> Option<u32> {
        self.number(node, 0, i64::from(i32::MAX)).and_then(|number| u32::try_from(number).ok())
    }

    /// One of a few words.
    pub fn one_of<T: Copy>(&mut self, node: &Node, known: &[(&str, T)]) -> Option<T> {
        let text = self.text(node)?;
        let value = known.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
        if value.is_none() {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            self.unknown("value", text, &names, false);
        }
        value
    }

    /// A length of time as Go writes it.
    pub fn duration(&mut self, node: &Node) -> Option<Duration> {
        match self.text(node)?.parse::<Span>() {
            Ok(span) => Some(span.get()),
            Err(_) => self.mismatch(node, "a length of time, such as `30s` or `1h30m`"),
        }
    }

    /// The same, or `Never`.
    pub fn duration_or_never(&mut self, node: &Node) -> Option<Option<Duration>> {
        match node {
            Node::Text(text) if text == "Never" => Some(None),
            _ => self.duration(node).map(Some),
        }
    }

    /// An amount, which is not negative.
    pub fn quantity(&mut self, node: &Node) -> Option<Quantity> {
        let text = match node {
            Node::Text(text) => text.clone(),
            Node::Unsigned(_) | Node::Float(_) => node.number_text(),
            _ => return self.mismatch(node, "an amount, such as `2`, `500m` or `1Gi`"),
        };
        match text.parse::<Quantity>() {
            Ok(quantity) if quantity.milli() >= 0 => Some(quantity),
            Ok(_) => self.mismatch(node, "an amount that is not negative"),
            Err(error) => {
                self.wrong(format!("found {}; {error}", found(node)));
                None
            }
        }
    }

    /// Amounts by resource.
    pub fn resources(&mut self, node: &Node) -> Option<ResourceList> {
        let fields = self.fields(node)?;
        self.no_merge_key(&fields)?;
        let amount = |(name, node): &(String, Node)| {
            let quantity = self.below(Segment::Key(name.clone()), |reader| reader.quantity(node))?;
            Some((Rc::<str>::from(name.as_str()), quantity))
        };
        Some(fields.entries.iter().filter_map(amount).collect())
    }

    /// A merge key, which older YAML has, is not read.
    fn no_merge_key(&mut self, fields: &Fields<'_>) -> Option<()> {
        if fields.entries.iter().any(|(key, _)| key == MERGE) {
            self.below(Segment::Key(MERGE.to_owned()), Reader::merge_key);
            return None;
        }
        Some(())
    }

    fn merge_key(&mut self) {
        let message = "YAML merge keys (`<<`) are not read".to_owned();
        self.say(Severity::Error, true, message, Some("write the fields out that it would bring".to_owned()));
    }

    /// Texts by key.
    pub fn string_map(&mut self, node: &Node) -> Option<StringMap> {
        let fields = self.fields(node)?;
        self.no_merge_key(&fields)?;
        let entry = |(key, node): &(String, Node)| {
            let value = self.below(Segment::Key(key.clone()), |reader| reader.shared(node))?;
            Some((Rc::<str>::from(key.as_str()), value))
        };
        Some(fields.entries.iter().filter_map(entry).collect())
    }
}

/// The key that brings the fields of another map.
const MERGE: &str = "<<";

/// A value in words.
fn found(node: &Node) -> String {
    match node {
        Node::Null | Node::Gone => "nothing".to_owned(),
        Node::Bool(value) => format!("`{value}`"),
        Node::Unsigned(_) | Node::Signed(_) | Node::Float(_) => format!("the number `{}`", node.number_text()),
        Node::Text(text) => format!("`{}`", shortened(text)),
        Node::List(_) => "a list".to_owned(),
        Node::Map(_) => "a map".to_owned(),
    }
}

/// The fields of a map, and which of them it may have.
pub struct Fields<'n> {
    entries: &'n [(String, Node)],
    known: Vec<&'static str>,
}

impl<'n> Fields<'n> {
    /// The value of a field that the map may have; none where it says nothing.
    pub fn get(&mut self, name: &'static str) -> Option<&'n Node> {
        if !self.known.contains(&name) {
            self.known.push(name);
        }
        let node = self.entries.iter().find(|(key, _)| key == name).map(|(_, node)| node)?;
        (!node.is_absent()).then_some(node)
    }

    /// Reads a field that the map may have.
    pub fn read<T>(
        &mut self,
        reader: &mut Reader,
        name: &'static str,
        read: impl FnOnce(&mut Reader, &'n Node) -> Option<T>,
    ) -> Option<T> {
        let node = self.get(name)?;
        reader.below(Segment::Key(name.to_owned()), |reader| read(reader, node))
    }

    /// Reads a field that the map must have.
    pub fn must<T>(
        &mut self,
        reader: &mut Reader,
        name: &'static str,
        read: impl FnOnce(&mut Reader, &'n Node) -> Option<T>,
    ) -> Option<T> {
        if self.get(name).is_none() {
            reader.wrong(format!("`{name}` is missing here"));
            return None;
        }
        self.read(reader, name, read)
    }

    /// Fields that can't matter.
    pub fn ignore(&mut self, names: &[&'static str]) {
        self.known.extend(names);
    }

    /// A field that would matter, unless `is_harmless`, and is not modelled.
    pub fn unmodelled(
        &mut self,
        reader: &mut Reader,
        name: &'static str,
        why: &str,
        is_harmless: impl Fn(&Node) -> bool,
    ) {
        if self.get(name).is_some_and(|node| !is_harmless(node)) {
            let message = format!("`{name}` is not modelled: {why}");
            reader.below(Segment::Key(name.to_owned()), |reader| reader.unmodelled(message));
        }
    }

    /// Whether all fields are among those that the map may have.
    pub fn end(self, reader: &mut Reader) {
        for (key, _) in self.entries.iter().filter(|(key, _)| !self.known.contains(&key.as_str())) {
            reader.below(Segment::Key(key.clone()), |reader| match key.as_str() {
                MERGE => reader.merge_key(),
                _ => reader.unknown("field", key, &self.known, true),
            });
        }
    }
}

/// Whether a node says the same as leaving it out does.
pub fn is_false_or_empty(node: &Node) -> bool {
    match node {
        Node::Bool(value) => !value,
        Node::List(entries) => entries.is_empty(),
        Node::Map(entries) => entries.is_empty(),
        Node::Unsigned(value) => *value == 0,
        Node::Text(text) => text.is_empty(),
        _ => false,
    }
}
