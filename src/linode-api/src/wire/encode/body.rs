//! Bodies of requests. What is absent of a body is not written, save for lists of a pool's creation, which linodego
//! sends as null.

use crate::object::{Acl, Alerts, Autoscaler, InstanceId, PoolDisk, Tags, Taint, Tier};
use crate::request::{
    Backups, ClusterCreate, ClusterUpdate, InstanceCreate, InstanceUpdate, LkePoolCreate, LkePoolUpdate, ROOT_PASS,
};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// An object of the fields that are there.
fn object<const N: usize>(fields: [(&str, Option<Value>); N]) -> Value {
    let there = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(there.collect::<Map<_, _>>())
}

fn text(text: &Arc<str>) -> Value {
    Value::from(&**text)
}

fn texts<'a>(list: impl IntoIterator<Item = &'a Arc<str>>) -> Value {
    list.into_iter().map(text).collect()
}

fn tags(tags: &Tags) -> Value {
    texts(tags.iter())
}

fn labels(labels: &[(Arc<str>, Arc<str>)]) -> Value {
    Value::Object(labels.iter().map(|(key, value)| (key.to_string(), text(value))).collect())
}

fn taints(taints: &[Taint]) -> Value {
    let taint = |taint: &Taint| {
        let value = (!taint.value.is_empty()).then(|| text(&taint.value));
        object([("key", Some(text(&taint.key))), ("value", value), ("effect", Some(text(&taint.effect)))])
    };
    taints.iter().map(taint).collect()
}

fn autoscaler(own: Autoscaler) -> Value {
    json!({"enabled": own.enabled, "min": own.min, "max": own.max})
}

fn disks(disks: &[PoolDisk]) -> Value {
    disks.iter().map(|disk| json!({"size": disk.size_mb, "type": &*disk.kind})).collect()
}

/// The list, or null where it has nothing.
fn or_null(list: Value) -> Value {
    let has_none = list.as_array().is_some_and(Vec::is_empty) || list.as_object().is_some_and(Map::is_empty);
    if has_none { Value::Null } else { list }
}

pub(super) fn lke_pool_create(body: &LkePoolCreate) -> Value {
    let more = body.more.as_deref();
    let encrypted = more.and_then(|more| more.disk_encryption);
    object([
        ("count", Some(body.count.into())),
        ("type", Some(text(&body.plan))),
        ("disks", Some(or_null(disks(more.map_or(&[], |more| &more.disks))))),
        ("tags", Some(or_null(tags(&body.tags)))),
        ("labels", Some(or_null(labels(&body.labels)))),
        ("taints", Some(or_null(taints(&body.taints)))),
        ("label", more.and_then(|more| more.label.as_ref()).map(text)),
        ("autoscaler", more.and_then(|more| more.autoscaler).map(autoscaler)),
        ("firewall_id", body.firewall.map(Value::from)),
        ("k8s_version", body.k8s_version.as_ref().map(text)),
        ("update_strategy", more.and_then(|more| more.update_strategy).map(|own| own.name().into())),
        ("disk_encryption", encrypted.map(encryption)),
    ])
}

pub(super) fn lke_pool_update(body: &LkePoolUpdate) -> Value {
    let more = body.more.as_deref();
    object([
        ("count", body.count.map(Value::from)),
        ("tags", body.tags.as_ref().map(tags)),
        ("labels", more.and_then(|more| more.labels.as_deref()).map(labels)),
        ("taints", more.and_then(|more| more.taints.as_deref()).map(taints)),
        ("label", more.and_then(|more| more.label.as_ref()).map(text)),
        ("autoscaler", more.and_then(|more| more.autoscaler).map(autoscaler)),
        ("firewall_id", more.and_then(|more| more.firewall).map(Value::from)),
        ("k8s_version", body.k8s_version.as_ref().map(text)),
        ("update_strategy", more.and_then(|more| more.update_strategy).map(|own| own.name().into())),
    ])
}

pub(super) fn just_tags(own: &Tags) -> Value {
    object([("tags", Some(tags(own)))])
}

pub(super) fn tag_create(label: &Arc<str>, linodes: &[InstanceId]) -> Value {
    let linodes = (!linodes.is_empty()).then(|| linodes.iter().map(|id| Value::from(id.0)).collect());
    object([("label", Some(text(label))), ("linodes", linodes)])
}

