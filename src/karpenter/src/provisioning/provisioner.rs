//! One pass: batch, sync gate, scheduling simulation, NodeClaims.
//!
//! Core v1.9.0 `provisioning/provisioner.go`. The pass adds NodeClaims and takes nothing away.

use super::instance_types::InstanceTypes;
use super::{Batcher, Passed, Pods, ProvisioningSettings, Recorder, Verdict, snapshot};
use crate::{Context, state};
use async_trait::async_trait;
use lkesim_kube::controller::{Next, ReconcileError, Reconciler};
use lkesim_kube::object::meta::generated_name;
use lkesim_kube::object::node_claim::NodeClaimSpec;
use lkesim_kube::object::{Kind, NodeClaim, NodePool, OwnerReference, ResourceList, Uid};
use lkesim_kube::parallel;
use lkesim_runtime::{Entity, Key, Seed, Time};
use lkesim_scheduling::{NewNodeClaim, Results, solve};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

/// The controller's name.
pub const NAME: &str = "provisioner";

/// Names of NodeClaims.
type Names = Rc<RefCell<BTreeSet<Rc<str>>>>;

/// The provisioner of one process.
pub struct Provisioner {
    context: Context,
    pods: Rc<dyn Pods>,
    recorder: Rc<dyn Recorder>,
    settings: ProvisioningSettings,
    batcher: Batcher,
    names: Key,
    /// How many names were drawn.
    named: Cell<u64>,
    /// NodeClaims that were made and that the cache has not shown yet. They keep the gate shut, as upstream tells its
    /// state of each right after its creation.
    made: Names,
    /// NodeClaims that are being made and that the cache has not shown yet. One that is deleted at once may come and go
    /// before its creation has returned.
    creating: Names,
    nominated: RefCell<BTreeMap<Rc<str>, Time>>,
    instance_types: InstanceTypes,
}

impl Provisioner {
    /// A provisioner that has seen nothing.
    pub fn new(
        context: &Context,
        pods: Rc<dyn Pods>,
        recorder: Rc<dyn Recorder>,
        settings: ProvisioningSettings,
        seed: Seed,
    ) -> Provisioner {
        let (made, creating) = (Names::default(), Names::default());
        let unseen = [made.clone(), creating.clone()];
        context.informers.node_claims.on_change(move |change| {
            unseen.iter().for_each(|names| _ = names.borrow_mut().remove(change.latest().name()));
        });
        Provisioner {
            batcher: Batcher::new(&context.runtime, settings.batch_idle_duration, settings.batch_max_duration),
            context: context.of(NAME),
            pods,
            recorder,
            settings,
            names: seed.key("karpenter.nodeclaim.name"),
            named: Cell::default(),
            made,
            creating,
            nominated: RefCell::default(),
            instance_types: InstanceTypes::default(),
        }
    }

    /// Asks for a pass on behalf of a pod, or of a node that is on its way out.
    pub fn trigger(&self, uid: Uid) {
        self.batcher.trigger(uid);
    }

    /// Whether a pass placed a pod on this node a short time ago. Disruption leaves such nodes alone.
    pub fn is_nominated(&self, node: &str) -> bool {
        self.nominated.borrow().get(node).is_some_and(|until| self.context.runtime.now() < *until)
    }

    /// How long a nomination holds: twice the longest batch, and 10 s at least (core v1.9.0 `state/statenode.go`).
    fn nomination(&self) -> Duration {
        (self.settings.batch_max_duration * 2).max(Duration::from_secs(10))
    }

    /// Whether all NodeClaims that are known have machines.
    pub(crate) fn is_synced(&self) -> bool {
        self.made.borrow().is_empty() && state::is_synced(&self.context.informers)
    }

    /// One batch. While the gate is shut it comes to nothing: pods trigger again after 10 s.
    async fn pass(self: &Rc<Provisioner>) -> Result<(), ReconcileError> {
        let alone = if self.settings.batching {
            self.batcher.wait().await;
            None
        } else {
            Some(self.batcher.next().await)
        };
        if alone.is_none() && !self.is_synced() {
            return Ok(());
        }
        let (pods, recorder, settings) = (&*self.pods, &*self.recorder, &self.settings);
        let mut problem = snapshot::problem(&self.context, pods, recorder, settings, &self.instance_types).await;
        problem.pods.retain(|pod| alone.is_none_or(|uid| pod.metadata.uid == uid));
        if problem.pods.is_empty() || problem.node_pools.is_empty() {
            return Ok(());
        }
        let cost = &self.settings.compute_cost;
        let pods = u32::try_from(problem.pods.len()).unwrap_or(u32::MAX);
        let takes = cost.per_pass + cost.per_pod.saturating_mul(pods);
        if !takes.is_zero() {
            self.context.runtime.sleep(takes).await;
        }
        let results = solve(&problem, &self.settings.scheduling, self.recorder.wants_steps());
        let results = results.map_err(|error| ReconcileError::Failed(error.to_string()))?;
        self.recorder.passed(&Passed { pods: problem.pods.len(), results: &results });
        self.record(&results);
        self.create_all(results.new_node_claims).await
    }

