//! What the careful design leaves open. Its defects have the same settings, so that a seed draws the same scenario for all.

use lkesim_lke::{ProviderSettings, SettingFact};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// The values where nobody sets them.
pub(crate) const DEFAULTS: ProviderSettings = ProviderSettings {
    create_deadline: Duration::from_secs(60),
    retry_delay: Duration::from_secs(2),
    orphan_ttl: Duration::from_secs(60),
    gc_every_at_start: Duration::from_secs(30),
    gc_passes_at_start: 10,
    gc_every: Duration::from_secs(60),
    offerings_every: Duration::from_secs(5 * 60),
    ..ProviderSettings::UPSTREAM
};

const OWN: &str = "this suite's choice";

const fn span(name: &'static str, value: Duration, about: &'static str) -> SettingFact {
    SettingFact::span(name, value, about, OWN)
}

/// Each of them. What `general` draws depends on these names: they are frozen with it.
pub(crate) const SETTINGS: &[SettingFact] = &[
    span("create_deadline", DEFAULTS.create_deadline, "how long one Create waits for a Linode"),
    span("retry_delay", DEFAULTS.retry_delay, "between two attempts, outside the lock"),
    span("orphan_ttl", DEFAULTS.orphan_ttl, "the age from which a Linode that is nobody's is an orphan"),
    span("gc_every_at_start", DEFAULTS.gc_every_at_start, "between the first collections of orphans"),
    SettingFact::count(
        "gc_passes_at_start",
        DEFAULTS.gc_passes_at_start as u64,
        "passes",
        "how many of those there are",
        OWN,
    ),
    span("gc_every", DEFAULTS.gc_every, "between later collections"),
    span("instance_cache", DEFAULTS.instance_cache, "how long Get answers from memory"),
    span("offerings_every", DEFAULTS.offerings_every, "between two refreshes of types and their availability"),
    span("unavailable_for", DEFAULTS.unavailable_for, "how long a type that LKE refused counts as unavailable"),
    span("request_timeout", SECOND.saturating_mul(10), "how long the HTTP client waits for one answer"),
];
