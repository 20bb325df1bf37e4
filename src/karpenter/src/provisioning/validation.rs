//! The entry ticket: which pods a pass looks at, and why it leaves others alone (core v1.9.0 `Provisioner.Validate`).
//!
//! What the API server refuses, names and values that are none, is not looked at again.

use super::Facts;
use lkesim_kube::object::affinity::NodeSelectorTerm;
use lkesim_kube::object::{Operator, Pod, Requirement, labels};
use lkesim_scheduling::{Requirements, WellKnownLabels};

/// Why a pod is left alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Ignored {
    /// It wants no node of Karpenter's. No event tells of it.
    #[error("configured to not run on a Karpenter provisioned node (requirement=karpenter.sh/nodepool DoesNotExist)")]
    NotOnKarpenter,
    /// It asks for what can't be.
    #[error("{0}")]
    Invalid(String),
}

/// Whether a pass looks at the pod.
pub fn validate(pod: &Pod, facts: &Facts, well_known: &WellKnownLabels) -> Result<(), Ignored> {
    let wanted = Requirements::of_pod(&pod.spec, false);
    if wanted.get(labels::NODE_POOL).is_some_and(|wanted| wanted.is_empty()) {
        return Err(Ignored::NotOnKarpenter);
    }
    let mut errors = Vec::new();
    for (key, value) in pod.spec.node_selector.iter() {
        check(&Requirement::any_of(key.clone(), [value.clone()]), well_known, &mut errors);
    }
    // Preferences are not looked at.
    let terms = pod.spec.node_affinity.iter().flat_map(|affinity| &affinity.required);
    for NodeSelectorTerm { match_expressions, has_match_fields } in terms {
        if *has_match_fields {
            errors.push("node selector term with matchFields is not supported".to_owned());
        }
        match_expressions.iter().for_each(|one| check(one, well_known, &mut errors));
    }
    errors.extend(facts.volume_errors.get(&pod.metadata.uid).map(ToString::to_string));
    if errors.is_empty() { Ok(()) } else { Err(Ignored::Invalid(errors.join("; "))) }
}

fn check(one: &Requirement, well_known: &WellKnownLabels, errors: &mut Vec<String>) {
    let key = &*one.key;
    if !well_known.has(key) && is_restricted(key) {
        errors.push(format!(
            "using label {key} is not allowed as it might interfere with the internal provisioning logic; specify a well known \
             label, or a custom label that does not use a restricted domain: [karpenter.sh]"
        ));
    }
    let known = ["on-demand", "spot", "reserved"];
    let is_known = |value: &&str| known.contains(value);
    if key == labels::CAPACITY_TYPE
        && one.operator == Operator::In
        && !one.values.iter().map(|value| &**value).any(|value| is_known(&value))
    {
        errors.push(format!("no valid values found in [{}] for {key}, expected one of: {known:?}", joined(one)));
    }
    if one.operator == Operator::In && one.values.is_empty() {
        errors.push(format!("key {key} with operator In must have a value defined"));
    }
    let is_bound = matches!(one.operator, Operator::Gt | Operator::Lt | Operator::Gte | Operator::Lte);
    let is_number = one.values.len() == 1 && one.values[0].parse::<i64>().is_ok_and(|value| value >= 0);
    if is_bound && !is_number {
        let operator = one.operator;
        errors.push(format!("key {key} with operator {operator:?} must have a single positive integer value"));
    }
}

fn joined(one: &Requirement) -> String {
    let values: Vec<&str> = one.values.iter().map(|value| &**value).collect();
    values.join(" ")
}

/// Karpenter's own domain, and the host name.
fn is_restricted(key: &str) -> bool {
    let domain = key.split_once('/').map_or("", |(domain, _)| domain);
    domain == "karpenter.sh" || domain.ends_with(".karpenter.sh") || key == labels::HOSTNAME
}

#[cfg(test)]
mod tests;
