//! What is true in the cloud, whatever its views show.

use crate::http::state::State;
use crate::{Cloud, ClusterTruth, InstanceTruth, LkePoolTruth};
use lkesim_linode_api::Tier;
use lkesim_runtime::Time;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The truth; with `all`, dead objects too.
pub(super) fn state(state: &State, now: Time, all: bool) -> Value {
    let cloud = &*state.cloud.borrow();
    let pools = cloud.lke_pools().filter(|pool| all || pool.is_live());
    let mut pools: Vec<&LkePoolTruth> = pools.collect();
    pools.sort_by_key(|pool| pool.id);
    let instances = cloud.instances().filter(|truth| all || truth.is_live());
    json!({
        "now_ns": now.as_nanos(),
        "clusters": clusters(cloud, all),
        "lke_pools": pools.into_iter().map(|pool| lke_pool(cloud, pool, all)).collect::<Vec<_>>(),
        "instances": instances.map(|truth| instance(truth, all)).collect::<Vec<_>>(),
        "tokens": state.tokens.iter().map(|token| &**token).collect::<Vec<_>>(),
    })
}

fn clusters(cloud: &Cloud, all: bool) -> Vec<Value> {
    let cluster = |truth: &ClusterTruth| {
        let own = &truth.shown;
        let mut shown = json!({
            "id": own.id.0, "label": &*own.label, "region": &*own.region, "tier": own.tier.map(Tier::name),
            "k8s_version": &*own.k8s_version, "tags": texts(own.tags.iter()),
        });
        if all {
            shown["deleted"] = Value::from(!truth.is_live());
        }
        shown
    };
    cloud.clusters().filter(|truth| all || truth.is_live()).map(cluster).collect()
}

fn texts<'a>(texts: impl Iterator<Item = &'a Arc<str>>) -> Vec<&'a str> {
    texts.map(|text| &**text).collect()
}

fn lke_pool(cloud: &Cloud, pool: &LkePoolTruth, all: bool) -> Value {
    let node = |id| {
        let node = cloud.instance(id).and_then(|truth| truth.node);
        json!({"id": node.map(|node| node.to_string()), "instance_id": id.0})
    };
    let (labels, taints) = cloud.node_labels_and_taints(pool.id).unwrap_or_default();
    let labels: Map<String, Value> =
        labels.iter().map(|(key, value)| (key.to_string(), Value::from(&**value))).collect();
    let taint = |taint: &lkesim_linode_api::Taint| json!({"key": &*taint.key, "value": &*taint.value, "effect": &*taint.effect});
    let mut shown = json!({
        "id": pool.id.0, "cluster": pool.cluster.0, "plan": &*pool.plan, "count": pool.count,
        "tags": texts(pool.tags.iter()), "labels": labels, "taints": taints.iter().map(taint).collect::<Vec<_>>(),
        "k8s_version": pool.k8s_version.as_deref(),
        "nodes": cloud.members(pool.id).map(node).collect::<Vec<_>>(),
    });
    if all {
        shown["deleted"] = Value::from(!pool.is_live());
    }
    shown
}

fn instance(truth: &InstanceTruth, all: bool) -> Value {
    let mut shown = json!({
        "id": truth.id.0, "label": &*truth.label, "plan": &*truth.plan, "region": &*truth.region,
        "status": truth.status().name(), "tags": texts(truth.tags.iter()),
        "lke_cluster": truth.cluster.map(|id| id.0), "lke_pool": truth.node.map(|node| node.lke_pool.0),
    });
    if all {
        shown["deleted"] = Value::from(!truth.is_live());
    }
    shown
}
