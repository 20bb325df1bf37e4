//! Where delays come from that a scenario does not name: one table, each value with its mark and its source.

use lkesim_linode_api::object::Tier;
use lkesim_runtime::Quantiles;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A set of delays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// Only what the design document states, and the nodes' way into the cluster; all else takes no time.
    Document,
    /// What was measured or documented, and a guess where nothing is known. A design holds its lock across calls, so
    /// that latency decides outcomes: it is not zero here.
    #[default]
    Default,
    /// Nothing takes any time.
    Zero,
    /// As `default`, with the batch windows of the Helm chart. Not modelled yet.
    Chart,
}

impl Preset {
    /// Every preset.
    pub const ALL: [Preset; 4] = [Preset::Document, Preset::Default, Preset::Zero, Preset::Chart];

    /// The name, as the file writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Preset::Document => "document",
            Preset::Default => "default",
            Preset::Zero => "zero",
            Preset::Chart => "chart",
        }
    }
}

/// How sure a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// Read from recordings of the live API or from a real cluster.
    Measured,
    /// Stated by the design document, by Linode's documentation or by upstream's code.
    Documented,
    /// A guess.
    Unknown,
}

impl Mark {
    /// The mark in words.
    pub const fn name(self) -> &'static str {
        match self {
            Mark::Measured => "measured",
            Mark::Documented => "documented",
            Mark::Unknown => "unknown",
        }
    }
}

/// A value of a preset. A knob without one takes no time.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The field's path in a scenario.
    pub knob: &'static str,
    /// The tier that it holds for; both if left out.
    pub tier: Option<Tier>,
    /// The presets that have it.
    pub presets: &'static [Preset],
    /// Quantiles: the place in percent, and milliseconds.
    pub points: &'static [(u32, u64)],
    /// How sure it is.
    pub mark: Mark,
    /// Where it comes from.
    pub source: &'static str,
}

impl Row {
    /// The distribution.
    pub fn quantiles(&self) -> Quantiles {
        let points: Vec<_> =
            self.points.iter().map(|&(percent, millis)| (percent * 10_000, Duration::from_millis(millis))).collect();
        // The table's points rise, which a test holds; a row that did not would take no time.
        Quantiles::through(&points).unwrap_or_else(|_| Quantiles::zero())
    }
}

/// The preset's delay for a knob; no time where the table has no row.
pub fn delay(preset: Preset, tier: Tier, knob: &str) -> Quantiles {
    let row = TABLE
        .iter()
        .find(|row| row.knob == knob && row.presets.contains(&preset) && row.tier.is_none_or(|of| of == tier));
    row.map_or_else(Quantiles::zero, Row::quantiles)
}

const USUAL: &[Preset] = &[Preset::Default, Preset::Chart];
const USUAL_AND_DOCUMENT: &[Preset] = &[Preset::Default, Preset::Chart, Preset::Document];

const fn row(knob: &'static str, points: &'static [(u32, u64)], mark: Mark, source: &'static str) -> Row {
    Row { knob, tier: None, presets: USUAL, points, mark, source }
}

const fn on(tier: Tier, row: Row) -> Row {
    Row { tier: Some(tier), ..row }
}

const fn in_document_too(row: Row) -> Row {
    Row { presets: USUAL_AND_DOCUMENT, ..row }
}

