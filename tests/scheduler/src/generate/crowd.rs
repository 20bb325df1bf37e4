//! Many pods at once, of the shape of upstream's own benchmark: 400 instance types, sizes and labels by chance, spread over
//! zones or host names with selectors that mean a seventh of all pods.

use super::types::one_of;
use super::{CAPACITY_TYPE, HOSTNAME, INSTANCE_TYPE, ZONE, ZONES};
use crate::draw::Draw;
use serde_json::{Value, json};

/// Which pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crowd {
    /// Without any constraint.
    Plain,
    /// A third each without constraint, spread over zones, and spread over host names.
    Mixed,
}

/// The problem of so many pods.
pub fn crowd(crowd: Crowd, count: u64) -> Value {
    let mut draw = Draw::new(42, count);
    let types: Vec<Value> = (1..=400).map(instance_type).collect();
    let pods: Vec<Value> = (0..count).map(|number| pod(&mut draw, crowd, number)).collect();
    json!({
        "name": format!("{crowd:?}-{count}"),
        "nodePools": [{
            "metadata": {"name": "default", "uid": "default"},
            "spec": {"template": {"spec": {
                "nodeClassRef": {"group": "karpenter.test.sh", "kind": "TestNodeClass", "name": "default"},
                "requirements": [],
            }}},
        }],
        "instanceTypes": {"default": types},
        "pods": pods,
    })
}

fn instance_type(number: u64) -> Value {
    let name = format!("type-{number:03}");
    let offering = |zone: &&str| {
        json!({
            "requirements": [one_of(ZONE, &[zone]), one_of(CAPACITY_TYPE, &["on-demand"])],
            "priceUnits": number * 10_000_000_000,
            "available": true,
            "reservationCapacity": 0,
        })
    };
    let offerings: Vec<Value> = ZONES.iter().map(offering).collect();
    json!({
        "name": name,
        "requirements": [one_of(INSTANCE_TYPE, &[&name]), one_of(ZONE, &ZONES), one_of(CAPACITY_TYPE, &["on-demand"])],
        "offerings": offerings,
        "capacity": {
            "cpu": number.to_string(), "memory": format!("{}Gi", number * 2), "pods": (number * 10).to_string(),
        },
        "overhead": {"cpu": "100m", "memory": "10Mi"},
    })
}

fn pod(draw: &mut Draw, crowd: Crowd, number: u64) -> Value {
    const LETTERS: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];
    let cpu = draw.number(&[100, 250, 500, 1000, 1500]);
    let memory = draw.number(&[100, 256, 512, 1024, 2048, 4096]);
    let requests = json!({"cpu": format!("{cpu}m"), "memory": format!("{memory}Mi")});
    let mut spec = json!({"containers": [{"name": "main", "resources": {"requests": requests}}]});
    let key = match (crowd, number % 3) {
        (Crowd::Mixed, 1) => Some(ZONE),
        (Crowd::Mixed, 2) => Some(HOSTNAME),
        _ => None,
    };
    if let Some(key) = key {
        spec["topologySpreadConstraints"] = json!([{
            "maxSkew": 1,
            "topologyKey": key,
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"my-label": draw.pick(&LETTERS)}},
        }]);
    }
    json!({
        "metadata": {
            "name": format!("pod-{number:05}"),
            "namespace": "default",
            "labels": {"my-label": draw.pick(&LETTERS)},
            "uid": format!("{number:016x}"),
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "spec": spec,
    })
}
