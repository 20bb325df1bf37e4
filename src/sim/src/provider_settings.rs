//! What a scenario sets of a design, on top of the design's own defaults.

use crate::run::RunError;
use lkesim_lke::{Design, LookupFailure, OrphansBy, OwnerTags, ProviderSettings};
use lkesim_scenario::Span;
use lkesim_scenario::karpenter::{self as scenario, Provider};
use std::time::Duration;

/// The design's settings, with the scenario's in their places.
pub(crate) fn provider_settings(set: &Provider, design: &Design) -> ProviderSettings {
    let usual = design.defaults;
    let or = |set: Option<Span>, usual: Duration| set.map_or(usual, |set| set.get());
    ProviderSettings {
        create_deadline: or(set.create_deadline, usual.create_deadline),
        retry_delay: or(set.retry_delay, usual.retry_delay),
        verify_timeout: or(set.verify_timeout, usual.verify_timeout),
        verify_every: or(set.verify_every, usual.verify_every),
        orphan_ttl: or(set.orphan_ttl, usual.orphan_ttl),
        gc_every: or(set.gc_every, usual.gc_every),
        gc_every_at_start: or(set.gc_every_at_start, usual.gc_every_at_start),
        gc_passes_at_start: set.gc_passes_at_start.unwrap_or(usual.gc_passes_at_start),
        instance_cache: or(set.instance_cache, usual.instance_cache),
        offerings_every: or(set.offerings_every, usual.offerings_every),
        unavailable_for: or(set.unavailable_for, usual.unavailable_for),
        offering_regions: set.offering_regions.unwrap_or(usual.offering_regions),
        sold_out_status: set.sold_out_status.unwrap_or(usual.sold_out_status),
        delete_lookup_failure: match set.delete_lookup_failure {
            Some(scenario::LookupFailure::NotFound) => LookupFailure::NotFound,
            Some(scenario::LookupFailure::Error) => LookupFailure::Error,
            None => usual.delete_lookup_failure,
        },
        orphans_by: match set.orphans_by {
            Some(scenario::OrphansBy::List) => OrphansBy::List,
            Some(scenario::OrphansBy::Pool) => OrphansBy::Pool,
            None => usual.orphans_by,
        },
        owner_tags: match set.owner_tags {
            Some(scenario::OwnerTags::First) => OwnerTags::First,
            Some(scenario::OwnerTags::Any) => OwnerTags::Any,
            None => usual.owner_tags,
        },
        ..usual
    }
}

/// Refuses a scenario that sets what the design does not have: to ignore it would be to answer another question.
pub(crate) fn check(set: &Provider, design: &Design) -> Result<(), RunError> {
    let has = design.setting_names();
    match set.named().into_iter().find(|name| !has.contains(name)) {
        None => Ok(()),
        Some(name) => Err(RunError::NotModelled(format!(
            "`provider.{name}` under the design `{design}`, which has no such setting; `lkesim explain {design}` lists those \
             it has",
            design = design.facts.name
        ))),
    }
}
