//! A request as a reader of HTTP logs expects it: method, path, filter and body.

mod rarer;

use lkesim_linode_api::{
    Autoscaler, Filter, InstanceCreate, LkePoolCreate, LkePoolUpdate, PageRequest, ROOT_PASS, Request as Call, Tags,
    Taint,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// One HTTP request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Request {
    /// The SDK's name of the call, such as `ListInstances`.
    pub endpoint: String,
    /// Method, path and query.
    pub line: String,
    /// `X-Filter`, as sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// The body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
}

impl From<&Call> for Request {
    fn from(call: &Call) -> Request {
        let (filter, page) = list_of(call);
        let mut line = line_of(call);
        if let Some(page) = page {
            line.push_str(&format!("?page={}&page_size={}", page.page, page.size));
        }
        Request {
            endpoint: call.endpoint().name().to_owned(),
            line,
            filter: filter.map(Filter::to_header),
            body: body_of(call),
        }
    }
}

/// Method and path.
fn line_of(call: &Call) -> String {
    let lke = "/lke/clusters";
    match call {
        Call::ListClusters { .. } => format!("GET {lke}"),
        Call::GetCluster { cluster } => format!("GET {lke}/{cluster}"),
        Call::ListPools { cluster, .. } => format!("GET {lke}/{cluster}/pools"),
        Call::CreatePool { cluster, .. } => format!("POST {lke}/{cluster}/pools"),
        Call::GetPool { cluster, lke_pool } => format!("GET {lke}/{cluster}/pools/{lke_pool}"),
        Call::UpdatePool { cluster, lke_pool, .. } => format!("PUT {lke}/{cluster}/pools/{lke_pool}"),
        Call::DeletePool { cluster, lke_pool } => {
            format!("DELETE {lke}/{cluster}/pools/{lke_pool}")
        }
        Call::DeleteNode { cluster, node } => format!("DELETE {lke}/{cluster}/nodes/{node}"),
        Call::ListInstances { .. } => "GET /linode/instances".to_owned(),
        Call::GetInstance { instance } => format!("GET /linode/instances/{instance}"),
        Call::UpdateInstance { instance, .. } => format!("PUT /linode/instances/{instance}"),
        Call::CreateInstance { .. } => "POST /linode/instances".to_owned(),
        Call::DeleteInstance { instance } => format!("DELETE /linode/instances/{instance}"),
        Call::CreateTag { .. } => "POST /tags".to_owned(),
        Call::ListTypes { .. } => "GET /linode/types".to_owned(),
        Call::GetType { plan } => format!("GET /linode/types/{plan}"),
        Call::ListRegionAvailability { .. } => "GET /regions/availability".to_owned(),
        Call::RegionAvailability { region } => format!("GET /regions/{region}/availability"),
        Call::ListMembers { cluster, lke_pool } => format!("GET {lke}/{cluster}/pools/{lke_pool}/members"),
        Call::ClaimNode { cluster, lke_pool, .. } => format!("POST {lke}/{cluster}/pools/{lke_pool}/claim"),
        Call::Rarer(call) => rarer::line_of(call),
    }
}

fn list_of(call: &Call) -> (Option<&Filter>, Option<PageRequest>) {
    match call {
        Call::ListClusters { filter, page }
        | Call::ListPools { filter, page, .. }
        | Call::ListInstances { filter, page }
        | Call::ListRegionAvailability { filter, page } => (filter.as_ref(), Some(*page)),
        Call::ListTypes { page } => (None, Some(*page)),
        Call::Rarer(call) => (call.filter(), call.page()),
        _ => (None, None),
    }
}

fn body_of(call: &Call) -> Option<Value> {
    match call {
        Call::CreatePool { body, .. } => Some(pool_body(body)),
        Call::UpdatePool { body, .. } => Some(pool_update_body(body)),
        Call::UpdateInstance { tags, .. } => Some(json!({ "tags": tag_list(tags) })),
        Call::CreateInstance { body } => Some(instance_body(body)),
        Call::CreateTag { label, linodes } => Some(json!({ "label": &**label, "linodes": linodes })),
        Call::ClaimNode { tag, .. } => Some(json!({ "tag": &**tag })),
        Call::Rarer(call) => rarer::body_of(call),
        _ => None,
    }
}

pub(super) fn tag_list(tags: &Tags) -> Vec<String> {
    tags.iter().map(|tag| tag.to_string()).collect()
}

fn labels(labels: &[(Arc<str>, Arc<str>)]) -> Value {
    labels.iter().map(|(key, value)| (key.to_string(), json!(&**value))).collect::<Map<_, _>>().into()
}

