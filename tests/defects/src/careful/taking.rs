//! Create: find the Linode that is the NodeClaim's, or one that is nobody's, record it, tag it, return it.

use super::{Careful, Epoch, Trouble};
use lkesim_karpenter::cloud_provider::CreateError;
use lkesim_kube::object::{NodeClaim, ProviderId, Uid};
use lkesim_linode_api::{Cause, Instance, InstanceId, LkePool};
use lkesim_lke::ledger::{Record, Recorded};
use lkesim_lke::locks::PoolKey;
use lkesim_lke::run::Run;
use lkesim_lke::tags;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// How long a look that shows nothing is doubted.
const UNSEEN_FOR: Duration = Duration::from_secs(10);

/// What of a LKE pool's nodes is whose.
pub(crate) struct Nodes {
    /// The Linodes that nobody has, alive.
    pub free: Vec<Arc<Instance>>,
    /// Whose the others are, as far as they live.
    pub owners: Vec<Uid>,
    /// The NodeClaims that wait for a Linode which bears their tag.
    pub awaited: Vec<Uid>,
    /// Whether there is one that no look has shown of late: it may bear a tag.
    pub is_one_unseen: bool,
}

/// What an attempt goes by.
pub(crate) struct Attempt<'a> {
    pub run: &'a Run,
    pub claim: &'a NodeClaim,
    pub key: &'a PoolKey,
    pub epoch: Epoch,
    pub recorded: Recorded,
}

impl Careful {
    /// Gets the NodeClaim a Linode of the key.
    pub async fn take(&self, run: &Run, claim: &NodeClaim, key: &PoolKey) -> Result<Arc<Instance>, CreateError> {
        let deadline = self.now() + self.cx.settings.create_deadline;
        loop {
            run.next_attempt();
            if self.is_deleted(claim) {
                let message = "the nodeclaim is being deleted".to_owned();
                return Err(CreateError::Create { reason: "NodeClaimDeleted", message });
            }
            let (pause, last) = match self.attempt(run, claim, key).await {
                Ok(Some(instance)) => {
                    self.demand.borrow_mut().remove(&claim.metadata.uid);
                    return Ok(instance);
                }
                Ok(None) => (self.cx.settings.retry_delay, "no LKE instance is there yet".to_owned()),
                Err(Trouble::Refused(refused)) => {
                    self.demand.borrow_mut().remove(&claim.metadata.uid);
                    return Err(refused);
                }
                Err(trouble) => (trouble.pause(), trouble.to_string()),
            };
            let now = self.now();
            if now >= deadline {
                return Err(CreateError::Create { reason: "NodePoolProvisioning", message: last });
            }
            self.cx.runtime.sleep(pause.min(deadline.since(now))).await;
        }
    }

    /// Whether the cache shows that the NodeClaim is being deleted.
    fn is_deleted(&self, claim: &NodeClaim) -> bool {
        let known = self.kept.get().and_then(|kept| kept.kube.informers.node_claims.get(claim.name()));
        known.is_some_and(|known| known.metadata.uid == claim.metadata.uid && !known.is_live())
    }

    /// One attempt, with the key's lock held.
    async fn attempt(&self, run: &Run, claim: &NodeClaim, key: &PoolKey) -> Result<Option<Arc<Instance>>, Trouble> {
        let epoch = self.hold().await?;
        let _lock = self.steps.lock(self, run, &self.steps.lock_of(key, claim)).await;
        let recorded = self.steps.recorded(self).await?;
        let own = self.steps.own(&recorded, claim).cloned();
        let attempt = Attempt { run, claim, key, epoch, recorded };
        if let Some(own) = own {
            return self.take_recorded(&attempt, &own).await;
        }
        if let Some(held) = self.held_by(claim).await? {
            return self.take_held(&attempt, held).await.map(Some);
        }
        let Some(lke_pool) = self.pool_of_key(&attempt).await? else { return Ok(None) };
        let claims = self.steps.claims(self).await?;
        let nodes = self.nodes(&attempt, &lke_pool, &claims).await?;
        self.demand.borrow_mut().insert(claim.metadata.uid, key.clone());
        let found = nodes
            .free
            .iter()
            .find(|free| self.steps.is_marked_for(free, claim))
            .or_else(|| self.steps.first_of(&nodes.free));
        match found {
            Some(free) if nodes.is_one_unseen && !self.steps.is_marked_for(free, claim) => Ok(None),
            Some(free) => self.give(&attempt, &lke_pool, free.clone()).await,
            None => self.grow(&attempt, &lke_pool, &nodes).await.map(|()| None),
        }
    }

    /// An earlier Create recorded it, and its result was lost.
    async fn take_recorded(&self, attempt: &Attempt<'_>, own: &Record) -> Result<Option<Arc<Instance>>, Trouble> {
        if let Some(instance) = self.steps.look(self, attempt.run, own.instance).await? {
            return self.tag(attempt, &instance).await.map(Some);
        }
        if self.steps.is_lost(self, attempt.run, own).await? {
            self.still_holds(attempt.epoch).await?;
            self.kept()?.ledger.free(own).await?;
        }
        Ok(None)
    }

