//! Which NodePools a pass leaves out, and why.
//!
//! Upstream two controllers keep a NodePool's condition Ready, by its NodeClass and by what it asks of labels (core v1.9.0
//! `pkg/controllers/nodepool/readiness` and `validation`), and a pass takes those alone that are of a supported NodeClass
//! and Ready (`provisioner.go`, `NewScheduler`). Here the same is asked at each pass. Of which of its settings a NodeClass's
//! condition is said does not matter, as upstream.

use super::ProvisioningSettings;
use super::validation::{expected_capacity_type, restricted};
use crate::Context;
use lkesim_kube::object::node_claim::NodeClassRef;
use lkesim_kube::object::{ConditionStatus, ConditionType, NodeClass, NodePool};

/// Why a NodePool that is not being deleted is left out, if it is.
pub fn why(context: &Context, node_pool: &NodePool, settings: &ProvisioningSettings) -> Option<String> {
    let own = node_pool.status.conditions.get(ConditionType::Ready);
    if own.is_some_and(|ready| ready.status != ConditionStatus::True) {
        return Some("it is not ready".to_owned());
    }
    if let Some(of) = &node_pool.spec.node_class_ref {
        if !is_supported(of) {
            return Some(format!("its NodeClass is of another provider ({}/{})", of.group, of.kind));
        }
        let found = context.informers.node_classes.get(&of.name);
        if let Some(why) = unready(found.as_deref()) {
            return Some(format!("it is not ready: NodeClass {}: {why}", of.name));
        }
    }
    invalid(node_pool, settings).map(|why| format!("it is not ready: ValidationFailed: {why}"))
}

/// Whether a NodeClass is the provider's.
pub fn is_supported(of: &NodeClassRef) -> bool {
    *of == NodeClassRef::linode(of.name.clone())
}

fn unready(found: Option<&NodeClass>) -> Option<String> {
    let Some(found) = found else { return Some("NodeClassNotFound: NodeClass not found on cluster".to_owned()) };
    if found.metadata.is_deleting() {
        return Some("NodeClassTerminating: NodeClass is Terminating".to_owned());
    }
    let unknown = || Some("NodeClassReadinessUnknown: Node Class Readiness Unknown".to_owned());
    let Some(ready) = found.status.conditions.get(ConditionType::Ready) else { return unknown() };
    if ready.status == ConditionStatus::Unknown {
        return unknown();
    }
    let message = ready.message.as_deref().unwrap_or_default();
    (ready.status == ConditionStatus::False).then(|| format!("{}: {message}", ready.reason))
}

/// What validation at run time finds (core v1.9.0 `pkg/apis/v1/nodepool_validation.go`).
fn invalid(node_pool: &NodePool, settings: &ProvisioningSettings) -> Option<String> {
    let spec = &node_pool.spec;
    let of_labels = spec.labels.iter().map(|(key, _)| key);
    let of_requirements = spec.requirements.iter().map(|one| &one.key);
    let found = of_labels.chain(of_requirements).find_map(|key| restricted(key, settings));
    found.or_else(|| spec.requirements.iter().find_map(expected_capacity_type))
}
