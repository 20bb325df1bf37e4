//! The NodeClasses of a process, and what they say of what is made.
//!
//! Every design reads them as provider e1c5200 does: a NodeClass that is absent, is being deleted or was not found good
//! keeps a NodeClaim from being launched, before anything is asked of Linode's API.

use crate::context::Kube;
use crate::tags;
use crate::tags::map::{TagMap, deduped, opaque, split};
use lkesim_karpenter::cloud_provider::{CreateError, ProviderError};
use lkesim_kube::object::{ConditionStatus, ConditionType, NodeClaim, NodeClass, NodePool};
use lkesim_linode_api::{LkePool, LkePoolChange, LkePoolOptions, LkePoolUpdate, Tags, Tier, UpdateStrategy};
use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

/// The NodeClasses that a process knows, from when its controllers start.
#[derive(Default)]
pub struct NodeClasses {
    kube: OnceCell<Kube>,
}

impl NodeClasses {
    /// Hears of the process's caches.
    pub fn connect(&self, kube: &Kube) {
        // A provider is started once.
        let _ = self.kube.set(kube.clone());
    }

    /// The process's way to Kubernetes, once its controllers have started.
    pub fn kube(&self) -> Option<&Kube> {
        self.kube.get()
    }

    fn named(&self, name: &str) -> Option<Rc<NodeClass>> {
        let found = self.kube.get()?.informers.node_classes.get(name);
        found.filter(|node_class| !node_class.metadata.is_deleting())
    }

    /// The NodeClass of a claim, if it can be used (provider e1c5200 pkg/cloudprovider/cloudprovider.go:75-96, provider
    /// v0.1.3 the same). One that is deleted counts as absent.
    ///
    /// # Errors
    /// Those by which Karpenter drops the claim: the NodeClass is absent, bad, or was not looked at since it changed;
    /// and one by which it tries again: the NodeClass was never looked at.
    pub fn ready_for(&self, claim: &NodeClaim) -> Result<Rc<NodeClass>, CreateError> {
        let name = claim.spec.node_class_ref.as_ref().map_or("", |node_class| &*node_class.name);
        let Some(node_class) = self.named(name) else {
            return Err(CreateError::InsufficientCapacity(format!("resolving nodeclass, {name:?} not found")));
        };
        let ready = node_class.status.conditions.get(ConditionType::Ready);
        let not_ready = |why: &str| Err(CreateError::NodeClassNotReady(why.into()));
        match ready.map(|ready| (ready.status, node_class.is_observed(ready))) {
            Some((ConditionStatus::False, _)) => not_ready("nodeclass is not ready"),
            Some((ConditionStatus::True, false)) => {
                not_ready("nodeclass status has not been reconciled against the latest spec")
            }
            Some((ConditionStatus::True, true)) => Ok(node_class),
            Some((ConditionStatus::Unknown, _)) | None => Err(CreateError::Create {
                reason: "NodeClassReadinessUnknown",
                message: "NodeClass is in Ready=Unknown".into(),
            }),
        }
    }

    /// Fails where the NodeClass of a NodePool is absent, as a question for its types does (provider e1c5200
    /// pkg/cloudprovider/cloudprovider.go:137-147).
    pub fn needed_by(&self, node_pool: &NodePool) -> Result<Rc<NodeClass>, ProviderError> {
        let absent = || ProviderError::Other(format!("resolving node class of {}, not found", node_pool.name()));
        self.of(node_pool).ok_or_else(absent)
    }

    /// The NodeClass of a NodePool, if both exist.
    pub fn of(&self, node_pool: &NodePool) -> Option<Rc<NodeClass>> {
        self.named(&node_pool.spec.node_class_ref.as_ref()?.name)
    }
}

/// The strategy that each Enterprise pool gets (provider e1c5200 pkg/providers/lke/lke.go:50).
const STRATEGY: UpdateStrategy = UpdateStrategy::OnRecycle;

/// What a new pool of this tier has besides (lke.go:248).
pub fn pool_options(tier: Tier) -> Option<Box<LkePoolOptions>> {
    let options = LkePoolOptions { update_strategy: Some(STRATEGY), ..LkePoolOptions::default() };
    (tier == Tier::Enterprise).then(|| Box::new(options))
}

/// The version of Kubernetes that a new pool gets.
pub fn version(node_class: &NodeClass) -> Option<Arc<str>> {
    node_class.spec.lke_k8s_version.as_deref().map(Arc::from)
}

/// What brings a pool to the version of the NodeClass, where that names another one (lke.go:279).
pub fn version_change(node_class: &NodeClass, lke_pool: &LkePool) -> Option<LkePoolUpdate> {
    let k8s_version = version(node_class).filter(|wanted| lke_pool.k8s_version.as_ref() != Some(wanted))?;
    let more = LkePoolChange { update_strategy: Some(STRATEGY), ..LkePoolChange::default() };
    Some(LkePoolUpdate { k8s_version: Some(k8s_version), more: Some(Box::new(more)), ..LkePoolUpdate::default() })
}

/// The tags of a claim: by key the instance's, under the pool's, under the NodeClass's, under the nodeclaim tag; what
/// has no key is kept. Sorted (lke.go:372).
pub fn claim_tags(instance: &Tags, of_pool: &Tags, node_class: &NodeClass, claim_name: &str) -> Tags {
    let of_node_class = || node_class.spec.tags.iter().map(|tag| &**tag);
    let mut joined = TagMap::of_tags(instance);
    joined.assign(&TagMap::of_tags(of_pool));
    joined.assign(&TagMap::of(of_node_class()));
    joined.set(tags::NODE_CLAIM, &tags::node_claim_value(claim_name));
    let kept = opaque(instance.iter().map(|tag| &**tag)).into_iter().chain(opaque(of_node_class()));
    sorted(joined.list().into_iter().chain(kept))
}

/// These tags with those of the NodeClass, which take the place of others of their keys. A NodeClass without tags changes
/// nothing. No tag of Karpenter's own goes: a NodeClass that has its key is never used.
pub fn with_user_tags(all: Tags, node_class: Option<&NodeClass>) -> Tags {
    let Some(of_node_class) = node_class.map(|node_class| &node_class.spec.tags).filter(|tags| !tags.is_empty()) else {
        return all;
    };
    let own = TagMap::of(of_node_class.iter().map(|tag| &**tag));
    let is_replaced = |tag: &&Arc<str>| split(tag).is_some_and(|(key, _)| own.has(key));
    let kept = all.iter().filter(|tag| !is_replaced(tag)).cloned();
    let opaque = opaque(of_node_class.iter().map(|tag| &**tag));
    sorted(kept.chain(own.list()).chain(opaque))
}

fn sorted(all: impl IntoIterator<Item = Arc<str>>) -> Tags {
    let mut all = deduped(all);
    all.sort();
    all.into_iter().collect()
}
