//! What the source of `instance` mode fixes or lets the operator set.

use crate::controllers::{garbage_collection, inplace_update, node_class};
use crate::settings::{ProviderSettings, SettingFact};
use std::time::Duration;

/// The values of provider e1c5200.
pub const DEFAULTS: ProviderSettings = ProviderSettings::UPSTREAM;

const CADENCE: &str = "provider e1c5200 pkg/controllers/nodeclaim/garbagecollection/controller.go:89";

/// Each with its source.
pub const SETTINGS: &[SettingFact] = &[
    SettingFact::span(
        "orphan_ttl",
        DEFAULTS.orphan_ttl,
        "the age from which a Linode whose providerID no NodeClaim has is an orphan",
        "provider e1c5200 pkg/controllers/nodeclaim/garbagecollection/controller.go:81",
    ),
    SettingFact::span(
        "gc_every_at_start",
        DEFAULTS.gc_every_at_start,
        "between the first collections of orphans",
        CADENCE,
    ),
    SettingFact::count(
        "gc_passes_at_start",
        DEFAULTS.gc_passes_at_start as u64,
        "passes",
        "how many of those there are",
        CADENCE,
    ),
    SettingFact::span("gc_every", DEFAULTS.gc_every, "between later collections", CADENCE),
    SettingFact::span(
        "instance_cache",
        DEFAULTS.instance_cache,
        "how long Get answers from memory",
        "provider e1c5200 pkg/cache/cache.go:26",
    ),
    SettingFact::span(
        "offerings_every",
        DEFAULTS.offerings_every,
        "between two refreshes of types and their availability",
        "provider e1c5200 pkg/controllers/providers/instancetype/controller.go:59",
    ),
    SettingFact::span(
        "unavailable_for",
        DEFAULTS.unavailable_for,
        "how long a type counts as unavailable after a 400, and the region after a 5xx",
        "provider e1c5200 pkg/cache/cache.go:29",
    ),
    SettingFact::span(
        "unavailable_swept_every",
        DEFAULTS.unavailable_swept_every,
        "between two looks for marks whose time is over; till then offerings keep them",
        "provider e1c5200 pkg/cache/cache.go:45",
    )
    .fixed(),
    SettingFact::span(
        "types_cache",
        DEFAULTS.types_cache,
        "how long the list of types, with its order, and their offerings are kept",
        "provider e1c5200 pkg/cache/cache.go:31",
    )
    .fixed(),
    SettingFact::count(
        "gc_delete_workers",
        garbage_collection::WORKERS as u64,
        "at once",
        "how many orphans are deleted at once",
        "provider e1c5200 pkg/controllers/nodeclaim/garbagecollection/controller.go:80",
    )
    .fixed(),
    SettingFact::count(
        "inplace_update_workers",
        inplace_update::WORKERS as u64,
        "at once",
        "how many Linodes get changed tags of their NodeClass at once",
        "provider e1c5200 pkg/controllers/nodeclass/inplaceupdate/controller.go:96",
    )
    .fixed(),
    SettingFact::span(
        "nodeclass_every",
        node_class::EVERY,
        "between two looks at a NodeClass that could be wrong and is not",
        "provider e1c5200 pkg/controllers/nodeclass/validation.go:41",
    )
    .fixed(),
    SettingFact::span(
        "request_timeout",
        Duration::from_secs(10),
        "how long the HTTP client waits for one answer",
        "provider e1c5200 pkg/linode/sdk.go:58",
    ),
];
