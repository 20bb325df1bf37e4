//! The key's LKE pool: finding it, making it, raising its count.
//!
//! That a pool is asked for is noted before it is: a POST can't be repeated without making another one.

use super::taking::{Attempt, Nodes};
use super::{Careful, Trouble};
use lkesim_karpenter::cloud_provider::CreateError;
use lkesim_kube::object::{NodeClaim, Uid};
use lkesim_linode_api::{CallError, Cause, LkePool, LkePoolCreate, LkePoolId, LkePoolUpdate, Purpose};
use lkesim_lke::ledger::{PoolRecord, PoolState};
use lkesim_lke::locks::PoolKey;
use lkesim_lke::reader::pool_in_label;
use lkesim_lke::run::Run;
use lkesim_lke::taints;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// The text by which LKE says that a plan is sold out.
const PLAN_UNAVAILABLE: &str = "is not currently available in the selected region";

/// How long an answer about NodeClaims may take before a write that rests on it.
const AT_ONCE: Duration = Duration::from_secs(1);

impl Careful {
    /// The key's pool, as the reply to a write shows it. None where there is none yet.
    pub async fn pool_of_key(&self, attempt: &Attempt<'_>) -> Result<Option<Arc<LkePool>>, Trouble> {
        let known = attempt.recorded.lke_pools.iter().find(|record| record.key == *attempt.key);
        match known.map(|record| (record, &record.state)) {
            None => match self.steps.find_pool(self, attempt, attempt.key).await? {
                Some(found) => {
                    self.adopt(attempt.key, found).await?;
                    self.steps.truth_of(self, attempt, found).await
                }
                None => self.make_pool(attempt).await,
            },
            Some((record, PoolState::Made(id))) => {
                let shown = self.steps.truth_of(self, attempt, *id).await?;
                if shown.is_none() && self.is_pool_gone(attempt.run, *id).await? {
                    self.forget_sighting(*id);
                    self.kept()?.ledger.forget_pool(record).await?;
                }
                Ok(shown)
            }
            Some((record, PoolState::Asked(at))) => {
                if let Some(found) = self.steps.find_pool(self, attempt, attempt.key).await? {
                    self.kept()?.ledger.note_pool(record, found).await?;
                    return self.steps.truth_of(self, attempt, found).await;
                }
                if self.steps.is_settled(self, *at) {
                    self.kept()?.ledger.forget_pool(record).await?;
                }
                Ok(None)
            }
        }
    }

    /// Makes the key's pool with one node.
    async fn make_pool(&self, attempt: &Attempt<'_>) -> Result<Option<Arc<LkePool>>, Trouble> {
        let record = self.steps.note_request(self, attempt.key).await?;
        self.steps.still_holds(self, attempt.epoch).await?;
        if !self.is_wanted_still(attempt).await? {
            if let Some(record) = record {
                self.kept()?.ledger.forget_pool(&record).await?;
            }
            return Ok(None);
        }
        match self
            .steps
            .post(self, &attempt.run.purpose(Cause::Scale), self.pool_body(attempt.key, attempt.claim))
            .await
        {
            Ok(made) => {
                self.note_made(attempt.key, record, made.id).await?;
                Ok(Some(made))
            }
            Err(error) => {
                let refused = self.refusal(attempt.key, &error);
                let was_not_done = refused.is_some() || error.status() == Some(429);
                if let Some(record) = record.filter(|_| was_not_done) {
                    self.kept()?.ledger.forget_pool(&record).await?;
                }
                Err(refused.map_or_else(|| error.into(), Trouble::Refused))
            }
        }
    }

    /// The NodeClaims of this moment. An answer that took long tells of another one.
    async fn claims_at_once(&self) -> Result<Vec<Rc<NodeClaim>>, Trouble> {
        let asked = self.now();
        let claims = self.steps.claims(self).await?;
        match self.now() <= asked + AT_ONCE {
            true => Ok(claims),
            false => Err(Trouble::NotYet("the NodeClaims took long to read")),
        }
    }

