//! A tree to a type, with the path of what went wrong, and on to the next mistake.
//!
//! The serde formats stop at the first mistake, and most forget where it was. This deserializer notes each key and
//! index on the error's way up. The loop in [`decode`] takes the faulty node out of the tree and reads it again,
//! until nothing is wrong or there are enough mistakes.

mod decoder;
mod error;

use crate::path::Path;
use crate::tree::Node;
use decoder::Decoder;
use serde::Deserialize;

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

impl Mistake {
    /// What is not as it should be, and was taken out or filled in.
    pub fn damaged(&self) -> Path {
        match &self.what {
            What::Missing(field) if self.path.0.is_empty() => self.path.key(field),
            _ => self.path.clone(),
        }
    }
}

/// Reads a `T`. Mistakes go to `mistakes`, and their nodes out of `tree`; `placeholders` fill fields of the top
/// that are missing.
///
/// Where there were mistakes, the result is what is left, for further checks only.
pub fn decode<T: for<'a> Deserialize<'a>>(
    tree: &mut Node,
    placeholders: &[(&str, Node)],
    mistakes: &mut Vec<Mistake>,
) -> Option<T> {
    // Each round takes a node out or ends. Rounds that only clear up are bounded too, as each reads the whole tree.
    for round in 0..MAX_MISTAKES * 2 {
        let mistake = match T::deserialize(Decoder(tree)) {
            Ok(value) => return Some(value),
            Err(error) => error.into_mistake(),
        };
        // A key without a value is the same as no key; only in a file full of them it is a mistake.
        let of_value = matches!(mistake.what, What::Mismatch { .. }) && !mistake.at_key;
        if of_value && round < MAX_MISTAKES / 2 && tree.drop_null(&mistake.path) {
            continue;
        }
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

/// The start of a text, on one line.
pub fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    let short: String = text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

/// Names in backticks, separated by commas.
pub fn list_names(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}
