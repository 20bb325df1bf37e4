//! What can be set of a LKE pool beside its count, its tags and its version.

use super::labels;
use crate::lke_pool::LkePoolConfig;
use lkesim_linode_api::{
    ApiError, Autoscaler, LkePoolChange, LkePoolCreate, LkePoolOptions, LkePoolRest, LkePoolUpdate, PlanType, PoolDisk,
    UpdateStrategy,
};
use std::sync::Arc;

/// The reply to a pool's label that the API does not take. The form is *documented*, the text *unknown*.
pub const LKE_POOL_LABEL: &str = "Label must be 1-32 characters of a-z, 0-9 and -";

/// The reply to bounds of the autoscaler that the API does not take. The bounds are *documented*, the text *unknown*.
pub const AUTOSCALER_BOUNDS: &str = "Must be 1-100, and min at most max";

/// The reply to disks that are more, or larger, than the API takes. The bounds are *documented* (OpenAPI 4.189.0), the
/// text *unknown*.
pub const DISKS: &str = "Must be at most 7 disks that fit on the plan's";

/// How many disks a node can be given (*documented*, OpenAPI 4.189.0).
const MOST_DISKS: usize = 7;

pub(super) fn check(more: &LkePoolOptions, plan: Option<&PlanType>) -> Result<(), ApiError> {
    check_label(more.label.as_deref())?;
    check_autoscaler(more.autoscaler)?;
    check_disks(&more.disks, plan)
}

/// A disk of no size is refused, which no source says. What a plan that is none holds, is for who checks the plan.
fn check_disks(disks: &[PoolDisk], plan: Option<&PlanType>) -> Result<(), ApiError> {
    let room = plan.map_or(u64::MAX, |plan| plan.disk_mib);
    let all: u64 = disks.iter().map(|disk| u64::from(disk.size_mb)).sum();
    match disks.len() > MOST_DISKS || all > room || disks.iter().any(|disk| disk.size_mb == 0) {
        true => Err(ApiError::field("disks", DISKS)),
        false => Ok(()),
    }
}

pub(super) fn check_change(more: &LkePoolChange) -> Result<(), ApiError> {
    check_label(more.label.as_deref())?;
    check_autoscaler(more.autoscaler)?;
    labels::check(more.labels.as_deref().unwrap_or_default(), more.taints.as_deref().unwrap_or_default())
}

/// `^[a-z0-9]([-a-z0-9]*[a-z0-9])$` (*documented*). The expression asks for two characters, the text for one: one
/// passes. The empty label, which a pool without one shows, stands for none.
fn check_label(label: Option<&str>) -> Result<(), ApiError> {
    let fits = |label: &str| {
        let plain = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit();
        label.len() <= 32
            && label.starts_with(plain)
            && label.ends_with(plain)
            && label.chars().all(|char| plain(char) || char == '-')
    };
    match label.is_none_or(|label| label.is_empty() || fits(label)) {
        true => Ok(()),
        false => Err(ApiError::field("label", LKE_POOL_LABEL)),
    }
}

fn check_autoscaler(bounds: Option<Autoscaler>) -> Result<(), ApiError> {
    let fits = |bounds: Autoscaler| {
        // A pool without nodes shows bounds of 0 while the autoscaler is off, and is sent back as it was shown.
        let least = u32::from(bounds.enabled);
        least <= bounds.min && bounds.min <= bounds.max && (bounds.max <= 100 || !bounds.enabled)
    };
    match bounds.is_none_or(fits) {
        true => Ok(()),
        false => Err(ApiError::field("autoscaler", AUTOSCALER_BOUNDS)),
    }
}

/// What a pool is made with. While the autoscaler was never set, its bounds are the count of the creation (recorded).
pub(super) fn config_of(body: &LkePoolCreate) -> LkePoolConfig {
    let unset = Autoscaler { enabled: false, min: body.count, max: body.count };
    let more = body.more.as_deref().cloned().unwrap_or_default();
    LkePoolConfig {
        labels: body.labels.iter().cloned().collect(),
        taints: body.taints.iter().cloned().collect(),
        firewall: body.firewall,
        rest: Arc::new(LkePoolRest {
            label: more.label.unwrap_or_else(|| "".into()),
            autoscaler: more.autoscaler.unwrap_or(unset),
            disks: more.disks,
            disk_encryption: more.disk_encryption,
            update_strategy: more.update_strategy.unwrap_or(UpdateStrategy::OnRecycle),
        }),
    }
}

/// The body without what Enterprise pools alone have.
pub(super) fn create_of_standard(body: &LkePoolCreate) -> LkePoolCreate {
    let more = body.more.as_deref().cloned().map(|more| LkePoolOptions { update_strategy: None, ..more });
    LkePoolCreate { firewall: None, k8s_version: None, more: more.map(Box::new), ..body.clone() }
}

/// The same of a change.
pub(super) fn update_of_standard(body: &LkePoolUpdate) -> LkePoolUpdate {
    let more = body.more.as_deref().cloned();
    let more = more.map(|more| LkePoolChange { firewall: None, update_strategy: None, ..more });
    LkePoolUpdate { k8s_version: None, more: more.map(Box::new), ..body.clone() }
}

/// Labels and taints are replaced as a whole (*documented*).
pub(super) fn change(config: &mut LkePoolConfig, more: &LkePoolChange) {
    if let Some(labels) = &more.labels {
        config.labels = labels.iter().cloned().collect();
    }
    if let Some(taints) = &more.taints {
        config.taints = taints.iter().cloned().collect();
    }
    config.firewall = more.firewall.or(config.firewall);
    let rest = Arc::make_mut(&mut config.rest);
    if let Some(label) = &more.label {
        rest.label = label.clone();
    }
    rest.autoscaler = more.autoscaler.unwrap_or(rest.autoscaler);
    rest.update_strategy = more.update_strategy.unwrap_or(rest.update_strategy);
}

/// The bounds of an autoscaler that is off follow the count.
pub(super) fn follow(config: &mut Arc<LkePoolConfig>, count: u32) {
    if !config.rest.autoscaler.enabled {
        let rest = &mut Arc::make_mut(config).rest;
        Arc::make_mut(rest).autoscaler = Autoscaler { enabled: false, min: count, max: count };
    }
}
