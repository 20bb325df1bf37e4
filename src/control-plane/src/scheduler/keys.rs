//! Labels that stand for places, with the places of all nodes as numbers.

use lkesim_kube::object::StringMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A label that a term names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyId(usize);

/// A node without the label.
pub const NOWHERE: u32 = u32::MAX;

struct Key {
    name: Rc<str>,
    numbers: BTreeMap<Rc<str>, u32>,
    of_node: Vec<u32>,
}

/// All labels that terms name.
#[derive(Default)]
pub struct Keys(Vec<Key>);

impl Keys {
    /// The number of a label; `labels` are those of all nodes by their number.
    pub fn number<'a>(&mut self, name: &Rc<str>, labels: impl Iterator<Item = Option<&'a StringMap>>) -> KeyId {
        if let Some(place) = self.0.iter().position(|key| key.name == *name) {
            return KeyId(place);
        }
        let mut key = Key { name: name.clone(), numbers: BTreeMap::new(), of_node: Vec::new() };
        for (node, labels) in labels.enumerate() {
            key.place(node, labels);
        }
        self.0.push(key);
        KeyId(self.0.len() - 1)
    }

    /// A node has these labels, or is gone.
    pub fn node_changed(&mut self, node: usize, labels: Option<&StringMap>) {
        self.0.iter_mut().for_each(|key| key.place(node, labels));
    }

    /// How many places a label has had.
    pub fn places(&self, key: KeyId) -> usize {
        self.0[key.0].numbers.len()
    }

    /// The place of a node, or [`NOWHERE`].
    pub fn place(&self, key: KeyId, node: usize) -> u32 {
        self.0[key.0].of_node.get(node).copied().unwrap_or(NOWHERE)
    }
}

impl Key {
    fn place(&mut self, node: usize, labels: Option<&StringMap>) {
        let value = labels.and_then(|labels| labels.get(&self.name));
        let place = value.map_or(NOWHERE, |value| {
            let next = u32::try_from(self.numbers.len()).unwrap_or(NOWHERE);
            *self.numbers.entry(value.clone()).or_insert(next)
        });
        if self.of_node.len() <= node {
            self.of_node.resize(node + 1, NOWHERE);
        }
        self.of_node[node] = place;
    }
}
