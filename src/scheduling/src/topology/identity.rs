//! Which topology terms are tracked as one group.
//!
//! Upstream takes a hash of the group (`TopologyGroup.Hash`), which sees less than the group is: of a node filter's
//! requirements their keys, not their operators and values; of lists the entries that occur an odd number of times; and
//! `minDomains` not at all. The pod that comes first decides what its group is like, and so it does here.

use super::group::{Kind, Term};
use super::node_filter::NodeFilter;
use crate::solver::sets::Sets;
use lkesim_kube::object::affinity::NodeInclusionPolicy;
use lkesim_kube::object::label_selector::{LabelSelector, SelectorOperator};
use lkesim_kube::object::toleration::Toleration;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What the hash sees. Equal identities are one group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    key: Rc<str>,
    kind: Kind,
    namespaces: BTreeSet<Rc<str>>,
    max_skew: i32,
    required_keys: BTreeSet<Vec<Rc<str>>>,
    policies: (Option<NodeInclusionPolicy>, Option<NodeInclusionPolicy>),
    tolerations: BTreeSet<Toleration>,
    selector: Option<Selected>,
}

/// The labels and expressions of a selector.
type Selected = (Vec<(Rc<str>, Rc<str>)>, BTreeSet<Expression>);
type Expression = (Rc<str>, SelectorOperator, BTreeSet<Rc<str>>);

impl Identity {
    /// What the hash sees of a group.
    pub fn of(term: &Term, filter: &NodeFilter, sets: &Sets) -> Identity {
        let keys = filter.requirements.iter().map(|split| {
            let whole = sets.whole(split.set, split.host.as_ref());
            whole.iter().map(|requirement| requirement.key.clone()).collect()
        });
        let seconds_of_none = |toleration: &Toleration| Toleration {
            toleration_seconds: Some(toleration.toleration_seconds.unwrap_or(0)),
            ..toleration.clone()
        };
        Identity {
            key: term.key.clone(),
            kind: term.kind,
            namespaces: term.namespaces.clone(),
            max_skew: term.max_skew,
            required_keys: odd(keys),
            policies: (filter.taint_policy, filter.affinity_policy),
            tolerations: odd(filter.tolerations.iter().map(seconds_of_none)),
            selector: term.selector.as_ref().map(seen),
        }
    }
}

fn seen(selector: &LabelSelector) -> Selected {
    let labels = selector.match_labels.iter().cloned().collect();
    let expressions = selector.match_expressions.iter();
    let expressions = expressions.map(|one| (one.key.clone(), one.operator, odd(one.values.iter().cloned())));
    (labels, expressions.collect())
}

/// The entries that occur an odd number of times.
fn odd<T: Ord>(entries: impl Iterator<Item = T>) -> BTreeSet<T> {
    let mut found = BTreeSet::new();
    for entry in entries {
        if !found.remove(&entry) {
            found.insert(entry);
        }
    }
    found
}
