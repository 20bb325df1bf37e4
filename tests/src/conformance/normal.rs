//! A record without what is luck or means the same: lines that can be compared and read.
//!
//! | what differs | what it counts as |
//! |---|---|
//! | members of JSON objects in another order | the same |
//! | `page_size=100`, the API's own default | left out |
//! | in a POST: `null`, `[]` and `{}`; a taint's empty value | left out |
//! | tags in another order, unless the case says that it counts | the same |
//! | calls of a `set` in another order, NodeClaims that differ by their number | the same |

use super::case::{Case, Comparison, TagOrder};
use super::record::{Came, HttpCall, Outcome, Record};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A record as lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Normal {
    /// The case, as `name.tier`.
    pub case: String,
    /// The calls of the boot.
    pub boot: Vec<String>,
    /// What came of each step.
    pub steps: Vec<NormalStep>,
    /// The live LKE pools at the end.
    pub lke_pools: Vec<String>,
    /// The live Linodes at the end.
    pub instances: Vec<String>,
    /// NodeClaims that are annotated as tagged.
    pub tagged: Vec<String>,
    /// Nodes.
    pub nodes: Vec<String>,
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NormalStep {
    /// The results.
    pub results: Vec<String>,
    /// The calls.
    pub calls: Vec<String>,
}

/// What of a LKE pool is compared.
const LKE_POOL: [&str; 9] = ["id", "cluster", "plan", "count", "tags", "labels", "taints", "k8s_version", "nodes"];

/// What of a Linode is compared. What it does, and since when, is the clock's matter.
const INSTANCE: [&str; 7] = ["id", "label", "plan", "region", "tags", "lke_cluster", "lke_pool"];

impl Normal {
    /// The lines of a record.
    pub fn of(record: &Record, case: &Case) -> Normal {
        let by = By { set: case.compare == Comparison::Set, exact: case.tag_order == TagOrder::Exact };
        let objects = |list: &str, members: &[&str], exact| {
            let listed = record.state.get(list).and_then(Value::as_array).cloned().unwrap_or_default();
            listed.iter().map(|object| by.masked(object_line(object, members, exact))).collect()
        };
        Normal {
            case: record.case.clone(),
            boot: record.boot.iter().map(|call| by.call(call)).collect(),
            steps: record.steps.iter().map(|came| by.step(came)).collect(),
            lke_pools: objects("lke_pools", &LKE_POOL, false),
            instances: by.in_order(objects("instances", &INSTANCE, by.exact)),
            tagged: sorted(record.kube.tagged.clone()),
            nodes: sorted(record.kube.nodes.clone()),
        }
    }
}

/// What counts in a case.
#[derive(Clone, Copy)]
struct By {
    set: bool,
    exact: bool,
}

impl By {
    fn step(self, came: &Came) -> NormalStep {
        NormalStep {
            results: self.in_order(came.results.iter().map(result_line).collect()),
            calls: self.in_order(came.calls.iter().map(|call| self.call(call)).collect()),
        }
    }

    fn call(self, call: &HttpCall) -> String {
        let HttpCall { method, path, query, x_filter, body, status } = call;
        let mut line = format!("{status} {method} {path}");
        let mut pairs: Vec<&str> =
            query.split('&').filter(|pair| !pair.is_empty() && *pair != "page_size=100").collect();
        pairs.sort_unstable();
        if !pairs.is_empty() {
            line = format!("{line}?{}", pairs.join("&"));
        }
        if let Some(filter) = x_filter {
            let parsed = serde_json::from_str(filter).map(|value: Value| canonical(&value).to_string());
            line = format!("{line} {}", parsed.unwrap_or_else(|_| filter.clone()));
        }
        if let Some(body) = body.as_ref().filter(|body| !body.is_null()) {
            let exact = self.exact && method == "PUT";
            let body = if method == "POST" { without_nothing(body) } else { body.clone() };
            line = format!("{line} {}", with_sorted_tags(canonical(&body), exact));
        }
        self.masked(line)
    }

    fn masked(self, line: String) -> String {
        if self.set { mask(&line) } else { line }
    }

    fn in_order(self, lines: Vec<String>) -> Vec<String> {
        if self.set { sorted(lines) } else { lines }
    }
}

fn result_line(result: &Outcome) -> String {
    let Outcome { class, reason, provider_ids, text: _ } = result;
    let parts = [class, reason].into_iter().chain(provider_ids).filter(|part| !part.is_empty());
    parts.cloned().collect::<Vec<_>>().join(" ")
}

fn object_line(object: &Value, members: &[&str], exact: bool) -> String {
    let member = |name: &&str| {
        let value = object.get(*name).cloned().unwrap_or(Value::Null);
        (name.to_string(), canonical(&value))
    };
    let chosen: Map<String, Value> = members.iter().map(member).filter(|(_, value)| !value.is_null()).collect();
    with_sorted_tags(Value::Object(chosen), exact).to_string()
}

/// The same with members in the order of their names.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().map(|(name, value)| (name.clone(), canonical(value))).collect();
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
            Value::Object(members.into_iter().collect())
        }
        Value::Array(entries) => Value::Array(entries.iter().map(canonical).collect()),
        other => other.clone(),
    }
}

/// The same without members that say nothing.
fn without_nothing(body: &Value) -> Value {
    let says_nothing = |value: &Value| match value {
        Value::Null => true,
        Value::Array(entries) => entries.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    };
    match body {
        Value::Object(members) => {
            let told = members.iter().filter(|(_, value)| !says_nothing(value));
            let mut told: Map<String, Value> = told.map(|(name, value)| (name.clone(), value.clone())).collect();
            for taint in told.get_mut("taints").and_then(Value::as_array_mut).into_iter().flatten() {
                if let Some(taint) = taint.as_object_mut().filter(|taint| taint.get("value") == Some(&"".into())) {
                    taint.remove("value");
                }
            }
            Value::Object(told)
        }
        other => other.clone(),
    }
}

fn with_sorted_tags(mut body: Value, exact: bool) -> Value {
    if let (false, Some(Value::Array(tags))) = (exact, body.get_mut("tags")) {
        tags.sort_by_key(ToString::to_string);
    }
    body
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}

/// Each `claim-` with a number, as `claim-*`.
fn mask(line: &str) -> String {
    const NAME: &str = "claim-";
    let mut parts = line.split(NAME);
    let mut masked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        masked.push_str(NAME);
        masked.push_str(if rest.len() < part.len() { "*" } else { "" });
        masked.push_str(rest);
    }
    masked
}
