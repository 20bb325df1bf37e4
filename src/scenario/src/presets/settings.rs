//! Every setting that is no delay.

use super::{Mark, Setting};

const fn setting(knob: &'static str, default: &'static str, mark: Mark, source: &'static str) -> Setting {
    Setting { knob, default, mark, source }
}

/// Every setting that is no delay. Those of `provider` are each design's own, and listed there.
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
        "cloud.contains_list",
        "each",
        Mark::Unknown,
        "provider e1c5200 sends +contains with an array in instance mode; its own fake then filters nothing",
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
        "cloud.pool_tag_resync",
        "never",
        Mark::Unknown,
        "no source says whether a later change of a pool writes its tags to its Linodes again",
    ),
    setting(
        "cloud.self_heal",
        "replace",
        Mark::Reported,
        "linode-cli, issue 185: LKE replaces a node whose Linode is deleted by itself",
    ),
    setting(
        "cloud.empty_pools",
        "documented",
        Mark::Documented,
        "Terraform provider, PR 2417: Enterprise pools of size 0 in certain situations; OpenAPI 4.189.0: a count of at \
         least 1 on Standard; that the last node can be deleted is unknown",
    ),
    setting(
        "cloud.last_pool",
        "accepted",
        Mark::Unknown,
        "the cloud manager's form refuses to delete a cluster's last pool; whether the API does is not known",
    ),
    setting(
        "cloud.nodes_per_pool",
        "100 on Standard, 500 on Enterprise",
        Mark::Documented,
        "Linode's cloud manager, PR 11516 and PR 12046; the words of the refusal are unknown",
    ),
    setting(
        "cloud.nodes_per_cluster",
        "250 on Standard, none on Enterprise",
        Mark::Documented,
        "Linode's cloud manager, PR 12046, for Standard; Enterprise is unknown",
    ),
    setting("cloud.account_limit", "none", Mark::Unknown, "each account has its own; its words are as reported"),
    setting("cloud.capacity", "no type is bounded", Mark::Unknown, "what a region has left is not public"),
    setting("cloud.sold_out", "nothing is sold out", Mark::Unknown, "what is sold out changes from day to day"),
    setting(
        "cloud.sold_out_status",
        "403",
        Mark::Reported,
        "linode_api4, PR 396, and a Go project, with the words; the design document speaks of 400",
    ),
    setting(
        "cloud.availability_rows",
        "all",
        Mark::Documented,
        "design document, \"Plan availability\"; in linodego's recordings only restricted plans have rows",
    ),
    setting(
        "cloud.dying_update",
        "accepted",
        Mark::Unknown,
        "no source says; the provider checks no status, so that a Linode which is being deleted can be claimed",
    ),
    setting(
        "cloud.dying_delete",
        "not_found",
        Mark::Unknown,
        "no source says what a second deletion meets while the first shows",
    ),
    setting(
        "cloud.enterprise_fields",
        "refused",
        Mark::Unknown,
        "OpenAPI of 2026-03: Enterprise pools alone have them; the provider sends a firewall and a version on both tiers",
    ),
    setting(
        "cloud.more_versions",
        "none",
        Mark::Unknown,
        "which versions there are changes; 1.35 and v1.33.6+lke7 are recorded, the others that the fake has are likely",
    ),
    setting(
        "cloud.cluster_labels",
        "plain",
        Mark::Documented,
        "Linode's cloud manager: letters, digits and hyphens; OpenAPI 4.176.0 takes any of three bytes in UTF-8",
    ),
    setting("cloud.tags_allowed", "100", Mark::Unknown, "no source names a bound; none is meant to come near this one"),
    setting(
        "cloud.autoscaler_bounds",
        "kept",
        Mark::Unknown,
        "recorded: the deletion of a node leaves them; no source says what setting a count does",
    ),
    setting(
        "cloud.pool_ids",
        "101 and on",
        Mark::Unknown,
        "ids are of all Linode's customers; how they rise is not known",
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
        "cloud.limits.create_pool",
        "other",
        Mark::Unknown,
        "no source says that the POST of a pool counts as making Linodes",
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
        "cloud.base_pool.schedulable",
        "false",
        Mark::Unknown,
        "a cluster's own pool takes pods too; cordoned, what a run shows is what Karpenter makes",
    ),
    setting(
        "karpenter.controller_cpus",
        "1",
        Mark::Documented,
        "the Helm chart sets no CPU request, so that Karpenter's core assumes 1000m",
    ),
    setting(
        "karpenter.node_cpus",
        "4",
        Mark::Unknown,
        "a usual node; Go counts them, and keymutex has as many mutexes",
    ),
    setting("karpenter.launch_timeout", "5m", Mark::Documented, "Karpenter v1.9.0, NodeClaim liveness"),
    setting("karpenter.registration_timeout", "15m", Mark::Documented, "Karpenter v1.9.0, NodeClaim liveness"),
    setting(
        "karpenter.replicas",
        "1, and 2 under the preset `chart`",
        Mark::Documented,
        "provider e1c5200 charts/karpenter/values.yaml: 2; one process is the simplest",
    ),
    setting("karpenter.restart", "20s", Mark::Unknown, "until a container that died runs again"),
    setting("karpenter.lease.duration", "15s", Mark::Documented, "Karpenter v1.9.0 with controller-runtime's defaults"),
    setting("karpenter.lease.renew_deadline", "10s", Mark::Documented, "Karpenter v1.9.0, as above"),
    setting("karpenter.lease.retry", "2s", Mark::Documented, "Karpenter v1.9.0, as above"),
    setting(
        "karpenter.batch_idle_duration",
        "1s, and 1m under the preset `chart`",
        Mark::Documented,
        "Karpenter v1.9.0, BATCH_IDLE_DURATION; provider e1c5200 charts/karpenter/values.yaml",
    ),
    setting(
        "karpenter.batch_max_duration",
        "10s, and 5m under the preset `chart`",
        Mark::Documented,
        "Karpenter v1.9.0, BATCH_MAX_DURATION; provider e1c5200 charts/karpenter/values.yaml",
    ),
    setting("karpenter.batching", "on", Mark::Documented, "Karpenter v1.9.0; `off` is a counterfactual"),
    setting("karpenter.nomination", "on", Mark::Documented, "Karpenter v1.9.0; `off` is a counterfactual"),
    setting(
        "karpenter.disruption",
        "off",
        Mark::Documented,
        "a choice of this program: Karpenter v1.9.0 always consolidates; `emptiness` is the part of it that is modelled",
    ),
    setting(
        "karpenter.compute_cost.per_pass",
        "0s",
        Mark::Unknown,
        "deciding takes no virtual time; of a pass without pods nothing is measured",
    ),
    setting(
        "karpenter.compute_cost.per_pod",
        "0s",
        Mark::Measured,
        "deciding takes no virtual time; Karpenter v1.9.0 takes 2.2 ms a pod for 20,000 pods and 400 instance types on one \
         core, and 1.5 to 10 ms are reported",
    ),
    setting(
        "kubernetes.join_taint",
        "none",
        Mark::Documented,
        "provider e1c5200: nothing makes LKE's nodes join with karpenter.sh/unregistered",
    ),
    setting(
        "kubernetes.join_labels",
        "karpenter",
        Mark::Documented,
        "nodes of LKE join with their pool's labels, which are those of the NodeClaim that it was made for (provider e1c5200 \
         pkg/providers/lke/lke.go:244, and `documented`) or of the LinodeNodeClass (v0.1.3 lke.go:261); what is missing \
         of their own, as with Linodes that are made one by one, Karpenter adds when it registers them",
    ),
    setting(
        "karpenter.token",
        "main",
        Mark::Documented,
        "design document, rate limits: they are of a user's token; who else uses it is not known",
    ),
];
