//! A request as a reader of HTTP logs expects it: method, path, filter and body.

use lkesim_linode_api::{Filter, InstanceCreate, LkePoolCreate, LkePoolUpdate, PageRequest, Request as Call, Tags};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

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
    }
}

fn list_of(call: &Call) -> (Option<&Filter>, Option<PageRequest>) {
    match call {
        Call::ListClusters { filter, page }
        | Call::ListPools { filter, page, .. }
        | Call::ListInstances { filter, page }
        | Call::ListRegionAvailability { filter, page } => (filter.as_ref(), Some(*page)),
        Call::ListTypes { page } => (None, Some(*page)),
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
        _ => None,
    }
}

pub(super) fn tag_list(tags: &Tags) -> Vec<String> {
    tags.iter().map(|tag| tag.to_string()).collect()
}

fn pool_body(body: &LkePoolCreate) -> Value {
    let labels = body.labels.iter();
    let labels: Map<_, _> = labels.map(|(key, value)| (key.to_string(), json!(&**value))).collect();
    let taints = body.taints.iter();
    let taints: Vec<_> =
        taints.map(|taint| json!({ "key": &*taint.key, "value": &*taint.value, "effect": &*taint.effect })).collect();
    let mut members = Map::new();
    members.insert("type".into(), json!(&*body.plan));
    members.insert("count".into(), json!(body.count));
    members.insert("tags".into(), json!(tag_list(&body.tags)));
    members.insert("labels".into(), json!(labels));
    members.insert("taints".into(), json!(taints));
    insert_some(&mut members, "firewall_id", body.firewall.map(Value::from));
    insert_some(&mut members, "k8s_version", body.k8s_version.as_deref().map(Value::from));
    Value::Object(members)
}

fn pool_update_body(body: &LkePoolUpdate) -> Value {
    let mut members = Map::new();
    insert_some(&mut members, "count", body.count.map(Value::from));
    let tags = body.tags.as_ref().map(|tags| json!(tag_list(tags)));
    insert_some(&mut members, "tags", tags);
    insert_some(&mut members, "k8s_version", body.k8s_version.as_deref().map(Value::from));
    Value::Object(members)
}

fn instance_body(body: &InstanceCreate) -> Value {
    json!({
        "label": &*body.label,
        "type": &*body.plan,
        "region": &*body.region,
        "tags": tag_list(&body.tags),
    })
}

fn insert_some(members: &mut Map<String, Value>, key: &str, value: Option<Value>) {
    if let Some(value) = value {
        members.insert(key.to_owned(), value);
    }
}
