//! Which nodes count for a spread (core v1.9.0 `scheduling/topologynodefilter.go`).

use crate::requirements::Requirements;
use crate::solver::sets::{SetId, Sets, Split};
use crate::taints::tolerates;
use lkesim_kube::object::affinity::NodeInclusionPolicy;
use lkesim_kube::object::{PodSpec, Taint, Toleration};

/// What a node is held to before it counts. The default lets every node count, as affinities do.
#[derive(Clone, Debug, Default)]
pub struct NodeFilter {
    /// One of them holds: the node selector with each of the required node affinity terms.
    pub requirements: Vec<Split>,
    /// Whether taints are looked at.
    pub taint_policy: Option<NodeInclusionPolicy>,
    /// Whether the requirements are looked at.
    pub affinity_policy: Option<NodeInclusionPolicy>,
    /// What the pod tolerates.
    pub tolerations: Vec<Toleration>,
}

impl NodeFilter {
    /// That of a spread of this pod.
    pub fn of_spread(
        pod: &PodSpec,
        taint_policy: NodeInclusionPolicy,
        affinity_policy: NodeInclusionPolicy,
        sets: &mut Sets,
    ) -> NodeFilter {
        let selected = Requirements::of_labels(&pod.node_selector);
        let affinity = pod.node_affinity.as_ref().filter(|affinity| affinity.has_required);
        let requirements = match affinity {
            None => vec![sets.split(selected)],
            Some(affinity) => affinity
                .required
                .iter()
                .map(|term| {
                    let mut all = selected.clone();
                    all.add_all(&Requirements::of_selectors(&term.match_expressions));
                    sets.split(all)
                })
                .collect(),
        };
        NodeFilter {
            requirements,
            taint_policy: Some(taint_policy),
            affinity_policy: Some(affinity_policy),
            tolerations: pod.tolerations.clone(),
        }
    }

    /// Whether a node counts that has these taints, labels and host name. Labels that it does not define are not
    /// taken on trust, even where a pod could ask for them.
    pub fn matches(&self, taints: &[Taint], set: SetId, host: Option<&str>, sets: &mut Sets) -> bool {
        let by_affinity = self.affinity_policy != Some(NodeInclusionPolicy::Honor)
            || self.requirements.is_empty()
            || self.requirements.iter().any(|one| {
                let by_host = match (&one.host, host) {
                    (None, _) => true,
                    (Some(asked), Some(host)) => asked.has(host),
                    (Some(asked), None) => asked.is_met_without(),
                };
                by_host && sets.is_compatible(set, one.set, false)
            });
        by_affinity && (self.taint_policy != Some(NodeInclusionPolicy::Honor) || tolerates(taints, &self.tolerations))
    }
}
