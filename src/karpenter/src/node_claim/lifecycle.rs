//! The life of a NodeClaim, in one pass: finalizer, launch, registration, initialization, liveness.
//!
//! All four steps run in each pass, also after one failed, on one copy of the claim; then the differences are
//! written: first metadata, then status, neither with a lock. A pass that wrote something sleeps 1 s before it ends,
//! so that the caches see its own writes (core v1.9.0 `nodeclaim/lifecycle/controller.go`).

mod initialization;
mod launch;
mod liveness;
mod registration;

use super::termination;
use crate::Context;
use async_trait::async_trait;
use initialization::Initialization;
use launch::Launch;
use liveness::Liveness;
use lkesim_kube::ApiError;
use lkesim_kube::controller::{Next, ReconcileError, Reconciler};
use lkesim_kube::object::node_claim::LIFE_CONDITIONS;
use lkesim_kube::object::{NodeClaim, labels};
use lkesim_kube::store::Lock;
use registration::Registration;
use std::rc::Rc;

/// The controller's name.
pub const NAME: &str = "nodeclaim.lifecycle";

/// The reconciler of `nodeclaim.lifecycle`.
pub struct Lifecycle {
    context: Rc<Context>,
    launch: Launch,
    registration: Registration,
    initialization: Initialization,
    liveness: Liveness,
}

impl Lifecycle {
    /// A lifecycle that remembers nothing, as after a start of the process.
    pub fn new(context: &Context) -> Lifecycle {
        let context = Rc::new(context.of(NAME));
        Lifecycle {
            launch: Launch::new(context.clone()),
            registration: Registration(context.clone()),
            initialization: Initialization(context.clone()),
            liveness: Liveness(context.clone()),
            context,
        }
    }

    async fn pass(&self, node_claim: Rc<NodeClaim>) -> Result<Next, ReconcileError> {
        let stored = match self.add_finalizer(node_claim).await {
            Ok(stored) => stored,
            Err(error) if error.is_conflict() => return Ok(Next::Again),
            Err(error) if error.is_not_found() => return Ok(Next::Done),
            Err(error) => return Err(error.into()),
        };
        let mut node_claim = NodeClaim::clone(&stored);
        let result = self.steps(&mut node_claim).await;
        if node_claim != *stored {
            match self.write(&stored, &node_claim).await {
                Ok(()) => self.context.runtime.sleep(self.context.settings.own_writes_pause).await,
                // Upstream the errors of the steps go down with this one.
                Err(error) if error.is_not_found() => return Ok(Next::Done),
                Err(error) => return Err(result.err().unwrap_or(error.into())),
            }
        }
        result
    }

    /// A claim must have the finalizer before its machine is made, or the machine could outlive it unseen.
    async fn add_finalizer(&self, node_claim: Rc<NodeClaim>) -> Result<Rc<NodeClaim>, ApiError> {
        if node_claim.metadata.has_finalizer(labels::TERMINATION_FINALIZER) {
            return Ok(node_claim);
        }
        let mut changed = NodeClaim::clone(&node_claim);
        changed.metadata.add_finalizer(labels::TERMINATION_FINALIZER);
        self.context.client.patch(&*node_claim, &changed, Lock::Optimistic).await
    }

    /// All steps run; the first error counts, else the soonest return.
    async fn steps(&self, node_claim: &mut NodeClaim) -> Result<Next, ReconcileError> {
        let created = node_claim.metadata.creation_timestamp;
        node_claim.status.conditions.fill(&LIFE_CONDITIONS, created);
        let mut result = self.launch.reconcile(node_claim).await;
        result = join(result, self.registration.reconcile(node_claim).await);
        result = join(result, self.initialization.reconcile(node_claim).await);
        join(result, self.liveness.reconcile(node_claim).await)
    }

    async fn write(&self, stored: &NodeClaim, changed: &NodeClaim) -> Result<(), ApiError> {
        self.context.client.patch(stored, changed, Lock::None).await?;
        self.context.client.patch_status(stored, changed, Lock::None).await?;
        Ok(())
    }
}

fn join(one: Result<Next, ReconcileError>, two: Result<Next, ReconcileError>) -> Result<Next, ReconcileError> {
    Ok(one?.sooner(two?))
}

#[async_trait(?Send)]
impl Reconciler for Lifecycle {
    async fn reconcile(&self, key: Rc<str>) -> Result<Next, ReconcileError> {
        match self.context.informers.node_claims.get(&key) {
            None => Ok(Next::Done),
            Some(node_claim) if node_claim.is_live() => self.pass(node_claim).await,
            Some(node_claim) => termination::finalize(&self.context, node_claim).await,
        }
    }
}

#[cfg(test)]
mod tests;
