//! Pods, by the workload that makes them, and DaemonSets.

use super::{ARCH, About, CAPACITY_TYPE, FAMILY, GENERATION, HOSTNAME, INSTANCE_TYPE, Kind, NODE_POOL, TEAM, ZONE};
use super::{ZONES, topology};
use crate::draw::Draw;
use serde_json::{Value, json};

/// The apps whose pods select each other.
pub const APPS: [&str; 4] = ["web", "db", "job", "cache"];

/// Pods of a few workloads, shuffled by their times.
pub fn pods(draw: &mut Draw, about: &About) -> Vec<Value> {
    let mut found = Vec::new();
    for _ in 0..draw.between(1, 6) {
        let app = draw.pick(&APPS);
        let namespace = draw.pick(&["default", "default", "default", "other"]);
        let template = spec(draw, about, app);
        for _ in 0..draw.number(&[1, 1, 2, 3, 5, 9]) {
            found.push(pod(draw, found.len(), app, namespace, template.clone()));
        }
    }
    found
}

fn pod(draw: &mut Draw, number: usize, app: &str, namespace: &str, spec: Value) -> Value {
    let version = draw.pick(&["v1", "v1", "v2"]);
    json!({
        "metadata": {
            "name": format!("pod-{number:03}"),
            "namespace": namespace,
            "labels": {"app": app, "version": version},
            "uid": format!("{:016x}", draw.below(1 << 40) << 12 | number as u64),
            "creationTimestamp": format!("2026-01-01T00:00:{:02}Z", draw.below(3)),
        },
        "spec": spec,
    })
}

/// A pod that is bound to a node.
pub fn bound(draw: &mut Draw, number: usize, node: &str) -> Value {
    let app = draw.pick(&APPS);
    let mut spec = json!({"containers": [container(draw)], "nodeName": node});
    if draw.chance(15) {
        spec["affinity"] = json!({"podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [topology::term(draw, app)],
        }});
    }
    let mut pod = pod(draw, 500 + number, app, "default", spec);
    if draw.chance(20) {
        pod["metadata"]["ownerReferences"] =
            json!([{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "agent"}]);
    }
    pod["status"] = json!({"phase": "Running"});
    pod
}

fn container(draw: &mut Draw) -> Value {
    let mut requests = json!({});
    if draw.chance(95) {
        let milli = draw.number(&[100, 250, 500, 900, 1000, 1500, 2000, 3000, 4000, 7000]);
        requests["cpu"] = json!(format!("{milli}m"));
    }
    if draw.chance(80) {
        requests["memory"] = json!(format!("{}Mi", draw.number(&[64, 128, 500, 1024, 2048, 4096, 9000])));
    }
    if draw.chance(8) {
        requests["nvidia.com/gpu"] = json!("1");
    }
    if draw.chance(5) {
        requests["ephemeral-storage"] = json!("10Gi");
    }
    json!({"name": "main", "resources": {"requests": requests}})
}

fn spec(draw: &mut Draw, about: &About, app: &str) -> Value {
    let mut spec = json!({"containers": [container(draw)]});
    if about.has(Kind::Sizes) && draw.chance(30) {
        let mut first = container(draw);
        first["name"] = json!("first");
        if draw.chance(50) {
            first["restartPolicy"] = json!("Always");
        }
        spec["initContainers"] = json!([first]);
    }
    if about.has(Kind::Sizes) && draw.chance(10) {
        spec["overhead"] = json!({"cpu": "150m", "memory": "100Mi"});
    }
    if about.has(Kind::Requirements) || draw.chance(10) {
        requirements(draw, &mut spec);
    }
    if about.has(Kind::Taints) && draw.chance(75) {
        spec["tolerations"] = (0..draw.between(1, 2)).map(|_| toleration(draw)).collect();
    }
    if about.has(Kind::Ports) && draw.chance(40) {
        spec["containers"][0]["ports"] = json!([port(draw)]);
    }
    topology::add(draw, about, app, &mut spec);
    if about.has(Kind::Preferences) && draw.chance(70) {
        let preferred: Vec<Value> = (0..draw.between(1, 3))
            .map(|_| json!({"weight": draw.between(1, 4) * 10, "preference": term(draw)}))
            .collect();
        spec["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"] = json!(preferred);
    }
    spec
}

