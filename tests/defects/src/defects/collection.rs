//! What garbage collection removes.

use crate::careful::{Careful, Steps, Survey, Trouble, made, served};
use async_trait::async_trait;
use lkesim_linode_api::{Instance, InstanceId};
use lkesim_lke::ledger::Recorded;
use lkesim_lke::run::Run;
use lkesim_lke::tags;
use lkesim_runtime::Time;
use std::collections::BTreeSet;

/// What was an orphan in the survey is deleted without another look.
#[derive(Default)]
pub(crate) struct NoSecondLook;

#[async_trait(?Send)]
impl Steps for NoSecondLook {
    async fn is_wanted_after_all(&self, _: &Careful, _: &Recorded, _: InstanceId) -> Result<bool, Trouble> {
        Ok(false)
    }
}

/// A Linode with a nodeclaim tag is somebody's, whoever that was.
#[derive(Default)]
pub(crate) struct SparesTheTagged;

#[async_trait(?Send)]
impl Steps for SparesTheTagged {
    fn is_orphan(&self, _: &Careful, survey: &Survey, there: &Instance, _: Time) -> bool {
        !survey.is_awaited(there) && !tags::is_claimed(&there.tags)
    }
}

/// How old an orphan is, is told by its creation and the process's own clock.
#[derive(Default)]
pub(crate) struct WrongClockOfOrphans;

#[async_trait(?Send)]
impl Steps for WrongClockOfOrphans {
    fn is_orphan(&self, world: &Careful, survey: &Survey, there: &Instance, _: Time) -> bool {
        let own_clock = world.now().as_millis() / 1_000;
        !survey.is_awaited(there) && own_clock.saturating_sub(there.created.0) >= 10
    }
}

/// The pools that the ledger names are surveyed alone.
#[derive(Default)]
pub(crate) struct LedgersPoolsAlone;

#[async_trait(?Send)]
impl Steps for LedgersPoolsAlone {
    async fn survey(&self, world: &Careful, run: &Run) -> Result<Survey, Trouble> {
        let mut survey = world.survey(run).await?;
        let of_ledger: BTreeSet<_> = survey.recorded.lke_pools.iter().filter_map(made).collect();
        survey.lke_pools.retain(|lke_pool| of_ledger.contains(&lke_pool.id));
        Ok(survey)
    }
}

/// A pool without Karpenter's tags is not surveyed, whatever the ledger says.
#[derive(Default)]
pub(crate) struct TaggedPoolsAlone;

#[async_trait(?Send)]
impl Steps for TaggedPoolsAlone {
    async fn survey(&self, world: &Careful, run: &Run) -> Result<Survey, Trouble> {
        let mut survey = world.survey(run).await?;
        survey.lke_pools.retain(|lke_pool| served(lke_pool).is_some());
        Ok(survey)
    }
}

/// A node whose Linode is gone stays for ever.
#[derive(Default)]
pub(crate) struct NeverSweeps;

#[async_trait(?Send)]
impl Steps for NeverSweeps {
    fn sweeps(&self, _: Time, _: Time) -> bool {
        false
    }
}
