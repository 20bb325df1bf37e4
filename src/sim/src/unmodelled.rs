//! What a scenario may ask for and nothing here plays yet: it ends the run with its name, and is never left out in
//! silence.

use crate::RunError;
use lkesim_scenario::Scenario;
use lkesim_scenario::kubernetes::{JoinLabels, JoinTaint};

/// Refuses a scenario that asks for one of them.
pub fn refuse(scenario: &Scenario) -> Result<(), RunError> {
    let (kubernetes, karpenter) = (&scenario.kubernetes, &scenario.karpenter);
    let asked = [
        ("pods: `manifests`, and steps of the workload about pods", scenario.has_pods()),
        ("`catalogue`", !scenario.catalogue.is_empty()),
        ("`kubernetes.provider_id`", kubernetes.provider_id.is_some()),
        ("`kubernetes.devices`", kubernetes.devices.is_some()),
        ("`kubernetes.startup_taints`", kubernetes.startup_taints.is_some()),
        ("`kubernetes.join_taint`", kubernetes.join_taint != JoinTaint::None),
        ("`kubernetes.join_labels`", kubernetes.join_labels != JoinLabels::Karpenter),
        ("`karpenter.batching: off`", !karpenter.batching.is_on()),
        ("`karpenter.nomination: off`", !karpenter.nomination.is_on()),
    ];
    match asked.into_iter().find(|(_, is_asked)| *is_asked) {
        Some((what, _)) => Err(RunError::NotModelled(what.to_owned())),
        None => Ok(()),
    }
}
