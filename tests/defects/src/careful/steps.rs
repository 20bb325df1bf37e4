//! The decisions of the careful design, one method each. What stands here is right.

use super::collection::{Survey, is_dead_long_enough, served};
use super::taking::Attempt;
use super::{Careful, Epoch, Trouble};
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::{Caller, InstanceType, Machine, ProviderError, ProviderId};
use lkesim_kube::object::NodeClaim;
use lkesim_linode_api::{
    CallError, Cause, Instance, InstanceId, LkePool, LkePoolCreate, LkePoolId, PoolNodeId, Purpose, Tags,
};
use lkesim_lke::Kube;
use lkesim_lke::ledger::{PoolRecord, Record, Recorded};
use lkesim_lke::locks::PoolKey;
use lkesim_lke::run::Run;
use lkesim_lke::tags;
use lkesim_runtime::Time;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedMutexGuard;

/// A lock that is held.
pub(crate) type Guard = Option<OwnedMutexGuard<()>>;

/// How long a pool that was asked for may still come to light: longer than any list lags.
const DOUBT: Duration = Duration::from_secs(150);
/// The least time between the two looks that find an orphan.
const BETWEEN_LOOKS: Duration = Duration::from_secs(10);

/// The careful design itself.
#[derive(Default)]
pub(crate) struct Right;

#[async_trait(?Send)]
impl Steps for Right {}

/// What a design decides.
#[async_trait(?Send)]
pub(crate) trait Steps {
    /// Whose lock a Create takes.
    fn lock_of(&self, key: &PoolKey, _claim: &NodeClaim) -> PoolKey {
        key.clone()
    }

    /// Takes a lock for a Create.
    async fn lock(&self, world: &Careful, _run: &Run, key: &PoolKey) -> Guard {
        Some(world.locks.lock(key).await)
    }

    /// Takes a lock for a Delete.
    async fn lock_to_delete(&self, world: &Careful, key: &PoolKey) -> Guard {
        Some(world.locks.lock(key).await)
    }

    /// Makes sure, before a write, that no other process writes.
    async fn still_holds(&self, world: &Careful, epoch: Epoch) -> Result<(), Trouble> {
        world.still_holds(epoch).await
    }

    /// Who has what.
    async fn recorded(&self, world: &Careful) -> Result<Recorded, Trouble> {
        world.ledger().await
    }

    /// Which NodeClaims there are.
    async fn claims(&self, world: &Careful) -> Result<Vec<Rc<NodeClaim>>, Trouble> {
        world.claims().await
    }

    /// Gives a Linode to a NodeClaim.
    async fn record(
        &self,
        world: &Careful,
        attempt: &Attempt<'_>,
        lke_pool: &LkePool,
        id: InstanceId,
    ) -> Result<(), Trouble> {
        world.kept()?.ledger.give(id, lke_pool.id, attempt.claim).await?;
        Ok(())
    }

    /// The Linode, if it is there, lives, and is of this cluster.
    async fn look(&self, world: &Careful, run: &Run, id: InstanceId) -> Result<Option<Arc<Instance>>, Trouble> {
        world.look(run, id).await
    }

