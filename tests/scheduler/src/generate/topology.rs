//! Spread, affinity and anti-affinity.

use super::pods::{APPS, topology_key};
use super::{About, Kind};
use crate::draw::Draw;
use serde_json::{Value, json};

/// Adds what the problem is about.
pub fn add(draw: &mut Draw, about: &About, app: &str, spec: &mut Value) {
    if about.has(Kind::Spread) && draw.chance(75) {
        spec["topologySpreadConstraints"] = (0..draw.number(&[1, 1, 2])).map(|_| spread(draw, app)).collect();
    }
    let preferring = about.has(Kind::Preferences);
    for (kind, name) in [(Kind::Affinity, "podAffinity"), (Kind::AntiAffinity, "podAntiAffinity")] {
        if about.has(kind) && draw.chance(55) {
            let terms: Vec<Value> = (0..draw.number(&[1, 1, 1, 2])).map(|_| term(draw, app)).collect();
            spec["affinity"][name]["requiredDuringSchedulingIgnoredDuringExecution"] = json!(terms);
        }
        if (preferring || about.has(kind)) && draw.chance(25) {
            let weighted =
                |draw: &mut Draw| json!({"weight": draw.between(1, 4) * 10, "podAffinityTerm": term(draw, app)});
            let terms: Vec<Value> = (0..draw.number(&[1, 2])).map(|_| weighted(draw)).collect();
            spec["affinity"][name]["preferredDuringSchedulingIgnoredDuringExecution"] = json!(terms);
        }
    }
}

/// A pod affinity term of a pod of this app, often on pods of the same.
pub fn term(draw: &mut Draw, app: &str) -> Value {
    let mut term = json!({"topologyKey": topology_key(draw), "labelSelector": selector(draw, app)});
    if draw.chance(10) {
        term["namespaces"] = json!(draw.some(&["default", "other"]));
    }
    if draw.chance(10) {
        term["namespaceSelector"] = json!({"matchLabels": {"tier": draw.pick(&["front", "back"])}});
    }
    term
}

fn selector(draw: &mut Draw, app: &str) -> Value {
    match draw.below(10) {
        0 => json!({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": [draw.pick(&APPS)]}]}),
        1 => json!({"matchExpressions": [{"key": "app", "operator": "In", "values": draw.some(&APPS)}]}),
        2 => json!({"matchLabels": {"app": draw.pick(&APPS), "version": draw.pick(&["v1", "v2"])}}),
        3 => json!({"matchExpressions": [{"key": "version", "operator": "Exists"}]}),
        4 | 5 => json!({"matchLabels": {"app": draw.pick(&APPS)}}),
        _ => json!({"matchLabels": {"app": app}}),
    }
}

fn spread(draw: &mut Draw, app: &str) -> Value {
    let mut spread = json!({
        "maxSkew": draw.number(&[1, 1, 1, 2, 3]),
        "topologyKey": topology_key(draw),
        "whenUnsatisfiable": draw.pick(&["DoNotSchedule", "DoNotSchedule", "ScheduleAnyway"]),
        "labelSelector": selector(draw, app),
    });
    if draw.chance(15) && spread["whenUnsatisfiable"] == "DoNotSchedule" {
        spread["minDomains"] = json!(draw.between(1, 4));
    }
    if draw.chance(15) {
        spread["nodeAffinityPolicy"] = json!(draw.pick(&["Honor", "Ignore"]));
    }
    if draw.chance(15) {
        spread["nodeTaintsPolicy"] = json!(draw.pick(&["Honor", "Ignore"]));
    }
    if draw.chance(10) {
        spread["matchLabelKeys"] = json!(["version"]);
    }
    spread
}