pub(super) fn instance_create(body: &InstanceCreate) -> Value {
    let more = body.more.as_deref();
    let unnamed = more.is_some_and(|more| more.unnamed);
    object([
        ("region", Some(text(&body.region))),
        ("type", Some(text(&body.plan))),
        ("label", (!unnamed).then(|| text(&body.label))),
        ("root_pass", more.is_some_and(|more| more.has_login).then(|| ROOT_PASS.into())),
        ("image", more.and_then(|more| more.image.as_ref()).map(text)),
        ("group", more.and_then(|more| more.group.as_ref()).map(text)),
        ("tags", Some(tags(&body.tags))),
        ("booted", more.and_then(|more| more.booted).map(Value::from)),
        ("metadata", more.is_some_and(|more| more.has_user_data).then(|| object([("user_data", Some("eA==".into()))]))),
        ("disk_encryption", more.and_then(|more| more.disk_encryption).map(encryption)),
        ("maintenance_policy", more.and_then(|more| more.maintenance_policy.as_ref()).map(text)),
        ("authorized_keys", more.and_then(|more| some_texts(&more.authorized_keys))),
        ("authorized_users", more.and_then(|more| some_texts(&more.authorized_users))),
        ("firewall_id", more.and_then(|more| more.firewall).map(Value::from)),
        ("swap_size", more.and_then(|more| more.swap_size).map(Value::from)),
        ("backups_enabled", more.is_some_and(|more| more.backups).then_some(Value::Bool(true))),
    ])
}

/// A list that has entries.
fn some_texts(list: &[Arc<str>]) -> Option<Value> {
    (!list.is_empty()).then(|| texts(list))
}

fn alerts(own: Alerts) -> Value {
    object([
        ("cpu", own.cpu.map(Value::from)),
        ("io", own.io.map(Value::from)),
        ("network_in", own.network_in.map(Value::from)),
        ("network_out", own.network_out.map(Value::from)),
        ("transfer_quota", own.transfer_quota.map(Value::from)),
    ])
}

pub(super) fn instance_update(body: &InstanceUpdate) -> Value {
    object([
        ("label", body.label.as_ref().map(text)),
        ("group", body.group.as_ref().map(text)),
        ("alerts", (body.alerts != Alerts::default()).then(|| alerts(body.alerts))),
        ("watchdog_enabled", body.watchdog_enabled.map(Value::from)),
        ("tags", body.tags.as_ref().map(tags)),
        ("backups", (body.backups != Backups::default()).then(|| backups(&body.backups))),
        ("maintenance_policy", body.maintenance_policy.as_ref().map(text)),
    ])
}

fn backups(own: &Backups) -> Value {
    let schedule = [("day", own.day.as_ref().map(text)), ("window", own.window.as_ref().map(text))];
    object([
        ("enabled", own.enabled.map(Value::from)),
        ("available", own.available.map(Value::from)),
        ("schedule", (own.day.is_some() || own.window.is_some()).then(|| object(schedule))),
    ])
}

fn encryption(on: bool) -> Value {
    Value::from(if on { "enabled" } else { "disabled" })
}

fn acl(own: &Acl) -> Value {
    let addresses = object([("ipv4", own.ipv4.as_ref().map(texts)), ("ipv6", own.ipv6.as_ref().map(texts))]);
    let has_addresses = own.ipv4.is_some() || own.ipv6.is_some();
    object([
        ("enabled", own.enabled.map(Value::from)),
        ("revision-id", own.revision_id.as_ref().map(text)),
        ("addresses", has_addresses.then_some(addresses)),
    ])
}

pub(super) fn acl_update(own: &Acl) -> Value {
    object([("acl", Some(acl(own)))])
}

fn control_plane(
    high_availability: Option<bool>,
    audit_logs_enabled: Option<bool>,
    own: Option<&Acl>,
) -> Option<Value> {
    let has_any = high_availability.is_some() || audit_logs_enabled.is_some() || own.is_some();
    let fields = [
        ("high_availability", high_availability.map(Value::from)),
        ("audit_logs_enabled", audit_logs_enabled.map(Value::from)),
        ("acl", own.map(acl)),
    ];
    has_any.then(|| object(fields))
}

pub(super) fn cluster_create(body: &ClusterCreate) -> Value {
    let tier = match body.tier {
        Tier::Standard => None,
        Tier::Enterprise => Some("enterprise".into()),
    };
    object([
        ("node_pools", Some(body.lke_pools.iter().map(lke_pool_create).collect())),
        ("label", Some(text(&body.label))),
        ("region", Some(text(&body.region))),
        ("k8s_version", Some(text(&body.k8s_version))),
        ("tags", (!body.tags.is_empty()).then(|| tags(&body.tags))),
        ("control_plane", control_plane(body.high_availability, body.audit_logs_enabled, body.acl.as_ref())),
        ("tier", tier),
    ])
}

pub(super) fn cluster_update(body: &ClusterUpdate) -> Value {
    object([
        ("k8s_version", body.k8s_version.as_ref().map(text)),
        ("label", body.label.as_ref().map(text)),
        ("tags", body.tags.as_ref().map(tags)),
        ("control_plane", control_plane(body.high_availability, body.audit_logs_enabled, body.acl.as_ref())),
    ])
}
