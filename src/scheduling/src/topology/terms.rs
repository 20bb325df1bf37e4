//! The topology terms of a pod.

use super::group::{Kind, Term};
use super::node_filter::NodeFilter;
use crate::input::PreferencePolicy;
use crate::solver::sets::Sets;
use lkesim_kube::object::affinity::{
    NodeInclusionPolicy, PodAffinity, PodAffinityTerm, TopologySpreadConstraint, WhenUnsatisfiable,
};
use lkesim_kube::object::label_selector::{SelectorExpression, SelectorOperator};
use lkesim_kube::object::{PodSpec, StringMap};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Who a pod is, for its terms.
#[derive(Clone, Copy, Debug)]
pub struct Owner<'a> {
    /// What it needs.
    pub spec: &'a PodSpec,
    /// Its labels.
    pub labels: &'a StringMap,
    /// Its namespace.
    pub namespace: &'a Rc<str>,
    /// All namespaces with their labels.
    pub namespaces: &'a BTreeMap<Rc<str>, StringMap>,
}

/// The terms that the pod is to be scheduled by: its spreads, then its affinities. Preferences are among them, unless
/// they are not looked at.
pub fn of_pod(owner: &Owner<'_>, policy: PreferencePolicy, sets: &mut Sets) -> Vec<(Term, NodeFilter)> {
    let spreads = owner.spec.topology_spread_constraints.iter();
    let counts = |spread: &&TopologySpreadConstraint| {
        policy == PreferencePolicy::Respect || spread.when_unsatisfiable == WhenUnsatisfiable::DoNotSchedule
    };
    let mut found: Vec<(Term, NodeFilter)> =
        spreads.filter(counts).map(|spread| of_spread(owner, spread, sets)).collect();
    let affinities = [(Kind::Affinity, &owner.spec.pod_affinity), (Kind::AntiAffinity, &owner.spec.pod_anti_affinity)];
    for (kind, affinity) in affinities.into_iter().filter_map(|(kind, one)| Some((kind, one.as_ref()?))) {
        let terms =
            affinity_terms(affinity, policy).map(|term| (of_affinity(owner, kind, term), NodeFilter::default()));
        found.extend(terms);
    }
    found
}

/// The terms by which the pod keeps others away: upstream does not enforce preferences for others.
pub fn inverse<'a>(owner: &'a Owner<'a>) -> impl Iterator<Item = Term> + 'a {
    let required = owner.spec.pod_anti_affinity.iter().flat_map(|affinity| &affinity.required);
    required.map(|term| of_affinity(owner, Kind::AntiAffinity, term))
}

fn affinity_terms(affinity: &PodAffinity, policy: PreferencePolicy) -> impl Iterator<Item = &PodAffinityTerm> {
    let preferred = affinity.preferred.iter().map(|one| &one.term);
    affinity.required.iter().chain(preferred.filter(move |_| policy == PreferencePolicy::Respect))
}

fn of_spread(owner: &Owner<'_>, spread: &TopologySpreadConstraint, sets: &mut Sets) -> (Term, NodeFilter) {
    let mut selector = spread.label_selector.clone();
    for key in &spread.match_label_keys {
        let expression = owner.labels.get(key).map(|value| SelectorExpression {
            key: key.clone(),
            operator: SelectorOperator::In,
            values: vec![value.clone()],
        });
        if let Some(selector) = &mut selector {
            selector.match_expressions.extend(expression);
        }
    }
    let taints = spread.node_taints_policy.unwrap_or(NodeInclusionPolicy::Ignore);
    let affinity = spread.node_affinity_policy.unwrap_or(NodeInclusionPolicy::Honor);
    let term = Term {
        key: spread.topology_key.clone(),
        kind: Kind::Spread,
        max_skew: spread.max_skew,
        min_domains: spread.min_domains,
        namespaces: BTreeSet::from([owner.namespace.clone()]),
        selector,
    };
    (term, NodeFilter::of_spread(owner.spec, taints, affinity, sets))
}

fn of_affinity(owner: &Owner<'_>, kind: Kind, term: &PodAffinityTerm) -> Term {
    Term {
        key: term.topology_key.clone(),
        kind,
        max_skew: i32::MAX,
        min_domains: None,
        namespaces: namespaces(owner, term),
        selector: term.label_selector.clone(),
    }
}

/// The pod's own namespace, unless the term names some or selects some; then those.
fn namespaces(owner: &Owner<'_>, term: &PodAffinityTerm) -> BTreeSet<Rc<str>> {
    let named = term.namespaces.iter().cloned();
    match &term.namespace_selector {
        None if term.namespaces.is_empty() => BTreeSet::from([owner.namespace.clone()]),
        None => named.collect(),
        Some(selector) => {
            let selected = owner.namespaces.iter().filter(|(_, labels)| selector.matches(labels));
            selected.map(|(name, _)| name.clone()).chain(named).collect()
        }
    }
}
