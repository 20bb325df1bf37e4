//! Create: wait for a Linode to be promised, see that it is there, record it, return it.

use super::absence::Place;
use super::load::held_by;
use super::{Recommended, Trouble};
use crate::locks::PoolKey;
use crate::reader::pool_in_label;
use crate::run::Run;
use crate::tags;
use lkesim_karpenter::cloud_provider::{Caller, CreateError};
use lkesim_kube::object::{NodeClaim, Uid, labels};
use lkesim_linode_api::{Cause, Instance, InstanceId, InstanceStatus, LkePoolId};
use lkesim_runtime::Time;
use std::sync::Arc;
use std::time::Duration;

/// How long a Linode that turned out not to be there is passed over.
const SHUNNED_FOR: Duration = Duration::from_secs(10);

/// How long a Linode that its pool has may be missed before it counts as gone: LKE need not replace it.
const LOST_FOR: Duration = Duration::from_secs(60);

/// What came of a look at a promised Linode.
enum Look {
    Taken(Arc<Instance>),
    /// It is not there, or somebody else's.
    Missed,
    /// The NodeClaim is being deleted: the Linode is nobody's again.
    Unwanted,
}

impl Recommended {
    /// Gets the NodeClaim a Linode of the key.
    pub(super) async fn take(
        &self,
        run: &Run,
        caller: Caller,
        claim: &NodeClaim,
        key: &PoolKey,
    ) -> Result<Arc<Instance>, CreateError> {
        if let Some(id) = held_by(claim) {
            let gone = format!("instance {id} of nodeclaim {} is gone", claim.name());
            return self.own_or(run, claim, create_error("InstanceGone", gone)).await;
        }
        let uid = claim.metadata.uid;
        let deadline = self.cx.runtime.now() + self.cx.settings.create_deadline;
        self.state.borrow_mut().wants(uid, claim.name(), key, caller.run);
        let taken = self.take_until(run, claim, key, deadline).await;
        let mut state = self.state.borrow_mut();
        match &taken {
            Ok(_) => drop(state.demand.remove(&uid)),
            Err(CreateError::InsufficientCapacity(_)) => drop(state.demand.remove(&uid)),
            Err(_) => state.rests(uid),
        }
        taken
    }

    async fn take_until(
        &self,
        run: &Run,
        claim: &NodeClaim,
        key: &PoolKey,
        deadline: Time,
    ) -> Result<Arc<Instance>, CreateError> {
        let uid = claim.metadata.uid;
        let mut last = String::new();
        loop {
            run.next_attempt();
            // Whose Linode is known keeps it until its own deletion removes that: without a Create that returned it,
            // nobody would.
            let has_own = {
                let state = self.state.borrow();
                state.record_of(uid).is_some() || state.kept_for.values().any(|owner| *owner == uid)
            };
            if !has_own && !self.is_wanted(claim) {
                return Err(create_error("NodeClaimDeleted", "the nodeclaim is being deleted".into()));
            }
            let tried = self.try_once(run, claim, key).await;
            if let Some(refused) = self.state.borrow_mut().refused.remove(&uid) {
                return Err(refused);
            }
            let now = self.cx.runtime.now();
            let pause = match tried {
                Ok(Some(instance)) => return Ok(instance),
                Ok(None) => {
                    let mut state = self.state.borrow_mut();
                    state.of(key).next_look.since(now).max(Duration::from_millis(100))
                }
                Err(trouble) => {
                    last = trouble.to_string();
                    trouble.pause()
                }
            };
            if now >= deadline {
                let what = if last.is_empty() { "no LKE instance is there yet".to_owned() } else { last };
                return Err(create_error("NodePoolProvisioning", format!("{what}, for nodeclaim {}", claim.name())));
            }
            self.cx.runtime.sleep(pause.min(deadline.since(now))).await;
        }
    }

    /// Whether the cache shows the NodeClaim as live, or does not show it yet.
    fn is_wanted(&self, claim: &NodeClaim) -> bool {
        let Ok(ways) = self.ways() else { return true };
        let known = ways.kube.informers.node_claims.get(claim.name());
        known.is_none_or(|known| known.metadata.uid != claim.metadata.uid || known.is_live())
    }

