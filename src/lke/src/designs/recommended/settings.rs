//! What the recommendation leaves open.

use crate::settings::{ProviderSettings, SettingFact};
use std::time::Duration;

/// Its values.
pub const DEFAULTS: ProviderSettings = ProviderSettings {
    create_deadline: Duration::from_secs(60),
    retry_delay: Duration::from_secs(3),
    orphan_ttl: Duration::from_secs(90),
    gc_every_at_start: Duration::from_secs(30),
    gc_passes_at_start: 10,
    offerings_every: Duration::from_secs(5 * 60),
    ..ProviderSettings::UPSTREAM
};

const OWN: &str = "this project's choice; study `recommended`";

/// Each with its source.
pub const SETTINGS: &[SettingFact] = &[
    SettingFact::span("create_deadline", DEFAULTS.create_deadline, "how long one Create waits for a Linode", OWN),
    SettingFact::span("retry_delay", DEFAULTS.retry_delay, "between two lists while somebody waits", OWN),
    SettingFact::span(
        "orphan_ttl",
        DEFAULTS.orphan_ttl,
        "the age from which a Linode that two looks found to be nobody's is an orphan",
        OWN,
    ),
    SettingFact::span("gc_every_at_start", DEFAULTS.gc_every_at_start, "between the first collections of orphans", OWN),
    SettingFact::count(
        "gc_passes_at_start",
        DEFAULTS.gc_passes_at_start as u64,
        "passes",
        "how many of those there are",
        OWN,
    ),
    SettingFact::span(
        "gc_every",
        DEFAULTS.gc_every,
        "between later collections",
        "as shipped: provider e1c5200 pkg/controllers/nodeclaim/garbagecollection/controller.go:89",
    ),
    SettingFact::span(
        "instance_cache",
        DEFAULTS.instance_cache,
        "how long Get answers from memory",
        "as shipped: provider e1c5200 pkg/cache/cache.go:26",
    ),
    SettingFact::span(
        "offerings_every",
        DEFAULTS.offerings_every,
        "between two refreshes of types and their availability",
        "design document, \"Plan availability\"",
    ),
    SettingFact::span(
        "unavailable_for",
        DEFAULTS.unavailable_for,
        "how long a type that LKE refused counts as unavailable",
        "as shipped: provider e1c5200 pkg/cache/cache.go:29",
    ),
    SettingFact::word(
        "nodeclass",
        "as documented",
        "what becomes of a LinodeNodeClass: as with `documented`, save that user tags are written with the copies of \
         Karpenter's own, and that a NodeClaim which has its Linode already keeps it, whatever its LinodeNodeClass is",
        "as shipped: provider e1c5200 pkg/cloudprovider/cloudprovider.go:75-96, pkg/controllers/nodeclass/validation.go, \
         pkg/providers/lke/lke.go:232-256",
    )
    .fixed(),
    SettingFact::span(
        "request_timeout",
        Duration::from_secs(10),
        "how long the HTTP client waits for one answer",
        "as shipped: provider e1c5200 pkg/linode/sdk.go:58",
    ),
];
