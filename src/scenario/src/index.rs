//! Where each path stands in the file, and whether the file is harmless to read.
//!
//! The YAML crate gives values without places, and expands aliases before anyone can count. This scan over the
//! parser's events (`saphyr-parser`: no unsafe code, one event at a time) runs first. It bounds size, depth, and
//! the nodes and bytes that aliases expand to, finds keys that stand twice, and keeps the place of each node. Its
//! memory is linear in the file.

use crate::decode::{MAX_MISTAKES, shortened};
use crate::path::{Path, Segment};
use saphyr_parser::{Event, Marker, Parser, Span};
use std::collections::BTreeMap;
use std::ops::Range;

/// How much a text may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest text, in bytes.
    pub bytes: usize,
    /// The most values, with aliases expanded.
    pub nodes: usize,
    /// The most bytes of text in values, with aliases expanded.
    pub expanded_bytes: usize,
}

impl Limits {
    /// Of a scenario that somebody writes.
    pub const SCENARIO: Limits = Limits { bytes: 4 << 20, nodes: 250_000, expanded_bytes: 16 << 20 };
    /// Of a file with Kubernetes objects: what a cluster of some thousand pods prints.
    pub const MANIFEST: Limits = Limits { bytes: 64 << 20, nodes: 4_000_000, expanded_bytes: 128 << 20 };
    /// Of a scenario that this program wrote, with the objects of its files in it.
    pub const RECORDED: Limits = Limits { bytes: 256 << 20, nodes: 8_000_000, expanded_bytes: 256 << 20 };
}

/// The deepest nesting of lists and maps.
pub const MAX_DEPTH: usize = 32;

/// The file can't be read further: where, and why.
#[derive(Debug)]
pub struct Refused {
    /// The bytes that are meant.
    pub span: Range<usize>,
    /// Why.
    pub message: String,
}

/// The places of a file's nodes.
#[derive(Debug, Default)]
pub struct Index {
    nodes: Vec<Spot>,
    /// Keys that stand twice in one map: the path, and where the second stands.
    pub duplicates: Vec<(Path, Range<usize>)>,
}

/// The place of a node, in bytes.
#[derive(Debug)]
struct Spot {
    key: Option<Range<usize>>,
    value: Range<usize>,
    below: Below,
}

#[derive(Debug)]
enum Below {
    Nothing,
    List(Vec<usize>),
    Map(BTreeMap<String, usize>),
}

impl Index {
    fn find(&self, path: &Path) -> (Option<&Spot>, usize) {
        let Some(mut spot) = self.nodes.first() else {
            return (None, 0);
        };
        for (depth, segment) in path.0.iter().enumerate() {
            let next = match (&spot.below, segment) {
                (Below::List(entries), Segment::Index(index)) => entries.get(*index),
                (Below::Map(entries), Segment::Key(key)) => entries.get(key),
                _ => None,
            };
            match next {
                Some(next) => spot = &self.nodes[*next],
                None => return (Some(spot), depth),
            }
        }
        (Some(spot), path.0.len())
    }

    /// Whether the file has something at this very path.
    pub fn has(&self, path: &Path) -> bool {
        matches!(self.find(path), (Some(_), depth) if depth == path.0.len())
    }

    /// The bytes of what stands at `path`, or of the nearest that holds it; of its key if `key` and it has one.
    pub fn span(&self, path: &Path, key: bool) -> Range<usize> {
        match self.find(path) {
            (None, _) => 0..0,
            (Some(spot), depth) => match &spot.key {
                Some(span) if key && depth == path.0.len() => span.clone(),
                _ => spot.value.clone(),
            },
        }
    }
}

/// Scans a text.
///
/// # Errors
/// The first thing that keeps the file from being read: not YAML, too large, too deep, a key that is no text, an
/// own tag.
pub fn scan(text: &str, limits: Limits) -> Result<Index, Refused> {
    let mut indexes = scan_documents(text, limits, false)?;
    Ok(indexes.pop().unwrap_or_default())
}

