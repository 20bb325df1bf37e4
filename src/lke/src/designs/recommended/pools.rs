//! Making a LKE pool, and raising its count.
//!
//! That a pool is asked for is noted before it is: a POST can't be repeated without making another one. Where its
//! answer does not come, both lists are asked until one shows the pool, or until long enough nothing did.

use super::rounds::Truth;
use super::{Recommended, Trouble, key_of};
use crate::ledger::PoolState;
use crate::locks::PoolKey;
use crate::run::Run;
use crate::{node_classes, tags, taints};
use lkesim_kube::object::NodeClaim;
use lkesim_linode_api::{CallError, Cause, LkePool, LkePoolCreate, LkePoolUpdate};
use lkesim_runtime::Time;
use std::sync::Arc;
use std::time::Duration;

/// The text by which LKE says that a plan is sold out.
const PLAN_UNAVAILABLE: &str = "is not currently available in the selected region";

/// How long a POST without an answer is in doubt: from its sending, or from when another process finds it in the ledger.
pub(super) const DOUBT: Duration = Duration::from_secs(120);
/// How long a POST is in doubt that was answered with a server error.
const DOUBT_OF_AN_ERROR: Duration = Duration::from_secs(10);

/// How long what was listed when the process became the writer is new enough.
const JUST: Duration = Duration::from_secs(10);

/// What came of an attempt to grow.
pub(super) struct Grown {
    /// Nodes more than before.
    pub nodes: u32,
    /// Why there are not more.
    pub refusal: Option<Refusal>,
}

/// The API's last word on a growth.
pub(super) struct Refusal {
    pub is_sold_out: bool,
    pub text: String,
}

impl Recommended {
    /// Raises a count by so much, or by as much as can be had. Who waits is asked last: what is asked for can't be taken
    /// back.
    pub(super) async fn raise(
        &self,
        (run, claim): (&Run, &NodeClaim),
        key: &PoolKey,
        truths: &[Truth],
    ) -> Result<Grown, Trouble> {
        let nothing = Grown { nodes: 0, refusal: None };
        let Some(Truth { shown, .. }) = truths.first() else { return Ok(nothing) };
        let mut most = u32::MAX;
        loop {
            self.keep_for(key).await?;
            self.settle_claims_now().await?;
            self.check_writer()?;
            let growing = self.state.borrow().growing(key);
            let step = (growing.len() as u32).saturating_sub(self.free_in(truths)).min(most);
            if step == 0 {
                return Ok(nothing);
            }
            self.state.borrow_mut().count(&growing);
            self.state.borrow_mut().tell(key);
            let body = LkePoolUpdate { count: Some(shown.count + step), ..LkePoolUpdate::default() };
            // Others may have come since the first look.
            let purpose = self.shared_by(run, claim, key);
            let raised = self.api.update_pool(&purpose, self.cx.cluster.id, shown.id, body).await;
            match self.written(key, raised) {
                Ok(shown) => {
                    self.state.borrow_mut().of(key).free += step;
                    self.promise_nodes(key, &shown);
                    return Ok(Grown { nodes: step, refusal: None });
                }
                Err(error) => match final_word(&error) {
                    Some(refusal) if step == 1 => return Ok(Grown { nodes: 0, refusal: Some(refusal) }),
                    // Fewer may be had.
                    Some(_) => most = step / 2,
                    None => return Err(error.into()),
                },
            }
        }
    }