    /// One try: what is recorded, what is promised, or a round for all who wait.
    async fn try_once(&self, run: &Run, claim: &NodeClaim, key: &PoolKey) -> Result<Option<Arc<Instance>>, Trouble> {
        let uid = claim.metadata.uid;
        self.ready(run).await?;
        let recorded = self.state.borrow().record_of(uid).map(|record| (record.instance, record.lke_pool));
        if let Some((id, _)) = recorded {
            return self.return_recorded(run, claim, id).await;
        }
        if let Some(instance) = self.take_kept(run, claim).await? {
            return Ok(Some(instance));
        }
        if self.state.borrow().promise_of(uid).is_none() {
            let _lock = self.locks.lock(key).await;
            if self.state.borrow().promise_of(uid).is_none() {
                self.round(run, claim, key).await?;
            }
        }
        let promised =
            self.state.borrow().promised.iter().find(|(_, (to, _))| *to == uid).map(|(id, (_, p))| (*id, *p));
        let Some((id, lke_pool)) = promised else {
            return Ok(None);
        };
        match self.look_and_record(run, claim, id, lke_pool).await? {
            Look::Taken(instance) => Ok(Some(instance)),
            Look::Unwanted => {
                self.state.borrow_mut().promised.remove(&id);
                Ok(None)
            }
            Look::Missed => {
                let mut state = self.state.borrow_mut();
                state.promised.remove(&id);
                state.of(key).checked = None;
                if !state.kept_for.contains_key(&id) {
                    state.shunned.insert(id, self.cx.runtime.now() + SHUNNED_FOR);
                }
                Ok(None)
            }
        }
    }

    /// The NodeClaim may not get a Linode: it is refused, unless one is its own already.
    pub(super) async fn own_or(
        &self,
        run: &Run,
        claim: &NodeClaim,
        refusal: CreateError,
    ) -> Result<Arc<Instance>, CreateError> {
        match self.find_own(run, claim).await {
            Ok(Some(own)) => Ok(own),
            Ok(None) => Err(refusal),
            Err(trouble) => Err(create_error("NodePoolProvisioning", trouble.to_string())),
        }
    }

    async fn find_own(&self, run: &Run, claim: &NodeClaim) -> Result<Option<Arc<Instance>>, Trouble> {
        if let Some(id) = held_by(claim) {
            return self.return_held(run, claim, id).await;
        }
        self.ready(run).await?;
        let recorded = self.state.borrow().record_of(claim.metadata.uid).map(|record| record.instance);
        match recorded {
            Some(id) => self.return_recorded(run, claim, id).await,
            None => self.take_kept(run, claim).await,
        }
    }

    /// A Linode that was tagged for the NodeClaim before there was a ledger, in a LKE pool of its NodePool and of a type
    /// that it allows.
    async fn take_kept(&self, run: &Run, claim: &NodeClaim) -> Result<Option<Arc<Instance>>, Trouble> {
        let uid = claim.metadata.uid;
        let is_own = |(id, owner): &(&InstanceId, &Uid)| **owner == uid && !self.state.borrow().is_taken(**id);
        let kept: Vec<InstanceId> = {
            let state = self.state.borrow();
            state.kept_for.iter().filter(is_own).map(|(id, _)| *id).collect()
        };
        for id in kept {
            let Some(instance) = self.look_twice(run, id).await? else {
                self.state.borrow_mut().kept_for.remove(&id);
                continue;
            };
            let may_be_its = |lke_pool: &LkePoolId| {
                let state = self.state.borrow();
                state.key_of_pool(*lke_pool).is_some_and(|key| Some(&key.node_pool) == claim.node_pool())
                    && claim.requirement(labels::INSTANCE_TYPE).is_none_or(|types| types.allows(Some(&instance.plan)))
            };
            let Some(lke_pool) = pool_in_label(&instance).filter(may_be_its) else { continue };
            self.ready(run).await?;
            let is_taken = self.state.borrow().is_taken(id);
            if !is_taken && self.record(claim, id, lke_pool).await? {
                self.keep().await?;
                self.seen.put(id, instance.clone());
                return Ok(Some(instance));
            }
        }
        Ok(None)
    }

    /// Records the Linode as the NodeClaim's; false where it is somebody's, and what is known here is old.
    async fn record(&self, claim: &NodeClaim, id: InstanceId, lke_pool: LkePoolId) -> Result<bool, Trouble> {
        let record = match self.ways()?.ledger.give(id, lke_pool, claim).await {
            Err(error) if error.is_already_exists() => {
                self.state.borrow_mut().is_loaded = false;
                return Ok(false);
            }
            given => given?,
        };
        let mut state = self.state.borrow_mut();
        state.records.insert(id, record);
        state.promised.remove(&id);
        state.alive.insert(id, self.cx.runtime.now());
        Ok(true)
    }

    /// The NodeClaim was launched with it, whatever its condition says, over which a process that stood still may have
    /// written. Where it is gone, the NodeClaim gets no other.
    async fn return_held(
        &self,
        run: &Run,
        claim: &NodeClaim,
        id: InstanceId,
    ) -> Result<Option<Arc<Instance>>, Trouble> {
        self.ready(run).await?;
        let Some(instance) = self.look_twice(run, id).await? else { return Ok(None) };
        self.keep().await?;
        self.alone(run, claim, instance).await.map(Some)
    }

