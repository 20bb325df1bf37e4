//! The settings of the shipped provider, with the places that say so.

use crate::controllers::{garbage_collection, inplace_update, node_class};
use crate::settings::{ProviderSettings, SettingFact};
use crate::tags;
use std::time::Duration;

const VALUES: ProviderSettings = ProviderSettings::UPSTREAM;

/// Each with its source.
pub const SETTINGS: &[SettingFact] = &[
    SettingFact::span(
        "create_deadline",
        VALUES.create_deadline,
        "how long one Create looks for a Linode; asked at the top of each attempt",
        "provider e1c5200 pkg/providers/lke/lke.go:45",
    ),
    SettingFact::span(
        "retry_delay",
        VALUES.retry_delay,
        "between attempts, outside the lock, and between reads that verify a tag, with the lock held",
        "provider e1c5200 pkg/providers/lke/lke.go:47",
    ),
    SettingFact::span(
        "verify_timeout",
        VALUES.verify_timeout,
        "how long a written tag is read back",
        "provider e1c5200 pkg/providers/lke/lke.go:46",
    ),
    SettingFact::span(
        "orphan_ttl",
        VALUES.orphan_ttl,
        "the age from which a Linode whose providerID no NodeClaim has is an orphan",
        "provider e1c5200 pkg/controllers/nodeclaim/garbagecollection/controller.go:81",
    ),
    SettingFact::span(
        "gc_every_at_start",
        VALUES.gc_every_at_start,
        "between the first collections of orphans",
        "provider e1c5200 pkg/controllers/nodeclaim/garbagecollection/controller.go:89",
    ),
    SettingFact::count(
        "gc_passes_at_start",
        VALUES.gc_passes_at_start as u64,
        "passes",
        "how many of those there are, after each start of the process",
        "provider e1c5200 pkg/controllers/nodeclaim/garbagecollection/controller.go:89",
    ),
    SettingFact::span(
        "gc_every",
        VALUES.gc_every,
        "between later collections",
        "provider e1c5200 pkg/controllers/nodeclaim/garbagecollection/controller.go:89",
    ),
    SettingFact::span(
        "instance_cache",
        VALUES.instance_cache,
        "how long Get answers from memory",
        "provider e1c5200 pkg/cache/cache.go:26",
    ),
    SettingFact::span(
        "offerings_every",
        VALUES.offerings_every,
        "between two refreshes of types and their availability",
        "provider e1c5200 pkg/controllers/providers/instancetype/controller.go:59",
    ),
    SettingFact::span(
        "unavailable_for",
        VALUES.unavailable_for,
        "how long a type that LKE refused, or the region, counts as unavailable",
        "provider e1c5200 pkg/cache/cache.go:29",
    ),
    SettingFact::span(
        "unavailable_swept_every",
        VALUES.unavailable_swept_every,
        "between two looks for marks whose time is over; till then offerings keep them",
        "provider e1c5200 pkg/cache/cache.go:45",
    )
    .fixed(),
    SettingFact::span(
        "types_cache",
        VALUES.types_cache,
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
    SettingFact::word(
        "locks",
        "karpenter.node_cpus",
        "how many mutexes the keys share: as many as Go counts CPUs",
        "provider e1c5200 pkg/providers/lke/lke.go:105",
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
    SettingFact::count(
        "nodeclaim_tag_length",
        tags::LENGTH_MAX as u64,
        "characters",
        "from which on a NodeClaim's name is cut and hashed in its tag",
        "provider e1c5200 pkg/utils/utils.go:48",
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
        "nodeclass_every_mismatched",
        node_class::EVERY_MISMATCHED,
        "the same while its version is not that of the control plane",
        "provider e1c5200 pkg/controllers/nodeclass/validation.go:44",
    )
    .fixed(),
    SettingFact::span(
        "request_timeout",
        Duration::from_secs(10),
        "how long the HTTP client waits for one answer",
        "provider e1c5200 pkg/linode/sdk.go:58",
    ),
];
