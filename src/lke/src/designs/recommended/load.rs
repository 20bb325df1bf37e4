//! Becoming the writer: the lease, and what the ledger and the cloud hold at that moment.
//!
//! LKE pools and Linodes that were there before this design are taken over: pools by their tags, Linodes by the
//! providerIDs of NodeClaims.

use super::pools::DOUBT;
use super::state::OfKey;
use super::{Recommended, Trouble, key_of};
use crate::ledger::{PoolState, Record};
use crate::locks::PoolKey;
use crate::reader::{Reading, pool_in_label};
use crate::run::Run;
use crate::tags;
use crate::writer::Hold;
use lkesim_kube::object::{NodeClaim, ProviderId};
use lkesim_linode_api::{Cause, InstanceId, LkePool, LkePoolId};
use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

impl Recommended {
    /// Holds the lease, and knows the ledger.
    pub(super) async fn ready(&self, run: &Run) -> Result<(), Trouble> {
        let hold = self.ways()?.writer.hold().await;
        let hold = hold.map_err(|error| if error.is_conflict() { Trouble::NotTheWriter } else { error.into() })?;
        if hold == Hold::Still && self.state.borrow().is_loaded {
            return Ok(());
        }
        self.state.borrow_mut().is_loaded &= hold == Hold::Still;
        // Many come at once; one loads.
        let all = PoolKey { node_pool: "".into(), plan: "".into() };
        let _one = self.loading.lock(&all).await;
        if !self.state.borrow().is_loaded {
            self.load(run).await?;
        }
        self.check_writer()
    }

    /// Holds the lease still, right before a write: what was read before is not another writer's past.
    pub(super) async fn keep(&self) -> Result<(), Trouble> {
        match self.ways()?.writer.hold().await {
            Ok(Hold::Still) if self.state.borrow().is_loaded => self.check_writer(),
            _ => {
                self.state.borrow_mut().is_loaded = false;
                Err(Trouble::NotTheWriter)
            }
        }
    }

    async fn load(&self, run: &Run) -> Result<(), Trouble> {
        let ways = self.ways()?;
        let recorded = ways.ledger.all().await?;
        let claims = ways.kube.client.list::<NodeClaim>().await?;
        let because = run.purpose(Cause::Claim);
        let listed = self.api.list_pools(&because, self.cx.cluster.id);
        let reading = self.reading(run, Cause::Claim, self.cx.runtime.now());
        let (listed, reading) = both(listed, reading).await;
        let (listed, reading) = (listed?, reading?);
        let now = self.cx.runtime.now();
        {
            let mut state = self.state.borrow_mut();
            state.records = recorded.linodes.into_iter().map(|record| (record.instance, record)).collect();
            state.promised.clear();
            state.keys.clear();
            state.alive.clear();
            for record in recorded.lke_pools {
                let key = record.key.clone();
                state.of(&key).record = Some(record.clone());
                match record.state {
                    PoolState::Made(id) => state.adopt(&key, id),
                    PoolState::Asked(at) => state.doubt_anew(&key, at, now + DOUBT),
                }
            }
            for claim in &claims {
                state.name(claim.metadata.uid, claim.name());
            }
            for lke_pool in listed.iter() {
                match key_of(lke_pool) {
                    Some(key) => state.adopt(&key, lke_pool.id),
                    None => drop(state.foreign.insert(lke_pool.id)),
                }
                state.seen.extend(lke_pool.nodes.iter().filter_map(|node| node.instance));
            }
            state.seen.extend(reading.instances.iter().map(|one| one.id));
        }
        self.free_the_second(&claims).await?;
        let reading = self.completed(run, &listed, &claims, reading).await?;
        self.learn_pools(run, &reading).await?;
        self.name_pools(&claims, &reading);
        self.take_over(&claims, &reading).await?;
        self.record_pools().await?;
        self.keep_tagged(&claims, &reading);
        let mut state = self.state.borrow_mut();
        state.is_loaded = true;
        state.loaded_at = Some(self.cx.runtime.now());
        Ok(())
    }