    /// A Create before this one recorded it, and its result was lost. One that is gone is forgotten after two looks.
    async fn return_recorded(
        &self,
        run: &Run,
        claim: &NodeClaim,
        id: InstanceId,
    ) -> Result<Option<Arc<Instance>>, Trouble> {
        if let Some(instance) = self.look_twice(run, id).await? {
            self.state.borrow_mut().lost.remove(&id);
            self.keep().await?;
            return self.alone(run, claim, instance).await.map(Some);
        }
        self.ready(run).await?;
        let lke_pool = self.state.borrow().records.get(&id).map(|record| record.lke_pool);
        let place = self.place_of(&run.purpose(Cause::Verify), id, lke_pool).await?;
        let now = self.cx.runtime.now();
        let since = *self.state.borrow_mut().lost.entry(id).or_insert(now);
        if matches!(place, Place::There) || (matches!(place, Place::Node(..)) && since + LOST_FOR > now) {
            return Ok(None);
        }
        let record = self.state.borrow().record_of(claim.metadata.uid).cloned();
        if let Some(record) = record.filter(|record| record.instance == id) {
            self.ways()?.ledger.free(&record).await?;
            let mut state = self.state.borrow_mut();
            state.records.remove(&id);
            state.shunned.insert(id, self.cx.runtime.now() + 6 * SHUNNED_FOR);
        }
        Ok(None)
    }

    /// The same, if one of two looks shows it: what one answer leaves out is no reason to give up a NodeClaim's own.
    async fn look_twice(&self, run: &Run, id: InstanceId) -> Result<Option<Arc<Instance>>, Trouble> {
        if let Some(instance) = self.look(run, id).await? {
            return Ok(Some(instance));
        }
        self.cx.runtime.sleep(self.cx.settings.retry_delay).await;
        self.look(run, id).await
    }

    /// The Linode, if a GET shows that it is there and not dying.
    async fn look(&self, run: &Run, id: InstanceId) -> Result<Option<Arc<Instance>>, Trouble> {
        match self.api.get_instance(&run.purpose(Cause::Verify), id).await {
            Ok(instance) => {
                self.state.borrow_mut().seen.insert(id);
                let is_ours = instance.lke_cluster == Some(self.cx.cluster.id);
                Ok(Some(instance).filter(|one| is_ours && one.status != InstanceStatus::Deleting))
            }
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The live NodeClaim without a Linode, other than this one, that the Linode's tags name.
    fn tagged_for_another(&self, instance: &Instance, claim: &NodeClaim) -> Option<Uid> {
        let claims = &self.ways.get()?.kube.informers.node_claims;
        let named: Vec<&str> = tags::claims_named_by(&instance.tags).collect();
        if named.is_empty() {
            return None;
        }
        let is_named = |other: &NodeClaim| named.contains(&&*tags::node_claim_value(other.name()));
        let waits = |other: &NodeClaim| other.is_live() && other.status.provider_id.is_none();
        let others = claims.list();
        let mut others = others.iter().filter(|other| other.metadata.uid != claim.metadata.uid);
        others.find(|other| waits(other) && is_named(other)).map(|other| other.metadata.uid)
    }

    async fn look_and_record(
        &self,
        run: &Run,
        claim: &NodeClaim,
        id: InstanceId,
        lke_pool: LkePoolId,
    ) -> Result<Look, Trouble> {
        let uid = claim.metadata.uid;
        let Some(instance) = self.look(run, id).await? else {
            return Ok(Look::Missed);
        };
        if let Some(other) = self.tagged_for_another(&instance, claim) {
            self.state.borrow_mut().kept_for.insert(id, other);
            return Ok(Look::Missed);
        }
        self.ready(run).await?;
        // Its deletion may have become known meanwhile: what is recorded for it can't be used until it is gone.
        if !self.is_wanted(claim) {
            return Ok(Look::Unwanted);
        }
        // The promise may have been taken back meanwhile, of a NodeClaim that went.
        if self.state.borrow().promise_of(uid) != Some(id) {
            return Ok(Look::Missed);
        }
        if !self.record(claim, id, lke_pool).await? {
            return Ok(Look::Missed);
        }
        self.keep().await?;
        self.alone(run, claim, instance).await.map(Look::Taken)
    }

    /// Another NodeClaim's tag comes off a Linode that is this one's.
    async fn alone(&self, run: &Run, claim: &NodeClaim, instance: Arc<Instance>) -> Result<Arc<Instance>, Trouble> {
        let others = tags::claims_named_by(&instance.tags).any(|name| *name != *tags::node_claim_value(claim.name()));
        if others {
            let written = self.with_copies(&instance, []);
            self.api.update_instance(&run.purpose(Cause::Tagging), instance.id, written).await?;
        }
        self.seen.put(instance.id, instance.clone());
        Ok(instance)
    }
}

fn create_error(reason: &'static str, message: String) -> CreateError {
    CreateError::Create { reason, message }
}
