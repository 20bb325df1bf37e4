//! How far off each guess may be: the values between which, or among which, the truth is expected.
//!
//! A verdict that stands at both ends of a guess does not need it. `lkesim screen` tries them.

use lkesim_linode_api::object::Tier;

/// Where the truth about an unknown knob may be.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// The field's path in a scenario.
    pub knob: &'static str,
    /// The tier whose value is unknown; both if left out.
    pub tier: Option<Tier>,
    /// The ends of a delay or a number, or the other choices, as the file writes them.
    pub values: &'static [&'static str],
    /// Why from there to there.
    pub reason: &'static str,
}

const fn range(knob: &'static str, values: &'static [&'static str], reason: &'static str) -> Range {
    Range { knob, tier: None, values, reason }
}

const fn on(tier: Tier, range: Range) -> Range {
    Range { tier: Some(tier), ..range }
}

const CALL: &str = "from a call within the region to one that most clients give up";
const VIEW: &str = "from at once to the longest that the design document tells of any view";
const CHOICE: &str = "what else the API may do";

/// A range for every knob whose mark is `unknown`, but those of [`UNSCREENED`].
pub const RANGES: &[Range] = &[
    range("cloud.latency.get", &["10ms", "2s"], CALL),
    range("cloud.latency.list", &["20ms", "2s"], CALL),
    range("cloud.latency.put", &["20ms", "3s"], CALL),
    range("cloud.latency.delete", &["20ms", "3s"], CALL),
    range("cloud.latency.create_pool", &["100ms", "8s"], CALL),
    range("cloud.latency.post", &["20ms", "3s"], CALL),
    on(Tier::Enterprise, range("cloud.lags.instance_seen", &["0s", "3m"], VIEW)),
    range("cloud.lags.tag_to_get", &["0s", "10s"], "from at once to twice as long as a claim is verified"),
    range("cloud.lags.tag_to_list", &["0s", "30s"], "from at once to three times as long as a Create lasts"),
    on(Tier::Enterprise, range("cloud.lags.propagation", &["0s", "1m"], VIEW)),
    range("cloud.lags.deletion", &["0s", "3m"], "from at once to as long as a Linode boots at the slowest"),
    range("cloud.lags.pool_list", &["10s"], "as long as a Create lasts"),
    range("cloud.lags.pool_get", &["10s"], "as long as a Create lasts"),
    on(Tier::Enterprise, range("cloud.lags.slot_id", &["1m"], VIEW)),
    range("cloud.lags.instance_get", &["1m"], VIEW),
    range("cloud.lags.instance_list", &["1m"], VIEW),
    range("kubernetes.call", &["1ms", "500ms"], "from an idle API server to one that is busy"),
    range("kubernetes.watch", &["0s", "10s"], "from an idle API server to one that is busy"),
    range("kubernetes.ready", &["0s", "1m"], "from an image that is there to a network plugin that is pulled"),
    range("kubernetes.cloud_controller", &["0s", "30s"], "from a look at once to one every half minute"),
    range("kubernetes.binding", &["0s", "500ms"], "from an idle scheduler to one that is busy"),
    range("kubernetes.provider_id", &["30s"], "as the node's taint of the cloud controller"),
    range("kubernetes.devices", &["2m"], "a driver that is pulled and started"),
    range("kubernetes.startup_taints", &["1m"], "an agent that is pulled and started"),
    range("cloud.contains_list", &["any", "ignored", "refused"], CHOICE),
    range("cloud.pool_tag_resync", &["merge", "replace"], CHOICE),
    range("cloud.last_pool", &["refused"], CHOICE),
    range("cloud.dying_update", &["not_found", "busy"], CHOICE),
    range("cloud.dying_delete", &["accepted", "busy"], CHOICE),
    range("cloud.enterprise_fields", &["ignored", "accepted"], CHOICE),
    range("cloud.autoscaler_bounds", &["moved"], CHOICE),
    range("cloud.limits.create_pool", &["create_instance"], CHOICE),
    range("cloud.limits.scope", &["endpoint"], CHOICE),
    range("cloud.base_pool.count", &["1", "10"], "a cluster of one node, and a larger one"),
    range("karpenter.node_cpus", &["1", "16"], "the smallest node, and a large one"),
    range("karpenter.restart", &["1s", "2m"], "from at once to a container that has died a few times before"),
    range("karpenter.compute_cost.per_pass", &["100ms"], "as if a pass cost what it does for fifty pods"),
];

/// Unknown knobs without a range, and why.
pub const UNSCREENED: &[(&str, &str)] = &[
    ("cloud.lags.cluster_deletion", "no simulated client deletes a cluster"),
    ("cloud.account_limit", "a situation, which a scenario states"),
    ("cloud.capacity", "a situation, which a scenario states"),
    ("cloud.sold_out", "a situation, which a scenario states"),
    ("cloud.base_pool.schedulable", "a situation, which a scenario states"),
    ("cloud.more_versions", "a situation, which a scenario states"),
    ("cloud.tags_allowed", "none comes near the bound"),
    ("cloud.pool_ids", "a situation, which a scenario states"),
    ("cloud.base_pool.type", "nothing runs on these nodes"),
];

/// The ranges of the knobs that are unknown on a tier.
pub fn of(tier: Tier) -> impl Iterator<Item = &'static Range> {
    RANGES.iter().filter(move |range| range.tier.is_none_or(|on| on == tier))
}
