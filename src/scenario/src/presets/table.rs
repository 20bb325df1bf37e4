//! Every delay of every preset.

use super::{Mark, Preset, Row};
use lkesim_linode_api::object::Tier;

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
    row(
        "cloud.lags.heal",
        &[(0, 60_000), (50, 180_000), (99, 600_000)],
        Mark::Reported,
        "linode-cli, issue 185: LKE replaces a deleted Linode after minutes",
    ),
    row(
        "cloud.lags.shutdown",
        &[(0, 28_000)],
        Mark::Measured,
        "linodego's recorded fixtures: once, 28 s; no simulated client shuts a Linode down",
    ),
    row(
        "cloud.lags.kubeconfig",
        &[(0, 129_000), (50, 140_000), (99, 254_000)],
        Mark::Measured,
        "linodego's recorded fixtures, on Standard: 129, 130, 140 and 254 s; no simulated client makes a cluster",
    ),
    row(
        "cloud.lags.api_endpoints",
        &[(0, 10_000)],
        Mark::Measured,
        "linodego's recorded fixtures, on Standard: about 10 s; no simulated client makes a cluster",
    ),
    row(
        "cloud.lags.cluster_deletion",
        &[(50, 15_000), (99, 60_000)],
        Mark::Unknown,
        "no public measurement; Terraform's provider waits for its 404. No simulated client deletes a cluster",
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
    row(
        "kubernetes.binding",
        &[(50, 5), (99, 50)],
        Mark::Unknown,
        "a cycle of kube-scheduler beside its call of the API; its benchmarks bind some hundreds of pods a second",
    ),
    row(
        "kubernetes.pod_start",
        &[(50, 2_000), (99, 5_000)],
        Mark::Documented,
        "Kubernetes' service level objective: 99% of pods start within 5 s, pulls of images left out",
    ),
    row("kubernetes.provider_id", &[(0, 0)], Mark::Unknown, "no public measurement; with the Node"),
    row("kubernetes.devices", &[(0, 0)], Mark::Unknown, "no public measurement; with the Node's being ready"),
    row(
        "kubernetes.startup_taints",
        &[(0, 0)],
        Mark::Unknown,
        "whose they are takes them away; as soon as it is ready",
    ),
    row("cloud.lags.pool_list", &[(0, 0)], Mark::Unknown, "no public measurement; shown at once"),
    row("cloud.lags.pool_get", &[(0, 0)], Mark::Unknown, "no public measurement; shown at once"),
    on(
        Tier::Standard,
        row(
            "cloud.lags.members",
            &[(0, 0)],
            Mark::Measured,
            "linodego's recorded fixtures: the reply to the POST lists them",
        ),
    ),
    on(Tier::Enterprise, row("cloud.lags.slot_id", &[(0, 0)], Mark::Unknown, "no public measurement; with the node")),
    on(
        Tier::Standard,
        row(
            "cloud.lags.instance_seen",
            &[(0, 0)],
            Mark::Measured,
            "linodego's recorded fixtures: an id that a pool shows can be read",
        ),
    ),
    row("cloud.lags.instance_get", &[(0, 0)], Mark::Unknown, "as cloud.lags.instance_seen, where that is more"),
    row("cloud.lags.instance_list", &[(0, 0)], Mark::Unknown, "as cloud.lags.instance_seen, where that is more"),
    on(
        Tier::Standard,
        row("cloud.lags.propagation", &[(0, 0)], Mark::Measured, "no effect: pool tags do not reach Standard Linodes"),
    ),
];
