//! What can be had: plans that are sold out, and how many nodes a pool and a cluster may have.

use crate::InstanceTruth;
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
    /// Refuses a plan that does not exist or of which `more` can't be had.
    pub(crate) fn check_plan(&self, plan: &str, more: u32) -> Result<(), ApiError> {
        let settings = &self.settings;
        if Catalogue::recorded().plan(plan).is_none() {
            return Err(ApiError::field("type", INVALID_PLAN));
        }
        let sold_out = settings.sold_out_at(plan, self.now);
        let status = sold_out.and_then(|sold_out| sold_out.status).unwrap_or(settings.sold_out_status);
        if sold_out.is_some() || !settings.is_offered(&settings.region, plan) || !self.has_left(plan, more) {
            return Err(ApiError::new(status, SOLD_OUT));
        }
        match settings.account_limit {
            Some(most) if self.live_of(|_| true).saturating_add(more) > most => Err(ApiError::new(400, ACCOUNT_LIMIT)),
            _ => Ok(()),
        }
    }

    /// Whether the region has so many Linodes more of the plan.
    fn has_left(&self, plan: &str, more: u32) -> bool {
        let Some(&most) = self.settings.capacity.get(plan) else {
            return true;
        };
        self.live_of(|truth| *truth.plan == *plan).saturating_add(more) <= most
    }

    /// How many Linodes live that `count` takes.
    fn live_of(&self, count: impl Fn(&InstanceTruth) -> bool) -> u32 {
        let live = self.machines.iter().map(|machine| &machine.truth).filter(|truth| truth.is_live() && count(truth));
        live.count() as u32
    }

    /// The rows of `GET /regions/{region}/availability` at `at`. What is sold out is so in the cloud's own region.
    pub(crate) fn availability(&self, region: &Arc<str>, at: Time) -> Arc<[RegionAvailability]> {
        let (catalogue, settings) = (Catalogue::recorded(), &self.settings);
        let shown = |plan: &str| match settings.availability_rows {
            AvailabilityRows::All => true,
            AvailabilityRows::RestrictedOnly => catalogue.is_restricted(plan),
        };
        let own = *region == settings.region;
        let can_be_had = |plan: &str| !own || (settings.sold_out_at(plan, at).is_none() && self.has_left(plan, 1));
        let row = |plan: &Arc<str>| RegionAvailability {
            region: region.clone(),
            plan: plan.clone(),
            available: settings.is_offered(region, plan) && can_be_had(plan),
        };
        let plans = catalogue.types().iter().map(|plan| &plan.id);
        plans.filter(|plan| shown(plan)).map(row).collect()
    }
}

impl Settings {
    /// Why the plan can't be had at `now`, if it can't.
    fn sold_out_at(&self, plan: &str, now: Time) -> Option<&SoldOut> {
        self.sold_out.iter().find(|sold_out| &*sold_out.plan == plan && sold_out.from <= now && now < sold_out.until)
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
