//! Bodies of requests.
//!
//! A field that is null is as one that is absent: linodego sends lists that were not set as null. What the API knows
//! and nothing here models is refused as such, as is a field that no source names.

pub(super) mod instance;

use super::{HttpRequest, NoRequest};
use crate::error::ApiError;
use crate::object::{Acl, Autoscaler, InstanceId, PoolDisk, Tags, Taint, Tier, UpdateStrategy};
use crate::request::{ClusterCreate, ClusterUpdate, LkePoolChange, LkePoolCreate, LkePoolOptions, LkePoolUpdate};
use serde_json::{Map, Value};
use std::net::IpAddr;
use std::sync::Arc;

/// The reply to a body that is no JSON object, as a third party reports it.
pub const INVALID_JSON: &str = "Invalid JSON";

/// The fields of a body that were not taken yet.
pub struct Fields {
    fields: Map<String, Value>,
    whose: String,
}

impl Fields {
    /// The fields of a request's body; none where it has no body.
    pub(super) fn of(http: &HttpRequest) -> Result<Fields, NoRequest> {
        let whose = format!("{} {}", http.method, http.path);
        let text = http.body.as_deref().unwrap_or_default().trim();
        if text.is_empty() {
            return Ok(Fields { fields: Map::new(), whose });
        }
        match serde_json::from_str(text) {
            Ok(Value::Object(fields)) => Ok(Fields { fields, whose }),
            _ => Err(ApiError::new(400, INVALID_JSON).into()),
        }
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.fields.shift_remove(name).filter(|value| !value.is_null())
    }

    /// Takes a field that `read` understands.
    fn get<T>(&mut self, name: &'static str, read: impl FnOnce(Value) -> Option<T>) -> Result<Option<T>, ApiError> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        read(value).map(Some).ok_or_else(|| not_valid(name))
    }

    /// Takes a field that must be there. The text of the refusal is *unknown*.
    fn required<T>(&mut self, name: &'static str, read: impl FnOnce(Value) -> Option<T>) -> Result<T, ApiError> {
        self.get(name, read)?.ok_or_else(|| missing(name))
    }

    /// Refuses a member that no source names of the object, or of the list of objects, in a field.
    fn members(&self, name: &str, known: &[&str]) -> Result<(), NoRequest> {
        let objects = match self.fields.get(name) {
            Some(Value::Array(list)) => &list[..],
            Some(value) => std::slice::from_ref(value),
            None => &[],
        };
        let mut members = objects.iter().filter_map(Value::as_object).flat_map(Map::keys);
        match members.find(|member| !known.contains(&member.as_str())) {
            Some(member) => Err(NoRequest::NotModelled(format!("`{name}.{member}` in the body of {}", self.whose))),
            None => Ok(()),
        }
    }

    /// Refuses what is left, but for empty lists and maps.
    pub(super) fn end(self) -> Result<(), NoRequest> {
        let says_nothing = |value: &Value| match value {
            Value::Null => true,
            Value::Array(list) => list.is_empty(),
            Value::Object(map) => map.is_empty(),
            _ => false,
        };
        match self.fields.iter().find(|(_, value)| !says_nothing(value)) {
            Some((name, _)) => Err(NoRequest::NotModelled(format!("`{name}` in the body of {}", self.whose))),
            None => Ok(()),
        }
    }
}

fn missing(name: &'static str) -> ApiError {
    ApiError::field(name, format!("{name} is required"))
}

/// The form of recorded refusals: `region is not valid`.
fn not_valid(name: &'static str) -> ApiError {
    ApiError::field(name, format!("{name} is not valid"))
}

fn number(value: Value) -> Option<u32> {
    value.as_u64()?.try_into().ok()
}

fn text(value: Value) -> Option<Arc<str>> {
    value.as_str().map(Into::into)
}

fn tags(value: Value) -> Option<Tags> {
    value.as_array()?.iter().map(|tag| tag.as_str().map(Arc::from)).collect::<Option<Vec<_>>>().map(Tags::from_iter)
}

fn labels(value: Value) -> Option<Vec<(Arc<str>, Arc<str>)>> {
    let label = |(key, value): (&String, &Value)| Some((key.as_str().into(), value.as_str()?.into()));
    value.as_object()?.iter().map(label).collect()
}

fn taints(value: Value) -> Option<Vec<Taint>> {
    let part = |taint: &Value, name: &str| taint.get(name).and_then(Value::as_str).map(Arc::from);
    let taint = |taint: &Value| {
        let effect = part(taint, "effect").filter(|effect: &Arc<str>| EFFECTS.contains(&&**effect))?;
        Some(Taint { key: part(taint, "key")?, value: part(taint, "value").unwrap_or_default(), effect })
    };
    value.as_array()?.iter().map(taint).collect()
}

/// What a taint consists of.
const TAINT: [&str; 3] = ["key", "value", "effect"];

const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

fn boolean(value: Value) -> Option<bool> {
    value.as_bool()
}

