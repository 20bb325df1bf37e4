//! One topology group: how many pods that a selector means are in each domain, and where the next may go.
//!
//! Core v1.9.0 `scheduling/topologygroup.go`. Host names of NodeClaims to be are kept by number, apart from all other
//! domains: there are thousands, each is asked for alone, and none is ever chosen from among them.

use super::node_filter::NodeFilter;
use crate::requirement::Requirement;
use crate::requirements::Requirements;
use crate::solver::sets::{SetId, Sets, Split};
use lkesim_kube::object::{LabelSelector, Operator, StringMap, labels};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::rc::Rc;

/// What a term wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Domains have equally many.
    Spread,
    /// A domain that has some.
    Affinity,
    /// A domain that has none.
    AntiAffinity,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Spread => "topology spread",
            Kind::Affinity => "pod affinity",
            Kind::AntiAffinity => "pod anti-affinity",
        }
    }
}

/// A term of a pod, as a group sees it.
#[derive(Clone, Debug)]
pub struct Term {
    /// The label whose values are the domains.
    pub key: Rc<str>,
    /// What it wants.
    pub kind: Kind,
    /// By how many pods domains may differ.
    pub max_skew: i32,
    /// With fewer domains, the emptiest counts as empty.
    pub min_domains: Option<i32>,
    /// Where the pods are that count.
    pub namespaces: BTreeSet<Rc<str>>,
    /// Which they are; `None` is none.
    pub selector: Option<LabelSelector>,
}

/// Where a pod might go: a node, or a NodeClaim to be.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Its requirements, with the pod's.
    pub set: SetId,
    /// Its host name.
    pub host: &'a str,
    /// Its number, if it is a NodeClaim to be.
    pub claim: Option<usize>,
}

/// A topology group.
#[derive(Debug)]
pub struct Group {
    /// Its first term.
    pub term: Term,
    /// Which nodes count.
    pub filter: NodeFilter,
    is_hostname: bool,
    /// How many pods each domain has, by name.
    domains: BTreeMap<Rc<str>, i32>,
    /// Domains without any.
    empty: BTreeSet<Rc<str>>,
    /// How many pods each NodeClaim to be has; below 0 where it is no domain yet.
    claims: Vec<i32>,
    /// How many domains have some.
    occupied: usize,
    /// What was answered since the counts last changed.
    answers: Vec<((SetId, SetId, bool), Option<SetId>)>,
}

impl Group {
    /// A group with these empty domains.
    pub fn new(term: Term, filter: NodeFilter, domains: impl IntoIterator<Item = Rc<str>>) -> Group {
        let empty: BTreeSet<Rc<str>> = domains.into_iter().collect();
        Group {
            is_hostname: *term.key == *labels::HOSTNAME,
            term,
            filter,
            domains: empty.iter().map(|domain| (domain.clone(), 0)).collect(),
            empty,
            claims: Vec::new(),
            occupied: 0,
            answers: Vec::new(),
        }
    }

    /// Whether domains are host names.
    pub fn is_hostname(&self) -> bool {
        self.is_hostname
    }

    /// Whether a place that it refused stays refused: counts of host names only grow, and a spread or an anti-affinity
    /// looks at no other's.
    pub fn only_fills(&self) -> bool {
        self.is_hostname && self.term.kind != Kind::Affinity
    }

    /// Whether a pod counts, wherever it is.
    pub fn selects(&self, namespace: &str, pod_labels: &StringMap) -> bool {
        self.term.namespaces.contains(namespace)
            && self.term.selector.as_ref().is_some_and(|selector| selector.matches(pod_labels))
    }

    /// Makes a domain known.
    pub fn register(&mut self, domain: &Rc<str>) {
        if !self.domains.contains_key(domain) {
            self.domains.insert(domain.clone(), 0);
            self.empty.insert(domain.clone());
            self.answers.clear();
        }
    }

    /// Makes the host name of a NodeClaim to be known.
    pub fn register_claim(&mut self, claim: usize) {
        let count = self.claim_mut(claim);
        *count = (*count).max(0);
    }

    /// Counts a pod.
    pub fn record(&mut self, domain: &Rc<str>) {
        let count = self.domains.entry(domain.clone()).or_default();
        self.occupied += usize::from(*count == 0);
        *count += 1;
        self.empty.remove(domain);
        self.answers.clear();
    }

    /// Counts a pod of a NodeClaim to be.
    pub fn record_claim(&mut self, claim: usize) {
        let count = self.claim_mut(claim);
        let is_first = *count <= 0;
        *count = (*count).max(0) + 1;
        self.occupied += usize::from(is_first);
    }

    fn claim_mut(&mut self, claim: usize) -> &mut i32 {
        if self.claims.len() <= claim {
            self.claims.resize(claim + 1, -1);
        }
        &mut self.claims[claim]
    }

    fn count_of_host(&self, place: &Place<'_>) -> i32 {
        match place.claim {
            Some(claim) => self.claims.get(claim).map_or(0, |count| (*count).max(0)),
            None => self.domains.get(place.host).copied().unwrap_or(0),
        }
    }

