//! Shrinks a scenario: fewer things, then settings as usual, then round and short times.
//!
//! It works on the scenario's document, so that a field that is added is shrunk as well. A step that gives no valid
//! scenario is not taken.

use lkesim_scenario::{Names, Scenario, Span};
use serde_json::Value;

/// The smallest scenario that could be found of which `fails` says that it still fails. `scenario` must fail.
pub fn shrink(scenario: &Scenario, fails: &mut dyn FnMut(&Scenario) -> bool) -> Scenario {
    let mut small = Small { document: value(scenario), scenario: scenario.clone(), fails };
    let usual = value(&Scenario::new(""));
    loop {
        let before = small.document.clone();
        small.fewer_entries();
        small.one_cluster();
        small.fewer_claims();
        small.plainer_objects();
        small.as_usual("", &usual);
        small.shorter();
        small.rounder();
        if small.document == before {
            return small.scenario;
        }
    }
}

fn value(scenario: &Scenario) -> Value {
    serde_json::to_value(scenario).unwrap_or_default()
}

/// Lists of which entries can go.
const LISTS: [&str; 12] = [
    "/clients",
    "/chaos",
    "/by_hand",
    "/faults",
    "/cloud/sold_out",
    "/cloud/pool_ids",
    "/start/claims",
    "/start/lke_pools",
    "/start/lke_pools/0/linodes",
    "/node_pools",
    "/workload",
    "/manifests",
];

/// What is no setting: it has steps of its own, or has to stay.
const NO_SETTINGS: [&str; 12] = [
    "/about",
    "/design",
    "/duration",
    "/workload",
    "/faults",
    "/by_hand",
    "/chaos",
    "/clients",
    "/start",
    "/clusters",
    "/manifests",
    "/expect",
];

/// Fields that count things.
const COUNTS: [&str; 6] = ["claims", "orphans", "count", "replicas", "to", "most"];

/// Fields that are moments and lengths, where a rounder one says the same.
const TIMES: [&str; 8] = ["at", "every", "from", "until", "for", "by", "age", "overlap"];

/// Steps about pods, of which some fields can go.
const POD_STEPS: [&str; 5] = ["deploy", "arrive", "apply", "patch", "scale"];

struct Small<'a> {
    document: Value,
    scenario: Scenario,
    fails: &'a mut dyn FnMut(&Scenario) -> bool,
}

