//! The same of calls that no design makes.

use super::{insert_some, pool_body, tag_list};
use lkesim_linode_api::{Acl, Alerts, ClusterCreate, ClusterUpdate, InstanceUpdate, Rarer, Tags};
use serde_json::{Map, Value, json};
use std::sync::Arc;

const LKE: &str = "/lke/clusters";

/// Method and path.
pub(super) fn line_of(call: &Rarer) -> String {
    match call {
        Rarer::CreateCluster { .. } => format!("POST {LKE}"),
        Rarer::UpdateCluster { cluster, .. } => format!("PUT {LKE}/{cluster}"),
        Rarer::DeleteCluster { cluster } => format!("DELETE {LKE}/{cluster}"),
        Rarer::RecycleCluster { cluster } => format!("POST {LKE}/{cluster}/recycle"),
        Rarer::RegenerateCluster { cluster } => format!("POST {LKE}/{cluster}/regenerate"),
        Rarer::GetKubeconfig { cluster } => format!("GET {LKE}/{cluster}/kubeconfig"),
        Rarer::DeleteKubeconfig { cluster } => format!("DELETE {LKE}/{cluster}/kubeconfig"),
        Rarer::DeleteServiceToken { cluster } => format!("DELETE {LKE}/{cluster}/servicetoken"),
        Rarer::ListApiEndpoints { cluster, .. } => format!("GET {LKE}/{cluster}/api-endpoints"),
        Rarer::GetDashboard { cluster } => format!("GET {LKE}/{cluster}/dashboard"),
        Rarer::GetControlPlaneAcl { cluster } => format!("GET {LKE}/{cluster}/control_plane_acl"),
        Rarer::UpdateControlPlaneAcl { cluster, .. } => format!("PUT {LKE}/{cluster}/control_plane_acl"),
        Rarer::DeleteControlPlaneAcl { cluster } => format!("DELETE {LKE}/{cluster}/control_plane_acl"),
        Rarer::RecyclePool { cluster, lke_pool } => format!("POST {LKE}/{cluster}/pools/{lke_pool}/recycle"),
        Rarer::GetNode { cluster, node } => format!("GET {LKE}/{cluster}/nodes/{node}"),
        Rarer::RecycleNode { cluster, node } => format!("POST {LKE}/{cluster}/nodes/{node}/recycle"),
        Rarer::UpdateInstance { instance, .. } => format!("PUT /linode/instances/{instance}"),
        Rarer::BootInstance { instance } => format!("POST /linode/instances/{instance}/boot"),
        Rarer::RebootInstance { instance } => format!("POST /linode/instances/{instance}/reboot"),
        Rarer::ShutdownInstance { instance } => format!("POST /linode/instances/{instance}/shutdown"),
        Rarer::ListTags { .. } => "GET /tags".to_owned(),
        Rarer::ListTaggedObjects { label, .. } => format!("GET /tags/{label}"),
        Rarer::DeleteTag { label } => format!("DELETE /tags/{label}"),
    }
}

pub(super) fn body_of(call: &Rarer) -> Option<Value> {
    match call {
        Rarer::CreateCluster { body } => Some(cluster_body(body)),
        Rarer::UpdateCluster { body, .. } => Some(cluster_update_body(body)),
        Rarer::UpdateControlPlaneAcl { acl: rules, .. } => Some(json!({ "acl": acl(rules) })),
        Rarer::UpdateInstance { body, .. } => Some(instance_update_body(body)),
        _ => None,
    }
}

fn cluster_body(body: &ClusterCreate) -> Value {
    let pools: Vec<_> = body.lke_pools.iter().map(pool_body).collect();
    let mut members = Map::new();
    members.insert("label".into(), json!(&*body.label));
    members.insert("region".into(), json!(&*body.region));
    members.insert("k8s_version".into(), json!(&*body.k8s_version));
    members.insert("tier".into(), body.tier.name().into());
    members.insert("tags".into(), json!(tag_list(&body.tags)));
    members.insert("node_pools".into(), pools.into());
    insert_some(
        &mut members,
        "control_plane",
        control_plane(body.high_availability, body.audit_logs_enabled, body.acl.as_ref()),
    );
    Value::Object(members)
}

fn cluster_update_body(body: &ClusterUpdate) -> Value {
    let mut members = Map::new();
    insert_some(&mut members, "label", body.label.as_deref().map(Value::from));
    insert_some(&mut members, "k8s_version", body.k8s_version.as_deref().map(Value::from));
    insert_some(&mut members, "tags", tags(body.tags.as_ref()));
    insert_some(
        &mut members,
        "control_plane",
        control_plane(body.high_availability, body.audit_logs_enabled, body.acl.as_ref()),
    );
    Value::Object(members)
}

fn tags(tags: Option<&Tags>) -> Option<Value> {
    tags.map(|tags| json!(tag_list(tags)))
}

fn control_plane(high_availability: Option<bool>, audit_logs: Option<bool>, rules: Option<&Acl>) -> Option<Value> {
    let mut members = Map::new();
    insert_some(&mut members, "high_availability", high_availability.map(Value::from));
    insert_some(&mut members, "audit_logs_enabled", audit_logs.map(Value::from));
    insert_some(&mut members, "acl", rules.map(acl));
    (!members.is_empty()).then_some(Value::Object(members))
}

fn acl(rules: &Acl) -> Value {
    let ranges = |ranges: &Option<Vec<Arc<str>>>| {
        ranges.as_ref().map(|all| all.iter().map(|range| json!(&**range)).collect::<Vec<_>>().into())
    };
    let (mut members, mut addresses) = (Map::new(), Map::new());
    insert_some(&mut addresses, "ipv4", ranges(&rules.ipv4));
    insert_some(&mut addresses, "ipv6", ranges(&rules.ipv6));
    insert_some(&mut members, "enabled", rules.enabled.map(Value::from));
    insert_some(&mut members, "revision-id", rules.revision_id.as_deref().map(Value::from));
    insert_some(&mut members, "addresses", (!addresses.is_empty()).then_some(Value::Object(addresses)));
    Value::Object(members)
}

fn instance_update_body(body: &InstanceUpdate) -> Value {
    let mut members = Map::new();
    insert_some(&mut members, "label", body.label.as_deref().map(Value::from));
    insert_some(&mut members, "tags", tags(body.tags.as_ref()));
    insert_some(&mut members, "group", body.group.as_deref().map(Value::from));
    insert_some(&mut members, "watchdog_enabled", body.watchdog_enabled.map(Value::from));
    insert_some(&mut members, "alerts", alerts(&body.alerts));
    Value::Object(members)
}

fn alerts(alerts: &Alerts) -> Option<Value> {
    let mut members = Map::new();
    for (key, value) in [
        ("cpu", alerts.cpu),
        ("network_in", alerts.network_in),
        ("network_out", alerts.network_out),
        ("transfer_quota", alerts.transfer_quota),
        ("io", alerts.io),
    ] {
        insert_some(&mut members, key, value.map(Value::from));
    }
    (!members.is_empty()).then_some(Value::Object(members))
}