fn requirements(draw: &mut Draw, spec: &mut Value) {
    if draw.chance(40) {
        let (key, value) = match draw.below(6) {
            0 => (ZONE, draw.pick(&ZONES)),
            1 => (ARCH, draw.pick(&["amd64", "arm64"])),
            2 => (CAPACITY_TYPE, draw.pick(&["on-demand", "spot"])),
            3 => (FAMILY, draw.pick(&["small", "big", "fast"])),
            4 => (TEAM, draw.pick(&["red", "blue"])),
            _ => (NODE_POOL, draw.pick(&["pool-a", "pool-c"])),
        };
        spec["nodeSelector"] = json!({key: value});
    }
    if draw.chance(60) {
        let terms: Vec<Value> = (0..draw.number(&[1, 1, 2, 3])).map(|_| term(draw)).collect();
        spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] =
            json!({"nodeSelectorTerms": terms});
    }
}

/// A node selector term of one or two expressions.
fn term(draw: &mut Draw) -> Value {
    let expressions: Vec<Value> = (0..draw.number(&[1, 1, 2])).map(|_| expression(draw)).collect();
    json!({"matchExpressions": expressions})
}

fn expression(draw: &mut Draw) -> Value {
    let any = |draw: &mut Draw| draw.pick(&["In", "NotIn"]).to_owned();
    match draw.below(8) {
        0 => json!({"key": ZONE, "operator": any(draw), "values": draw.some(&ZONES)}),
        1 => json!({"key": FAMILY, "operator": any(draw), "values": draw.some(&["small", "big", "fast"])}),
        2 => {
            json!({"key": GENERATION, "operator": draw.pick(&["Gt", "Lt"]), "values": [draw.between(1, 6).to_string()]})
        }
        3 => json!({"key": TEAM, "operator": draw.pick(&["Exists", "DoesNotExist"])}),
        4 => json!({"key": TEAM, "operator": any(draw), "values": draw.some(&["red", "blue"])}),
        5 => json!({"key": "example.com/rack", "operator": any(draw), "values": draw.some(&["r1", "r2", "r3"])}),
        6 => json!({"key": CAPACITY_TYPE, "operator": any(draw), "values": draw.some(&["on-demand", "spot"])}),
        _ => {
            json!({"key": INSTANCE_TYPE, "operator": any(draw), "values": draw.some(&["type-00", "type-01", "type-02"])})
        }
    }
}

fn toleration(draw: &mut Draw) -> Value {
    let mut toleration = json!({});
    if draw.chance(90) {
        toleration["key"] = json!(draw.pick(&["dedicated", "gpu"]));
    }
    if draw.chance(50) || toleration["key"].is_null() {
        toleration["operator"] = json!("Exists");
    } else {
        toleration["operator"] = json!("Equal");
        toleration["value"] = json!(draw.pick(&["a", "b"]));
    }
    if draw.chance(40) {
        toleration["effect"] = json!(draw.pick(&["NoSchedule", "NoExecute", "PreferNoSchedule"]));
    }
    toleration
}

fn port(draw: &mut Draw) -> Value {
    let number = draw.number(&[80, 443, 8080, 9100, 9200]);
    let mut port = json!({"containerPort": number, "hostPort": number, "protocol": draw.pick(&["TCP", "TCP", "UDP"])});
    if draw.chance(30) {
        port["hostIP"] = json!(draw.pick(&["10.0.0.1", "10.0.0.2"]));
    }
    port
}

/// Up to three of them.
pub fn daemon_sets(draw: &mut Draw, about: &About) -> Vec<Value> {
    let count = if about.has(Kind::Daemons) { draw.between(1, 3) } else { 0 };
    let one = |draw: &mut Draw, number: u64| {
        let milli = draw.number(&[50, 200, 500]);
        let mut container = json!({"name": "main", "resources": {"requests": {"cpu": format!("{milli}m")}}});
        if draw.chance(40) {
            container["resources"]["limits"] = json!({"memory": "128Mi"});
        }
        if about.has(Kind::Ports) && draw.chance(50) {
            container["ports"] = json!([port(draw)]);
        }
        let mut spec = json!({"containers": [container]});
        if draw.chance(40) {
            requirements(draw, &mut spec);
        }
        if draw.chance(50) {
            spec["tolerations"] = json!([toleration(draw)]);
        }
        json!({
            "metadata": {"name": format!("agent-{number}"), "namespace": "default", "uid": format!("agent-{number}")},
            "spec": {"template": {"metadata": {"labels": {"app": "agent"}}, "spec": spec}},
        })
    };
    (0..count).map(|number| one(draw, number)).collect()
}

/// The labels over which pods are spread or drawn together.
pub fn topology_key(draw: &mut Draw) -> &'static str {
    draw.pick(&[ZONE, ZONE, ZONE, HOSTNAME, HOSTNAME, CAPACITY_TYPE, FAMILY, TEAM, "example.com/rack"])
}
