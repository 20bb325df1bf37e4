//! Tags a Linode with its node's and its cluster's name once the node is known.
//!
//! Every event of a NodeClaim with a node asks the API again, for ever: the annotation that would end it needs a second
//! one that nobody writes. Source: provider e1c5200 `pkg/controllers/nodeclaim/tagging/controller.go`.

use crate::context::{Context, Kube};
use crate::{NodeProvider, tags};
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::{Caller, ProviderError, ProviderId};
use lkesim_kube::controller::{Controller, Next, RateLimit, ReconcileError, Reconciler};
use lkesim_kube::object::NodeClaim;
use lkesim_kube::store::Lock;
use lkesim_linode_api::InstanceId;
use std::rc::Rc;

const NAME: &str = "nodeclaim.tagging";
/// The annotation of a NodeClaim whose Linode was tagged.
pub const TAGGED: &str = "karpenter.k8s.linode/tagged";

/// Starts the controller.
pub fn start(cx: &Rc<Context>, kube: &Kube, nodes: Rc<dyn NodeProvider>) {
    let tagging = Tagging { cx: cx.clone(), kube: Kube { client: kube.client.named(NAME), ..kube.clone() }, nodes };
    let (name, limiter) = (NAME, RateLimit::REASONABLE);
    let controller = Controller { name, concurrency: 1, limiter, reconcile: Rc::new(tagging) };
    let queue = controller.start(&cx.runtime, kube.caches_synced());
    kube.informers.node_claims.on_change(move |change| {
        if let Some(claim) = &change.after
            && is_taggable(claim)
        {
            queue.add(claim.name().clone());
        }
    });
}

fn is_taggable(claim: &NodeClaim) -> bool {
    claim.status.node_name.is_some() && claim.is_live()
}

struct Tagging {
    cx: Rc<Context>,
    kube: Kube,
    nodes: Rc<dyn NodeProvider>,
}

#[async_trait(?Send)]
impl Reconciler for Tagging {
    async fn reconcile(&self, key: Rc<str>) -> Result<Next, ReconcileError> {
        let Some(claim) = self.kube.informers.node_claims.get(&key).filter(|claim| is_taggable(claim)) else {
            return Ok(Next::Done);
        };
        let Some(instance) = claim.status.provider_id.as_ref().and_then(ProviderId::id) else {
            return Ok(Next::Done);
        };
        match self.tag(&claim, InstanceId(instance)).await {
            Ok(()) => {}
            Err(ProviderError::NotFound(_)) => return Ok(Next::Done),
            Err(error) => return Err(ReconcileError::Failed(error.to_string())),
        }
        if claim.metadata.annotations.has(TAGGED, "true") {
            return Ok(Next::Done);
        }
        let mut changed = (*claim).clone();
        changed.metadata.annotations.insert(TAGGED, "true");
        match self.kube.client.patch(&*claim, &changed, Lock::None).await {
            Err(error) if !error.is_not_found() => Err(error.into()),
            _ => Ok(Next::Done),
        }
    }
}

impl Tagging {
    /// Adds the tags whose keys the Linode does not have.
    async fn tag(&self, claim: &NodeClaim, instance: InstanceId) -> Result<(), ProviderError> {
        let caller = Caller::named(NAME);
        let present = self.nodes.read_tags(caller, instance).await?;
        let node = claim.status.node_name.as_deref().unwrap_or_default();
        let wanted = [(tags::NODE_NAME, node), (tags::CLUSTER_NAME, &*self.cx.cluster.name)];
        let missing = wanted.into_iter().filter(|(key, _)| present.value(key).is_none());
        let missing: Vec<_> = missing.map(|(key, value)| tags::tag(key, value)).collect();
        match missing.is_empty() {
            true => Ok(()),
            false => self.nodes.create_tags(caller, instance, missing).await,
        }
    }
}
