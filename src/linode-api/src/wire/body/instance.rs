//! Bodies of requests about Linodes.
//!
//! A field whose value would show in the Linode, or change what it is, is read or refused; of one that changes nothing
//! here (who may log in, disks, firewalls) the value's kind is checked and the value forgotten.

use super::{Fields, boolean, encryption, not_valid, number, tags, text, texts};
use crate::error::ApiError;
use crate::object::Alerts;
use crate::request::{Backups, InstanceCreate, InstanceOptions, InstanceUpdate};
use crate::wire::NoRequest;
use serde_json::Value;
use std::sync::Arc;

/// The reply to a maintenance policy that is none, field `maintenance_policy` (recorded).
pub const POLICY: &str = "Unsupported maintenance policy slug format.";

/// The policies that recordings and clients name. Others are *unknown*, and refused.
const POLICIES: [&str; 2] = ["linode/migrate", "linode/power_off_on"];

type Fits = fn(Value) -> bool;

/// Fields that change nothing here, and whether a value is of their kind.
const FORGOTTEN: [(&str, Fits); 3] = [
    ("network_helper", |value| value.is_boolean()),
    ("root_pass", |value| value.as_str().is_some_and(|pass| (7..=128).contains(&pass.chars().count()))),
    ("stackscript_id", |value| value.is_u64()),
];

/// Fields that let somebody log in.
const LOGINS: [&str; 3] = ["root_pass", "authorized_keys", "authorized_users"];

pub(in crate::wire) fn create(mut fields: Fields) -> Result<InstanceCreate, NoRequest> {
    let says_something = |name: &&str| match fields.fields.get(*name) {
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(list)) => !list.is_empty(),
        _ => false,
    };
    let has_login = LOGINS.iter().any(says_something);
    let label = fields.get("label", text)?;
    let more = InstanceOptions {
        image: fields.get("image", text)?,
        booted: fields.get("booted", boolean)?,
        has_login,
        group: fields.get("group", text)?,
        unnamed: label.is_none(),
        has_user_data: user_data(&mut fields)?,
        disk_encryption: fields.get("disk_encryption", encryption)?,
        maintenance_policy: policy(&mut fields)?,
        authorized_keys: fields.get("authorized_keys", texts)?.unwrap_or_default(),
        authorized_users: fields.get("authorized_users", texts)?.unwrap_or_default(),
        firewall: fields.get("firewall_id", |value| value.as_u64())?,
        swap_size: fields.get("swap_size", |value| value.as_u64())?,
        backups: fields.get("backups_enabled", boolean)?.unwrap_or_default(),
    };
    let body = InstanceCreate {
        plan: fields.required("type", text)?,
        region: fields.required("region", text)?,
        label: label.unwrap_or_default(),
        tags: fields.get("tags", tags)?.unwrap_or_default(),
        more: Some(Box::new(more)),
    };
    forget(&mut fields)?;
    fields.end()?;
    Ok(body)
}

/// Takes fields that change nothing here: those of any value, and those of a value that is as good as none.
fn forget(fields: &mut Fields) -> Result<(), NoRequest> {
    for (name, fits) in FORGOTTEN {
        fields.get(name, |value| fits(value).then_some(()))?;
    }
    fields.get("stackscript_data", |value| value.is_object().then_some(()))?;
    if fields.get("private_ip", boolean)? == Some(true) {
        return Err(NoRequest::NotModelled("`private_ip` of a Linode".to_owned()));
    }
    match fields.get("interface_generation", text)?.as_deref() {
        None | Some("legacy_config") => Ok(()),
        Some("linode") => Err(NoRequest::NotModelled("interfaces of Linodes".to_owned())),
        Some(_) => Err(not_valid("interface_generation").into()),
    }
}

/// Whether there are user data: base64, of at most 65535 bytes (*documented*).
fn user_data(fields: &mut Fields) -> Result<bool, NoRequest> {
    let Some(Value::Object(mut metadata)) = fields.get("metadata", |value| value.is_object().then_some(value))? else {
        return Ok(false);
    };
    let data = metadata.shift_remove("user_data").unwrap_or_default();
    if let Some(name) = metadata.keys().next() {
        return Err(NoRequest::NotModelled(format!("`{name}` of a Linode's metadata")));
    }
    match data {
        Value::Null => Ok(false),
        Value::String(text) if is_base64(&text) && text.len() / 4 * 3 <= 65_535 + 2 => Ok(!text.is_empty()),
        _ => Err(not_valid("metadata.user_data").into()),
    }
}

fn is_base64(text: &str) -> bool {
    let bare = text.trim_end_matches('=');
    text.len().is_multiple_of(4)
        && text.len() - bare.len() <= 2
        && bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

fn policy(fields: &mut Fields) -> Result<Option<Arc<str>>, ApiError> {
    let policy = fields.get("maintenance_policy", text)?;
    match policy.as_deref().is_none_or(|policy| POLICIES.contains(&policy)) {
        true => Ok(policy),
        false => Err(ApiError::field("maintenance_policy", POLICY)),
    }
}

/// The names that a Linode's alerts have.
fn alerts(value: Value) -> Option<Alerts> {
    let mut known = Alerts::default();
    for (name, value) in value.as_object()? {
        // Lists of alerts of another kind, which the model has not, are sent back as they came.
        let place = match name.as_str() {
            "cpu" => &mut known.cpu,
            "network_in" => &mut known.network_in,
            "network_out" => &mut known.network_out,
            "transfer_quota" => &mut known.transfer_quota,
            "io" => &mut known.io,
            "system_alerts" | "user_alerts" if value.as_array().is_some_and(Vec::is_empty) => continue,
            _ => return None,
        };
        *place = Some(number(value.clone())?);
    }
    Some(known)
}

/// What clients send back as they read it.
fn backups(value: Value) -> Option<Backups> {
    let flag = |name: &str| match value.get(name) {
        None | Some(Value::Null) => Some(None),
        Some(on) => on.as_bool().map(Some),
    };
    let schedule = value.get("schedule").filter(|schedule| !schedule.is_null());
    let part = |name: &str| match schedule.and_then(|schedule| schedule.get(name)) {
        None | Some(Value::Null) => Some(None),
        Some(part) => text(part.clone()).map(Some),
    };
    let is_map = value.is_object() && schedule.is_none_or(Value::is_object);
    is_map.then_some(Backups {
        enabled: flag("enabled")?,
        available: flag("available")?,
        day: part("day")?,
        window: part("window")?,
    })
}

pub(in crate::wire) fn update(mut fields: Fields) -> Result<InstanceUpdate, NoRequest> {
    let body = InstanceUpdate {
        label: fields.get("label", text)?,
        tags: fields.get("tags", tags)?,
        group: fields.get("group", text)?,
        watchdog_enabled: fields.get("watchdog_enabled", boolean)?,
        alerts: fields.get("alerts", alerts)?.unwrap_or_default(),
        backups: fields.get("backups", backups)?.unwrap_or_default(),
        maintenance_policy: policy(&mut fields)?,
    };
    fields.end()?;
    Ok(body)
}