    /// Makes the key's LKE pool, unless one that was asked for before turns up.
    pub(super) async fn make_pool(&self, run: &Run, claim: &NodeClaim, key: &PoolKey) -> Result<Grown, Trouble> {
        let nothing = Grown { nodes: 0, refusal: None };
        let known = self.state.borrow_mut().of(key).record.clone();
        let record = match known {
            Some(record) => match record.state {
                PoolState::Asked(at) => {
                    self.state.borrow_mut().loaded_at = None;
                    if self.turned_up(run, key).await? || !self.is_settled(key, at) {
                        return Ok(nothing);
                    }
                    self.ways()?.ledger.forget_pool(&record).await?;
                    self.note_request(key).await?
                }
                PoolState::Made(_) => {
                    self.state.borrow_mut().loaded_at = None;
                    if self.turned_up(run, key).await? {
                        return Ok(nothing);
                    }
                    self.ways()?.ledger.forget_pool(&record).await?;
                    self.note_request(key).await?
                }
            },
            None => {
                // Nobody has asked for it here; that it is there all the same, the list may have left out.
                if self.turned_up(run, key).await? {
                    return Ok(nothing);
                }
                self.note_request(key).await?
            }
        };
        let mut most = u32::MAX;
        loop {
            self.keep_for(key).await?;
            // Who went meanwhile needs no node, and who came gets one.
            self.settle_claims_now().await?;
            self.check_writer()?;
            let growing = self.state.borrow().growing(key);
            self.state.borrow_mut().count(&growing);
            let count = most.min(growing.len() as u32);
            if count == 0 {
                self.ways()?.ledger.forget_pool(&record).await?;
                self.state.borrow_mut().of(key).record = None;
                return Ok(nothing);
            }
            self.state.borrow_mut().tell(key);
            let purpose = self.shared_by(run, claim, key);
            let made = self.api.create_pool(&purpose, self.cx.cluster.id, self.body(run, key, claim, count)).await;
            let refusal = match self.written(key, made) {
                Ok(lke_pool) => {
                    let noted = self.ways()?.ledger.note_pool(&record, lke_pool.id).await?;
                    let mut state = self.state.borrow_mut();
                    state.of(key).record = Some(noted);
                    state.adopt(key, lke_pool.id);
                    state.of(key).free += count;
                    drop(state);
                    self.promise_nodes(key, &lke_pool);
                    return Ok(Grown { nodes: count, refusal: None });
                }
                Err(error) => match final_word(&error) {
                    Some(refusal) => refusal,
                    None => {
                        self.doubt(key, &error);
                        return Err(error.into());
                    }
                },
            };
            if self.was_made_all_the_same(run, key).await? {
                return Ok(nothing);
            }
            if count > 1 {
                most = count / 2;
                continue;
            }
            self.ways()?.ledger.forget_pool(&record).await?;
            self.state.borrow_mut().of(key).record = None;
            return Ok(Grown { nodes: 0, refusal: Some(refusal) });
        }
    }

    /// Brings LKE pools to the NodeClass's version of Kubernetes before they grow.
    pub(super) async fn reconcile(&self, run: &Run, truths: &[Truth]) -> Result<(), Trouble> {
        let Some(node_class) = run.node_class() else { return Ok(()) };
        for Truth { shown, .. } in truths {
            let Some(body) = node_classes::version_change(node_class, shown) else { continue };
            self.check_writer()?;
            self.api.update_pool(&run.purpose(Cause::Scale), self.cx.cluster.id, shown.id, body).await?;
        }
        Ok(())
    }

    fn body(&self, run: &Run, key: &PoolKey, claim: &NodeClaim, count: u32) -> LkePoolCreate {
        let node_class = claim.spec.node_class_ref.as_ref().map_or("", |node_class| &node_class.name);
        LkePoolCreate {
            plan: (&*key.plan).into(),
            count,
            tags: tags::of_lke_pool(&self.cx.cluster.name, &key.node_pool, node_class),
            labels: claim.metadata.labels.iter().map(|(key, value)| ((&**key).into(), (&**value).into())).collect(),
            taints: taints::of_node_claim(claim),
            firewall: run.node_class().and_then(|node_class| node_class.spec.firewall_id),
            k8s_version: run.node_class().and_then(node_classes::version),
            more: node_classes::pool_options(self.cx.cluster.tier),
        }
    }