    /// Nominates nodes, and says of pods where they should go and why they can't.
    fn record(&self, results: &Results) {
        for error in results.pod_errors.iter().filter(|error| !error.is_reserved_offering) {
            self.recorder.verdict(&error.pod, Verdict::Failed(&error.message));
        }
        let until = self.context.runtime.now() + self.nomination();
        for (node, pods) in &results.existing_nodes {
            if self.settings.nomination {
                self.nominated.borrow_mut().insert(node.clone(), until);
            }
            let kind = if self.context.informers.nodes.get(node).is_some() { "node" } else { "nodeclaim" };
            let on = format!("{kind}/{node}");
            pods.iter().for_each(|pod| self.recorder.verdict(pod, Verdict::Nominated(&on)));
        }
    }

    /// All at once, and each is tried whatever becomes of the others.
    async fn create_all(self: &Rc<Provisioner>, claims: Vec<NewNodeClaim>) -> Result<(), ReconcileError> {
        let provisioner = self.clone();
        let create = move |claim| {
            let provisioner = provisioner.clone();
            async move { provisioner.create(&claim).await }
        };
        let results = parallel::map(&self.context.runtime, NAME, claims.len(), claims, create).await;
        results.into_iter().collect()
    }

    /// Writes one NodeClaim, unless its NodePool has too much already.
    async fn create(&self, from: &NewNodeClaim) -> Result<(), ReconcileError> {
        let node_pool = self.context.client.get::<NodePool>(&from.node_pool).await?;
        if let Some(name) = exceeded(&node_pool) {
            let text = format!("{name} of NodePool {} exceeds its limit", from.node_pool);
            return Err(ReconcileError::Failed(text));
        }
        let claim = self.node_claim(from, &node_pool)?;
        let name = claim.name().clone();
        self.creating.borrow_mut().insert(name.clone());
        let made = self.context.client.create(claim).await;
        let is_unseen = self.creating.borrow_mut().remove(&name);
        let made = made?;
        if is_unseen {
            self.made.borrow_mut().insert(name);
        }
        let on = format!("nodeclaim/{}", made.name());
        from.pods.iter().for_each(|pod| self.recorder.verdict(pod, Verdict::Nominated(&on)));
        Ok(())
    }

    fn node_claim(&self, from: &NewNodeClaim, node_pool: &NodePool) -> Result<NodeClaim, ReconcileError> {
        let well_known = &self.settings.scheduling.well_known_labels;
        let not_modelled = |name: Rc<str>| ReconcileError::Failed(format!("not modelled: requests of {name}"));
        let spec = NodeClaimSpec {
            requirements: from.spec_requirements(well_known),
            node_class_ref: from.node_class_ref.clone(),
            resources_requests: from.requests.to_resources().map_err(not_modelled)?,
            taints: from.taints.clone(),
            startup_taints: from.startup_taints.clone(),
            termination_grace_period: node_pool.spec.termination_grace_period,
        };
        let mut claim = NodeClaim::new(self.name(&from.node_pool), spec);
        claim.metadata.labels = from.resolved_labels(well_known);
        claim.metadata.annotations = from.annotations.clone();
        claim.metadata.owner_references.push(OwnerReference {
            kind: Kind::NodePool,
            name: node_pool.name().clone(),
            uid: node_pool.metadata.uid,
        });
        Ok(claim)
    }

    /// A name that the API server would generate: the NodePool's, and five characters.
    fn name(&self, node_pool: &str) -> Rc<str> {
        let n = self.named.get();
        self.named.set(n + 1);
        generated_name(node_pool, self.names.draw(Entity::named(node_pool), n)).into()
    }
}

/// The first resource of which a NodePool's nodes have more than its limit. Of nodes themselves the simulation knows
/// nothing, as no instance type has any (core v1.9.0 `scheduler.go`, `filterByRemainingResources`): there is one more than
/// the limit before it holds.
fn exceeded(node_pool: &NodePool) -> Option<Rc<str>> {
    if node_pool.spec.node_limit.is_some_and(|limit| node_pool.status.nodes > limit) {
        return Some("nodes".into());
    }
    let limits = ResourceList::from(node_pool.spec.limits.as_ref()?);
    let have = ResourceList::from(&node_pool.status.resources);
    let above = limits.iter().find(|(name, limit)| have.amount(name) > *limit);
    above.map(|(name, _)| name.clone())
}

/// Pass after pass, until one fails.
pub struct Passes(pub Rc<Provisioner>);

#[async_trait(?Send)]
impl Reconciler for Passes {
    async fn reconcile(&self, _key: Rc<str>) -> Result<Next, ReconcileError> {
        loop {
            self.0.pass().await?;
        }
    }
}

#[cfg(test)]
mod tests;
