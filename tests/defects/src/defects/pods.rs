//! What Karpenter is told of types, and what is none of a provider's business where there are pods.

use crate::careful::{Careful, Steps};
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::{Caller, InstanceType, ProviderError};
use lkesim_kube::object::{ConditionType, NodeClaim, Pod};
use lkesim_kube::store::Lock;
use lkesim_lke::Kube;
use std::rc::Rc;
use std::time::Duration;

/// Karpenter is told that pods can use all that a machine has.
#[derive(Default)]
pub(crate) struct NothingReserved;

#[async_trait(?Send)]
impl Steps for NothingReserved {
    async fn types(&self, world: &Careful, _: Caller) -> Result<Rc<[Rc<InstanceType>]>, ProviderError> {
        let all = world.types.all();
        Ok(all
            .iter()
            .map(|one| Rc::new(InstanceType { allocatable: one.capacity, ..InstanceType::clone(one) }))
            .collect())
    }
}

/// Karpenter is told of cores, of which each is two of a plan's vCPUs.
#[derive(Default)]
pub(crate) struct CoresForThreads;

#[async_trait(?Send)]
impl Steps for CoresForThreads {
    async fn types(&self, world: &Careful, _: Caller) -> Result<Rc<[Rc<InstanceType>]>, ProviderError> {
        let told = |one: &Rc<InstanceType>| {
            let mut told = InstanceType::clone(one);
            told.capacity.cpu_milli /= 2;
            told.allocatable.cpu_milli /= 2;
            Rc::new(told)
        };
        Ok(world.types.all().iter().map(told).collect())
    }
}

/// Who asks for types gives up machines first that are slow to join, so that their NodeClaims stand in nobody's way.
#[derive(Default)]
pub(crate) struct SlowGivenUp;

#[async_trait(?Send)]
impl Steps for SlowGivenUp {
    async fn types(&self, world: &Careful, caller: Caller) -> Result<Rc<[Rc<InstanceType>]>, ProviderError> {
        let Ok(kept) = world.kept() else { return Ok(world.types.all()) };
        let is_slow = |claim: &Rc<NodeClaim>| {
            let is_late = world.now().since(claim.metadata.creation_timestamp) > Duration::from_secs(120);
            is_late && claim.is_live() && claim.status.provider_id.is_some() && !claim.is_registered()
        };
        for claim in kept.kube.informers.node_claims.list().iter().filter(|claim| is_slow(claim)) {
            // One that is gone by then is no trouble.
            let _ = kept.kube.client.named(caller.pass).delete(&**claim).await;
        }
        Ok(world.types.all())
    }
}

/// The provider gives a new node a pod that waits, which then need not wait for the scheduler.
#[derive(Default)]
pub(crate) struct BindsItself;

#[async_trait(?Send)]
impl Steps for BindsItself {
    fn start(&self, world: &Rc<Careful>, kube: &Kube) {
        let (runtime, client) = (world.cx.runtime.clone(), kube.client.named("lke-binder"));
        let claims = kube.informers.node_claims.clone();
        world.cx.runtime.spawn("binder", async move {
            let mut served: Vec<Rc<str>> = Vec::new();
            loop {
                runtime.sleep(Duration::from_secs(1)).await;
                let is_new = |claim: &Rc<NodeClaim>| {
                    claim.is_live()
                        && claim.status.conditions.is_true(ConditionType::Registered)
                        && !served.contains(claim.name())
                };
                let Some(claim) = claims.list().into_iter().find(is_new) else { continue };
                served.push(claim.name().clone());
                let Some(node) = claim.status.node_name.clone() else { continue };
                let pods = client.list::<Pod>().await.unwrap_or_default();
                if let Some(pod) = pods.into_iter().find(|pod| pod.is_provisionable()) {
                    let bound = Pod { node_name: Some(node), ..Pod::clone(&pod) };
                    // One that is bound already, or gone, needs no more.
                    let _ = client.patch(&*pod, &bound, Lock::Optimistic).await;
                }
            }
        });
    }
}
