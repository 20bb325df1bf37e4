//! Whether a node has the labels that a pod asks for.

use lkesim_kube::object::{PodSpec, Requirement, StringMap};

/// Whether these labels are those of the selector and of one of the required terms; a term without expressions is met by
/// none (component-helpers v0.33 `scheduling/corev1/nodeaffinity`).
pub fn selects(spec: &PodSpec, labels: &StringMap) -> bool {
    let selected = spec.node_selector.iter().all(|(key, value)| labels.has(key, value));
    let required = spec.node_affinity.as_ref().filter(|affinity| affinity.has_required);
    let met = |one: &Requirement| one.allows(labels.get(&one.key).map(|value| &**value));
    selected
        && required.is_none_or(|affinity| {
            affinity.required.iter().any(|term| {
                !term.has_match_fields && !term.match_expressions.is_empty() && term.match_expressions.iter().all(met)
            })
        })
}
