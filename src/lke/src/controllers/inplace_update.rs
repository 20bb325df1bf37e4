//! Brings changed tags of a NodeClass to the Linodes of its NodeClaims.
//!
//! Every event of a NodeClaim with a providerID asks for its Linode, past the cache; writes come only where tags
//! differ. What was written last stands in an annotation, so that tags which the NodeClass lost are taken away and
//! foreign ones stay. Source: provider e1c5200 pkg/controllers/nodeclass/inplaceupdate/controller.go.

use crate::NodeProvider;
use crate::context::{Context, Kube};
use crate::tags::map::{TagMap, deduped, opaque};
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::{Caller, ProviderError, ProviderId};
use lkesim_kube::controller::{Controller, Next, RateLimit, ReconcileError, Reconciler};
use lkesim_kube::object::{NodeClaim, NodeClass};
use lkesim_kube::store::{Change, Lock};
use lkesim_linode_api::InstanceId;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

const NAME: &str = "nodeclass.inplaceupdate";
/// How many Linodes get changed tags at once. Provider e1c5200 inplaceupdate/controller.go:96.
pub const WORKERS: usize = 10;
const LAST_APPLIED: &str = "karpenter.k8s.linode/last-applied-user-tags";

/// Starts the controller.
pub fn start(cx: &Rc<Context>, kube: &Kube, nodes: Rc<dyn NodeProvider>) {
    let update = InplaceUpdate { kube: Kube { client: kube.client.named(NAME), ..kube.clone() }, nodes };
    let (name, limiter) = (NAME, RateLimit::REASONABLE);
    let controller = Controller { name, concurrency: WORKERS, limiter, reconcile: Rc::new(update) };
    let queue = controller.start(&cx.runtime, kube.caches_synced());
    let of_class = queue.clone();
    kube.informers.node_claims.on_change(move |change| {
        if let Some(claim) = &change.after
            && is_updatable(claim)
        {
            queue.add(claim.name().clone());
        }
    });
    let claims = kube.informers.node_claims.clone();
    kube.informers.node_classes.on_change(move |change| {
        if !tags_changed(change) {
            return;
        }
        let class = change.latest().name().clone();
        let of_this = |claim: &Rc<NodeClaim>| class_of(claim) == Some(&*class);
        claims.list().iter().filter(|claim| of_this(claim)).for_each(|claim| of_class.add(claim.name().clone()));
    });
}

fn is_updatable(claim: &NodeClaim) -> bool {
    claim.status.provider_id.is_some() && claim.is_live()
}

fn class_of(claim: &NodeClaim) -> Option<&str> {
    claim.spec.node_class_ref.as_ref().map(|node_class| &*node_class.name)
}

/// Whether a NodeClass that is there has other tags than before, whatever their order.
fn tags_changed(change: &Change<NodeClass>) -> bool {
    let normalized = |class: &Rc<NodeClass>| normalized(class.spec.tags.iter().map(|tag| &**tag));
    match (&change.before, &change.after) {
        (Some(before), Some(after)) => normalized(before) != normalized(after),
        _ => false,
    }
}

struct InplaceUpdate {
    kube: Kube,
    nodes: Rc<dyn NodeProvider>,
}

#[async_trait(?Send)]
impl Reconciler for InplaceUpdate {
    async fn reconcile(&self, key: Rc<str>) -> Result<Next, ReconcileError> {
        let Some(claim) = self.kube.informers.node_claims.get(&key) else {
            return Ok(Next::Done);
        };
        let node_class = class_of(&claim).and_then(|name| self.kube.informers.node_classes.get(name));
        let (Some(node_class), Some(id)) = (node_class, claim.status.provider_id.as_ref().and_then(ProviderId::id))
        else {
            return Ok(Next::Done);
        };
        match self.update(&claim, &node_class, InstanceId(id)).await {
            Err(ProviderError::NotFound(_)) => return Ok(Next::Done),
            result => result.map_err(|error| ReconcileError::Failed(error.to_string()))?,
        }
        let applied = json_list(&normalized(node_class.spec.tags.iter().map(|tag| &**tag)));
        if claim.metadata.annotations.has(LAST_APPLIED, &applied) {
            return Ok(Next::Done);
        }
        let mut changed = (*claim).clone();
        changed.metadata.annotations.insert(LAST_APPLIED, applied);
        match self.kube.client.patch(&*claim, &changed, Lock::None).await {
            Err(error) if !error.is_not_found() => Err(error.into()),
            _ => Ok(Next::Done),
        }
    }
}

impl InplaceUpdate {
    async fn update(&self, claim: &NodeClaim, class: &NodeClass, instance: InstanceId) -> Result<(), ProviderError> {
        let caller = Caller::named(NAME);
        let present = self.nodes.read_tags(caller, instance).await?;
        let present: Vec<&str> = present.iter().map(|tag| &**tag).collect();
        let applied = claim.metadata.annotations.get(LAST_APPLIED).map(|json| listed(json)).unwrap_or_default();
        let wanted = wanted(&present, &applied, &class.spec.tags.iter().map(|tag| &**tag).collect::<Vec<_>>());
        match wanted == normalized(present.iter().copied()) {
            true => Ok(()),
            false => self.nodes.update_tags(caller, instance, wanted.into_iter().collect()).await,
        }
    }
}

/// What a Linode's tags should be: the present ones without those written before, and the NodeClass's over them.
fn wanted(present: &[&str], applied: &[String], of_class: &[&str]) -> Vec<Arc<str>> {
    let applied: Vec<&str> = applied.iter().map(String::as_str).collect();
    let mut map = TagMap::of(present.iter().copied());
    for key in TagMap::of(applied.iter().copied()).keys() {
        map.remove(key);
    }
    map.assign(&TagMap::of(of_class.iter().copied()));
    let gone: BTreeSet<Arc<str>> = opaque(applied).into_iter().collect();
    let kept = opaque(present.iter().copied()).into_iter().filter(|tag| !gone.contains(tag));
    let all: Vec<Arc<str>> = map.list().into_iter().chain(kept).chain(opaque(of_class.iter().copied())).collect();
    normalized(all.iter().map(|tag| &**tag))
}

/// One tag a key, each once, sorted.
fn normalized<'a>(tags: impl IntoIterator<Item = &'a str> + Clone) -> Vec<Arc<str>> {
    let map = TagMap::of(tags.clone());
    let mut all = deduped(map.list().into_iter().chain(opaque(tags)));
    all.sort();
    all
}

/// A JSON list of strings. Tags have no characters that JSON escapes but the quote and the backslash.
fn json_list(tags: &[Arc<str>]) -> String {
    let quoted = tags.iter().map(|tag| format!("\"{}\"", tag.replace('\\', "\\\\").replace('"', "\\\"")));
    format!("[{}]", quoted.collect::<Vec<_>>().join(","))
}

/// The strings of such a list, which only this controller writes.
fn listed(json: &str) -> Vec<String> {
    let inside = json.strip_prefix("[\"").and_then(|rest| rest.strip_suffix("\"]"));
    let unquoted = |tag: &str| tag.replace("\\\"", "\"").replace("\\\\", "\\");
    inside.map(|inside| inside.split("\",\"").map(unquoted).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
