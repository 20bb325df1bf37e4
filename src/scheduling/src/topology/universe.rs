//! The domains that nodes could be in, by label: what NodePools and their instance types have values for.

use crate::input::{NodePool, Problem};
use crate::requirements::Requirements;
use crate::taints::tolerates;
use lkesim_kube::object::affinity::NodeInclusionPolicy;
use lkesim_kube::object::{Operator, Taint, Toleration};
use std::collections::BTreeMap;
use std::rc::Rc;

/// For each domain, the taints with which its nodes come: one list a NodePool, or an empty one alone if a NodePool has
/// none.
type Domains = BTreeMap<Rc<str>, Vec<Vec<Taint>>>;

/// The domains of each label.
#[derive(Clone, Debug, Default)]
pub struct Universe(BTreeMap<Rc<str>, Domains>);

impl Universe {
    /// That of a problem. A NodePool without instance types has no domains.
    pub fn of(problem: &Problem) -> Universe {
        let mut universe = Universe::default();
        for pool in &problem.node_pools {
            let types = problem.instance_types.get(&pool.name).filter(|types| !types.is_empty());
            let Some(types) = types else { continue };
            let mut own = Requirements::of_selectors(&pool.requirements);
            own.add_all(&Requirements::of_labels(&pool.labels));
            for one in types.iter() {
                let mut both = own.clone();
                both.add_all(&one.requirements);
                both.iter().for_each(|requirement| universe.insert(&requirement.key, requirement.values(), pool));
            }
            let listed = own.iter().filter(|requirement| requirement.operator() == Operator::In);
            listed.for_each(|requirement| universe.insert(&requirement.key, requirement.values(), pool));
        }
        universe
    }

    fn insert(&mut self, key: &Rc<str>, domains: &[Rc<str>], pool: &NodePool) {
        let known = self.0.entry(key.clone()).or_default();
        for domain in domains {
            let taints = known.entry(domain.clone()).or_default();
            if pool.taints.is_empty() {
                *taints = vec![Vec::new()];
            } else if taints.first().is_none_or(|first| !first.is_empty()) && !taints.contains(&pool.taints) {
                taints.push(pool.taints.clone());
            }
        }
    }

    /// The domains of a label that a pod with these tolerations could get into, unless taints are not looked at.
    pub fn domains<'a>(
        &'a self,
        key: &str,
        policy: Option<NodeInclusionPolicy>,
        tolerations: &'a [Toleration],
    ) -> impl Iterator<Item = Rc<str>> + 'a {
        let all = self.0.get(key).into_iter().flatten();
        let could = move |taints: &[Vec<Taint>]| {
            policy == Some(NodeInclusionPolicy::Ignore) || taints.iter().any(|one| tolerates(one, tolerations))
        };
        all.filter(move |(_, taints)| could(taints)).map(|(domain, _)| domain.clone())
    }
}
