//! What a pod gives up where it fits nowhere: one thing at a time, in upstream's order (core v1.9.0
//! `scheduling/preferences.go`).

use lkesim_kube::object::affinity::{PodAffinity, Weighted, WhenUnsatisfiable};
use lkesim_kube::object::{PodSpec, TaintEffect, Toleration};

/// What was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relaxation {
    /// The first of several required node affinity terms, of which one has to hold.
    RequiredNodeAffinityTerm,
    /// The heaviest preferred pod affinity term.
    PreferredPodAffinityTerm,
    /// The heaviest preferred pod anti-affinity term.
    PreferredPodAntiAffinityTerm,
    /// The heaviest preferred node affinity term.
    PreferredNodeAffinityTerm,
    /// The first spread that may be broken.
    ScheduleAnyway,
    /// The wish to stay off nodes with PreferNoSchedule taints.
    PreferNoSchedule,
}

impl Relaxation {
    /// Karpenter's words, without the object at their end.
    pub fn text(self) -> &'static str {
        match self {
            Relaxation::RequiredNodeAffinityTerm => {
                "removing: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]"
            }
            Relaxation::PreferredPodAffinityTerm => {
                "removing: spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]"
            }
            Relaxation::PreferredPodAntiAffinityTerm => {
                "removing: spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]"
            }
            Relaxation::PreferredNodeAffinityTerm => {
                "removing: spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]"
            }
            Relaxation::ScheduleAnyway => "removing: spec.topologySpreadConstraints",
            Relaxation::PreferNoSchedule => "adding: toleration for PreferNoSchedule taints",
        }
    }
}

/// Gives up one thing, if there is any. `prefer_no_schedule`: whether a NodePool has such a taint.
pub fn relax(pod: &mut PodSpec, prefer_no_schedule: bool) -> Option<Relaxation> {
    if remove_required_node_affinity_term(pod) {
        return Some(Relaxation::RequiredNodeAffinityTerm);
    }
    if pod.pod_affinity.as_mut().is_some_and(remove_heaviest) {
        return Some(Relaxation::PreferredPodAffinityTerm);
    }
    if pod.pod_anti_affinity.as_mut().is_some_and(remove_heaviest) {
        return Some(Relaxation::PreferredPodAntiAffinityTerm);
    }
    if pod.node_affinity.as_mut().is_some_and(|affinity| remove_first_by_weight(&mut affinity.preferred)) {
        return Some(Relaxation::PreferredNodeAffinityTerm);
    }
    let spreads = &mut pod.topology_spread_constraints;
    if let Some(place) = spreads.iter().position(|one| one.when_unsatisfiable == WhenUnsatisfiable::ScheduleAnyway) {
        spreads.swap_remove(place);
        return Some(Relaxation::ScheduleAnyway);
    }
    (prefer_no_schedule && tolerate_prefer_no_schedule(pod)).then_some(Relaxation::PreferNoSchedule)
}

/// Drops the first required term if another is left.
pub fn remove_required_node_affinity_term(pod: &mut PodSpec) -> bool {
    let terms = pod.node_affinity.as_mut().map(|affinity| &mut affinity.required);
    match terms {
        Some(terms) if terms.len() > 1 => {
            terms.remove(0);
            true
        }
        _ => false,
    }
}

/// Puts up with PreferNoSchedule taints, unless the pod says so already.
pub fn tolerate_prefer_no_schedule(pod: &mut PodSpec) -> bool {
    let toleration = Toleration::of_effect(TaintEffect::PreferNoSchedule);
    if pod.tolerations.iter().any(|one| one.matches(&toleration)) {
        return false;
    }
    pod.tolerations.push(toleration);
    true
}

fn remove_heaviest(affinity: &mut PodAffinity) -> bool {
    remove_first_by_weight(&mut affinity.preferred)
}

fn remove_first_by_weight<T>(terms: &mut Vec<Weighted<T>>) -> bool {
    if terms.is_empty() {
        return false;
    }
    terms.sort_by_key(|one| std::cmp::Reverse(one.weight));
    terms.remove(0);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use lkesim_kube::object::Requirement;
    use lkesim_kube::object::affinity::{NodeAffinity, NodeSelectorTerm, PodAffinityTerm, TopologySpreadConstraint};

    fn term(key: &str) -> NodeSelectorTerm {
        NodeSelectorTerm { match_expressions: vec![Requirement::any_of(key, ["1"])], has_match_fields: false }
    }

    fn pod_term(key: &str) -> PodAffinityTerm {
        PodAffinityTerm {
            label_selector: None,
            namespaces: Vec::new(),
            namespace_selector: None,
            topology_key: key.into(),
            match_label_keys: Vec::new(),
            mismatch_label_keys: Vec::new(),
        }
    }

    fn preferred() -> PodAffinity {
        PodAffinity { required: Vec::new(), preferred: vec![Weighted { weight: 1, term: pod_term("zone") }] }
    }

    #[test]
    fn things_are_given_up_in_upstreams_order() {
        let spread = |when_unsatisfiable| TopologySpreadConstraint {
            max_skew: 1,
            topology_key: "zone".into(),
            when_unsatisfiable,
            label_selector: None,
            min_domains: None,
            node_affinity_policy: None,
            node_taints_policy: None,
            match_label_keys: Vec::new(),
        };
        let mut pod = PodSpec {
            node_affinity: Some(NodeAffinity {
                required: vec![term("a"), term("b")],
                has_required: true,
                preferred: vec![
                    Weighted { weight: 1, term: term("light") },
                    Weighted { weight: 9, term: term("heavy") },
                ],
            }),
            pod_affinity: Some(preferred()),
            pod_anti_affinity: Some(preferred()),
            topology_spread_constraints: vec![
                spread(WhenUnsatisfiable::DoNotSchedule),
                spread(WhenUnsatisfiable::ScheduleAnyway),
            ],
            ..PodSpec::default()
        };
        let given_up: Vec<Relaxation> = std::iter::from_fn(|| relax(&mut pod, true)).collect();
        let expected = [
            Relaxation::RequiredNodeAffinityTerm,
            Relaxation::PreferredPodAffinityTerm,
            Relaxation::PreferredPodAntiAffinityTerm,
            Relaxation::PreferredNodeAffinityTerm,
            Relaxation::PreferredNodeAffinityTerm,
            Relaxation::ScheduleAnyway,
            Relaxation::PreferNoSchedule,
        ];
        assert_eq!(given_up, expected);
        let affinity = pod.node_affinity.expect("required terms stay");
        assert_eq!(affinity.required, [term("b")]);
        assert_eq!(pod.topology_spread_constraints.len(), 1);
    }

    #[test]
    fn the_heaviest_preference_goes_first() {
        let preferred = vec![Weighted { weight: 1, term: term("light") }, Weighted { weight: 9, term: term("heavy") }];
        let affinity = NodeAffinity { preferred, ..NodeAffinity::default() };
        let mut pod = PodSpec { node_affinity: Some(affinity), ..PodSpec::default() };
        relax(&mut pod, false);
        assert_eq!(pod.node_affinity.expect("one is left").preferred[0].term, term("light"));
    }
}
