//! Judges a Linode by a filter, quickly where the filter only asks for tags.
//!
//! Filters in use are conjunctions of tests of tags. Such a filter is taken apart once, after which a Linode costs a
//! few comparisons of lengths and first bytes: less than interning the tags of each change would.

use crate::settings::{ContainsList, TagMatch};
use lkesim_linode_api::filter::{Atom, Clause, Filterable, Operator, Scalar, has_part};
use lkesim_linode_api::{Filter, Instance, Tags};
use std::sync::Arc;

/// A filter, ready to judge.
pub(crate) struct Judge {
    filter: Option<Filter>,
    /// Its clauses, with arrays that `+contains` takes read as set.
    read: Filter,
    tag_match: TagMatch,
    /// The tests, if the filter is a conjunction of tests of tags.
    tags: Option<Vec<TagTest>>,
}

struct TagTest {
    text: Arc<str>,
    /// Whether a tag must be the text, or have it in it.
    whole: bool,
    /// The tag that passed last. The Linodes of a pool share what they inherit, so that it mostly is the next one's
    /// too.
    passed: Option<Arc<str>>,
}

impl Judge {
    pub fn new(filter: Option<&Filter>, tag_match: TagMatch, contains_list: ContainsList) -> Judge {
        let mut tests = Vec::new();
        let read = Filter::new(filter.map_or(Vec::new(), |filter| read(filter.clauses(), contains_list)));
        let simple = take_apart(read.clauses(), tag_match, &mut tests);
        Judge { filter: filter.cloned(), read, tag_match, tags: simple.then_some(tests) }
    }

    /// The filter that it judges by.
    pub const fn filter(&self) -> Option<&Filter> {
        self.filter.as_ref()
    }

    /// Whether the filter finds the Linode.
    pub fn finds(&mut self, instance: &Instance) -> bool {
        match &mut self.tags {
            Some(tests) => tests.iter_mut().all(|test| test.finds(&instance.tags)),
            None => self.read.matches_with(|atom| self.holds(atom, instance)),
        }
    }

    fn holds(&self, atom: &Atom, instance: &Instance) -> bool {
        let atom = match is_whole(atom, self.tag_match) {
            true => &Atom { operator: Operator::Equals, ..atom.clone() },
            false => atom,
        };
        atom.holds(|test| instance.any_value(&atom.field, test))
    }
}

impl TagTest {
    fn finds(&mut self, tags: &Tags) -> bool {
        if let Some(passed) = &self.passed
            && tags.iter().any(|tag| Arc::ptr_eq(tag, passed))
        {
            return true;
        }
        let found = tags.iter().find(|tag| self.passes(tag));
        if let Some(found) = found {
            self.passed = Some(found.clone());
        }
        found.is_some()
    }

    fn passes(&self, tag: &str) -> bool {
        if self.whole { *tag == *self.text } else { has_part(tag, &self.text) }
    }
}

/// The clauses, with each array below `+contains` read as set.
fn read(clauses: &[Clause], as_set: ContainsList) -> Vec<Clause> {
    let objects = |objects: &[Vec<Clause>]| objects.iter().map(|object| read(object, as_set)).collect();
    let one = |clause: &Clause| match clause {
        Clause::And(parts) => Clause::And(objects(parts)),
        Clause::Or(parts) => Clause::Or(objects(parts)),
        Clause::Field(Atom { field, operator, value: Scalar::Texts(texts) }) => {
            let part = |text: &Arc<str>| {
                vec![Clause::Field(Atom {
                    field: field.clone(),
                    operator: *operator,
                    value: Scalar::Text(text.clone()),
                })]
            };
            match as_set {
                ContainsList::Each => Clause::And(texts.iter().map(part).collect()),
                ContainsList::Any => Clause::Or(texts.iter().map(part).collect()),
                ContainsList::Ignored | ContainsList::Refused => Clause::And(Vec::new()),
            }
        }
        Clause::Field(_) => clause.clone(),
    };
    clauses.iter().map(one).collect()
}

/// Whether a filter has an array below `+contains`.
pub(crate) fn has_list(clauses: &[Clause]) -> bool {
    clauses.iter().any(|clause| match clause {
        Clause::And(objects) | Clause::Or(objects) => objects.iter().any(|object| has_list(object)),
        Clause::Field(atom) => matches!(atom.value, Scalar::Texts(_)),
    })
}

/// Whether the atom asks for a whole tag.
fn is_whole(atom: &Atom, tag_match: TagMatch) -> bool {
    match atom.operator {
        Operator::Equals => &*atom.field == "tags",
        Operator::Contains => &*atom.field == "tags" && tag_match == TagMatch::Equal,
        _ => false,
    }
}

/// Collects the tests of a conjunction; false where it is none.
fn take_apart(clauses: &[Clause], tag_match: TagMatch, into: &mut Vec<TagTest>) -> bool {
    clauses.iter().all(|clause| match clause {
        Clause::And(objects) => objects.iter().all(|object| take_apart(object, tag_match, into)),
        Clause::Or(_) => false,
        Clause::Field(atom) => match (&*atom.field, atom.operator, &atom.value) {
            ("tags", Operator::Equals | Operator::Contains, Scalar::Text(text)) => {
                into.push(TagTest { text: text.clone(), whole: is_whole(atom, tag_match), passed: None });
                true
            }
            _ => false,
        },
    })
}

#[cfg(test)]
mod tests;
