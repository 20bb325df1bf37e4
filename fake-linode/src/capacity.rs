//! What can be had: plans that are sold out, and how many nodes a pool and a cluster may have.

use crate::InstanceTruth;
use crate::account::Home;
use crate::catalogue::Catalogue;
use crate::settings::{AvailabilityRows, Settings, SoldOut};
use crate::world::World;
use lkesim_linode_api::{ApiError, RegionAvailability};
use lkesim_runtime::Time;
use std::sync::Arc;

/// The reply to a plan that is sold out, as third parties report it (linode_api4 PR 396).
pub const SOLD_OUT: &str = "The Linode plan you chose is not currently available in the selected region. \
     Please select another region or plan type, or contact Support for assistance.";

/// The reply to more nodes than a pool may have. Its real text is *unknown*.
pub const TOO_MANY_IN_LKE_POOL: &str = "The number of nodes is above the limit of a node pool.";

/// The reply to more nodes than a cluster may have. Its real text is *unknown*.
pub const TOO_MANY_IN_CLUSTER: &str = "The number of nodes is above the limit of a cluster.";

/// The reply to a plan that does not exist, in the form recorded for regions.
pub const INVALID_PLAN: &str = "type is not valid";

/// The reply to more Linodes than the account may have, as third parties report it.
pub const ACCOUNT_LIMIT: &str = "Account Limit reached. Please open a support ticket.";

impl World {
    /// Refuses a plan that does not exist or of which `more` can't be had there.
    pub(crate) fn check_plan(&self, home: &Home, plan: &str, more: u32) -> Result<(), ApiError> {
        let (settings, region) = (&self.settings, &*home.region);
        if settings.plan(plan).is_none() {
            return Err(ApiError::field("type", INVALID_PLAN));
        }
        let sold_out = settings.sold_out_at(region, plan, self.now);
        let status = sold_out.and_then(|sold_out| sold_out.status).unwrap_or(settings.sold_out_status);
        if sold_out.is_some() || !settings.is_offered(region, plan) || !self.has_left(region, plan, more, self.now) {
            return Err(ApiError::new(status, SOLD_OUT));
        }
        match settings.account_limit {
            Some(most) if self.live_of(self.now, |truth| truth.account == home.account).saturating_add(more) > most => {
                Err(ApiError::new(400, ACCOUNT_LIMIT))
            }
            _ => Ok(()),
        }
    }

    /// Whether the region had so many Linodes more of the plan at `at`. All accounts take of the same.
    fn has_left(&self, region: &str, plan: &str, more: u32, at: Time) -> bool {
        let Some(most) = self.settings.capacity_of(region, plan) else {
            return true;
        };
        self.live_of(at, |truth| *truth.plan == *plan && *truth.region == *region).saturating_add(more) <= most
    }

    /// How many Linodes lived at `at` that `count` takes.
    fn live_of(&self, at: Time, count: impl Fn(&InstanceTruth) -> bool) -> u32 {
        let all = self.machines.iter().map(|machine| &machine.truth);
        all.filter(|truth| truth.lived_at(at) && count(truth)).count() as u32
    }

    /// The rows of `GET /regions/{region}/availability` at `at`. What is sold out is so where the cloud has something;
    /// all other regions have what was recorded.
    pub(crate) fn availability(&self, region: &Arc<str>, at: Time) -> Arc<[RegionAvailability]> {
        let (catalogue, settings) = (Catalogue::recorded(), &self.settings);
        let shown = |plan: &str| match settings.availability_rows {
            AvailabilityRows::All => true,
            AvailabilityRows::RestrictedOnly => catalogue.is_restricted(plan),
        };
        let own = settings.has_region(region);
        let can_be_had = |plan: &str| {
            !own || (settings.sold_out_at(region, plan, at).is_none() && self.has_left(region, plan, 1, at))
        };
        let row = |plan: &Arc<str>| RegionAvailability {
            region: region.clone(),
            plan: plan.clone(),
            available: settings.is_offered(region, plan) && can_be_had(plan),
        };
        let plans = settings.plans();
        let plans = plans.iter().map(|plan| &plan.id);
        plans.filter(|plan| shown(plan)).map(row).collect()
    }
}

impl Settings {
    /// Why the plan can't be had in the region at `now`, if it can't.
    fn sold_out_at(&self, region: &str, plan: &str, now: Time) -> Option<&SoldOut> {
        let is_there = |sold_out: &SoldOut| sold_out.region.as_deref().is_none_or(|own| own == region);
        let is_then = |sold_out: &SoldOut| sold_out.from <= now && now < sold_out.until;
        self.sold_out.iter().find(|sold_out| &*sold_out.plan == plan && is_there(sold_out) && is_then(sold_out))
    }

    /// The most Linodes of the plan that can live in the region.
    fn capacity_of(&self, region: &str, plan: &str) -> Option<u32> {
        if self.capacity.is_empty() {
            return None;
        }
        let of_region = self.capacity.get(&*format!("{region}/{plan}"));
        of_region.or_else(|| self.capacity.get(plan)).copied()
    }

    fn is_offered(&self, region: &str, plan: &str) -> bool {
        Catalogue::recorded().is_offered(region, plan)
    }
}

/// Refuses more nodes than a pool or its cluster may have.
pub(crate) fn check_nodes(
    (per_lke_pool, per_cluster): (u32, Option<u32>),
    in_lke_pool: u32,
    in_cluster: u32,
) -> Result<(), ApiError> {
    if in_lke_pool > per_lke_pool {
        return Err(ApiError::field("count", TOO_MANY_IN_LKE_POOL));
    }
    match per_cluster {
        Some(most) if in_cluster > most => Err(ApiError::field("count", TOO_MANY_IN_CLUSTER)),
        _ => Ok(()),
    }
}
