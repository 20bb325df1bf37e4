//! What can be had: plans that are sold out, and how many nodes a pool and a cluster may have.

use crate::catalogue::Catalogue;
use crate::settings::{AvailabilityRows, Settings};
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

/// Whether `plan` can be had in the region at `now`.
pub(crate) fn is_available(settings: &Settings, plan: &str, now: Time) -> bool {
    let sold_out = settings
        .sold_out
        .iter()
        .any(|sold_out| &*sold_out.plan == plan && sold_out.from <= now && now < sold_out.until);
    !sold_out && Catalogue::recorded().is_offered(&settings.region, plan)
}

/// Refuses a plan that does not exist or can't be had.
pub(crate) fn check_plan(settings: &Settings, plan: &str, now: Time) -> Result<(), ApiError> {
    if Catalogue::recorded().plan(plan).is_none() {
        return Err(ApiError::field("type", INVALID_PLAN));
    }
    match is_available(settings, plan, now) {
        true => Ok(()),
        false => Err(ApiError::new(settings.sold_out_status, SOLD_OUT)),
    }
}

/// Refuses more nodes than a pool or its cluster may have.
pub(crate) fn check_nodes(settings: &Settings, in_lke_pool: u32, in_cluster: u32) -> Result<(), ApiError> {
    if in_lke_pool > settings.nodes_per_lke_pool {
        return Err(ApiError::field("count", TOO_MANY_IN_LKE_POOL));
    }
    match settings.nodes_per_cluster {
        Some(most) if in_cluster > most => Err(ApiError::field("count", TOO_MANY_IN_CLUSTER)),
        _ => Ok(()),
    }
}

/// The rows of `GET /regions/{region}/availability`. A region without rows has none of its own plans named.
pub(crate) fn rows(settings: &Settings, now: Time) -> Arc<[RegionAvailability]> {
    let catalogue = Catalogue::recorded();
    let shown = |plan: &str| match settings.availability_rows {
        AvailabilityRows::All => true,
        AvailabilityRows::RestrictedOnly => catalogue.is_restricted(plan),
    };
    let row = |plan: &Arc<str>| RegionAvailability {
        region: settings.region.clone(),
        plan: plan.clone(),
        available: is_available(settings, plan, now),
    };
    let plans = catalogue.types().iter().map(|plan| &plan.id);
    plans.filter(|plan| shown(plan)).map(row).collect()
}
