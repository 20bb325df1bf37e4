//! Garbage collection of NodeClaims whose machine is not in the provider's list.
//!
//! Only registered claims: the others are left to liveness (core v1.9.0 `nodeclaim/garbagecollection/controller.go`).

use crate::{Context, ProviderId};
use async_trait::async_trait;
use lkesim_kube::controller::{Next, ReconcileError, Reconciler};
use lkesim_kube::object::NodeClaim;
use lkesim_kube::parallel;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The controller's name.
pub const NAME: &str = "nodeclaim.garbagecollection";

/// The reconciler of `nodeclaim.garbagecollection`, a singleton.
pub struct GarbageCollection(Rc<Context>);

impl GarbageCollection {
    /// A collection with nothing to remember.
    pub fn new(context: &Context) -> GarbageCollection {
        GarbageCollection(Rc::new(context.of(NAME)))
    }

    /// The claims are read before the cloud: one that registers in between is not judged by a list without it.
    async fn lost(&self) -> Result<Vec<Rc<NodeClaim>>, ReconcileError> {
        let node_claims: Vec<_> = self.0.informers.node_claims.with(|cache| cache.iter().cloned().collect());
        let machines = self.0.cloud.list(self.0.caller).await;
        let machines = machines.map_err(|error| ReconcileError::Failed(error.to_string()))?;
        let present: BTreeSet<&ProviderId> = machines.iter().map(|machine| &machine.provider_id).collect();
        let is_lost = |node_claim: &Rc<NodeClaim>| {
            let id = node_claim.status.provider_id.as_ref();
            node_claim.is_registered() && node_claim.is_live() && !id.is_some_and(|id| present.contains(id))
        };
        let mut lost: Vec<_> = node_claims.into_iter().filter(is_lost).collect();
        // By name, as any order that is the same in each run will do; most often there is nothing to order.
        lost.sort_unstable_by(|one, two| one.name().cmp(two.name()));
        Ok(lost)
    }
}

#[async_trait(?Send)]
impl Reconciler for GarbageCollection {
    async fn reconcile(&self, _key: Rc<str>) -> Result<Next, ReconcileError> {
        let (runtime, settings) = (&self.0.runtime, &self.0.settings);
        let context = self.0.clone();
        let collect = move |node_claim| collect(context.clone(), node_claim);
        let lost = self.lost().await?;
        let workers = settings.garbage_collection_workers;
        let results = parallel::map(runtime, NAME, workers, lost, collect).await;
        results.into_iter().collect::<Result<(), _>>()?;
        Ok(Next::After(settings.garbage_collection_period))
    }
}

/// A ready Node proves that its machine lives, whatever the cloud says.
async fn collect(context: Rc<Context>, node_claim: Rc<NodeClaim>) -> Result<(), ReconcileError> {
    if let [node] = &context.nodes_of(&node_claim)[..]
        && node.is_ready()
    {
        return Ok(());
    }
    Ok(context.delete(&*node_claim).await?)
}

#[cfg(test)]
mod tests;