/// Scans a text of several documents, if there may be `many`.
///
/// # Errors
/// As [`scan`].
pub fn scan_documents(text: &str, limits: Limits, many: bool) -> Result<Vec<Index>, Refused> {
    if text.len() > limits.bytes {
        let message = format!("the file has {} bytes; expected at most {}", text.len(), limits.bytes);
        return Err(Refused { span: 0..0, message });
    }
    let mut scan = Scan {
        limits,
        many,
        finished: Vec::new(),
        offsets: Offsets::of(text),
        index: Index::default(),
        open: Vec::new(),
        nodes: 0,
        bytes: 0,
        anchors: BTreeMap::new(),
        documents: 0,
    };
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| {
            let at = scan.offsets.at(error.marker());
            Refused { span: at..at + 1, message: format!("not YAML: {}", error.info()) }
        })?;
        scan.event(&event, span)?;
    }
    scan.finished.push(scan.index);
    Ok(scan.finished)
}

/// Characters to bytes.
struct Offsets(Option<Vec<u32>>, usize);

impl Offsets {
    fn of(text: &str) -> Offsets {
        let table = (!text.is_ascii()).then(|| text.char_indices().map(|(at, _)| at as u32).collect());
        Offsets(table, text.len())
    }

    fn at(&self, marker: &Marker) -> usize {
        match &self.0 {
            None => marker.index().min(self.1),
            Some(table) => table.get(marker.index()).map_or(self.1, |at| *at as usize),
        }
    }
}

/// What an anchored value costs each time that an alias repeats it; none while it is still open.
type Cost = Option<(usize, usize)>;

/// A list or map that is being read.
struct Open {
    node: usize,
    segment: Option<Segment>,
    key: Option<(String, Range<usize>)>,
    anchor: usize,
    cost_before: (usize, usize),
}

struct Scan {
    limits: Limits,
    many: bool,
    finished: Vec<Index>,
    offsets: Offsets,
    index: Index,
    open: Vec<Open>,
    nodes: usize,
    bytes: usize,
    anchors: BTreeMap<usize, Cost>,
    documents: usize,
}

