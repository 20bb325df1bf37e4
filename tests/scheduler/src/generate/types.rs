//! Instance types and their offerings.

use super::{ARCH, About, CAPACITY_TYPE, FAMILY, GENERATION, INSTANCE_TYPE, Kind, RESERVATION, ZONE, ZONES};
use crate::draw::Draw;
use serde_json::{Value, json};

/// All types of a problem.
pub fn catalogue(draw: &mut Draw, about: &About) -> Vec<Value> {
    // More than a NodeClaim may name, with equal prices among them.
    let many = about.has(Kind::Sizes) && draw.chance(6);
    let count = if many { 800 } else { draw.number(&[3, 6, 12, 25, 40]) };
    (0..count).map(|number| instance_type(draw, about, number, many)).collect()
}

/// The types of a NodePool: all, or some.
pub fn of_pool(draw: &mut Draw, catalogue: &[Value]) -> Value {
    let all = draw.chance(70);
    let some: Vec<Value> = catalogue.iter().filter(|_| all || draw.chance(60)).cloned().collect();
    json!(some)
}

/// A requirement.
pub fn one_of(key: &str, values: &[&str]) -> Value {
    json!({"key": key, "operator": "In", "values": values})
}

/// `alike`: it can be had everywhere, and holds much.
fn instance_type(draw: &mut Draw, about: &About, number: u64, alike: bool) -> Value {
    let cpu = if alike { 32 } else { draw.number(&[1, 2, 4, 8, 16, 32]) };
    let memory = cpu * draw.number(&[2, 4, 8]);
    let pods = if alike { 110 } else { draw.number(&[4, 10, 110]) };
    let mut capacity = json!({"cpu": cpu.to_string(), "memory": format!("{memory}Gi"), "pods": pods.to_string()});
    if draw.chance(25) {
        capacity["nvidia.com/gpu"] = json!(draw.number(&[1, 4]).to_string());
    }
    if draw.chance(10) {
        capacity["hugepages-2Mi"] = json!("512Mi");
    }
    if draw.chance(50) {
        capacity["ephemeral-storage"] = json!("80Gi");
    }
    let arch = if alike { "amd64" } else { draw.pick(&["amd64", "amd64", "arm64"]) };
    let name = format!("type-{number:02}");
    let zones = if alike { ZONES.to_vec() } else { draw.some(&ZONES) };
    let kinds = if alike { vec!["on-demand"] } else { draw.some(&["on-demand", "spot"]) };
    let price = (cpu * 10 + memory * 2 + draw.below(30)) * 10_000_000_000;
    let mut offerings: Vec<Value> = Vec::new();
    for zone in &zones {
        for kind in &kinds {
            let units = if *kind == "spot" { price / 10 * draw.between(2, 9) } else { price };
            offerings.push(offering(zone, kind, units, draw.chance(90)));
        }
    }
    let mut kinds = kinds;
    if about.has(Kind::Reserved) && draw.chance(40) {
        let zone = draw.pick(&zones);
        let id = format!("reservation-{}", draw.below(4));
        let mut reserved = offering(zone, "reserved", price / 10_000_000, draw.chance(90));
        reserved["requirements"].as_array_mut().expect("a list").push(one_of(RESERVATION, &[&id]));
        reserved["reservationCapacity"] = json!(draw.between(0, 3));
        offerings.push(reserved);
        kinds.push("reserved");
    }
    let generation = draw.between(1, 6).to_string();
    let family = draw.pick(&["small", "big", "fast"]);
    json!({
        "name": name,
        "requirements": [
            one_of(INSTANCE_TYPE, &[&name]),
            one_of(ARCH, &[arch]),
            one_of("kubernetes.io/os", &["linux"]),
            one_of(ZONE, &zones),
            one_of(CAPACITY_TYPE, &kinds),
            one_of(FAMILY, &[family]),
            one_of(GENERATION, &[&generation]),
        ],
        "offerings": offerings,
        "capacity": capacity,
        "overhead": {"cpu": "80m", "memory": "100Mi"},
    })
}

fn offering(zone: &str, capacity_type: &str, units: u64, available: bool) -> Value {
    json!({
        "requirements": [one_of(ZONE, &[zone]), one_of(CAPACITY_TYPE, &[capacity_type])],
        "priceUnits": units,
        "available": available,
        "reservationCapacity": 0,
    })
}