fn texts(value: Value) -> Option<Vec<Arc<str>>> {
    value.as_array()?.iter().map(|text| text.as_str().map(Arc::from)).collect()
}

fn autoscaler(fields: &mut Fields) -> Result<Option<Autoscaler>, NoRequest> {
    fields.members("autoscaler", &["enabled", "min", "max"])?;
    let said = |value: &Value, name: &str| value.get(name).is_some_and(|bound| !bound.is_null());
    // A bound that is left out is the count in one source; in another, both come together.
    if fields
        .fields
        .get("autoscaler")
        .is_some_and(|value| value.is_object() && !(said(value, "min") && said(value, "max")))
    {
        return Err(NoRequest::NotModelled("an `autoscaler` that names not both bounds".to_owned()));
    }
    let read = |value: Value| {
        let bound = |name: &str| value.get(name).and_then(|bound| number(bound.clone()));
        let enabled = value.get("enabled")?.as_bool()?;
        Some(Autoscaler { enabled, min: bound("min")?, max: bound("max")? })
    };
    Ok(fields.get("autoscaler", read)?)
}

fn disks(value: Value) -> Option<Vec<PoolDisk>> {
    let disk = |disk: &Value| {
        let kind = disk.get("type")?.as_str().filter(|kind| matches!(*kind, "raw" | "ext4"))?;
        Some(PoolDisk { size_mb: number(disk.get("size")?.clone())?, kind: kind.into() })
    };
    value.as_array()?.iter().map(disk).collect()
}

fn encryption(value: Value) -> Option<bool> {
    match value.as_str()? {
        "enabled" => Some(true),
        "disabled" => Some(false),
        _ => None,
    }
}

fn strategy(value: Value) -> Option<UpdateStrategy> {
    UpdateStrategy::named(value.as_str()?)
}

pub(super) fn lke_pool_create(mut fields: Fields) -> Result<LkePoolCreate, NoRequest> {
    fields.members("disks", &["size", "type"])?;
    fields.members("taints", &TAINT)?;
    let more = LkePoolOptions {
        label: fields.get("label", text)?,
        autoscaler: autoscaler(&mut fields)?,
        disks: fields.get("disks", disks)?.unwrap_or_default(),
        disk_encryption: fields.get("disk_encryption", encryption)?,
        update_strategy: fields.get("update_strategy", strategy)?,
    };
    let body = LkePoolCreate {
        plan: fields.required("type", text)?,
        count: fields.required("count", number)?,
        tags: fields.get("tags", tags)?.unwrap_or_default(),
        labels: fields.get("labels", labels)?.unwrap_or_default(),
        taints: fields.get("taints", taints)?.unwrap_or_default(),
        firewall: fields.get("firewall_id", |value| value.as_u64())?,
        k8s_version: fields.get("k8s_version", text)?,
        more: (more != LkePoolOptions::default()).then(|| Box::new(more)),
    };
    fields.end()?;
    Ok(body)
}

pub(super) fn lke_pool_update(mut fields: Fields) -> Result<LkePoolUpdate, NoRequest> {
    fields.members("taints", &TAINT)?;
    let more = LkePoolChange {
        labels: fields.get("labels", labels)?,
        taints: fields.get("taints", taints)?,
        label: fields.get("label", text)?,
        autoscaler: autoscaler(&mut fields)?,
        firewall: fields.get("firewall_id", |value| value.as_u64())?,
        update_strategy: fields.get("update_strategy", strategy)?,
    };
    let body = LkePoolUpdate {
        count: fields.get("count", number)?,
        tags: fields.get("tags", tags)?,
        k8s_version: fields.get("k8s_version", text)?,
        more: (more != LkePoolChange::default()).then(|| Box::new(more)),
    };
    fields.end()?;
    Ok(body)
}

pub(super) fn tag_create(mut fields: Fields) -> Result<(Arc<str>, Vec<InstanceId>), NoRequest> {
    let label = fields.required("label", text)?;
    let ids = |value: Value| value.as_array()?.iter().map(|id| id.as_u64().map(InstanceId)).collect();
    let linodes = fields.get("linodes", ids)?.unwrap_or_default();
    fields.end()?;
    Ok((label, linodes))
}

fn acl(fields: &mut Fields) -> Result<Option<Acl>, NoRequest> {
    fields.members("acl", &["enabled", "revision-id", "addresses"])?;
    let addresses = fields.fields.get("acl").and_then(|acl| acl.get("addresses")).and_then(Value::as_object);
    if let Some(other) =
        addresses.into_iter().flat_map(Map::keys).find(|name| !matches!(name.as_str(), "ipv4" | "ipv6"))
    {
        return Err(NoRequest::NotModelled(format!("`acl.addresses.{other}` in the body of {}", fields.whose)));
    }
    Ok(fields.get("acl", rules)?)
}

