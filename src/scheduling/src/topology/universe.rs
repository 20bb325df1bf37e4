//! The domains that nodes could be in, by label: what NodePools and their instance types have values for.

use crate::input::{NodePool, Problem};
use crate::requirement::Requirement;
use crate::requirements::Requirements;
use crate::taints::tolerates;
use lkesim_kube::object::affinity::NodeInclusionPolicy;
use lkesim_kube::object::{Operator, Taint, Toleration};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// For each domain, the taints with which its nodes come: one list a NodePool, or an empty one alone if a NodePool has
/// none.
type Domains = BTreeMap<Rc<str>, Vec<Vec<Taint>>>;

/// The domains of each label that a group asks for. Most labels of a type nobody asks for.
#[derive(Debug)]
pub struct Universe<'a> {
    problem: &'a Problem,
    known: RefCell<BTreeMap<Rc<str>, Domains>>,
}

impl<'a> Universe<'a> {
    /// That of a problem. A NodePool without instance types has no domains.
    pub fn of(problem: &'a Problem) -> Universe<'a> {
        Universe { problem, known: RefCell::default() }
    }

    /// The domains of a label that a pod with these tolerations could get into, unless taints are not looked at.
    pub fn domains(&self, key: &Rc<str>, policy: Option<NodeInclusionPolicy>, to: &[Toleration]) -> Vec<Rc<str>> {
        let mut known = self.known.borrow_mut();
        let all = known.entry(key.clone()).or_insert_with(|| self.of_label(key));
        let could = |taints: &[Vec<Taint>]| {
            policy == Some(NodeInclusionPolicy::Ignore) || taints.iter().any(|one| tolerates(one, to))
        };
        all.iter().filter(|(_, taints)| could(taints)).map(|(domain, _)| domain.clone()).collect()
    }

    fn of_label(&self, key: &str) -> Domains {
        let mut domains = Domains::new();
        for pool in &self.problem.node_pools {
            let types = self.problem.instance_types.get(&pool.name).filter(|types| !types.is_empty());
            let Some(types) = types else { continue };
            let mut own = Requirements::of_selectors(&pool.requirements);
            own.add_all(&Requirements::of_labels(&pool.labels));
            let own = own.get(key);
            for one in types.iter() {
                match (own, one.requirements.get(key)) {
                    (Some(own), Some(of_type)) => insert(&mut domains, &of_type.intersection(own), pool),
                    (Some(one), None) | (None, Some(one)) => insert(&mut domains, one, pool),
                    (None, None) => {}
                }
            }
            if let Some(listed) = own.filter(|own| own.operator() == Operator::In) {
                insert(&mut domains, listed, pool);
            }
        }
        domains
    }
}

fn insert(domains: &mut Domains, values: &Requirement, pool: &NodePool) {
    for domain in values.values() {
        let taints = domains.entry(domain.clone()).or_default();
        if pool.taints.is_empty() {
            *taints = vec![Vec::new()];
        } else if taints.first().is_none_or(|first| !first.is_empty()) && !taints.contains(&pool.taints) {
            taints.push(pool.taints.clone());
        }
    }
}
