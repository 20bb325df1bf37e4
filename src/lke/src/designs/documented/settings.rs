//! What the design document leaves open, and its values.

use crate::controllers::{garbage_collection, node_class};
use crate::settings::{ProviderSettings, SettingFact};
use crate::tags;
use std::time::Duration;

/// The document's values; where it gives none, those of provider e1c5200.
pub const DEFAULTS: ProviderSettings = ProviderSettings {
    verify_timeout: Duration::from_secs(5),
    verify_every: Duration::from_secs(1),
    orphan_ttl: Duration::from_secs(5 * 60),
    offerings_every: Duration::from_secs(5 * 60),
    ..ProviderSettings::UPSTREAM
};

/// Each with its source.
pub const SETTINGS: &[SettingFact] = &[
    SettingFact::span(
        "create_deadline",
        DEFAULTS.create_deadline,
        "how long one Create looks for a Linode; asked at the top of each attempt",
        "design document, `DefaultCreateDeadline`; its value is provider e1c5200 pkg/providers/lke/lke.go:45",
    ),
    SettingFact::span(
        "retry_delay",
        DEFAULTS.retry_delay,
        "between attempts, outside the lock",
        "design document, \"Claim-or-scale loop\" (its diagram says 200 ms)",
    ),
    SettingFact::span(
        "verify_timeout",
        DEFAULTS.verify_timeout,
        "how long a written tag is read back",
        "design document, diagram",
    ),
    SettingFact::span(
        "verify_every",
        DEFAULTS.verify_every,
        "between two such reads, with the lock held",
        "design document, diagram",
    ),
    SettingFact::span(
        "orphan_ttl",
        DEFAULTS.orphan_ttl,
        "the age from which a Linode without an owner is an orphan",
        "design document, \"Delete + orphan capacity\"",
    ),
    SettingFact::span(
        "gc_every_at_start",
        DEFAULTS.gc_every_at_start,
        "between the first collections of orphans",
        "as shipped: provider e1c5200 pkg/controllers/nodeclaim/garbagecollection/controller.go:89",
    ),
    SettingFact::count(
        "gc_passes_at_start",
        DEFAULTS.gc_passes_at_start as u64,
        "passes",
        "how many of those there are",
        "as shipped: provider e1c5200 pkg/controllers/nodeclaim/garbagecollection/controller.go:89",
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
    SettingFact::span(
        "types_cache",
        DEFAULTS.types_cache,
        "how long a type's offerings are remembered, where `offering_regions` is not 0",
        "as shipped: provider e1c5200 pkg/operator/operator.go:130",
    )
    .fixed(),
    SettingFact::count(
        "offering_regions",
        DEFAULTS.offering_regions as u64,
        "",
        "for how many regions a type's offerings are made, with one GetType each; 0: prices come from the list of types",
        "design document, \"Instance types / offerings\", which says that it can; as shipped, which no longer does",
    ),
    SettingFact::count(
        "sold_out_status",
        DEFAULTS.sold_out_status as u64,
        "",
        "under which status a refused pool is read for the words that say \"sold out\"",
        "design document, \"Plan unavailable on pool creation\"; third parties report 403",
    ),
    SettingFact::word(
        "delete_lookup_failure",
        DEFAULTS.delete_lookup_failure.name(),
        "what Delete says where its list of pools fails otherwise than by 429 or 5xx: not_found, or error",
        "as shipped: provider e1c5200 pkg/providers/lke/lke.go:512-515",
    ),
    SettingFact::word(
        "orphans_by",
        DEFAULTS.orphans_by.name(),
        "where garbage collection looks: list, in what List shows; pool, among the nodes of each managed LKE pool",
        "as shipped: provider e1c5200 pkg/controllers/nodeclaim/garbagecollection/controller.go; the document says \
         \"unclaimed capacity\" and not how it is found",
    ),
    SettingFact::word(
        "owner_tags",
        DEFAULTS.owner_tags.name(),
        "which of several nodeclaim tags of one Linode name its owner to garbage collection: the first, or any",
        "design document, \"Pool and instance matching\": no check for several tags, and the first of several of a kind",
    ),
    SettingFact::word(
        "type_choice",
        "cheapest",
        "which of the types that suit a NodeClaim and can be had it gets, by prices without a region; the first by name \
         of equally cheap ones",
        "as shipped: provider e1c5200 pkg/utils/utils.go:296, save that Go leaves the order of equals to a map",
    )
    .fixed(),
    SettingFact::count(
        "nodeclaim_tag_length",
        tags::LENGTH_MAX as u64,
        "characters",
        "from which on a NodeClaim's name is cut and hashed in its tag",
        "as shipped: provider e1c5200 pkg/utils/utils.go:48",
    )
    .fixed(),
    SettingFact::count(
        "gc_delete_workers",
        garbage_collection::WORKERS as u64,
        "at once",
        "how many orphans are deleted at once",
        "as shipped: provider e1c5200 pkg/controllers/nodeclaim/garbagecollection/controller.go:80",
    )
    .fixed(),
    SettingFact::word(
        "nodeclass_unusable",
        "no_launch",
        "what becomes of a NodeClaim whose LinodeNodeClass is absent, is being deleted, was not found good, or changed \
         since: it is dropped before Linode's API is asked; one that was never looked at is waited for",
        "as shipped: provider e1c5200 pkg/cloudprovider/cloudprovider.go:75-96",
    )
    .fixed(),
    SettingFact::word(
        "nodeclass_checks",
        "version, tags",
        "what of a LinodeNodeClass is looked at before it can be used: with a version, the cluster is read each time",
        "as shipped: provider e1c5200 pkg/controllers/nodeclass/validation.go:89-178",
    )
    .fixed(),
    SettingFact::span(
        "nodeclass_every",
        node_class::EVERY,
        "between two looks at a LinodeNodeClass that could be wrong and is not",
        "as shipped: provider e1c5200 pkg/controllers/nodeclass/validation.go:41",
    )
    .fixed(),
    SettingFact::span(
        "nodeclass_every_mismatched",
        node_class::EVERY_MISMATCHED,
        "the same while its version is not that of the control plane",
        "as shipped: provider e1c5200 pkg/controllers/nodeclass/validation.go:44",
    )
    .fixed(),
    SettingFact::word(
        "pool_version",
        "LinodeNodeClass",
        "whose version of Kubernetes a new LKE pool gets, and one that is there before it is used",
        "as shipped: provider e1c5200 pkg/providers/lke/lke.go:232, 250, 279",
    )
    .fixed(),
    SettingFact::word(
        "pool_firewall",
        "LinodeNodeClass",
        "whose firewall a new LKE pool gets",
        "as shipped: provider e1c5200 pkg/providers/lke/lke.go:247",
    )
    .fixed(),
    SettingFact::word(
        "pool_update_strategy",
        "on_recycle",
        "when the nodes of a new Enterprise pool take a change of it; Standard has none",
        "as shipped: provider e1c5200 pkg/providers/lke/lke.go:50, 253",
    )
    .fixed(),
    SettingFact::word(
        "pool_labels_and_taints",
        "NodeClaim",
        "whose labels and taints, those of the start among them, a new LKE pool gets",
        "as shipped: provider e1c5200 pkg/providers/lke/lke.go:244-246",
    )
    .fixed(),
    SettingFact::word(
        "user_tags",
        "at the claim",
        "when a Linode gets its LinodeNodeClass's tags, which take the place of others of their keys",
        "as shipped: provider e1c5200 pkg/providers/lke/lke.go:372-384",
    )
    .fixed(),
    SettingFact::word(
        "user_tags_in_place",
        "never",
        "when changed tags of a LinodeNodeClass reach Linodes that are there",
        "design document, \"Cross-layer amplifiers\": its controllers are those of tagging and garbage collection; provider \
         v0.1.3 has no other either",
    )
    .fixed(),
    SettingFact::word(
        "delete_reads_again",
        "GetLKENodePool",
        "by which call Delete reads the pool again, with the key's lock held, to see whether the node is its last",
        "design document, \"Delete + orphan capacity\": it lists, locks and reads again; the call is this project's reading",
    )
    .fixed(),
    SettingFact::span(
        "request_timeout",
        Duration::from_secs(10),
        "how long the HTTP client waits for one answer",
        "as shipped: provider e1c5200 pkg/linode/sdk.go:58",
    ),
];

/// The document's settings, for a design that reads all but some of them.
///
/// # Panics
/// While compiling, where `N` is not the number of those that are left.
pub const fn settings_without<const N: usize>(left_out: &[&str]) -> [SettingFact; N] {
    let mut kept = [SETTINGS[0]; N];
    let (mut at, mut to) = (0, 0);
    while at < SETTINGS.len() {
        if !is_among(SETTINGS[at].name, left_out) {
            kept[to] = SETTINGS[at];
            to += 1;
        }
        at += 1;
    }
    assert!(to == N && N + left_out.len() == SETTINGS.len(), "each name is one of the document's settings");
    kept
}

const fn is_among(name: &str, names: &[&str]) -> bool {
    let mut at = 0;
    while at < names.len() {
        if is_same(names[at], name) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}