    /// The Linodes of managed LKE pools and of NodeClaims that the list left out, each read by itself: a list that is cut
    /// or lags must not hide whose a Linode was before there was a ledger, or that there is a pool.
    async fn completed(
        &self,
        run: &Run,
        listed: &[Arc<LkePool>],
        claims: &[Rc<NodeClaim>],
        reading: Reading,
    ) -> Result<Reading, Trouble> {
        let is_managed = |lke_pool: &&Arc<LkePool>| key_of(lke_pool).is_some();
        let nodes = listed.iter().filter(is_managed).flat_map(|lke_pool| lke_pool.nodes.iter());
        let is_left_out = |id: &InstanceId| {
            reading.instances.iter().all(|one| one.id != *id) && !self.state.borrow().records.contains_key(id)
        };
        let known = nodes.filter_map(|node| node.instance).chain(claims.iter().filter_map(|claim| held_by(claim)));
        let left_out: BTreeSet<InstanceId> = known.filter(is_left_out).collect();
        let mut all = reading.instances.to_vec();
        for id in left_out {
            match self.api.get_instance(&run.purpose(Cause::Claim), id).await {
                Ok(one) => all.push(one),
                Err(error) if error.is_not_found() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Reading { instances: all.into(), ..reading })
    }

    /// LKE pools that Linodes name and no list has shown.
    pub(super) async fn learn_pools(&self, run: &Run, reading: &Reading) -> Result<(), Trouble> {
        let named: BTreeSet<LkePoolId> = reading.instances.iter().filter_map(|one| pool_in_label(one)).collect();
        for id in named {
            let is_known = {
                let state = self.state.borrow();
                state.foreign.contains(&id) || state.key_of_pool(id).is_some()
            };
            if is_known {
                continue;
            }
            match self.api.get_pool(&run.purpose(Cause::Gc), self.cx.cluster.id, id).await {
                Ok(lke_pool) => match key_of(&lke_pool) {
                    Some(key) => self.state.borrow_mut().adopt(&key, id),
                    None => drop(self.state.borrow_mut().foreign.insert(id)),
                },
                Err(error) if error.is_not_found() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Which NodePool a LKE pool serves whose tag is gone, its Linodes tell: by their own tags, or by the NodeClaim that
    /// holds one or is named by its tag.
    fn name_pools(&self, claims: &[Rc<NodeClaim>], reading: &Reading) {
        for one in reading.instances.iter() {
            let Some(lke_pool) = pool_in_label(one) else { continue };
            let is_nameless = self.state.borrow().key_of_pool(lke_pool).is_some_and(|key| key.node_pool.is_empty());
            if !is_nameless {
                continue;
            }
            let is_its = |claim: &&Rc<NodeClaim>| {
                held_by(claim) == Some(one.id) || one.tags.has(&tags::of_node_claim(claim.name()))
            };
            let of_claim = claims.iter().find(is_its).and_then(|claim| claim.node_pool().cloned());
            let node_pool = of_claim.or_else(|| one.tags.value(tags::NODE_POOL).map(Into::into));
            if let Some(node_pool) = node_pool {
                let key = PoolKey { node_pool, plan: (&*one.plan).into() };
                self.state.borrow_mut().adopt(&key, lke_pool);
            }
        }
    }

    /// The ledger learns which LKE pools were there before it: a hand may take their tags away.
    async fn record_pools(&self) -> Result<(), Trouble> {
        let unrecorded: Vec<(PoolKey, LkePoolId)> = {
            let state = self.state.borrow();
            let is_unrecorded = |(key, of): &(&PoolKey, &OfKey)| of.record.is_none() && !key.node_pool.is_empty();
            let keys = state.keys.iter().filter(is_unrecorded);
            keys.filter_map(|(key, of)| Some((key.clone(), *of.lke_pools.first()?))).collect()
        };
        for (key, lke_pool) in unrecorded {
            let record = self.ways()?.ledger.adopt_pool(&key, lke_pool).await?;
            self.state.borrow_mut().of(&key).record = Some(record);
        }
        Ok(())
    }

    /// Linodes that were tagged for a NodeClaim before there was a ledger are kept for it.
    fn keep_tagged(&self, claims: &[Rc<NodeClaim>], reading: &Reading) {
        let waits = |claim: &&Rc<NodeClaim>| claim.is_live() && claim.status.provider_id.is_none();
        for claim in claims.iter().filter(waits) {
            let tag = tags::of_node_claim(claim.name());
            for one in reading.instances.iter().filter(|one| one.tags.has(&tag)) {
                self.state.borrow_mut().kept_for.insert(one.id, claim.metadata.uid);
            }
        }
    }

    /// A NodeClaim's second record is nobody's: a process that stood still while it wrote it was overtaken by the writer
    /// that served the NodeClaim. Which one counts, the stored providerID says.
    async fn free_the_second(&self, claims: &[Rc<NodeClaim>]) -> Result<(), Trouble> {
        let is_second = |record: &Record| {
            let owner = claims.iter().find(|claim| claim.metadata.uid == record.uid);
            !record.gone && owner.and_then(|claim| held_by(claim)).is_some_and(|held| held != record.instance)
        };
        let seconds: Vec<Record> =
            self.state.borrow().records.values().filter(|record| is_second(record)).cloned().collect();
        for record in seconds {
            self.check_writer()?;
            self.ways()?.ledger.free(&record).await?;
            self.state.borrow_mut().records.remove(&record.instance);
        }
        Ok(())
    }

    /// Linodes that NodeClaims hold and the ledger does not know.
    async fn take_over(&self, claims: &[Rc<NodeClaim>], reading: &Reading) -> Result<(), Trouble> {
        for claim in claims {
            let Some(id) = held_by(claim) else { continue };
            let shown = reading.instances.iter().find(|one| one.id == id);
            let Some(lke_pool) = shown.and_then(|one| pool_in_label(one)) else { continue };
            if self.state.borrow().records.contains_key(&id) {
                continue;
            }
            let record: Record = match self.ways()?.ledger.give(id, lke_pool, claim).await {
                Err(error) if error.is_already_exists() => continue,
                given => given?,
            };
            self.state.borrow_mut().records.insert(id, record);
        }
        Ok(())
    }
}

/// The Linode whose id the NodeClaim has.
pub(super) fn held_by(claim: &NodeClaim) -> Option<InstanceId> {
    claim.status.provider_id.as_ref().and_then(ProviderId::id).map(InstanceId)
}

/// Both results, of work that goes on side by side.
async fn both<A, B>(one: impl Future<Output = A>, other: impl Future<Output = B>) -> (A, B) {
    let (mut one, mut other) = (pin!(one), pin!(other));
    let (mut first, mut second) = (None, None);
    poll_fn(move |cx| {
        if first.is_none()
            && let Poll::Ready(done) = one.as_mut().poll(cx)
        {
            first = Some(done);
        }
        if second.is_none()
            && let Poll::Ready(done) = other.as_mut().poll(cx)
        {
            second = Some(done);
        }
        match (first.take(), second.take()) {
            (Some(first), Some(second)) => Poll::Ready((first, second)),
            (one, other) => {
                (first, second) = (one, other);
                Poll::Pending
            }
        }
    })
    .await
}