impl Small<'_> {
    /// Takes a change if the scenario is valid and still fails.
    fn attempt(&mut self, change: impl FnOnce(&mut Value) -> bool) -> bool {
        let mut document = self.document.clone();
        if !change(&mut document) || document == self.document {
            return false;
        }
        let Ok(scenario) = serde_json::from_value::<Scenario>(document.clone()) else {
            return false;
        };
        if !scenario.mistakes(&Names::default()).is_empty() || !(self.fails)(&scenario) {
            return false;
        }
        (self.document, self.scenario) = (document, scenario);
        true
    }

    fn fewer_entries(&mut self) {
        for list in LISTS {
            let length = |document: &Value| document.pointer(list).and_then(Value::as_array).map_or(0, Vec::len);
            let mut at = length(&self.document);
            while at > 0 {
                at -= 1;
                self.attempt(|document| {
                    let entries = document.pointer_mut(list).and_then(Value::as_array_mut);
                    entries.is_some_and(|entries| at < entries.len() && !entries.remove(at).is_null())
                });
            }
        }
    }

    /// Drops the clusters, and what names any but the first.
    fn one_cluster(&mut self) {
        self.attempt(|document| {
            let Some(fields) = document.as_object_mut() else {
                return false;
            };
            let had_some = fields.remove("clusters").is_some();
            for list in ["workload", "faults", "by_hand", "chaos"] {
                let entries = fields.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
                let inner = entries.filter_map(|entry| entry.as_object_mut()?.values_mut().next()?.as_object_mut());
                inner.for_each(|fields| drop(fields.remove("cluster")));
            }
            had_some
        });
    }

    fn fewer_claims(&mut self) {
        for path in self.fields(&COUNTS) {
            while let Some(count) = self.document.pointer(&path).and_then(Value::as_u64) {
                let fewer = [1, count / 2, count.saturating_sub(1)];
                let mut fewer = fewer.into_iter().filter(|fewer| *fewer > 0 && *fewer < count);
                if !fewer.any(|fewer| self.set(&path, fewer.into())) {
                    break;
                }
            }
        }
    }

    /// What Kubernetes objects, and steps about pods, say and need not: a whole field or entry at once, or what is in it.
    fn plainer_objects(&mut self) {
        let lists = ["/manifests", "/workload"].into_iter().flat_map(|list| {
            let length = self.document.pointer(list).and_then(Value::as_array).map_or(0, Vec::len);
            (0..length).map(move |at| format!("{list}/{at}"))
        });
        let is_about_pods = |path: &String| {
            let step = self.document.pointer(path).and_then(Value::as_object).and_then(|step| step.keys().next());
            path.starts_with("/manifests") || step.is_some_and(|kind| POD_STEPS.contains(&kind.as_str()))
        };
        let paths: Vec<String> = lists.filter(is_about_pods).collect();
        paths.iter().for_each(|path| self.plainer(path));
    }

    fn plainer(&mut self, path: &str) {
        let inner: Vec<String> = match self.document.pointer(path) {
            Some(Value::Object(fields)) => fields.keys().map(|name| escaped(name)).collect(),
            // From the end, so that the places of the others stay.
            Some(Value::Array(entries)) => (0..entries.len()).rev().map(|at| at.to_string()).collect(),
            _ => return,
        };
        for name in inner {
            let path = format!("{path}/{name}");
            if !self.set(&path, Value::Null) {
                self.plainer(&path);
            }
        }
    }

    /// Settings as they are where nobody sets them: a whole map at once, or one by one.
    fn as_usual(&mut self, path: &str, usual: &Value) {
        let Some(fields) = self.document.pointer(path).and_then(Value::as_object) else {
            return;
        };
        let names: Vec<String> = fields.keys().cloned().collect();
        for name in names {
            let path = format!("{path}/{}", escaped(&name));
            if NO_SETTINGS.contains(&&*path) {
                continue;
            }
            let usual = usual.get(&name).cloned().unwrap_or(Value::Null);
            if !self.set(&path, usual.clone()) {
                self.as_usual(&path, &usual);
            }
        }
    }

    fn shorter(&mut self) {
        for minutes in [1, 2, 4, 8] {
            let now = self.span("/duration");
            let shorter = Span::mins(minutes);
            if now.is_some_and(|now| shorter < now) && self.set("/duration", shorter.to_string().into()) {
                return;
            }
        }
    }

    fn rounder(&mut self) {
        for path in self.fields(&TIMES) {
            let Some(span) = self.span(&path) else {
                continue;
            };
            let rounded = |unit: u64| Span::millis(span.nanos() / 1_000_000 / unit * unit);
            let mut rounder = [60_000, 10_000, 1_000, 100].map(rounded).into_iter().filter(|rounder| *rounder != span);
            let _ = self.set(&path, "0s".into()) || rounder.any(|rounder| self.set(&path, rounder.to_string().into()));
        }
    }

    fn span(&self, path: &str) -> Option<Span> {
        self.document.pointer(path)?.as_str()?.parse().ok()
    }

    /// Sets a field, or takes it out where the value is null.
    fn set(&mut self, path: &str, to: Value) -> bool {
        self.attempt(|document| {
            let Some((above, name)) = path.rsplit_once('/') else {
                return false;
            };
            match (document.pointer_mut(above), to) {
                (Some(Value::Object(fields)), Value::Null) => fields.remove(&unescaped(name)).is_some(),
                (Some(Value::Object(fields)), to) => fields.insert(unescaped(name), to).is_some(),
                (Some(Value::Array(entries)), Value::Null) => match name.parse::<usize>() {
                    Ok(at) if at < entries.len() => !entries.remove(at).is_null(),
                    _ => false,
                },
                _ => false,
            }
        })
    }

    /// Paths of the fields with these names in the lists of the scenario.
    fn fields(&self, names: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        for list in ["/workload", "/faults", "/by_hand", "/chaos", "/clients", "/cloud/sold_out", "/start"] {
            if let Some(value) = self.document.pointer(list) {
                walk(value, list, names, &mut found);
            }
        }
        found
    }
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn unescaped(name: &str) -> String {
    name.replace("~1", "/").replace("~0", "~")
}

fn walk(value: &Value, at: &str, names: &[&str], found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            let path = format!("{at}/{}", escaped(name));
            if names.contains(&name.as_str()) && !value.is_object() && !value.is_array() {
                found.push(path);
            } else {
                walk(value, &path, names, found);
            }
        }),
        Value::Array(entries) => {
            entries.iter().enumerate().for_each(|(place, value)| walk(value, &format!("{at}/{place}"), names, found));
        }
        _ => {}
    }
}