    /// Whether the NodeClaim is to have a Linode, by what the Kubernetes API says at this moment.
    async fn is_wanted_still(&self, attempt: &Attempt<'_>) -> Result<bool, Trouble> {
        let claims = self.claims_at_once().await?;
        let own = claims.iter().find(|claim| claim.metadata.uid == attempt.claim.metadata.uid);
        Ok(own.is_some_and(|claim| self.steps.is_wanted(claim)))
    }

    /// Notes the key's pool, if nobody did.
    pub async fn adopt(&self, key: &PoolKey, found: LkePoolId) -> Result<(), Trouble> {
        match self.kept()?.ledger.adopt_pool(key, found).await {
            Err(error) if error.is_already_exists() => Ok(()),
            adopted => Ok(adopted.map(drop)?),
        }
    }

    async fn note_made(&self, key: &PoolKey, record: Option<PoolRecord>, made: LkePoolId) -> Result<(), Trouble> {
        let ledger = &self.kept()?.ledger;
        match record {
            Some(record) => ledger.note_pool(&record, made).await?,
            None => ledger.adopt_pool(key, made).await?,
        };
        Ok(())
    }

    fn pool_body(&self, key: &PoolKey, claim: &NodeClaim) -> LkePoolCreate {
        LkePoolCreate {
            plan: (&*key.plan).into(),
            count: 1,
            tags: self.steps.tags_of_pool(self, key, claim),
            labels: claim.metadata.labels.iter().map(|(key, value)| ((&**key).into(), (&**value).into())).collect(),
            taints: taints::of_node_claim(claim),
            firewall: None,
            k8s_version: None,
            more: None,
        }
    }

    /// Raises the count by one, if more wait than there are nodes that nobody has.
    pub async fn grow(&self, attempt: &Attempt<'_>, lke_pool: &LkePool, nodes: &Nodes) -> Result<(), Trouble> {
        let count = self.steps.count_of(self, attempt, lke_pool).await?;
        self.steps.still_holds(self, attempt.epoch).await?;
        // Who is there is asked last: what is asked for then can't be taken back.
        let claims = self.claims_at_once().await?;
        // One that is deleted before it holds its Linode leaves it to others.
        let keeps = |claim: &Rc<NodeClaim>| claim.is_live() || claim.status.provider_id.is_some();
        let is_kept = |uid: &&Uid| claims.iter().any(|claim| claim.metadata.uid == **uid && keeps(claim));
        let free = count.saturating_sub(nodes.owners.iter().filter(is_kept).count() as u32);
        let waiting = self.waiting(attempt, &nodes.awaited, &claims);
        if !self.steps.needs_more(self, attempt, free, waiting) {
            return Ok(());
        }
        let body = LkePoolUpdate { count: Some(count + 1), ..LkePoolUpdate::default() };
        let purpose = attempt.run.purpose(Cause::Scale);
        let put = self.api.update_pool(&purpose, self.cx.cluster.id, lke_pool.id, body).await;
        match self.written(put) {
            Ok(_) => Ok(()),
            Err(Trouble::Linode(error)) => {
                let refused = self.refusal(attempt.key, &error);
                Err(refused.map_or_else(|| error.into(), Trouble::Refused))
            }
            Err(trouble) => Err(trouble),
        }
    }