fn rules(value: Value) -> Option<Acl> {
    value.as_object()?;
    let addresses = value.get("addresses").filter(|addresses| !addresses.is_null());
    addresses.map_or(Some(()), |addresses| addresses.as_object().map(|_| ()))?;
    let list = |name: &str, bits: u8| match addresses.and_then(|addresses| addresses.get(name)) {
        None | Some(Value::Null) => Some(None),
        Some(list) => texts(list.clone()).filter(|list| list.iter().all(|text| is_range(text, bits))).map(Some),
    };
    let field = |name: &str| value.get(name).filter(|value| !value.is_null()).cloned();
    Some(Acl {
        enabled: field("enabled").map_or(Some(None), |on| on.as_bool().map(Some))?,
        revision_id: field("revision-id").map_or(Some(None), |id| text(id).map(Some))?.filter(|id| !id.is_empty()),
        ipv4: list("ipv4", 32)?,
        ipv6: list("ipv6", 128)?,
    })
}

/// Whether it is an address of so many bits, or a range of them.
fn is_range(text: &str, bits: u8) -> bool {
    let (address, length) = text.split_once('/').map_or((text, None), |(address, length)| (address, Some(length)));
    let address = address.parse::<IpAddr>().is_ok_and(|address| address.is_ipv4() == (bits == 32));
    address && length.is_none_or(|length| length.parse::<u8>().is_ok_and(|length| length <= bits))
}

pub(super) fn acl_update(mut fields: Fields) -> Result<Acl, NoRequest> {
    let rules = acl(&mut fields)?.ok_or_else(|| missing("acl"))?;
    fields.end()?;
    Ok(rules)
}

/// What stands under `control_plane`.
#[derive(Default)]
struct ControlPlane {
    high_availability: Option<bool>,
    audit_logs_enabled: Option<bool>,
    acl: Option<Acl>,
}

fn control_plane(fields: &mut Fields) -> Result<ControlPlane, NoRequest> {
    let object = |value: Value| match value {
        Value::Object(map) => Some(map),
        _ => None,
    };
    let Some(map) = fields.get("control_plane", object)? else {
        return Ok(ControlPlane::default());
    };
    let mut fields = Fields { fields: map, whose: fields.whose.clone() };
    let plane = ControlPlane {
        high_availability: fields.get("high_availability", boolean)?,
        audit_logs_enabled: fields.get("audit_logs_enabled", boolean)?,
        acl: acl(&mut fields)?,
    };
    fields.end()?;
    Ok(plane)
}

fn tier(value: Value) -> Option<Tier> {
    Tier::named(value.as_str()?)
}

pub(super) fn cluster_create(mut fields: Fields) -> Result<ClusterCreate, NoRequest> {
    let plane = control_plane(&mut fields)?;
    let objects = |value: Value| match value {
        Value::Array(list) => {
            list.into_iter().map(|one| if let Value::Object(map) = one { Some(map) } else { None }).collect()
        }
        _ => None,
    };
    let pools: Vec<Map<String, Value>> = fields.get("node_pools", objects)?.unwrap_or_default();
    let whose = fields.whose.clone();
    let pool = |map| lke_pool_create(Fields { fields: map, whose: whose.clone() });
    let body = ClusterCreate {
        label: fields.required("label", text)?,
        region: fields.required("region", text)?,
        k8s_version: fields.required("k8s_version", text)?,
        tier: fields.get("tier", tier)?.unwrap_or(Tier::Standard),
        tags: fields.get("tags", tags)?.unwrap_or_default(),
        lke_pools: pools.into_iter().map(pool).collect::<Result<_, _>>()?,
        high_availability: plane.high_availability,
        audit_logs_enabled: plane.audit_logs_enabled,
        acl: plane.acl,
    };
    // It says whether an add-on is to be installed; here it never is.
    if fields.get("apl_enabled", boolean)? == Some(true) {
        return Err(NoRequest::NotModelled("`apl_enabled` of a cluster".to_owned()));
    }
    fields.end()?;
    Ok(body)
}

pub(super) fn cluster_update(mut fields: Fields) -> Result<ClusterUpdate, NoRequest> {
    let plane = control_plane(&mut fields)?;
    let body = ClusterUpdate {
        label: fields.get("label", text)?,
        k8s_version: fields.get("k8s_version", text)?,
        tags: fields.get("tags", tags)?,
        high_availability: plane.high_availability,
        audit_logs_enabled: plane.audit_logs_enabled,
        acl: plane.acl,
    };
    fields.end()?;
    Ok(body)
}

/// The kubeconfig is made anew. Nothing that the API shows tells of a service token, so either word of it is taken; one
/// alone is not modelled.
pub(super) fn regenerate(mut fields: Fields) -> Result<(), NoRequest> {
    fields.get("servicetoken", boolean)?;
    if fields.get("kubeconfig", boolean)? == Some(false) {
        return Err(NoRequest::NotModelled("a cluster is regenerated without its kubeconfig".to_owned()));
    }
    fields.end()
}
