//! Figures by their path in the outcome: `claims.launched`, `api.by_endpoint.ListInstances.calls`.
//!
//! An outcome leaves out calls, causes and operations that did not occur. Their figures exist all the same and are 0,
//! so a path is looked up in the outcome first, then in a document that has every name.

use crate::figures::HARD_CASES;
use crate::outcome::{
    ApiUse, BudgetLine, ClaimCounts, ClassUse, Cost, EndpointUse, InstanceCounts, NodeCounts, OperationUse, Outcome,
    PassCounts, PodCounts, Quantity, TimeTo, Times,
};
use lkesim_linode_api::{Cause, Endpoint, Operation, RateClass};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Below these, names come from the scenario.
const OPEN: [&str; 6] = ["api.by_client.*", "budgets.*", "invariants.*", "nodes.at_end.*", "nodes.peak.*", "taints.*"];

/// Every path that [`figure`] knows, in order. One that ends in `.*` stands for all below it.
pub fn figure_paths() -> Vec<String> {
    let mut paths = Vec::new();
    collect(&every_name(), "", &mut paths);
    paths.extend(OPEN.map(str::to_owned));
    paths.sort_unstable();
    paths
}

/// The figure at `path` of an outcome in JSON; none where there is no such figure, or it is no number.
///
/// A list is walked by the `name` of its entries, and `first_ms` of an invariant is the time of its first violation.
pub fn figure(outcome: &Value, path: &str) -> Option<Quantity> {
    let number = match find(outcome, path) {
        Some(Value::Number(number)) => number.clone(),
        Some(_) => return None,
        None => find(&every_name(), path)?.as_number()?.clone(),
    };
    Quantity::of_json(&number)
}

/// As much of the outcome in JSON as the path leads through: the whole of it costs as much as a tenth of a short run.
pub(super) fn part(outcome: &Outcome, path: &str) -> Value {
    let (head, below) = path.split_once('.').unwrap_or((path, ""));
    let json = match head {
        "api" if !below.starts_with("by_") => {
            let ApiUse { calls, throttled, .. } = outcome.api;
            json!({ "calls": calls, "throttled": throttled })
        }
        "api" => json!(outcome.api),
        "claims" => json!(outcome.claims),
        "instances" => json!(outcome.instances),
        "pods" => json!(outcome.pods),
        "passes" => json!(outcome.passes),
        "nodes" => json!(outcome.nodes),
        "time_to" => json!(outcome.time_to),
        "cost" => json!(outcome.cost),
        "sometimes" => json!(outcome.sometimes),
        _ => return json!(outcome),
    };
    Value::Object(Map::from_iter([(head.to_owned(), json)]))
}

/// Names may have dots, as a NodePool's may, so each member that begins the path is tried.
fn find<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    let below = |name: &str| path.strip_prefix(name)?.strip_prefix('.');
    match value {
        Value::Object(members) => {
            let first = || members.get("violations")?.get(0)?.get("at_ms").filter(|_| path == "first_ms");
            let deeper = || members.iter().find_map(|(name, member)| find(member, below(name)?));
            members.get(path).or_else(first).or_else(deeper)
        }
        Value::Array(entries) => entries.iter().find_map(|entry| find(entry, below(entry.get("name")?.as_str()?)?)),
        _ => None,
    }
}

fn collect(value: &Value, path: &str, paths: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let dot = if path.is_empty() { "" } else { "." };
                collect(member, &format!("{path}{dot}{name}"), paths);
            }
        }
        Value::Number(_) => paths.push(path.to_owned()),
        _ => {}
    }
}

/// The members of an outcome that are figures, with every name that this program knows and each value 0.
fn every_name() -> Value {
    let line = BudgetLine { budget: Some(0), ..BudgetLine::default() };
    let operation =
        OperationUse { calls: each(Endpoint::PROVIDER.map(Endpoint::name), &line), ..OperationUse::default() };
    let class = ClassUse { limit: Some(0), window_ms: Some(0), ..ClassUse::default() };
    let api = ApiUse {
        by_class: each(RateClass::ALL.map(RateClass::name), &class),
        by_endpoint: each(Endpoint::PROVIDER.map(Endpoint::name), &EndpointUse::default()),
        by_operation: each(Operation::ALL.map(Operation::name), &operation),
        by_cause: each(Cause::ALL.map(Cause::name), &0),
        ..ApiUse::default()
    };
    let sometimes: Map<String, Value> = HARD_CASES.iter().map(|(_, name, _)| ((*name).to_owned(), json!(0))).collect();
    json!({
        "virtual_ms": 0,
        "events": 0,
        "ending": { "calm_from_ms": 0 },
        "api": api,
        "claims": ClaimCounts::default(),
        "instances": InstanceCounts::default(),
        "pods": PodCounts::default(),
        "passes": PassCounts::default(),
        "nodes": NodeCounts::default(),
        "time_to": TimeTo { bind: Some(Times::default()), pod_ready: Some(Times::default()), ..TimeTo::default() },
        "cost": Cost::default(),
        "sometimes": sometimes,
    })
}

fn each<T: Clone, const N: usize>(names: [&str; N], value: &T) -> BTreeMap<String, T> {
    names.map(|name| (name.to_owned(), value.clone())).into()
}