impl Scan {
    fn event(&mut self, event: &Event<'_>, span: Span) -> Result<(), Refused> {
        let start = self.offsets.at(&span.start);
        let span = start..self.offsets.at(&span.end).max(start);
        let refuse = |message: String| Err(Refused { span: span.clone(), message });
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 && self.many {
                    self.finished.push(std::mem::take(&mut self.index));
                    self.anchors.clear();
                } else if self.documents > 1 {
                    return refuse("a second document begins here; expected one scenario in a file".to_owned());
                }
            }
            Event::Scalar(_, _, _, Some(tag))
            | Event::SequenceStart(_, Some(tag))
            | Event::MappingStart(_, Some(tag))
                if !tag.is_yaml_core_schema() =>
            {
                return refuse(format!("the tag `{}` means nothing here; leave it out", shortened(&tag.to_string())));
            }
            Event::Scalar(text, _, anchor, _) => {
                let before = (self.nodes, self.bytes);
                self.count(1, text.len(), &span)?;
                if self.wants_key() {
                    return self.key(text.to_string(), span);
                }
                self.add(span, Below::Nothing);
                self.close_anchor(*anchor, before);
            }
            Event::Alias(anchor) => match self.anchors.get(anchor) {
                _ if self.wants_key() => {
                    return refuse("an alias can't be a key; expected text".to_owned());
                }
                Some(Some((nodes, bytes))) => {
                    let (nodes, bytes) = (*nodes, *bytes);
                    self.count(nodes, bytes, &span)?;
                    self.add(span, Below::Nothing);
                }
                _ => return refuse("an alias repeats the value that it stands in".to_owned()),
            },
            Event::SequenceStart(anchor, _) => self.begin(*anchor, span, Below::List(Vec::new()))?,
            Event::MappingStart(anchor, _) => self.begin(*anchor, span, Below::Map(BTreeMap::new()))?,
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(open) = self.open.pop() {
                    let value = &mut self.index.nodes[open.node].value;
                    value.end = span.end.max(value.start);
                    self.close_anchor(open.anchor, open.cost_before);
                }
            }
            Event::StreamStart | Event::StreamEnd | Event::DocumentEnd | Event::Nothing => {}
        }
        Ok(())
    }

    fn count(&mut self, nodes: usize, bytes: usize, span: &Range<usize>) -> Result<(), Refused> {
        self.nodes = self.nodes.saturating_add(nodes);
        self.bytes = self.bytes.saturating_add(bytes);
        let message = if self.nodes > self.limits.nodes {
            let most = self.limits.nodes;
            format!("more than {most} values, counting each alias as all that it repeats")
        } else if self.bytes > self.limits.expanded_bytes {
            let most = self.limits.expanded_bytes;
            format!("more than {most} bytes of values, counting each alias as all that it repeats")
        } else {
            return Ok(());
        };
        Err(Refused { span: span.clone(), message })
    }

    fn begin(&mut self, anchor: usize, span: Range<usize>, below: Below) -> Result<(), Refused> {
        let refuse = |message: String| Err(Refused { span: span.clone(), message });
        if self.wants_key() {
            return refuse("a list or map can't be a key; expected text".to_owned());
        }
        if self.open.len() == MAX_DEPTH {
            return refuse(format!("lists and maps nested deeper than {MAX_DEPTH}"));
        }
        let cost_before = (self.nodes, self.bytes);
        self.count(1, 0, &span)?;
        if anchor > 0 {
            self.anchors.insert(anchor, None);
        }
        let (node, segment) = self.add(span, below);
        self.open.push(Open { node, segment, key: None, anchor, cost_before });
        Ok(())
    }

    fn close_anchor(&mut self, anchor: usize, before: (usize, usize)) {
        if anchor > 0 {
            self.anchors.insert(anchor, Some((self.nodes - before.0, self.bytes - before.1)));
        }
    }

    fn wants_key(&self) -> bool {
        self.open
            .last()
            .is_some_and(|open| open.key.is_none() && matches!(self.index.nodes[open.node].below, Below::Map(_)))
    }

    fn key(&mut self, key: String, span: Range<usize>) -> Result<(), Refused> {
        if let Some(open) = self.open.last_mut() {
            open.key = Some((key, span));
        }
        Ok(())
    }

    /// Adds a node to what is open; gives its number and how its parent calls it.
    fn add(&mut self, value: Range<usize>, below: Below) -> (usize, Option<Segment>) {
        let node = self.index.nodes.len();
        let Some(open) = self.open.last_mut() else {
            self.index.nodes.push(Spot { key: None, value, below });
            return (node, None);
        };
        let key = open.key.take();
        let (segment, twice) = match (&mut self.index.nodes[open.node].below, &key) {
            (Below::List(entries), _) => {
                entries.push(node);
                (Some(Segment::Index(entries.len() - 1)), false)
            }
            (Below::Map(entries), Some((key, _))) => {
                let twice = entries.contains_key(key);
                if !twice {
                    entries.insert(key.clone(), node);
                }
                (Some(Segment::Key(key.clone())), twice)
            }
            _ => (None, false),
        };
        let key = key.map(|(_, span)| span);
        if let (true, Some(segment), Some(span)) = (twice, &segment, &key)
            && self.index.duplicates.len() < MAX_MISTAKES
        {
            let above = self.open.iter().filter_map(|open| open.segment.clone());
            let path = Path(above.chain([segment.clone()]).collect());
            self.index.duplicates.push((path, span.clone()));
        }
        self.index.nodes.push(Spot { key, value, below });
        (node, segment)
    }
}
