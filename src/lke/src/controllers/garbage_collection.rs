//! Removes Linodes that no NodeClaim owns.
//!
//! It sees what List sees, so what List's filter misses is never collected, unless the design looks into its LKE pools.
//! Source: provider e1c5200 `pkg/controllers/nodeclaim/garbagecollection/controller.go`; age and owner as the design
//! document says ("Delete + orphan capacity"), read as: an orphan is older than the TTL and no existing NodeClaim owns
//! it by providerID or by tag.

use crate::context::{Context, Kube};
use crate::{NodeProvider, OwnerTags, tags};
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::{Caller, ProviderId};
use lkesim_kube::controller::{Controller, Next, RateLimit, ReconcileError, Reconciler};
use lkesim_kube::informer::Cache;
use lkesim_kube::object::node_claim::NodeClaimSpec;
use lkesim_kube::object::{Node, NodeClaim};
use lkesim_kube::parallel;
use lkesim_linode_api::{Instance, Tags};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// The controller's name.
pub const NAME: &str = "instance.garbagecollection";

/// How many Linodes are deleted at once. Provider e1c5200 garbagecollection/controller.go:80.
pub const WORKERS: usize = 100;

/// Starts the controller of the design document: who owns by tag keeps its Linode too.
pub fn start(cx: &Rc<Context>, kube: &Kube, nodes: Rc<dyn NodeProvider>) {
    start_with(cx, kube, nodes, spare_tagged, RateLimit::DEFAULT);
}

/// Starts the controller of the shipped providers, which know owners by their stored providerID alone.
pub fn start_by_provider_id(cx: &Rc<Context>, kube: &Kube, nodes: Rc<dyn NodeProvider>) {
    start_with(cx, kube, nodes, |_, _, _| {}, RateLimit::DEFAULT);
}

/// The same, with the limiter that the provider's other controllers have: after failures it waits a minute at most, in
/// place of a quarter of an hour, and begins less hastily.
pub fn start_reasonable(cx: &Rc<Context>, kube: &Kube, nodes: Rc<dyn NodeProvider>) {
    start_with(cx, kube, nodes, |_, _, _| {}, RateLimit::REASONABLE);
}

/// Takes out of those without a holder what is owned otherwise.
type Spare = fn(&Kube, OwnerTags, &mut Vec<Arc<Instance>>);

fn start_with(cx: &Rc<Context>, kube: &Kube, nodes: Rc<dyn NodeProvider>, spare: Spare, limiter: RateLimit) {
    let collector = GarbageCollection {
        cx: cx.clone(),
        kube: Kube { client: kube.client.named(NAME), ..kube.clone() },
        nodes,
        spare,
        passes: Cell::new(0),
    };
    let controller = Controller { name: NAME, concurrency: 1, limiter, reconcile: Rc::new(collector) };
    controller.start_singleton(&cx.runtime, kube.caches_synced());
}

struct GarbageCollection {
    cx: Rc<Context>,
    kube: Kube,
    nodes: Rc<dyn NodeProvider>,
    spare: Spare,
    passes: Cell<u32>,
}

#[async_trait(?Send)]
impl Reconciler for GarbageCollection {
    async fn reconcile(&self, _key: Rc<str>) -> Result<Next, ReconcileError> {
        // The cloud first: NodeClaims read after it are newer, so that an owner is not overlooked.
        let listed = self.nodes.list_collectable(Caller::named(NAME)).await;
        let found = listed.map_err(|error| ReconcileError::Failed(error.to_string()))?;
        let orphans = self.orphans(&found);
        self.collect(orphans).await?;
        self.passes.set(self.passes.get() + 1);
        let settings = &self.cx.settings;
        let quick = self.passes.get() <= settings.gc_passes_at_start;
        Ok(Next::After(if quick { settings.gc_every_at_start } else { settings.gc_every }))
    }
}

