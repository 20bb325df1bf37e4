//! A [`Scenario`] back to YAML, as short as a person would write it.
//!
//! What is as it would be anyway is left out: the default scenario is written beside, and what is equal in both goes.

use crate::{Scenario, by_hand, fault, start, workload};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The scenario as YAML. Loading it gives the same scenario again.
pub fn to_yaml(scenario: &Scenario) -> String {
    let mut document = value(scenario);
    let mut usual = value(&Scenario::new(""));
    if let Some(usual) = usual.as_object_mut() {
        // These have to be there.
        usual.remove("about");
        usual.remove("workload");
    }
    prune(&mut document, &usual);
    if let Some(document) = document.as_object_mut() {
        for list in ["workload", "faults", "by_hand", "chaos"] {
            let entries = document.get_mut(list).and_then(Value::as_array_mut);
            entries.into_iter().flatten().for_each(prune_entry);
        }
        let start = document.get_mut("start").and_then(Value::as_object_mut);
        start.into_iter().for_each(prune_start);
    }
    // What was just made of a scenario has keys that are text and numbers that YAML has.
    serde_yaml::to_string(&document).unwrap_or_default()
}

fn value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// Takes out what is equal to the usual, and maps that are then empty.
fn prune(value: &mut Value, usual: &Value) {
    let (Some(fields), Some(usual)) = (value.as_object_mut(), usual.as_object()) else {
        return;
    };
    fields.retain(|name, value| match usual.get(name) {
        None => true,
        Some(usual) if value == usual => false,
        Some(usual) => {
            let was_empty = is_empty(value);
            prune(value, usual);
            was_empty || !is_empty(value)
        }
    });
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(Map::is_empty)
}

/// An entry of a list is a map of its kind.
fn prune_entry(entry: &mut Value) {
    let Some((kind, fields)) = entry.as_object_mut().and_then(|entry| entry.iter_mut().next()) else {
        return;
    };
    let usual = match kind.as_str() {
        "create" => value(&workload::Create::default()),
        kind if fault::Fault::KINDS.contains(&kind) => json!({ "chance": "100%", "from": "0s" }),
        // Where these name a NodePool, they name no NodeClaim.
        "delete_linode" | "delete_node" | "retag_linode" => return,
        _ => json!({ "node_pool": by_hand::DEFAULT_NODE_POOL }),
    };
    prune(fields, &usual);
}

fn prune_start(start: &mut Map<String, Value>) {
    let entries = |start: &mut Map<String, Value>, name: &str, usual: &Value| {
        let list = start.get_mut(name).and_then(Value::as_array_mut);
        list.into_iter().flatten().for_each(|entry| prune(entry, usual));
    };
    entries(start, "lke_pools", &value(&start::StartLkePool::default()));
    entries(start, "claims", &json!({ "node_pool": "default" }));
    for lke_pool in start.get_mut("lke_pools").and_then(Value::as_array_mut).into_iter().flatten() {
        let linodes = lke_pool.get_mut("linodes").and_then(Value::as_array_mut);
        linodes.into_iter().flatten().for_each(|linode| prune(linode, &value(&start::StartLinode::default())));
    }
}
