//! The NodePools of a drawn scenario with pods: one that allows a few types, or one or two as manifests have them.

use super::{Offered, tree};
use crate::dice::Dice;
use lkesim_scenario::{Delay, NodePool, Scenario, Span};
use serde_json::{Map, Value, json};

/// The types that a NodePool allows; those of most hold the largest pod.
const TYPES: [&[&str]; 4] = [
    &["g6-standard-2", "g6-standard-4", "g6-standard-6"],
    &["g6-standard-4"],
    &["g6-standard-2", "g6-standard-4"],
    &["g6-standard-2"],
];

/// The taint of NodePools that are not for everybody.
pub const TAINT: &str = "only";

/// The label of NodePools that pods may choose by.
pub const LABEL: &str = "example.com/tier";

/// Draws them, and says what they offer. Hands meet the NodePool `default`, which is always there.
pub fn draw(dice: Dice, scenario: &mut Scenario) -> Offered {
    let types = TYPES[dice.weighted("types", &[(4, 0), (3, 1), (3, 2), (1, 3)])];
    // NodeClaims that are not Karpenter's own need none of the NodePool's leave.
    let has_others = !scenario.start.is_empty() || !scenario.workload.is_empty();
    if has_others || dice.one_in("short", 3) {
        // Types that others in the NodePool have must be among those that it allows.
        let types = if has_others { TYPES[0] } else { types };
        let types = types.iter().map(|plan| (*plan).to_owned()).collect();
        scenario.node_pools.push(NodePool { name: "default".to_owned(), types, cluster: None });
        others(scenario);
        return Offered::default();
    }
    let mut offered = Offered { has_limits: dice.one_in("limits", 2), ..Offered::default() };
    offered.has_grace = dice.one_in("grace", 2);
    let grace = offered.has_grace.then(|| dice.of("ends", &["30s", "2m"]));
    let limits = offered.has_limits.then(|| limits(dice.part("limits", 0)));
    match dice.below("second", 3) {
        0 => {
            let second = TYPES[dice.below("second_types", 3) as usize];
            let dressed = dress(dice.part("second", 0), scenario, &mut offered);
            let weight = dice.of("weight", &[None, Some(10)]);
            let first = Of { types, limits, grace, ..Of::default() };
            scenario.manifests.push(tree(node_pool("default", first)));
            let second = Of { types: second, dressed, grace, weight, limits: None };
            scenario.manifests.push(tree(node_pool("default-2", second)));
        }
        _ => {
            let dressed = dress(dice.part("first", 0), scenario, &mut offered);
            let only = Of { types, limits, dressed, grace, weight: None };
            scenario.manifests.push(tree(node_pool("default", only)));
        }
    }
    offered
}

/// Where NodePools are listed, all that are named have to be.
fn others(scenario: &mut Scenario) {
    for named in scenario.node_pools() {
        if !scenario.node_pools.iter().any(|listed| listed.name == named.name) {
            scenario.node_pools.push(NodePool { name: named.name, types: Vec::new(), cluster: None });
        }
    }
}

/// How much its machines may have in sum: room for none to four of them.
fn limits(dice: Dice) -> Value {
    match dice.below("of", 4) {
        0 => json!({ "memory": format!("{}Gi", 4 + dice.below("memory", 25)) }),
        _ => json!({ "cpu": 1 + dice.below("cpu", 12) }),
    }
}

/// Labels and taints of the template.
fn dress(dice: Dice, scenario: &mut Scenario, offered: &mut Offered) -> Map<String, Value> {
    let mut dressed = Map::new();
    if dice.one_in("tainted", 4) {
        offered.is_tainted = true;
        dressed.insert("taints".to_owned(), json!([{ "key": TAINT, "value": "batch", "effect": "NoSchedule" }]));
    }
    if dice.one_in("startup", 5) {
        let taint = json!([{ "key": "example.com/not-set-up", "effect": "NoSchedule" }]);
        dressed.insert("startupTaints".to_owned(), taint);
        scenario.kubernetes.startup_taints = Some(Delay::constant(Span::secs(dice.of("after", &[5, 60]))));
    }
    offered.is_labelled |= dice.one_in("labelled", 3);
    if offered.is_labelled {
        dressed.insert("labels".to_owned(), json!({ LABEL: "apps" }));
    }
    dressed
}

/// What a NodePool says.
#[derive(Default)]
struct Of<'a> {
    types: &'a [&'a str],
    limits: Option<Value>,
    dressed: Map<String, Value>,
    grace: Option<&'a str>,
    weight: Option<u32>,
}

fn node_pool(name: &str, of: Of<'_>) -> Value {
    let Of { types, limits, mut dressed, grace, weight } = of;
    let labels = dressed.remove("labels");
    dressed.extend(grace.map(|grace| ("terminationGracePeriod".to_owned(), grace.into())));
    let mut wanted = json!({
        "nodeClassRef": { "group": "karpenter.k8s.linode", "kind": "LinodeNodeClass", "name": "default" },
        "requirements": [{ "key": "node.kubernetes.io/instance-type", "operator": "In", "values": types }],
    });
    if let Some(wanted) = wanted.as_object_mut() {
        wanted.extend(dressed);
    }
    let mut template = Map::new();
    template.extend(labels.map(|labels| ("metadata".to_owned(), json!({ "labels": labels }))));
    template.insert("spec".to_owned(), wanted);
    let mut spec = Map::new();
    spec.insert("template".to_owned(), template.into());
    spec.extend(limits.map(|limits| ("limits".to_owned(), limits)));
    spec.extend(weight.map(|weight| ("weight".to_owned(), weight.into())));
    json!({ "apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": { "name": name }, "spec": spec })
}