/// Every value of every preset.
pub const TABLE: &[Row] = &[
    row(
        "cloud.latency.get",
        &[(50, 60), (99, 400)],
        Mark::Unknown,
        "no public measurement; the usual round trip to a regional API",
    ),
    row("cloud.latency.list", &[(50, 120), (99, 800)], Mark::Unknown, "no public measurement; twice a GET"),
    row("cloud.latency.put", &[(50, 200), (99, 1_000)], Mark::Unknown, "no public measurement"),
    row("cloud.latency.delete", &[(50, 200), (99, 1_000)], Mark::Unknown, "no public measurement; as PUT"),
    row(
        "cloud.latency.create_pool",
        &[(50, 600), (99, 3_000)],
        Mark::Unknown,
        "no public measurement; a whole Enterprise cluster takes about 10 s to answer (Terraform provider, issue 2250)",
    ),
    row("cloud.latency.post", &[(50, 200), (99, 1_000)], Mark::Unknown, "no public measurement; as PUT"),
    on(
        Tier::Standard,
        row(
            "cloud.lags.slot_id",
            &[(50, 0), (90, 1_000), (99, 2_000)],
            Mark::Measured,
            "linodego's recorded fixtures: half of the nodes have an instance_id at once, the rest within 0 to 2 s",
        ),
    ),
    on(
        Tier::Enterprise,
        in_document_too(row(
            "cloud.lags.members",
            &[(0, 30_000), (50, 45_000), (99, 60_000)],
            Mark::Documented,
            "design document, \"Tier-specific assumptions\": 30-60s",
        )),
    ),
    on(
        Tier::Enterprise,
        row(
            "cloud.lags.instance_seen",
            &[(0, 5_000), (50, 15_000), (99, 45_000)],
            Mark::Unknown,
            "no public measurement; the design document calls it early discovery, before the pool's nodes",
        ),
    ),
    row(
        "cloud.lags.tag_to_get",
        &[(50, 0), (99, 2_000)],
        Mark::Unknown,
        "no public measurement; the design document verifies for up to 5 s",
    ),
    row(
        "cloud.lags.tag_to_list",
        &[(50, 1_000), (99, 5_000)],
        Mark::Unknown,
        "no public measurement; lists lag behind reads of one object",
    ),
    on(
        Tier::Enterprise,
        row(
            "cloud.lags.propagation",
            &[(50, 1_000), (99, 10_000)],
            Mark::Unknown,
            "Linode's API description says that pool tags cascade, not how soon",
        ),
    ),
    in_document_too(row(
        "cloud.lags.boot",
        &[(0, 45_000), (50, 61_000), (99, 105_000)],
        Mark::Measured,
        "linodego's recorded fixtures: 45, 60, 60, 60, 61, 61, 61, 77, 90, 90, 105 s from creation to running",
    )),
    row(
        "cloud.lags.deletion",
        &[(50, 15_000), (99, 60_000)],
        Mark::Unknown,
        "no public measurement; deletion is accepted at once and happens later",
    ),
    row("kubernetes.call", &[(50, 5), (99, 50)], Mark::Unknown, "the usual latency of a small cluster's API server"),
    row("kubernetes.watch", &[(50, 10), (99, 200)], Mark::Unknown, "the usual lag of an informer's cache"),
    in_document_too(row(
        "kubernetes.join",
        &[(50, 60_000), (99, 240_000)],
        Mark::Documented,
        "README of karpenter-provider-linode: Linodes can take more than 3 minutes to join",
    )),
    in_document_too(row(
        "kubernetes.ready",
        &[(0, 10_000)],
        Mark::Unknown,
        "the usual time of the network plugin on a new node",
    )),
    row(
        "kubernetes.silence",
        &[(0, 50_000)],
        Mark::Documented,
        "Kubernetes' node-monitor-grace-period, 50 s by default",
    ),
    row(
        "kubernetes.cloud_controller",
        &[(0, 0), (100, 5_000)],
        Mark::Unknown,
        "the cloud controller manager's default: a look every 5 s",
    ),
];

/// A setting that is no delay: its path, default, mark and source.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The field's path in a scenario.
    pub knob: &'static str,
    /// The default, as the file would write it.
    pub default: &'static str,
    /// How sure it is.
    pub mark: Mark,
    /// Where it comes from.
    pub source: &'static str,
}

const fn setting(knob: &'static str, default: &'static str, mark: Mark, source: &'static str) -> Setting {
    Setting { knob, default, mark, source }
}

/// Every setting that is no delay and models the world. The design's own settings are listed by the design.
pub const SETTINGS: &[Setting] = &[
    setting("cloud.tier", "enterprise", Mark::Documented, "the tier with the harder discovery"),
    setting("cloud.region", "us-ord", Mark::Documented, "a region that has both tiers"),
    setting("cloud.list_order", "id", Mark::Measured, "linodego's recorded fixtures"),
    setting(
        "cloud.tag_match",
        "contains",
        Mark::Documented,
        "design document: discovery asks with +contains, so that pool 12 also matches 123",
    ),
    setting(
        "cloud.pool_tag_filter",
        "ignored",
        Mark::Documented,
        "design document, \"Pool discovery\": server-side tag filtering is unreliable for pools",
    ),
    setting(
        "cloud.shrink_victim",
        "random",
        Mark::Documented,
        "README of the cluster-autoscaler for Linode: the API picks at random",
    ),
    setting(
        "cloud.dying_update",
        "accepted",
        Mark::Unknown,
        "no source says; the provider checks no status, so that a Linode which is being deleted can be claimed",
    ),
    setting(
        "cloud.limits.list",
        "200/1m",
        Mark::Documented,
        "design document, rate limits: 200 a minute for paginated GETs",
    ),
    setting("cloud.limits.other", "1600/1m", Mark::Documented, "design document, rate limits: 1,600 a minute"),
    setting(
        "cloud.limits.create_instance",
        "20/15s",
        Mark::Documented,
        "design document, rate limits: 20 in 15 seconds",
    ),
    setting(
        "cloud.limits.scope",
        "class",
        Mark::Unknown,
        "whether endpoints of a class share a window is not documented",
    ),
    setting(
        "cloud.limits.header",
        "1840",
        Mark::Measured,
        "X-RateLimit-Limit in linodego's recordings since July 2025",
    ),
    setting("cloud.base_pool.type", "g6-standard-2", Mark::Unknown, "a usual size"),
    setting("cloud.base_pool.count", "3", Mark::Unknown, "a usual size"),
    setting(
        "karpenter.controller_cpus",
        "1",
        Mark::Documented,
        "the Helm chart sets no CPU request, so that Karpenter's core assumes 1000m",
    ),
    setting("karpenter.launch_timeout", "5m", Mark::Documented, "Karpenter v1.9.0, NodeClaim liveness"),
    setting("karpenter.registration_timeout", "15m", Mark::Documented, "Karpenter v1.9.0, NodeClaim liveness"),
];

#[cfg(test)]
mod tests;
