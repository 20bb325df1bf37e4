//! Which Linode is taken, and what is known of it then.

use crate::careful::{Attempt, Careful, Steps, Trouble, served};
use async_trait::async_trait;
use lkesim_kube::object::{NodeClaim, ProviderId};
use lkesim_linode_api::{CallError, Cause, Filter, Instance, InstanceId, LkePool, LkePoolId, Purpose, Tier};
use lkesim_lke::ledger::{PoolRecord, Record, Recorded};
use lkesim_lke::run::Run;
use lkesim_lke::tags;
use lkesim_runtime::Time;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// A dying Linode is taken for a living one.
#[derive(Default)]
pub(crate) struct StatusUnread;

#[async_trait(?Send)]
impl Steps for StatusUnread {
    async fn look(&self, world: &Careful, run: &Run, id: InstanceId) -> Result<Option<Arc<Instance>>, Trouble> {
        match world.api.get_instance(&run.purpose(Cause::Verify), id).await {
            Ok(one) => Ok(Some(one)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// A Linode that was seen once is not looked at again for a while.
#[derive(Default)]
pub(crate) struct LookRemembered {
    looks: RefCell<BTreeMap<InstanceId, (Time, Arc<Instance>)>>,
}

#[async_trait(?Send)]
impl Steps for LookRemembered {
    async fn look(&self, world: &Careful, run: &Run, id: InstanceId) -> Result<Option<Arc<Instance>>, Trouble> {
        let known = self.looks.borrow().get(&id).cloned();
        if let Some((_, one)) = known.filter(|(at, _)| *at + Duration::from_secs(300) > world.now()) {
            return Ok(Some(one));
        }
        let looked = world.look(run, id).await?;
        if let Some(one) = &looked {
            self.looks.borrow_mut().insert(id, (world.now(), one.clone()));
        }
        Ok(looked)
    }
}

/// When the ledger was read, and what was in it.
type Read = (Time, Vec<Record>, Vec<PoolRecord>);

/// The ledger is remembered for a while.
#[derive(Default)]
pub(crate) struct LedgerRemembered {
    read: RefCell<Option<Read>>,
}

#[async_trait(?Send)]
impl Steps for LedgerRemembered {
    async fn recorded(&self, world: &Careful) -> Result<Recorded, Trouble> {
        let known = self.read.borrow().clone();
        if let Some((at, linodes, lke_pools)) = known
            && at + Duration::from_secs(5) > world.now()
        {
            return Ok(Recorded { linodes, lke_pools });
        }
        let Recorded { linodes, lke_pools } = world.ledger().await?;
        *self.read.borrow_mut() = Some((world.now(), linodes.clone(), lke_pools.clone()));
        Ok(Recorded { linodes, lke_pools })
    }
}

/// NodeClaims are read from the cache.
#[derive(Default)]
pub(crate) struct ClaimsFromTheCache;

#[async_trait(?Send)]
impl Steps for ClaimsFromTheCache {
    async fn claims(&self, world: &Careful) -> Result<Vec<Rc<NodeClaim>>, Trouble> {
        Ok(world.kept()?.kube.informers.node_claims.list())
    }
}

/// The members of a pool are the Linodes whose tags contain its number.
#[derive(Default)]
pub(crate) struct MembersByTag;

#[async_trait(?Send)]
impl Steps for MembersByTag {
    async fn members(
        &self,
        world: &Careful,
        attempt: &Attempt<'_>,
        lke_pool: &LkePool,
    ) -> Result<Vec<InstanceId>, Trouble> {
        if world.cx.cluster.tier == Tier::Standard {
            return Ok(lke_pool.nodes.iter().filter_map(|node| node.instance).collect());
        }
        let filter = Filter::tag_contains(&format!("nodepool={}", lke_pool.id));
        let found = world.api.list_instances(&attempt.run.claiming(), filter).await?;
        Ok(found.iter().map(|one| one.id).collect())
    }
}

/// Any Linode of the type that Karpenter manages is a member.
#[derive(Default)]
pub(crate) struct FilterTooWide;

#[async_trait(?Send)]
impl Steps for FilterTooWide {
    async fn members(
        &self,
        world: &Careful,
        attempt: &Attempt<'_>,
        lke_pool: &LkePool,
    ) -> Result<Vec<InstanceId>, Trouble> {
        let shown = lke_pool.nodes.iter().filter_map(|node| node.instance);
        let managed = Filter::tag_contains(&tags::tag(tags::MANAGED, "true"));
        let found = world.api.list_instances(&attempt.run.claiming(), managed).await?;
        let of_plan = found.iter().filter(|one| one.plan == lke_pool.plan).map(|one| one.id);
        let mut all: Vec<InstanceId> = shown.chain(of_plan).collect();
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }
}

/// One look that does not show it says that a Linode is gone.
#[derive(Default)]
pub(crate) struct LostAtOneLook;

#[async_trait(?Send)]
impl Steps for LostAtOneLook {
    async fn is_lost(&self, _: &Careful, _: &Run, _: &Record) -> Result<bool, Trouble> {
        Ok(true)
    }

    async fn is_absent(&self, _: &Careful, _: &Purpose, _: InstanceId, error: &CallError) -> Result<bool, Trouble> {
        Ok(error.is_not_found())
    }
}

/// What another process stored for the NodeClaim is not asked for.
#[derive(Default)]
pub(crate) struct LaunchUnread;

#[async_trait(?Send)]
impl Steps for LaunchUnread {
    fn launched_with(&self, _: &NodeClaim) -> Option<InstanceId> {
        None
    }
}

/// That a NodeClaim has stored a Linode is told by its tag.
#[derive(Default)]
pub(crate) struct StoredUnread;

#[async_trait(?Send)]
impl Steps for StoredUnread {
    fn holder<'a>(&self, claims: &'a [Rc<NodeClaim>], there: &Instance) -> Option<&'a Rc<NodeClaim>> {
        let is_named = |claim: &&Rc<NodeClaim>| there.tags.has(&tags::of_node_claim(claim.name()));
        claims.iter().find(|claim| claim.status.provider_id.is_some() && is_named(claim))
    }
}

/// Create takes what comes first, also where another Linode bears its NodeClaim's tag.
#[derive(Default)]
pub(crate) struct OwnTagUnread;

#[async_trait(?Send)]
impl Steps for OwnTagUnread {
    fn is_marked_for(&self, _: &Instance, _: &NodeClaim) -> bool {
        false
    }
}

/// A Linode of another type that nobody has is taken before one is asked for.
#[derive(Default)]
pub(crate) struct OtherTypesToo {
    /// In which pool the members of others are.
    others: RefCell<BTreeMap<InstanceId, LkePoolId>>,
}

#[async_trait(?Send)]
impl Steps for OtherTypesToo {
    async fn members(
        &self,
        world: &Careful,
        attempt: &Attempt<'_>,
        lke_pool: &LkePool,
    ) -> Result<Vec<InstanceId>, Trouble> {
        let listed = world.api.list_pools(&attempt.run.claiming(), world.cx.cluster.id).await?;
        let is_other = |other: &&Arc<LkePool>| {
            let key = served(other);
            key.is_some_and(|key| key.node_pool == attempt.key.node_pool && key.plan != attempt.key.plan)
        };
        let nodes = listed.iter().filter(is_other).flat_map(|other| other.nodes.iter().map(|node| (node, other.id)));
        let others: BTreeMap<_, _> = nodes.filter_map(|(node, other)| Some((node.instance?, other))).collect();
        self.others.borrow_mut().extend(others.clone());
        let claims = world.claims().await?;
        let is_free = |id: &InstanceId| {
            let stored = Some(ProviderId::linode(id.0));
            !attempt.recorded.linodes.iter().any(|record| record.instance == *id)
                && !claims.iter().any(|claim| claim.status.provider_id == stored)
        };
        let own = lke_pool.nodes.iter().filter_map(|node| node.instance);
        Ok(own.chain(others.into_keys().filter(is_free)).collect())
    }

    async fn record(
        &self,
        world: &Careful,
        attempt: &Attempt<'_>,
        lke_pool: &LkePool,
        id: InstanceId,
    ) -> Result<(), Trouble> {
        let lke_pool = self.others.borrow().get(&id).copied().unwrap_or(lke_pool.id);
        world.kept()?.ledger.give(id, lke_pool, attempt.claim).await?;
        Ok(())
    }
}

/// Create does not look for what an earlier one recorded.
#[derive(Default)]
pub(crate) struct OwnRecordUnread;

#[async_trait(?Send)]
impl Steps for OwnRecordUnread {
    fn own<'a>(&self, _: &'a Recorded, _: &NodeClaim) -> Option<&'a Record> {
        None
    }
}
