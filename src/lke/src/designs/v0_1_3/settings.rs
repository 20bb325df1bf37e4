//! The settings of provider v0.1.3, with the places that say so.

use crate::controllers::garbage_collection::WORKERS;
use crate::settings::{ProviderSettings, SettingFact};
use std::time::Duration;

const VALUES: ProviderSettings = ProviderSettings::UPSTREAM;

/// Each with its source.
pub const SETTINGS: &[SettingFact] = &[
    SettingFact::span(
        "create_deadline",
        VALUES.create_deadline,
        "how long one Create looks for a Linode; asked at the top of each attempt",
        "provider v0.1.3 pkg/providers/lke/lke.go:45",
    ),
    SettingFact::span(
        "retry_delay",
        VALUES.retry_delay,
        "between attempts, outside the lock, and between reads that verify a tag, with the lock held",
        "provider v0.1.3 pkg/providers/lke/lke.go:47",
    ),
    SettingFact::span(
        "verify_timeout",
        VALUES.verify_timeout,
        "how long a written tag is read back",
        "provider v0.1.3 pkg/providers/lke/lke.go:46",
    ),
    SettingFact::span(
        "orphan_ttl",
        VALUES.orphan_ttl,
        "the age from which a Linode whose providerID no NodeClaim has is an orphan",
        "provider v0.1.3 pkg/controllers/nodeclaim/garbagecollection/controller.go:82",
    ),
    SettingFact::span(
        "gc_every_at_start",
        VALUES.gc_every_at_start,
        "between the first collections of orphans",
        "provider v0.1.3 pkg/controllers/nodeclaim/garbagecollection/controller.go:90",
    ),
    SettingFact::count(
        "gc_passes_at_start",
        VALUES.gc_passes_at_start as u64,
        "passes",
        "how many of those there are, after each start of the process",
        "provider v0.1.3 pkg/controllers/nodeclaim/garbagecollection/controller.go:90",
    ),
    SettingFact::span(
        "gc_every",
        VALUES.gc_every,
        "between later collections",
        "provider v0.1.3 pkg/controllers/nodeclaim/garbagecollection/controller.go:90",
    ),
    SettingFact::span(
        "instance_cache",
        VALUES.instance_cache,
        "how long Get answers from memory",
        "provider v0.1.3 pkg/cache/cache.go:26",
    ),
    SettingFact::span(
        "offerings_every",
        VALUES.offerings_every,
        "between two refreshes of types and their availability",
        "provider v0.1.3 pkg/controllers/providers/instancetype/controller.go:59",
    ),
    SettingFact::span(
        "unavailable_for",
        VALUES.unavailable_for,
        "how long a type that LKE refused, or the region, counts as unavailable",
        "provider v0.1.3 pkg/cache/cache.go:29",
    ),
    SettingFact::span(
        "unavailable_swept_every",
        VALUES.unavailable_swept_every,
        "between two looks for marks whose time is over; till then offerings keep them",
        "provider v0.1.3 pkg/cache/cache.go:45",
    )
    .fixed(),
    SettingFact::span(
        "types_cache",
        VALUES.types_cache,
        "how long the list of types, with its order, and their offerings are kept",
        "provider v0.1.3 pkg/cache/cache.go:31",
    )
    .fixed(),
    SettingFact::count(
        "gc_delete_workers",
        WORKERS as u64,
        "at once",
        "how many orphans are deleted at once",
        "provider v0.1.3 pkg/controllers/nodeclaim/garbagecollection/controller.go:81",
    )
    .fixed(),
    SettingFact::word(
        "locks",
        "karpenter.node_cpus",
        "how many mutexes the keys share: as many as Go counts CPUs",
        "provider v0.1.3 pkg/providers/lke/lke.go:103",
    )
    .fixed(),
    SettingFact::span(
        "request_timeout",
        Duration::from_secs(10),
        "how long the HTTP client waits for one answer",
        "provider v0.1.3 pkg/linode/sdk.go:52",
    ),
];
