//! What the API server does with pods alone: bindings and evictions.

mod budget;

use super::{DeleteOptions, Store, Write, conflict, not_found};
use crate::ApiError;
use crate::object::{Pod, PodPhase};
use std::rc::Rc;

impl Store {
    /// Binds a pod to a node, whether that exists or not: the pod counts as scheduled from here on (Kubernetes v1.33
    /// `pkg/registry/core/pod/storage/storage.go` BindingREST).
    ///
    /// # Errors
    /// [`ApiError::NotFound`], and [`ApiError::Conflict`] for a pod that is bound, being deleted, or another one of that
    /// name.
    pub fn bind(&self, write: Write, pod: &Pod, node: &Rc<str>) -> Result<(), ApiError> {
        let before = self.get::<Pod>(pod.name()).ok_or_else(|| not_found::<Pod>(pod.name().clone()))?;
        if before.metadata.uid != pod.metadata.uid || before.node_name.is_some() || before.is_terminating() {
            return Err(conflict(&*before));
        }
        let mut after = Pod::clone(&before);
        after.node_name = Some(node.clone());
        after.status.unschedulable = None;
        after.status.nominated_node_name = None;
        self.commit(write, Some(before), after);
        Ok(())
    }

    /// Deletes a pod with its own grace, if its PodDisruptionBudget allows it (Kubernetes v1.33
    /// `pkg/registry/core/pod/storage/eviction.go`). Pods that are pending, ended or being deleted are no disruption.
    ///
    /// # Errors
    /// [`ApiError::NotFound`]; [`ApiError::Conflict`] for another pod of that name; [`ApiError::TooManyRequests`] if the
    /// budget is spent; [`ApiError::SeveralBudgets`].
    pub fn evict(&self, write: Write, pod: &Pod) -> Result<(), ApiError> {
        let present = self.get::<Pod>(pod.name()).ok_or_else(|| not_found::<Pod>(pod.name().clone()))?;
        if present.metadata.uid != pod.metadata.uid {
            return Err(conflict(&*present));
        }
        let is_disruption = present.status.phase == PodPhase::Running && !present.is_terminating();
        if is_disruption {
            self.check_budget(&present)?;
        }
        self.delete_with::<Pod>(write, pod.name(), DeleteOptions::default())
    }
}