    /// Whether a place's host name will do, where domains are host names. A NodeClaim to be may be no domain yet.
    pub fn host_is_allowed(&self, pod: &Split, selects: bool, place: &Place<'_>) -> bool {
        let count = self.count_of_host(place);
        match self.term.kind {
            // A host can always be added, so that the emptiest has none.
            Kind::Spread => count + i32::from(selects) <= self.term.max_skew,
            Kind::AntiAffinity => count == 0,
            Kind::Affinity => {
                pod.allows_host(place.host) && (count > 0 || (selects && !self.has_pod_where(pod.host.as_deref())))
            }
        }
    }

    /// Whether any pod counted is in a domain that the requirement allows.
    fn has_pod_where(&self, allowed: Option<&Requirement>) -> bool {
        let Some(allowed) = allowed else { return self.occupied > 0 };
        let named = self.domains.iter().any(|(domain, count)| *count > 0 && allowed.has(domain));
        // The name of a NodeClaim to be stands in no requirement but as what is not excluded.
        named || (allowed.operator() == Operator::NotIn && self.claims.iter().any(|count| *count > 0))
    }

    /// The domains that a place may be narrowed to, as a set of one requirement; `None` if there are none. `pod`: the
    /// pod's own requirements, without preferences.
    pub fn next(&mut self, pod: &Split, selects: bool, place: SetId, sets: &mut Sets) -> Option<SetId> {
        let asked = (pod.set, place, selects);
        if let Some((_, answer)) = self.answers.iter().find(|(known, _)| *known == asked) {
            return *answer;
        }
        let (pod, place) = (sets.get(pod.set).clone(), sets.get(place).clone());
        let found = self.choose(
            pod.get(&self.term.key).map(|one| &**one),
            place.get(&self.term.key).map(|one| &**one),
            selects,
        );
        let answer = (!found.is_empty()).then(|| {
            let requirement = Requirement::any_of(self.term.key.clone(), found);
            sets.number(Requirements::from_iter([requirement]))
        });
        self.answers.push((asked, answer));
        answer
    }

    fn choose(&self, pod: Option<&Requirement>, node: Option<&Requirement>, selects: bool) -> Vec<Rc<str>> {
        let by_pod = |domain: &Rc<str>| pod.is_none_or(|pod| pod.has(domain));
        let by_node = |domain: &Rc<str>| node.is_none_or(|node| node.has(domain));
        match self.term.kind {
            Kind::Spread => self.least(by_pod, by_node, selects).into_iter().collect(),
            Kind::AntiAffinity => {
                self.empty.iter().filter(|domain| by_node(domain) && by_pod(domain)).cloned().collect()
            }
            Kind::Affinity => {
                let occupied = self.domains.iter().filter(|(_, count)| **count > 0).map(|(domain, _)| domain);
                let mut found: Vec<_> = occupied.clone().filter(|one| by_pod(one) && by_node(one)).cloned().collect();
                if found.is_empty() && selects && !occupied.clone().any(by_pod) {
                    // The first of its kind chooses; upstream lets chance decide, here the first by name is taken.
                    found.extend(self.domains.keys().find(|one| by_pod(one) && by_node(one)).cloned());
                    found.extend(self.domains.keys().find(|one| by_pod(one)).cloned());
                    found.dedup();
                }
                found
            }
        }
    }

    /// The emptiest of the node's domains that keeps the skew. Of equally empty ones upstream takes any, here the first
    /// by name.
    fn least(
        &self,
        by_pod: impl Fn(&Rc<str>) -> bool,
        by_node: impl Fn(&Rc<str>) -> bool,
        selects: bool,
    ) -> Option<Rc<str>> {
        let supported = self.domains.iter().filter(|(domain, _)| by_pod(domain)).map(|(_, count)| *count);
        let mut lowest = supported.clone().min().unwrap_or(i32::MAX);
        let number = i32::try_from(supported.count()).unwrap_or(i32::MAX);
        if self.term.min_domains.is_some_and(|wanted| number < wanted) {
            lowest = 0;
        }
        let of_node = self.domains.iter().filter(|(domain, _)| by_node(domain));
        let after = of_node.map(|(domain, count)| (count + i32::from(selects), domain));
        let kept = after.filter(|(count, _)| count - lowest <= self.term.max_skew);
        kept.min_by_key(|(count, _)| *count).map(|(_, domain)| domain.clone())
    }

    /// Karpenter's sentence where no domain is left. `claim_host` names NodeClaims to be.
    pub fn refusal(&self, pod: &Requirement, node: &Requirement, claim_host: impl Fn(usize) -> Rc<str>) -> String {
        let claims = self.claims.iter().enumerate().filter(|(_, count)| **count >= 0);
        let mut domains: BTreeMap<Rc<str>, i32> = self.domains.clone();
        domains.extend(claims.map(|(claim, count)| (claim_host(claim), *count)));
        let mut counts = String::new();
        for (place, (domain, count)) in domains.iter().take(25).enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            let _ = write!(counts, "{comma}{domain}: {count}");
        }
        if domains.len() > 25 {
            let _ = write!(counts, " and {} other(s)", domains.len() - 25);
        }
        format!(
            "unsatisfiable topology constraint for {}, key={} (counts = {counts}, podDomains = {pod}, nodeDomains = {node}",
            self.term.kind.name(),
            self.term.key
        )
    }
}
