//! NodePools.

use super::types::one_of;
use super::{ARCH, About, CAPACITY_TYPE, FAMILY, GENERATION, INSTANCE_TYPE, Kind, TEAM, ZONE, ZONES};
use crate::draw::Draw;
use serde_json::{Value, json};

const EFFECTS: [&str; 3] = ["NoSchedule", "NoExecute", "PreferNoSchedule"];

/// One to three NodePools.
pub fn pools(draw: &mut Draw, about: &About) -> Vec<Value> {
    let count = draw.number(&[1, 1, 2, 3]);
    (0..count).map(|number| pool(draw, about, number)).collect()
}

/// A taint.
pub fn taint(draw: &mut Draw) -> Value {
    let mut taint = json!({"key": draw.pick(&["dedicated", "gpu"]), "effect": draw.pick(&EFFECTS)});
    if draw.chance(50) {
        taint["value"] = json!(draw.pick(&["a", "b"]));
    }
    taint
}

fn pool(draw: &mut Draw, about: &About, number: u64) -> Value {
    let mut spec = json!({
        "nodeClassRef": {"group": "karpenter.test.sh", "kind": "TestNodeClass", "name": "default"},
        "requirements": requirements(draw, about),
    });
    if about.has(Kind::Taints) && draw.chance(45) {
        spec["taints"] = (0..draw.between(1, 2)).map(|_| taint(draw)).collect();
    }
    if draw.chance(10) {
        spec["startupTaints"] = json!([{"key": "starting", "effect": "NoSchedule"}]);
    }
    let mut labels = json!({});
    if draw.chance(30) {
        labels[TEAM] = json!(draw.pick(&["red", "blue"]));
    }
    let weight = if about.has(Kind::Limits) { draw.below(3) * 10 } else { draw.number(&[0, 0, 10]) };
    let mut pool = json!({
        "metadata": {"name": format!("pool-{}", ["c", "a", "b"][number as usize]), "uid": format!("pool-{number}")},
        "spec": {"template": {"metadata": {"labels": labels}, "spec": spec}},
    });
    if weight > 0 {
        pool["spec"]["weight"] = json!(weight);
    }
    if about.has(Kind::Limits) && draw.chance(70) {
        let mut limits = json!({});
        if draw.chance(70) {
            limits["cpu"] = json!(draw.between(4, 80).to_string());
        }
        if draw.chance(40) {
            limits["memory"] = json!(format!("{}Gi", draw.between(8, 200)));
        }
        if draw.chance(10) {
            limits["nvidia.com/gpu"] = json!(draw.between(0, 6).to_string());
        }
        pool["spec"]["limits"] = limits;
    }
    pool
}

fn requirements(draw: &mut Draw, about: &About) -> Vec<Value> {
    let mut found = Vec::new();
    let mut types = draw.some(&["on-demand", "spot"]);
    if about.has(Kind::Reserved) && draw.chance(80) {
        types.push("reserved");
    }
    if draw.chance(60) || about.has(Kind::Reserved) {
        found.push(one_of(CAPACITY_TYPE, &types));
    }
    if draw.chance(35) {
        found.push(one_of(ZONE, &draw.some(&ZONES)));
    }
    if draw.chance(20) {
        found.push(one_of(ARCH, &draw.some(&["amd64", "arm64"])));
    }
    if draw.chance(20) {
        let operator = draw.pick(&["Gt", "Lt", "Gte", "Lte"]);
        found.push(json!({"key": GENERATION, "operator": operator, "values": [draw.between(1, 6).to_string()]}));
    }
    if draw.chance(15) {
        found.push(json!({"key": FAMILY, "operator": "NotIn", "values": [draw.pick(&["small", "big"])]}));
    }
    if draw.chance(20) {
        let some = json!({"key": "example.com/rack", "operator": "In", "values": draw.some(&["r1", "r2", "r3"])});
        found.push(some);
    }
    if draw.chance(10) {
        found.push(json!({"key": "example.com/lab", "operator": draw.pick(&["Exists", "DoesNotExist"])}));
    }
    if about.has(Kind::MinValues) {
        for key in draw.some(&[INSTANCE_TYPE, FAMILY, GENERATION]) {
            let most = if key == FAMILY { 2 } else { 3 };
            found.push(json!({"key": key, "operator": "Exists", "minValues": draw.between(1, most)}));
        }
    }
    found
}