fn taints(taints: &[Taint]) -> Value {
    let one = |taint: &Taint| json!({ "key": &*taint.key, "value": &*taint.value, "effect": &*taint.effect });
    taints.iter().map(one).collect::<Vec<_>>().into()
}

fn autoscaler(bounds: Autoscaler) -> Value {
    json!({ "enabled": bounds.enabled, "min": bounds.min, "max": bounds.max })
}

fn pool_body(body: &LkePoolCreate) -> Value {
    let mut members = Map::new();
    members.insert("type".into(), json!(&*body.plan));
    members.insert("count".into(), json!(body.count));
    members.insert("tags".into(), json!(tag_list(&body.tags)));
    members.insert("labels".into(), labels(&body.labels));
    members.insert("taints".into(), taints(&body.taints));
    insert_some(&mut members, "firewall_id", body.firewall.map(Value::from));
    insert_some(&mut members, "k8s_version", body.k8s_version.as_deref().map(Value::from));
    if let Some(more) = &body.more {
        let disks: Vec<_> =
            more.disks.iter().map(|disk| json!({ "size": disk.size_mb, "type": &*disk.kind })).collect();
        insert_some(&mut members, "label", more.label.as_deref().map(Value::from));
        insert_some(&mut members, "autoscaler", more.autoscaler.map(autoscaler));
        insert_some(&mut members, "disks", (!disks.is_empty()).then(|| disks.into()));
        let encryption = more.disk_encryption.map(|on| if on { "enabled" } else { "disabled" });
        insert_some(&mut members, "disk_encryption", encryption.map(Value::from));
        insert_some(&mut members, "update_strategy", more.update_strategy.map(|own| own.name().into()));
    }
    Value::Object(members)
}

fn pool_update_body(body: &LkePoolUpdate) -> Value {
    let mut members = Map::new();
    insert_some(&mut members, "count", body.count.map(Value::from));
    let tags = body.tags.as_ref().map(|tags| json!(tag_list(tags)));
    insert_some(&mut members, "tags", tags);
    insert_some(&mut members, "k8s_version", body.k8s_version.as_deref().map(Value::from));
    if let Some(more) = &body.more {
        insert_some(&mut members, "labels", more.labels.as_deref().map(labels));
        insert_some(&mut members, "taints", more.taints.as_deref().map(taints));
        insert_some(&mut members, "label", more.label.as_deref().map(Value::from));
        insert_some(&mut members, "autoscaler", more.autoscaler.map(autoscaler));
        insert_some(&mut members, "firewall_id", more.firewall.map(Value::from));
        insert_some(&mut members, "update_strategy", more.update_strategy.map(|own| own.name().into()));
    }
    Value::Object(members)
}

fn instance_body(body: &InstanceCreate) -> Value {
    let mut members = Map::new();
    let unnamed = body.more.as_ref().is_some_and(|more| more.unnamed);
    insert_some(&mut members, "label", (!unnamed).then(|| json!(&*body.label)));
    members.insert("type".into(), json!(&*body.plan));
    members.insert("region".into(), json!(&*body.region));
    members.insert("tags".into(), json!(tag_list(&body.tags)));
    if let Some(more) = &body.more {
        insert_some(&mut members, "image", more.image.as_deref().map(Value::from));
        insert_some(&mut members, "booted", more.booted.map(Value::from));
        insert_some(&mut members, "group", more.group.as_deref().map(Value::from));
        insert_some(&mut members, "root_pass", more.has_login.then(|| ROOT_PASS.into()));
        insert_some(&mut members, "authorized_keys", some_list(&more.authorized_keys));
        insert_some(&mut members, "authorized_users", some_list(&more.authorized_users));
        insert_some(&mut members, "firewall_id", more.firewall.map(Value::from));
        insert_some(&mut members, "swap_size", more.swap_size.map(Value::from));
        insert_some(&mut members, "backups_enabled", more.backups.then_some(Value::Bool(true)));
        let encryption = more.disk_encryption.map(|on| if on { "enabled" } else { "disabled" });
        insert_some(&mut members, "disk_encryption", encryption.map(Value::from));
    }
    Value::Object(members)
}

fn some_list(list: &[Arc<str>]) -> Option<Value> {
    (!list.is_empty()).then(|| list.iter().map(|text| Value::from(&**text)).collect())
}

fn insert_some(members: &mut Map<String, Value>, key: &str, value: Option<Value>) {
    if let Some(value) = value {
        members.insert(key.to_owned(), value);
    }
}
