//! What the API server's defaulting and admission add to a pod at its creation.

use super::{Pod, PodSpec};
use crate::object::affinity::{PodAffinity, PodAffinityTerm, TopologySpreadConstraint};
use crate::object::label_selector::{SelectorExpression, SelectorOperator};
use crate::object::{LabelSelector, StringMap, TaintEffect, Toleration, TolerationOperator, labels};
use std::rc::Rc;

/// For how many seconds a pod stays on a node that is not ready or not reached, where it says nothing.
const STAYS: i64 = 300;

/// Completes a new pod. One that is complete keeps sharing its spec with the others of its template.
pub(super) fn admit(pod: &mut Pod) {
    if is_complete(&pod.spec, &pod.metadata.labels) {
        return;
    }
    let labels = pod.metadata.labels.clone();
    admit_spec(Rc::make_mut(&mut pod.spec), &labels);
}

/// Completes the spec of pods with these labels: limits stand in for requests that are not given, a node that is not
/// ready or not reached is put up with for 300 s, and `matchLabelKeys` become part of their selectors.
///
/// Kubernetes v1.33: `pkg/apis/core/v1/defaults.go` SetDefaults_Pod,
/// `plugin/pkg/admission/defaulttolerationseconds/admission.go`, and `pkg/registry/core/pod/strategy.go`
/// applyMatchLabelKeysAndMismatchLabelKeys.
pub fn admit_spec(spec: &mut PodSpec, labels: &StringMap) {
    spec.default_requests();
    for key in [labels::NOT_READY_TAINT, labels::UNREACHABLE_TAINT] {
        if !puts_up_with(spec, key) {
            spec.tolerations.push(Toleration {
                key: key.into(),
                operator: TolerationOperator::Exists,
                effect: Some(TaintEffect::NoExecute),
                toleration_seconds: Some(STAYS),
                ..Toleration::default()
            });
        }
    }
    for affinity in [&mut spec.pod_affinity, &mut spec.pod_anti_affinity].into_iter().flatten() {
        terms_mut(affinity).for_each(|term| complete_term(term, labels));
    }
}

fn is_complete(spec: &PodSpec, labels: &StringMap) -> bool {
    let mut containers = spec.containers.iter().chain(&spec.init_containers);
    let requests = containers.all(|one| one.limits.iter().all(|(name, _)| one.requests.get(name).is_some()));
    let tolerations = [labels::NOT_READY_TAINT, labels::UNREACHABLE_TAINT].iter().all(|key| puts_up_with(spec, key));
    let affinities = [&spec.pod_affinity, &spec.pod_anti_affinity].into_iter().flatten();
    let mut terms = affinities.flat_map(terms);
    requests && tolerations && terms.all(|term| missing(term, labels).is_empty())
}

/// A toleration without a key or an effect is one of any.
fn puts_up_with(spec: &PodSpec, key: &str) -> bool {
    spec.tolerations.iter().any(|toleration| {
        (toleration.key.is_empty() || *toleration.key == *key)
            && toleration.effect.is_none_or(|effect| effect == TaintEffect::NoExecute)
    })
}

fn terms(affinity: &PodAffinity) -> impl Iterator<Item = &PodAffinityTerm> {
    affinity.required.iter().chain(affinity.preferred.iter().map(|one| &one.term))
}

fn terms_mut(affinity: &mut PodAffinity) -> impl Iterator<Item = &mut PodAffinityTerm> {
    affinity.required.iter_mut().chain(affinity.preferred.iter_mut().map(|one| &mut one.term))
}

/// The expressions that the term's selector lacks.
fn missing(term: &PodAffinityTerm, labels: &StringMap) -> Vec<SelectorExpression> {
    let Some(selector) = &term.label_selector else { return Vec::new() };
    let same = term.match_label_keys.iter().map(|key| (key, SelectorOperator::In));
    let other = term.mismatch_label_keys.iter().map(|key| (key, SelectorOperator::NotIn));
    let expression = |(key, operator): (&Rc<str>, SelectorOperator)| {
        let values = vec![labels.get(key)?.clone()];
        Some(SelectorExpression { key: key.clone(), operator, values })
    };
    let wanted = same.chain(other).filter_map(expression);
    wanted.filter(|one| !selector.match_expressions.contains(one)).collect()
}

fn complete_term(term: &mut PodAffinityTerm, labels: &StringMap) {
    let missing = missing(term, labels);
    if let Some(selector) = &mut term.label_selector {
        selector.match_expressions.extend(missing);
    }
}

/// The selector of a spread constraint with what `matchLabelKeys` add: pods that share the values of these labels.
pub fn spread_selector(constraint: &TopologySpreadConstraint, labels: &StringMap) -> Option<LabelSelector> {
    let mut selector = constraint.label_selector.clone()?;
    let expression = |key: &Rc<str>| {
        let values = vec![labels.get(key)?.clone()];
        Some(SelectorExpression { key: key.clone(), operator: SelectorOperator::In, values })
    };
    selector.match_expressions.extend(constraint.match_label_keys.iter().filter_map(expression));
    Some(selector)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::ResourceList;
    use crate::object::pod::Container;

    #[test]
    fn a_pod_leaves_a_silent_node_after_five_minutes_unless_it_says_otherwise() {
        let mut pod = Pod::new("p", PodSpec::default());
        admit(&mut pod);
        let stays: Vec<_> =
            pod.spec.tolerations.iter().map(|one| (one.key.to_string(), one.toleration_seconds)).collect();
        let expected =
            [(labels::NOT_READY_TAINT.to_owned(), Some(300)), (labels::UNREACHABLE_TAINT.to_owned(), Some(300))];
        assert_eq!(stays, expected);
        let all = Toleration { operator: TolerationOperator::Exists, ..Toleration::default() };
        let mut tolerant = Pod::new("p", PodSpec { tolerations: vec![all], ..PodSpec::default() });
        admit(&mut tolerant);
        assert_eq!(tolerant.spec.tolerations.len(), 1);
    }

    #[test]
    fn limits_stand_in_for_requests_and_complete_specs_stay_shared() {
        let cpu = |milli| ResourceList::from_iter([("cpu", crate::object::Quantity::from_milli(milli))]);
        let container = Container { limits: cpu(500), ..Container::default() };
        let mut pod = Pod::new("p", PodSpec { containers: vec![container], ..PodSpec::default() });
        admit(&mut pod);
        assert_eq!(pod.spec.containers[0].requests, cpu(500));
        let mut other = Pod { spec: pod.spec.clone(), ..Pod::new("q", PodSpec::default()) };
        admit(&mut other);
        assert!(Rc::ptr_eq(&pod.spec, &other.spec));
    }
}