    /// The Linode that another process's Create got the NodeClaim meanwhile.
    async fn held_by(&self, claim: &NodeClaim) -> Result<Option<InstanceId>, Trouble> {
        let claims = self.steps.claims(self).await?;
        let own = claims.iter().find(|own| own.metadata.uid == claim.metadata.uid);
        Ok(own.and_then(|own| self.steps.launched_with(own)))
    }

    /// The NodeClaim has it, and can't have another one.
    async fn take_held(&self, attempt: &Attempt<'_>, held: InstanceId) -> Result<Arc<Instance>, Trouble> {
        if let Some(there) = self.steps.look(self, attempt.run, held).await? {
            return self.tag(attempt, &there).await;
        }
        let message = format!("the nodeclaim has instance {held}, which is not there");
        Err(Trouble::Refused(CreateError::Create { reason: "NodeClaimLaunched", message }))
    }

    /// Records the Linode for the NodeClaim, so that nobody else can, and tags it.
    async fn give(
        &self,
        attempt: &Attempt<'_>,
        lke_pool: &LkePool,
        free: Arc<Instance>,
    ) -> Result<Option<Arc<Instance>>, Trouble> {
        self.steps.still_holds(self, attempt.epoch).await?;
        let ledger = &self.kept()?.ledger;
        if let Some(left) = attempt.recorded.linodes.iter().find(|record| record.instance == free.id) {
            ledger.free(left).await?;
        }
        match self.steps.record(self, attempt, lke_pool, free.id).await {
            Err(Trouble::Kubernetes(error)) if error.is_already_exists() => return Ok(None),
            given => given?,
        }
        self.tag(attempt, &free).await.map(Some)
    }

    /// Writes the nodeclaim tag, also where it seems to be there: what was read may be old.
    async fn tag(&self, attempt: &Attempt<'_>, instance: &Arc<Instance>) -> Result<Arc<Instance>, Trouble> {
        let written = self.steps.tags_of(instance, attempt.claim.name(), &[]);
        self.steps.still_holds(self, attempt.epoch).await?;
        let put = self.api.update_instance(&attempt.run.claiming(), instance.id, written).await;
        self.steps.tagged(self.written(put).map(drop))?;
        // A process that stood still may come to this when the next one has deleted the Linode.
        self.is_held_yet(attempt.epoch)?;
        self.seen.put(instance.id, instance.clone());
        Ok(instance.clone())
    }

    /// Adds tags to a Linode. The nodeclaim tag is written with them: what was read may be older than it.
    pub async fn add_tags(&self, run: &Run, id: InstanceId, more: Vec<Arc<str>>) -> Result<(), Trouble> {
        let epoch = self.hold().await?;
        let claims = self.claims().await?;
        let holds = |claim: &&Rc<NodeClaim>| claim.status.provider_id == Some(ProviderId::linode(id.0));
        let holder = claims.iter().find(|claim| claim.is_live() && holds(claim));
        let Some(holder) = holder else { return Ok(()) };
        let read = self.api.get_instance(&run.purpose(Cause::Tagging), id).await?;
        self.steps.still_holds(self, epoch).await?;
        let written = self.steps.tags_again(&read, holder.name(), &more);
        let put = self.api.update_instance(&run.purpose(Cause::Tagging), id, written).await;
        self.written(put).map(drop)
    }

    /// Looks at each node of the pool: who has it, and whether it is there.
    async fn nodes(
        &self,
        attempt: &Attempt<'_>,
        lke_pool: &LkePool,
        claims: &[Rc<NodeClaim>],
    ) -> Result<Nodes, Trouble> {
        let exists = |uid: Uid| claims.iter().any(|claim| claim.metadata.uid == uid);
        let waiting = claims.iter().filter(|claim| claim.is_live() && claim.status.provider_id.is_none());
        let waiting: BTreeMap<String, Uid> =
            waiting.map(|claim| (tags::node_claim_value(claim.name()).into_owned(), claim.metadata.uid)).collect();
        let owner = |there: &Instance| {
            let recorded = attempt.recorded.linodes.iter().find(|record| record.instance == there.id);
            let recorded = recorded.filter(|record| record.gone || exists(record.uid));
            let holder = self.steps.holder(claims, there).map(|claim| claim.metadata.uid);
            holder.or(recorded.map(|record| record.uid))
        };
        let mut nodes = Nodes { free: Vec::new(), owners: Vec::new(), awaited: Vec::new(), is_one_unseen: false };
        for id in self.steps.members(self, attempt, lke_pool).await? {
            let Some(there) = self.steps.look(self, attempt.run, id).await? else {
                let since = *self.missed.borrow_mut().entry(id).or_insert(self.now());
                nodes.is_one_unseen |= self.now() < since + UNSEEN_FOR;
                continue;
            };
            self.missed.borrow_mut().remove(&id);
            if let Some(owner) = owner(&there) {
                nodes.owners.push(owner);
                continue;
            }
            let mut named = tags::claims_named_by(&there.tags).filter_map(|name| waiting.get(name));
            let other = named.find(|uid| **uid != attempt.claim.metadata.uid).copied();
            drop(named);
            match other {
                Some(other) => nodes.awaited.push(other),
                None => nodes.free.push(there),
            }
        }
        Ok(nodes)
    }
}