impl GarbageCollection {
    /// Linodes without an owner. Where there are workers for all, those that are young now stay so until their turn.
    fn orphans(&self, found: &[Arc<Instance>]) -> Vec<Arc<Instance>> {
        let claims = &self.kube.informers.node_claims;
        let held = |instance: &Instance| {
            let of_instance = |cache: &Cache<_>| cache.by_provider_id(&id_of(instance)).next().is_some();
            claims.with(of_instance)
        };
        let mut orphans: Vec<_> = found.iter().filter(|instance| !held(instance)).cloned().collect();
        if orphans.len() <= WORKERS {
            orphans.retain(|orphan| is_old(&self.cx, orphan));
        }
        (self.spare)(&self.kube, self.cx.settings.owner_tags, &mut orphans);
        orphans
    }

    /// Deletes the old ones among them, so many at once, and fails if one failed. A Linode's age is taken as a worker
    /// reaches it (provider e1c5200 garbagecollection/controller.go:81).
    async fn collect(&self, orphans: Vec<Arc<Instance>>) -> Result<(), ReconcileError> {
        let (cx, nodes, kube) = (self.cx.clone(), self.nodes.clone(), self.kube.clone());
        // Nodes are listed before the first Linode goes: one that joins later is left to others.
        let of_orphan = |orphan: Arc<Instance>| {
            let node = kube.informers.nodes.by_provider_id(&id_of(&orphan)).into_iter().next();
            (node, orphan)
        };
        let orphans: Vec<_> = orphans.into_iter().map(of_orphan).collect();
        let collect = move |(node, orphan): (Option<Rc<Node>>, Arc<Instance>)| {
            let (cx, nodes, kube) = (cx.clone(), nodes.clone(), kube.clone());
            async move {
                match is_old(&cx, &orphan) {
                    true => collect_one(&kube, &*nodes, id_of(&orphan), node).await,
                    false => Ok(()),
                }
            }
        };
        let results = parallel::map(&self.cx.runtime, NAME, WORKERS, orphans, collect).await;
        results.into_iter().collect()
    }
}

/// Whether a Linode without an owner is old enough to be an orphan.
fn is_old(cx: &Context, instance: &Instance) -> bool {
    cx.age(instance.created) > cx.settings.orphan_ttl
}

/// Spares the Linodes whose tag names a NodeClaim that exists.
fn spare_tagged(kube: &Kube, owner_tags: OwnerTags, orphans: &mut Vec<Arc<Instance>>) {
    if orphans.iter().any(|orphan| tags::claims_named_by(&orphan.tags).next().is_some()) {
        let claims = kube.informers.node_claims.list();
        let names: BTreeSet<Rc<str>> = claims.iter().map(|claim| tags::node_claim_value(claim.name()).into()).collect();
        orphans.retain(|orphan| !is_owned(&orphan.tags, owner_tags, &names));
    }
}

/// Whether a tag of the Linode that counts names one of these NodeClaims.
fn is_owned(tags: &Tags, owner_tags: OwnerTags, names: &BTreeSet<Rc<str>>) -> bool {
    let count = match owner_tags {
        OwnerTags::First => 1,
        OwnerTags::Any => usize::MAX,
    };
    tags::claims_named_by(tags).take(count).any(|tag| names.contains(tag))
}

/// Deletes a Linode and, to make scheduling quicker, its Node.
async fn collect_one(
    kube: &Kube,
    nodes: &dyn NodeProvider,
    orphan: ProviderId,
    node: Option<Rc<Node>>,
) -> Result<(), ReconcileError> {
    match nodes.delete(Caller::named(NAME), &as_claim(&orphan)).await {
        Err(error) if error.is_not_found() => return Ok(()),
        Err(error) => return Err(ReconcileError::Failed(error.to_string())),
        Ok(()) => {}
    }
    tracing::debug!(
        provider_id = %orphan,
        "garbage collected instance"
    );
    let Some(node) = node else {
        return Ok(());
    };
    match kube.client.delete(&*node).await {
        Err(error) if !error.is_not_found() => Err(error.into()),
        _ => Ok(()),
    }
}

/// The NodeClaim that Delete is called with: it exists in no store, and only its providerID is read.
fn as_claim(orphan: &ProviderId) -> NodeClaim {
    let mut claim = NodeClaim::new("", NodeClaimSpec::default());
    claim.status.provider_id = Some(orphan.clone());
    claim
}

fn id_of(instance: &Instance) -> ProviderId {
    ProviderId::linode(instance.id.0)
}

#[cfg(test)]
mod tests;
