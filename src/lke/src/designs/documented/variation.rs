//! What a design near the document does otherwise.
//!
//! A design that tries one idea on the document's flow is the document's provider with some of these steps replaced, so
//! that a comparison of both shows what the idea is worth, and nothing else.

use super::{Attempt, Documented, Flags, Found};
use crate::context::Kube;
use crate::locks::PoolKey;
use crate::run::Run;
use crate::settings::OrphansBy;
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::{Caller, CreateError, ProviderError};
use lkesim_kube::object::NodeClaim;
use lkesim_linode_api::{CallError, Instance, InstanceId, LkePool, Purpose, Tags};
use std::sync::Arc;

/// The steps that can be replaced. Each does by itself what the document says.
#[async_trait(?Send)]
pub trait Variation {
    /// Create, step 1: the Linode that is the NodeClaim's already.
    async fn find_claimed(
        &self,
        base: &Documented,
        run: &Run,
        claim: &NodeClaim,
    ) -> Result<Option<Arc<Instance>>, CreateError> {
        base.find_claimed(run, claim).await
    }

    /// Create, step 2: one pass of the loop.
    async fn attempt(
        &self,
        base: &Documented,
        run: &Run,
        claim: &NodeClaim,
        key: &PoolKey,
        flags: &mut Flags,
    ) -> Result<Attempt, CreateError> {
        base.attempt(run, claim, key, flags).await
    }

    /// A look into the pool for a Linode that can be claimed.
    async fn look(&self, base: &Documented, run: &Run, lke_pool: &LkePool) -> Result<Found, CallError> {
        base.look(run, lke_pool, 1, &|_| false).await
    }

    /// The claim of a Linode.
    async fn claim(
        &self,
        base: &Documented,
        run: &Run,
        claim: &NodeClaim,
        lke_pool: &LkePool,
        instance: &Instance,
    ) -> Result<Attempt, CreateError> {
        base.claim(run, claim, lke_pool, instance).await
    }

    /// Delete.
    async fn remove(&self, base: &Documented, because: &Purpose, instance: InstanceId) -> Result<(), ProviderError> {
        base.remove(because, instance).await
    }

    /// The tags of a Linode to which CreateTags adds: what it has just read.
    fn present_tags(&self, read: &Instance) -> Tags {
        read.tags.clone()
    }

    /// Among which Linodes garbage collection looks for orphans.
    async fn collectable(&self, base: &Documented, caller: Caller) -> Result<Arc<[Arc<Instance>]>, ProviderError> {
        match base.cx.settings.orphans_by {
            OrphansBy::List => base.listed(caller).await,
            OrphansBy::Pool => base.nodes_of_pools(caller).await,
        }
    }

    /// The controllers start.
    fn start(&self, base: &Documented, kube: &Kube) {
        let _ = (base, kube);
    }
}

/// The document, as it is written.
pub struct AsWritten;

impl Variation for AsWritten {}