    async fn note_request(&self, key: &PoolKey) -> Result<crate::ledger::PoolRecord, Trouble> {
        // As the ledger has it, in whole milliseconds.
        let asked = Time::ZERO + Duration::from_millis(self.cx.runtime.wall_clock().as_millis());
        let record = self.ways()?.ledger.ask_for_pool(key, asked).await;
        match record {
            Ok(record) => {
                let mut state = self.state.borrow_mut();
                state.of(key).record = Some(record.clone());
                state.doubt_anew(key, asked, self.cx.runtime.now() + DOUBT);
                Ok(record)
            }
            Err(error) => {
                // Somebody else asks for it: what is known is old.
                self.state.borrow_mut().is_loaded = false;
                Err(error.into())
            }
        }
    }

    /// Whether a LKE pool is there, though its POST was refused: where a request was carried out twice, the answer may be
    /// that of the second.
    async fn was_made_all_the_same(&self, run: &Run, key: &PoolKey) -> Result<bool, Trouble> {
        self.state.borrow_mut().loaded_at = None;
        let turned_up = self.turned_up(run, key).await;
        if turned_up.is_err() {
            self.doubt_for(key, DOUBT_OF_AN_ERROR);
        }
        turned_up
    }

    fn doubt(&self, key: &PoolKey, error: &CallError) {
        self.doubt_for(key, if error.status().is_some() { DOUBT_OF_AN_ERROR } else { DOUBT });
    }

    fn doubt_for(&self, key: &PoolKey, time: Duration) {
        if let Some((_, until)) = self.state.borrow_mut().doubts.get_mut(key) {
            *until = self.cx.runtime.now() + time;
        }
    }

    /// Whether the request of the key that was made then is decided by now.
    fn is_settled(&self, key: &PoolKey, asked: Time) -> bool {
        let now = self.cx.runtime.now();
        self.state.borrow().doubts.get(key).is_some_and(|(known, until)| *known == asked && *until <= now)
    }

    /// Whether a LKE pool of the key is there that was not known. One list may be cut or old: another one is asked for,
    /// also right after the process became the writer. What Linodes there are it has just read then.
    async fn turned_up(&self, run: &Run, key: &PoolKey) -> Result<bool, Trouble> {
        let now = self.cx.runtime.now();
        let just = self.state.borrow().loaded_at.is_some_and(|at| at + JUST > now);
        let since = if just { Time::ZERO + now.since(Time::ZERO + JUST) } else { now };
        let listed = self.api.list_pools(&run.purpose(Cause::Claim), self.cx.cluster.id).await?;
        let serves = |lke_pool: &&Arc<LkePool>| key_of(lke_pool).as_ref() == Some(key);
        for lke_pool in listed.iter().filter(serves) {
            self.state.borrow_mut().adopt(key, lke_pool.id);
        }
        let reading = self.reading(run, Cause::Claim, since).await?;
        self.learn_pools(run, &reading).await?;
        let first = self.state.borrow().pools_of(key).first().copied();
        let Some(first) = first else { return Ok(false) };
        let record = self.state.borrow_mut().of(key).record.clone();
        let ledger = &self.ways()?.ledger;
        let noted = match record {
            Some(record) => ledger.note_pool(&record, first).await?,
            None => ledger.adopt_pool(key, first).await?,
        };
        self.state.borrow_mut().of(key).record = Some(noted);
        Ok(true)
    }
}

/// What the API will say again to the same request: a client's error, but for those that tell of the moment.
fn final_word(error: &CallError) -> Option<Refusal> {
    let CallError::Api(refusal) = error else { return None };
    let text = refusal.text();
    let is_of_the_moment = matches!(refusal.status, 404 | 408 | 409 | 429) || text == "Linode busy.";
    if !(400..500).contains(&refusal.status) || is_of_the_moment {
        return None;
    }
    Some(Refusal { is_sold_out: text.contains(PLAN_UNAVAILABLE), text: refusal.to_string() })
}
