//! The entry ticket: which pods a pass looks at, and why it leaves others alone (core v1.9.0 `Provisioner.Validate`).
//!
//! What the API server refuses, names and values that are none, is not looked at again.

use super::{Facts, ProvisioningSettings};
use lkesim_kube::object::affinity::NodeSelectorTerm;
use lkesim_kube::object::{Operator, Pod, Requirement, labels};
use lkesim_scheduling::Requirements;

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
pub fn validate(pod: &Pod, facts: &Facts, settings: &ProvisioningSettings) -> Result<(), Ignored> {
    let wanted = Requirements::of_pod(&pod.spec, false);
    if wanted.get(labels::NODE_POOL).is_some_and(|wanted| wanted.is_empty()) {
        return Err(Ignored::NotOnKarpenter);
    }
    let mut errors = Vec::new();
    for (key, value) in pod.spec.node_selector.iter() {
        check(&Requirement::any_of(key.clone(), [value.clone()]), settings, &mut errors);
    }
    // Preferences are not looked at.
    let terms = pod.spec.node_affinity.iter().flat_map(|affinity| &affinity.required);
    for NodeSelectorTerm { match_expressions, has_match_fields } in terms {
        if *has_match_fields {
            errors.push("node selector term with matchFields is not supported".to_owned());
        }
        match_expressions.iter().for_each(|one| check(one, settings, &mut errors));
    }
    errors.extend(facts.volume_errors.get(&pod.metadata.uid).map(ToString::to_string));
    if errors.is_empty() { Ok(()) } else { Err(Ignored::Invalid(errors.join("; "))) }
}

fn check(one: &Requirement, settings: &ProvisioningSettings, errors: &mut Vec<String>) {
    let key = &*one.key;
    errors.extend(restricted(key, settings));
    errors.extend(expected_capacity_type(one));
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

/// Why nobody may ask for a label: it is of Karpenter's own domain or of its provider's and unknown, or the host name.
pub fn restricted(key: &str, settings: &ProvisioningSettings) -> Option<String> {
    let domain = key.split_once('/').map_or("", |(domain, _)| domain);
    let is_in = |of: &&str| domain == *of || domain.strip_suffix(*of).is_some_and(|rest| rest.ends_with('.'));
    let is_restricted = settings.restricted_domains.iter().any(is_in) || key == labels::HOSTNAME;
    (is_restricted && !settings.scheduling.well_known_labels.has(key)).then(|| {
        format!(
            "using label {key} is not allowed as it might interfere with the internal provisioning logic; specify a well known \
             label, or a custom label that does not use a restricted domain: [{}]",
            settings.restricted_domains.join(" ")
        )
    })
}

/// What is wrong with capacity types that are none.
pub fn expected_capacity_type(one: &Requirement) -> Option<String> {
    const KNOWN: [&str; 3] = ["on-demand", "spot", "reserved"];
    let is_asked = &*one.key == labels::CAPACITY_TYPE && one.operator == Operator::In;
    let is_wrong = is_asked && !one.values.iter().any(|value| KNOWN.contains(&&**value));
    let text = || format!("no valid values found in [{}] for {}, expected one of: {KNOWN:?}", joined(one), one.key);
    is_wrong.then(text)
}

#[cfg(test)]
mod tests;
