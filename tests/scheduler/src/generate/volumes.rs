//! Volumes: claims that are bound in a zone, and claims whose class allows some zones.

use super::{About, HOSTNAME, Kind, ZONE, ZONES};
use crate::draw::Draw;
use serde_json::{Value, json};

const DRIVER: &str = "csi.example.com";

/// Gives volumes to some of the pods.
pub fn add(draw: &mut Draw, about: &About, problem: &mut Value) {
    let mut claims = Vec::new();
    let mut volumes = Vec::new();
    let mut classes = Vec::new();
    if about.has(Kind::Volumes) {
        for zones in [&ZONES[..], &ZONES[..2], &ZONES[2..]] {
            let mut class = json!({"metadata": {"name": format!("class-{}", zones.len())}, "provisioner": DRIVER});
            class["volumeBindingMode"] = json!("WaitForFirstConsumer");
            if zones.len() < 3 {
                class["allowedTopologies"] = json!([{"matchLabelExpressions": [{"key": ZONE, "values": zones}]}]);
            }
            classes.push(class);
        }
        for list in ["pods", "boundPods"] {
            let pods = problem[list].as_array_mut().expect("a list");
            for pod in pods.iter_mut() {
                if draw.chance(40) {
                    give(draw, pod, &mut claims, &mut volumes);
                }
            }
        }
    }
    problem["persistentVolumeClaims"] = json!(claims);
    problem["persistentVolumes"] = json!(volumes);
    problem["storageClasses"] = json!(classes);
}

fn give(draw: &mut Draw, pod: &mut Value, claims: &mut Vec<Value>, volumes: &mut Vec<Value>) {
    let name = format!("claim-{}", claims.len());
    pod["spec"]["volumes"] = json!([{"name": "data", "persistentVolumeClaim": {"claimName": name}}]);
    let mut claim = json!({
        "metadata": {"name": name, "namespace": pod["metadata"]["namespace"]},
        "spec": {"storageClassName": format!("class-{}", draw.between(1, 3))},
    });
    if pod["spec"]["nodeName"].is_string() || draw.chance(50) {
        let volume = format!("volume-{}", volumes.len());
        claim["spec"]["volumeName"] = json!(volume);
        claim["metadata"]["annotations"] = json!({"pv.kubernetes.io/bind-completed": "yes"});
        claim["status"] = json!({"phase": "Bound"});
        let key = draw.pick(&[ZONE, ZONE, ZONE, HOSTNAME]);
        let value = if key == ZONE { draw.pick(&ZONES) } else { "node-0" };
        let term = json!({"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]});
        let mut spec = json!({"nodeAffinity": {"required": {"nodeSelectorTerms": [term]}}});
        if draw.chance(80) {
            spec["csi"] = json!({"driver": DRIVER, "volumeHandle": volume});
        } else {
            spec["local"] = json!({"path": "/data"});
        }
        volumes.push(json!({"metadata": {"name": volume}, "spec": spec}));
    }
    claims.push(claim);
}
