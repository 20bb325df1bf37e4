//! Nodes and NodeClaims that are there, and the pods on them.

use super::pools::taint;
use super::{About, CAPACITY_TYPE, HOSTNAME, INSTANCE_TYPE, Kind, NODE_POOL, TEAM, ZONE, ZONES, pods};
use crate::draw::Draw;
use serde_json::{Value, json};

/// What is there.
#[derive(Debug, Default)]
pub struct There {
    /// Nodes.
    pub nodes: Vec<Value>,
    /// NodeClaims.
    pub claims: Vec<Value>,
    /// Pods that are bound.
    pub pods: Vec<Value>,
    /// How many volumes nodes may hold.
    pub csi_nodes: Vec<Value>,
    /// Provider ids of nodes that are on their way out, and whose pods need another place.
    pub deleting: Vec<Value>,
}

/// Up to six of them.
pub fn there(draw: &mut Draw, about: &About, catalogue: &[Value], pools: &[&str]) -> There {
    let mut there = There::default();
    let count = match about.has(Kind::Nodes) {
        true => draw.between(1, 6),
        false => draw.number(&[0, 0, 0, 1, 2]),
    };
    for number in 0..count {
        let of = &catalogue[usize::try_from(draw.below(catalogue.len() as u64)).expect("a place")];
        add(draw, about, &mut there, number, of, pools);
    }
    there
}

/// How far a node is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Foreign,
    Launched,
    Joined,
    Registered,
    Initialized,
}

fn add(draw: &mut Draw, about: &About, there: &mut There, number: u64, of: &Value, pools: &[&str]) {
    let stages = [Stage::Foreign, Stage::Launched, Stage::Joined, Stage::Registered, Stage::Initialized];
    let stage = stages[usize::try_from(draw.number(&[0, 1, 2, 3, 4, 4, 4])).expect("a place")];
    let name = format!("node-{number}");
    let id = format!("fake:///machine-{number}");
    let zone = draw.pick(&ZONES);
    let mut labels = json!({
        ZONE: zone,
        INSTANCE_TYPE: of["name"],
        "kubernetes.io/arch": of["requirements"][1]["values"][0],
        "kubernetes.io/os": "linux",
        "example.com/family": of["requirements"][5]["values"][0],
        "example.com/generation": of["requirements"][6]["values"][0],
    });
    if stage != Stage::Foreign {
        labels[NODE_POOL] = json!(draw.pick(pools));
        labels[CAPACITY_TYPE] = json!(draw.pick(&["on-demand", "spot"]));
    }
    if draw.chance(20) {
        labels[TEAM] = json!(draw.pick(&["red", "blue"]));
    }
    let has = json!({"capacity": of["capacity"], "allocatable": allocatable(of)});
    let taints: Vec<Value> = (0..draw.number(&[0, 0, 0, 1])).map(|_| taint(draw)).collect();
    let startup = json!([{"key": "starting", "effect": "NoSchedule"}]);
    if stage != Stage::Foreign {
        let mut status = has.clone();
        status["providerID"] = json!(id);
        there.claims.push(json!({
            "metadata": {"name": format!("claim-{number}"), "labels": labels, "uid": format!("claim-{number}")},
            "spec": {
                "nodeClassRef": {"group": "karpenter.test.sh", "kind": "TestNodeClass", "name": "default"},
                "requirements": [],
                "taints": taints,
                "startupTaints": startup,
            },
            "status": status,
        }));
    }
    if about.has(Kind::Nodes) && stage != Stage::Foreign && draw.chance(20) {
        there.deleting.push(json!(id));
    }
    if stage == Stage::Launched {
        return;
    }
    if draw.chance(90) {
        labels[HOSTNAME] = json!(name);
    }
    if matches!(stage, Stage::Registered | Stage::Initialized) {
        labels["karpenter.sh/registered"] = json!("true");
    }
    if stage == Stage::Initialized {
        labels["karpenter.sh/initialized"] = json!("true");
    }
    let mut of_node = taints;
    if stage != Stage::Initialized && draw.chance(50) {
        of_node.push(json!({"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}));
    }
    if stage == Stage::Registered && draw.chance(50) {
        of_node.push(startup[0].clone());
    }
    there.nodes.push(json!({
        "metadata": {"name": name, "labels": labels, "uid": name},
        "spec": {"providerID": id, "taints": of_node},
        "status": if stage == Stage::Joined { json!({}) } else { has },
    }));
    if about.has(Kind::Volumes) {
        let driver = json!({"name": "csi.example.com", "nodeID": id, "allocatable": {"count": draw.between(1, 3)}});
        there.csi_nodes.push(json!({"metadata": {"name": name}, "spec": {"drivers": [driver]}}));
    }
    for _ in 0..draw.below(4) {
        let bound = pods::bound(draw, there.pods.len(), &name);
        there.pods.push(bound);
    }
}

/// What the provider leaves of a type for pods.
fn allocatable(of: &Value) -> Value {
    let mut left = of["capacity"].clone();
    let cpu: u64 = left["cpu"].as_str().and_then(|text| text.parse().ok()).expect("whole cores");
    left["cpu"] = json!(format!("{}m", cpu * 1000 - 80));
    left
}