    /// What an earlier Create recorded for the NodeClaim.
    fn own<'a>(&self, recorded: &'a Recorded, claim: &NodeClaim) -> Option<&'a Record> {
        recorded.linodes.iter().find(|record| record.uid == claim.metadata.uid && !record.gone)
    }

    /// Whether a recorded Linode that a look did not show is gone for good: a second look agrees, and so does its pool.
    async fn is_lost(&self, world: &Careful, run: &Run, own: &Record) -> Result<bool, Trouble> {
        world.cx.runtime.sleep(world.cx.settings.retry_delay).await;
        let because = run.purpose(Cause::Verify);
        Ok(self.look(world, run, own.instance).await?.is_none() && world.is_in_no_pool(&because, own.instance).await?)
    }

    /// The Linodes of a pool.
    async fn members(
        &self,
        _world: &Careful,
        _attempt: &Attempt<'_>,
        lke_pool: &LkePool,
    ) -> Result<Vec<InstanceId>, Trouble> {
        Ok(lke_pool.nodes.iter().filter_map(|node| node.instance).collect())
    }

    /// The Linode that the NodeClaim has already: another process's Create got it meanwhile.
    fn launched_with(&self, own: &NodeClaim) -> Option<InstanceId> {
        own.status.provider_id.as_ref()?.id().map(InstanceId)
    }

    /// The NodeClaim that has a Linode, whatever the ledger says: it has stored it.
    fn holder<'a>(&self, claims: &'a [Rc<NodeClaim>], there: &Instance) -> Option<&'a Rc<NodeClaim>> {
        let stored = Some(ProviderId::linode(there.id.0));
        claims.iter().find(|claim| claim.status.provider_id == stored)
    }

    /// Whether a Linode that nobody has is to be that of this NodeClaim before all others.
    fn is_marked_for(&self, free: &Instance, claim: &NodeClaim) -> bool {
        free.tags.has(&tags::of_node_claim(claim.name()))
    }

    /// Which of the Linodes that nobody has is taken.
    fn first_of<'a>(&self, free: &'a [Arc<Instance>]) -> Option<&'a Arc<Instance>> {
        free.iter().min_by_key(|free| free.id)
    }

    /// Whether a pool is that of a key.
    fn serves(&self, lke_pool: &LkePool, key: &PoolKey) -> bool {
        served(lke_pool).as_ref() == Some(key)
    }

    /// Looks for the pool of a key that the ledger does not know.
    async fn find_pool(
        &self,
        world: &Careful,
        attempt: &Attempt<'_>,
        key: &PoolKey,
    ) -> Result<Option<LkePoolId>, Trouble> {
        world.find_pool(attempt, key).await
    }

    /// Count and nodes of a pool, as they are.
    async fn truth_of(
        &self,
        world: &Careful,
        attempt: &Attempt<'_>,
        id: LkePoolId,
    ) -> Result<Option<Arc<LkePool>>, Trouble> {
        world.put_nothing(&attempt.run.claiming(), id).await
    }

    /// Notes that a pool is asked for, before it is.
    async fn note_request(&self, world: &Careful, key: &PoolKey) -> Result<Option<PoolRecord>, Trouble> {
        Ok(Some(world.kept()?.ledger.ask_for_pool(key, world.now()).await?))
    }

    /// Asks for a pool.
    async fn post(&self, world: &Careful, because: &Purpose, body: LkePoolCreate) -> Result<Arc<LkePool>, CallError> {
        world.api.create_pool(because, world.cx.cluster.id, body).await
    }

    /// Whether a pool that was asked for then, and has not come to light, was never made.
    fn is_settled(&self, world: &Careful, asked: Time) -> bool {
        asked + DOUBT <= world.now()
    }

    /// The tags of a new pool.
    fn tags_of_pool(&self, world: &Careful, key: &PoolKey, claim: &NodeClaim) -> Tags {
        let node_class = claim.spec.node_class_ref.as_ref().map_or("", |node_class| &node_class.name);
        tags::of_lke_pool(&world.cx.cluster.name, &key.node_pool, node_class)
    }

    /// The count from which it is raised: asked for once more, right before.
    async fn count_of(&self, world: &Careful, attempt: &Attempt<'_>, lke_pool: &LkePool) -> Result<u32, Trouble> {
        let shown = world.put_nothing(&attempt.run.purpose(Cause::Scale), lke_pool.id).await?;
        shown.map(|shown| shown.count).ok_or(Trouble::NotYet("the LKE pool went"))
    }

    /// Whether a node more is wanted, where so many are nobody's and so many NodeClaims wait.
    fn needs_more(&self, _world: &Careful, _attempt: &Attempt<'_>, free: u32, waiting: u32) -> bool {
        free < waiting
    }

    /// Whether a NodeClaim is to have a Linode.
    fn is_wanted(&self, claim: &NodeClaim) -> bool {
        claim.is_live()
    }

    /// What Create writes: its own nodeclaim tag in place of any other.
    fn tags_of(&self, instance: &Instance, claim_name: &str, more: &[Arc<str>]) -> Tags {
        let prefix = format!("{}=", tags::NODE_CLAIM);
        let kept: Tags = instance.tags.iter().filter(|tag| !tag.starts_with(&prefix)).cloned().collect();
        let managed = tags::tag(tags::MANAGED, "true");
        tags::joined([&kept], more.iter().cloned().chain([tags::of_node_claim(claim_name), managed]))
    }

    /// What is written to a Linode that a NodeClaim has.
    fn tags_again(&self, instance: &Instance, claim_name: &str, more: &[Arc<str>]) -> Tags {
        self.tags_of(instance, claim_name, more)
    }

    /// What came of writing the nodeclaim tag.
    fn tagged(&self, result: Result<(), Trouble>) -> Result<(), Trouble> {
        result
    }

    /// What Karpenter is told of the types there are.
    async fn types(&self, world: &Careful, _caller: Caller) -> Result<Rc<[Rc<InstanceType>]>, ProviderError> {
        Ok(world.types.all())
    }

    /// What else a process runs beside its controllers.
    fn start(&self, _world: &Rc<Careful>, _kube: &Kube) {}

    /// What Create returns.
    fn machine(&self, world: &Careful, instance: &Instance) -> Machine {
        world.types.machine(instance)
    }

    /// Whether a Linode is gone of which a GET brought this error.
    async fn is_absent(
        &self,
        world: &Careful,
        because: &Purpose,
        id: InstanceId,
        error: &CallError,
    ) -> Result<bool, Trouble> {
        Ok(error.is_not_found() && world.has_gone(because, id).await?)
    }

    /// What List answers of the Linodes that NodeClaims hold.
    async fn list(
        &self,
        world: &Careful,
        run: &Run,
        held: BTreeSet<InstanceId>,
    ) -> Result<Vec<Arc<Instance>>, ProviderError> {
        let mut there = Vec::new();
        for id in held {
            match world.read(run, id, Cause::Gc).await {
                Ok(one) => there.push(one),
                Err(ProviderError::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(there)
    }

    /// Whether somebody took a Linode since it was found to be nobody's.
    async fn is_wanted_after_all(&self, world: &Careful, recorded: &Recorded, id: InstanceId) -> Result<bool, Trouble> {
        let Some(record) = recorded.linodes.iter().find(|record| record.instance == id) else { return Ok(false) };
        Ok(self.claims(world).await?.iter().any(|claim| claim.metadata.uid == record.uid))
    }

    /// The node that a Delete is for.
    async fn node_to_delete(
        &self,
        world: &Careful,
        because: &Purpose,
        recorded: &Recorded,
        place: (InstanceId, Option<LkePoolId>),
    ) -> Result<Option<(Arc<LkePool>, PoolNodeId)>, Trouble> {
        world.node_of(because, recorded, place).await
    }

    /// Deletes a node.
    async fn delete(
        &self,
        world: &Careful,
        because: &Purpose,
        lke_pool: &LkePool,
        node: PoolNodeId,
    ) -> Result<(), Trouble> {
        world.delete_node(because, lke_pool, node).await
    }

    /// Whether a Linode that no pool shows is gone.
    async fn is_gone(&self, world: &Careful, because: &Purpose, id: InstanceId) -> Result<bool, Trouble> {
        world.is_dead(because, id).await
    }

    /// What a collection goes by.
    async fn survey(&self, world: &Careful, run: &Run) -> Result<Survey, Trouble> {
        world.survey(run).await
    }

    /// Whether a Linode without an owner is to go: it had none some time ago, and nobody waits for it.
    fn is_orphan(&self, world: &Careful, survey: &Survey, there: &Instance, since: Time) -> bool {
        since + BETWEEN_LOOKS <= world.now() && !survey.is_awaited(there)
    }

    /// Whether a node whose Linode is gone is to go.
    fn sweeps(&self, since: Time, now: Time) -> bool {
        is_dead_long_enough(since, now)
    }
}
