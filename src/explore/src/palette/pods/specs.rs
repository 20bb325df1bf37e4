//! What drawn pods ask for, and where they want to be.

use super::{Offered, node_pools, tree};
use crate::dice::Dice;
use lkesim_scenario::Scenario;
use lkesim_scenario::manifest::Tree;
use serde_json::{Map, Value, json};

/// The label that tells one node from another.
const HOSTNAME: &str = "kubernetes.io/hostname";

/// How much a pod asks for. The largest leaves the rest of a machine of four cores to a small one.
pub fn asks(dice: Dice, is_small: bool) -> Map<String, Value> {
    let cpu = match is_small {
        true => dice.of("small", &["100m", "250m"]),
        false => dice.weighted("cpu", &[(2, "100m"), (3, "500m"), (4, "1"), (3, "1500m"), (2, "3")]),
    };
    let mut asks = Map::new();
    asks.insert("cpu".to_owned(), cpu.into());
    if dice.one_in("memory", 3) && !is_small {
        asks.insert("memory".to_owned(), dice.of("amount", &["256Mi", "1Gi", "3Gi", "5Gi"]).into());
    }
    asks
}

/// The rest of its spec, mostly nothing.
pub fn spec(dice: Dice, name: &str, offered: &Offered, scenario: &mut Scenario) -> Option<Value> {
    let mut spec = Map::new();
    if offered.is_tainted && !dice.one_in("intolerant", 4) {
        let tolerated = json!([{ "key": node_pools::TAINT, "operator": "Exists" }]);
        spec.insert("tolerations".to_owned(), tolerated);
    }
    if offered.is_labelled && dice.one_in("labelled", 2) {
        spec.insert("nodeSelector".to_owned(), json!({ node_pools::LABEL: "apps" }));
    }
    if dice.one_in("priority", 6) {
        let (class, preempts) = dice.of("class", &[("high", "PreemptLowerPriority"), ("patient", "Never")]);
        spec.insert("priorityClassName".to_owned(), class.into());
        let class = priority_class(class, preempts);
        if !scenario.manifests.contains(&class) {
            scenario.manifests.push(class);
        }
    }
    place(dice, name, &mut spec);
    // Without grace, a budget may keep a node from going for ever.
    if offered.has_grace && dice.one_in("budget", 3) {
        budget(dice, name, scenario);
    }
    (!spec.is_empty()).then(|| spec.into())
}

/// Beside whom, and on how many nodes.
fn place(dice: Dice, name: &str, spec: &mut Map<String, Value>) {
    let own = json!({ "matchLabels": { "app": name } });
    let beside = |of: &str| json!([{ "topologyKey": HOSTNAME, "labelSelector": { "matchLabels": { "app": of } } }]);
    let spread = |when: &str| json!([{ "maxSkew": 1, "topologyKey": HOSTNAME, "whenUnsatisfiable": when, "labelSelector": own }]);
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    let wished = "preferredDuringSchedulingIgnoredDuringExecution";
    let (field, value) = match dice.weighted("place", &[(10, 0), (2, 1), (1, 2), (2, 3), (1, 4), (1, 5), (1, 6)]) {
        1 => ("topologySpreadConstraints", spread("DoNotSchedule")),
        2 => ("topologySpreadConstraints", spread("ScheduleAnyway")),
        3 => ("affinity", json!({ "podAntiAffinity": { required: beside(name) } })),
        4 => {
            let wish = json!([{ "weight": 10, "podAffinityTerm": beside(name)[0] }]);
            ("affinity", json!({ "podAntiAffinity": { wished: wish } }))
        }
        5 => ("affinity", json!({ "podAffinity": { required: beside(super::NAMES[0]) } })),
        6 => ("nodeSelector", json!({ "node.kubernetes.io/instance-type": super::cast::TYPES[0] })),
        _ => return,
    };
    match (spec.get_mut(field).and_then(Value::as_object_mut), value) {
        (Some(there), Value::Object(more)) => there.extend(more),
        (_, value) => drop(spec.insert(field.to_owned(), value)),
    }
}

/// How many of its pods evictions leave alone.
fn budget(dice: Dice, name: &str, scenario: &mut Scenario) {
    let (field, bound) = dice.of("bound", &[("maxUnavailable", "1"), ("maxUnavailable", "0"), ("minAvailable", "50%")]);
    let bound = bound.parse::<u32>().map_or_else(|_| json!(bound), |pods| json!(pods));
    scenario.manifests.push(tree(json!({
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": { "name": name },
        "spec": { "selector": { "matchLabels": { "app": name } }, field: bound },
    })));
}

/// A class that pods may name, which has to be there from the start.
fn priority_class(name: &str, preempts: &str) -> Tree {
    tree(json!({
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": { "name": name },
        "value": 1_000,
        "preemptionPolicy": preempts,
    }))
}
