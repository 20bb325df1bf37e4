//! The cloud's own settings and public objects. Objects with private fields stand beside their types.

use super::{saved, saved_enum, saved_shared};
use crate::agenda::{Event, View};
use crate::cluster::Cluster;
use crate::fault::{Action, Body, Cut, Fault, Refusal, RetryAfter};
use crate::lke_pool::LkePoolConfig;
use crate::settings::{
    AccountId, AvailabilityRows, BaseLkePool, ClusterLabels, ClusterSettings, ContainsList, DyingUpdate, EmptyLkePools,
    EnterpriseFields, Lags, Limit, LimitScope, Limits, ListOrder, LkePoolTagFilter, OwnTier, Settings, SoldOut,
    TagMatch, TagResync, TokenId, TokenSettings, Victims,
};
use crate::{ClusterTruth, InstanceTruth, LkePoolTruth};

impl super::Saved for TokenId {
    fn save(&self) -> serde_json::Value {
        self.0.save()
    }

    fn load(value: &serde_json::Value) -> Option<TokenId> {
        super::Saved::load(value).map(TokenId)
    }
}

impl super::Saved for AccountId {
    fn save(&self) -> serde_json::Value {
        self.0.save()
    }

    fn load(value: &serde_json::Value) -> Option<AccountId> {
        super::Saved::load(value).map(AccountId)
    }
}

saved!(Settings {
    tier,
    region,
    clusters,
    tokens,
    lags,
    limits,
    nodes_per_lke_pool,
    nodes_per_cluster,
    tag_match,
    contains_list,
    lke_pool_tag_filter,
    list_order,
    victims,
    heals,
    lke_pool_tag_resync,
    dying_update,
    dying_delete,
    empty_lke_pools,
    enterprise_fields,
    more_versions,
    more_plans,
    cluster_labels,
    tags_allowed,
    count_moves_autoscaler,
    last_lke_pool,
    capacity,
    account_limit,
    availability_rows,
    sold_out,
    sold_out_status,
    faults,
    epoch,
    k8s_version,
    first_instance,
    first_lke_pool,
    lke_pool_ids,
});
saved!(ClusterSettings { id, label, base_lke_pool, own, region, account });
saved!(OwnTier { tier, lags, nodes_per_lke_pool, nodes_per_cluster });
saved!(BaseLkePool { plan, count, tags });
saved!(TokenSettings { client, account });
saved!(SoldOut { plan, region, from, until, status });
saved!(Limits { list, other, create_instance, scope, create_lke_pool });
saved!(Limit { count, window, header });
saved!(Lags {
    lke_pool_list,
    lke_pool_get,
    members,
    slot_id,
    instance_get,
    instance_list,
    tag_get,
    tag_list,
    propagation,
    boot,
    deletion,
    heal,
    shutdown,
    kubeconfig,
    api_endpoints,
    cluster_deletion,
});
saved_enum!(TagMatch { Contains, Equal });
saved_enum!(ContainsList { Each, Any, Ignored, Refused });
saved_enum!(LkePoolTagFilter { Ignored, Honoured, HoldsNever });
saved_enum!(ListOrder { Id, Newest, Shuffled });
saved_enum!(Victims { Random, Newest, Oldest });
saved_enum!(TagResync { Never, Merge, Replace });
saved_enum!(DyingUpdate { Accepted, NotFound, Busy });
saved_enum!(EmptyLkePools { Documented, Accepted, Refused });
saved_enum!(EnterpriseFields { Refused, Ignored, Accepted });
saved_enum!(ClusterLabels { Plain, Any });
saved_enum!(AvailabilityRows { All, RestrictedOnly });
saved_enum!(LimitScope { Token, Endpoint });

saved!(Fault { name, endpoints, token, from, until, first_call, last_call, chance, action });
saved!(Refusal { status, reason, body, retry_after, maintenance });
saved_enum!(Body { Empty, NginxPage, Garbled });
saved_enum!(RetryAfter { Window, Seconds(secs), Absent, Date });
saved_enum!(Cut { After(most), Each(chance) });
saved_enum!(Action {
    Refuse(refusal),
    Delay(delays),
    Lose,
    Twice,
    Stale(age),
    Partial(cut),
    Double,
    Maintenance,
    Garble,
});

saved!(InstanceTruth {
    id,
    label,
    account,
    cluster,
    node,
    plan,
    region,
    tags,
    created,
    created_at,
    rest,
    booted,
    turning,
    deleted,
    vanished,
});
saved!(LkePoolTruth { id, cluster, plan, count, tags, k8s_version, config, created, deleted });
saved!(LkePoolConfig { labels, taints, firewall, rest });
saved_shared!(LkePoolConfig);
saved!(ClusterTruth { shown, account, created, deleted, vanished });
saved!(Cluster { truth, kubeconfig_from, endpoints_from, kubeconfigs, acl, acl_revision });

saved_enum!(View { Get, List });
saved_enum!(Event {
    Boot(machine),
    Propagate(machine),
    Vanish(machine),
    Heal(machine),
    Resync(machine),
    Turned(machine),
    ClusterVanish(cluster),
    Appear(machine, view),
    TagsSeen(machine, view),
    LkePoolSeen(lke_pool, view),
    Member(lke_pool, machine),
    SlotId(lke_pool, machine),
});
