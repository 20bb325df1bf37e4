//! Liveness: a claim that does not get on is deleted, so that another one can be tried.

use crate::Context;
use lkesim_kube::controller::{Next, ReconcileError};
use lkesim_kube::object::{ConditionType, NodeClaim, ObjectMeta};
use std::rc::Rc;
use std::time::Duration;

/// The last step. Both limits count from the claim's creation, as its conditions are Unknown since then. A pass that
/// failed to launch comes here too, after its Create: the last Create may start just before the limit.
pub(super) struct Liveness(pub(super) Rc<Context>);

impl Liveness {
    pub(super) async fn reconcile(&self, node_claim: &mut NodeClaim) -> Result<Next, ReconcileError> {
        if node_claim.is_registered() {
            return Ok(Next::Done);
        }
        let settings = &self.0.settings;
        if !node_claim.is_launched() {
            if let Some(left) = self.left(node_claim, ConditionType::Launched, settings.launch_timeout) {
                return Ok(Next::After(left));
            }
            match self.0.client.delete(node_claim).await {
                Err(error) if error.is_not_found() => return Ok(Next::Done),
                result => result?,
            }
        }
        if let Some(left) = self.left(node_claim, ConditionType::Registered, settings.registration_timeout) {
            return Ok(Next::After(left));
        }
        self.0.delete(node_claim).await?;
        Ok(Next::Done)
    }

    /// How long the condition may still stay as it is; `None` once the limit is reached.
    fn left(&self, node_claim: &NodeClaim, kind: ConditionType, limit: Duration) -> Option<Duration> {
        let since = node_claim.status.conditions.get(kind)?.last_transition_time;
        let left = limit.saturating_sub(self.0.runtime.wall_clock().since(ObjectMeta::whole_second(since)));
        (!left.is_zero()).then_some(left)
    }
}
