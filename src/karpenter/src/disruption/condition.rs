//! The condition Consolidatable of a NodeClaim: no pod came to its node or left it for as long as its NodePool asks.
//!
//! Core v1.9.0 `nodeclaim/disruption/controller.go` and `consolidation.go`. Left out: the condition Drifted.

use crate::Context;
use crate::context::ignore_not_found;
use async_trait::async_trait;
use lkesim_kube::controller::{Next, ReconcileError, Reconciler};
use lkesim_kube::object::{ConditionStatus, ConditionType, NodeClaim, NodePool, ObjectMeta};
use lkesim_kube::store::Lock;
use lkesim_runtime::Time;
use std::rc::Rc;

/// The controller's name.
pub const NAME: &str = "nodeclaim.disruption";

const CONSOLIDATABLE: ConditionType = ConditionType::Consolidatable;

/// The reconciler of `nodeclaim.disruption`.
pub struct Consolidation {
    context: Context,
}

impl Consolidation {
    /// A controller with nothing to remember.
    pub fn new(context: &Context) -> Consolidation {
        Consolidation { context: context.of(NAME) }
    }

    async fn pass(&self, claim: &NodeClaim, node_pool: &NodePool) -> Result<Next, ReconcileError> {
        let now = self.context.runtime.wall_clock();
        let mut changed = claim.clone();
        let next = match since(claim, node_pool, now) {
            Consolidatable::No => {
                changed.status.conditions.clear(CONSOLIDATABLE);
                Next::Done
            }
            Consolidatable::From(at) => {
                changed.status.conditions.clear(CONSOLIDATABLE);
                Next::After(at.since(now))
            }
            Consolidatable::Now => {
                changed.status.conditions.set_true(now, CONSOLIDATABLE);
                Next::Done
            }
        };
        if changed != *claim {
            let patched = self.context.client.patch_status(claim, &changed, Lock::Optimistic).await;
            match ignore_not_found(patched.map(drop)) {
                Err(error) if error.is_conflict() => return Ok(Next::Again),
                result => result?,
            }
        }
        Ok(next)
    }
}

/// Whether a NodeClaim is consolidatable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Consolidatable {
    /// As it is, it never is.
    No,
    /// From then on, if nothing happens.
    From(Time),
    /// It is.
    Now,
}

/// Counted from the last event of a pod; where there was none, from initialization.
fn since(claim: &NodeClaim, node_pool: &NodePool, now: Time) -> Consolidatable {
    let initialized = claim.status.conditions.get(ConditionType::Initialized);
    let initialized = initialized.filter(|condition| condition.status == ConditionStatus::True);
    let (Some(after), Some(initialized)) = (node_pool.spec.consolidate_after, initialized) else {
        return Consolidatable::No;
    };
    let event = claim.status.last_pod_event;
    let since = event.unwrap_or_else(|| ObjectMeta::whole_second(initialized.last_transition_time));
    match since + after {
        at if now < at => Consolidatable::From(at),
        _ => Consolidatable::Now,
    }
}

#[async_trait(?Send)]
impl Reconciler for Consolidation {
    async fn reconcile(&self, key: Rc<str>) -> Result<Next, ReconcileError> {
        let informers = &self.context.informers;
        let Some(claim) = informers.node_claims.get(&key).filter(|claim| claim.is_live()) else {
            return Ok(Next::Done);
        };
        match claim.node_pool().and_then(|name| informers.node_pools.get(name)) {
            Some(node_pool) => self.pass(&claim, &node_pool).await,
            None => Ok(Next::Done),
        }
    }
}

#[cfg(test)]
mod tests;