    /// How many NodeClaims wait for a Linode of the key; none, where the one that asks does not.
    fn waiting(&self, attempt: &Attempt<'_>, awaited: &[Uid], claims: &[Rc<NodeClaim>]) -> u32 {
        let is_recorded = |uid| attempt.recorded.linodes.iter().any(|record| record.uid == uid && !record.gone);
        let waits = |uid: &Uid| {
            let claim = claims.iter().find(|claim| claim.metadata.uid == *uid);
            claim.is_some_and(|claim| self.steps.is_wanted(claim) && claim.status.provider_id.is_none())
        };
        let mut demand = self.demand.borrow_mut();
        demand.retain(|uid, _| waits(uid));
        if !demand.contains_key(&attempt.claim.metadata.uid) {
            return 0;
        }
        let of_key = demand.iter().filter(|(uid, key)| **key == *attempt.key && !is_recorded(**uid));
        let mut all: BTreeSet<Uid> = of_key.map(|(uid, _)| *uid).collect();
        all.extend(awaited.iter().filter(|uid| waits(uid)));
        all.len() as u32
    }

    /// What the API will say again to the same request: a client's error, but for those that tell of the moment.
    fn refusal(&self, key: &PoolKey, error: &CallError) -> Option<CreateError> {
        let CallError::Api(refusal) = error else { return None };
        let text = refusal.text();
        let is_of_the_moment = matches!(refusal.status, 404 | 408 | 409 | 429) || text == "Linode busy.";
        if !(400..500).contains(&refusal.status) || is_of_the_moment {
            return None;
        }
        if text.contains(PLAN_UNAVAILABLE) {
            self.types.mark_unavailable(&key.plan);
            return Some(CreateError::InsufficientCapacity(text));
        }
        Some(CreateError::Create { reason: "NodePoolScaleFailed", message: text })
    }

    /// The count and the nodes of a pool, by the reply to a PUT that changes nothing; none where there is no such pool.
    pub async fn put_nothing(&self, because: &Purpose, id: LkePoolId) -> Result<Option<Arc<LkePool>>, Trouble> {
        let put = self.api.update_pool(because, self.cx.cluster.id, id, LkePoolUpdate::default()).await;
        match put {
            Ok(shown) => Ok(Some(shown)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// A write was told that there is no such pool. A GET has to agree.
    pub async fn is_pool_gone(&self, run: &Run, id: LkePoolId) -> Result<bool, Trouble> {
        match self.api.get_pool(&run.purpose(Cause::Claim), self.cx.cluster.id, id).await {
            Ok(_) => Ok(false),
            Err(error) if error.is_not_found() => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    /// The key's pool as the list of pools shows it, or else as the labels of Linodes name it, or as it was seen before.
    pub async fn find_pool(&self, attempt: &Attempt<'_>, key: &PoolKey) -> Result<Option<LkePoolId>, Trouble> {
        let run = attempt.run;
        let listed = self.api.list_pools(&run.purpose(Cause::Claim), self.cx.cluster.id).await?;
        self.sight(&attempt.recorded, listed.iter().map(|lke_pool| &**lke_pool)).await?;
        let found = listed.iter().filter(|lke_pool| self.steps.serves(lke_pool, key)).map(|lke_pool| lke_pool.id).min();
        if found.is_some() {
            return Ok(found);
        }
        let reading = self.reader.since(self.now(), &run.purpose(Cause::Claim)).await?;
        let named: BTreeSet<LkePoolId> = reading.instances.iter().filter_map(|one| pool_in_label(one)).collect();
        for id in named.into_iter().filter(|id| !listed.iter().any(|lke_pool| lke_pool.id == *id)) {
            match self.api.get_pool(&run.purpose(Cause::Claim), self.cx.cluster.id, id).await {
                Ok(lke_pool) => {
                    self.sight(&attempt.recorded, [&*lke_pool]).await?;
                    if self.steps.serves(&lke_pool, key) {
                        return Ok(Some(id));
                    }
                }
                Err(error) if !error.is_not_found() => return Err(error.into()),
                Err(_) => {}
            }
        }
        self.sighted(run, key).await
    }
}

/// The pool that a record tells of, once it is made.
pub(crate) fn made(record: &PoolRecord) -> Option<LkePoolId> {
    match record.state {
        PoolState::Made(id) => Some(id),
        PoolState::Asked(_) => None,
    }
}
