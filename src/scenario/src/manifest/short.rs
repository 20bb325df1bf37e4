//! What a step says of pods in short, written out as an object.

use crate::pods::{Arrive, Deploy, DeployKind};
use crate::tree::Node;
use crate::value::Amount;
use std::collections::BTreeMap;

fn map(entries: impl IntoIterator<Item = (&'static str, Node)>) -> Node {
    Node::Map(entries.into_iter().map(|(key, node)| (key.to_owned(), node)).collect())
}

fn text(text: impl Into<String>) -> Node {
    Node::Text(text.into())
}

/// What a step says of its pods.
struct Short<'a> {
    name: &'a str,
    cpu: Option<Amount>,
    memory: Option<Amount>,
    resources: &'a BTreeMap<String, Amount>,
    labels: &'a BTreeMap<String, String>,
    pod: Option<&'a Node>,
}

impl Short<'_> {
    fn labels(&self) -> Node {
        let mut labels = vec![("app".to_owned(), text(self.name))];
        for (key, value) in self.labels {
            labels.retain(|(known, _)| known != key);
            labels.push((key.clone(), text(value)));
        }
        Node::Map(labels)
    }

    /// The pods' spec: what stands under `pod`, with a container of the amounts.
    fn spec(&self) -> Node {
        let own = [("cpu", self.cpu), ("memory", self.memory)];
        let own = own.into_iter().filter_map(|(name, amount)| Some((name.to_owned(), amount?)));
        let others = self.resources.iter().map(|(name, amount)| (name.clone(), *amount));
        let amounts: Vec<_> = own.chain(others).map(|(name, one)| (name, text(one.quantity().to_string()))).collect();
        let is_empty = amounts.is_empty();
        // What can't be shared between pods, such as a GPU, is limited by what is asked for.
        let extended = |name: &str| name.contains('/');
        let limits: Vec<_> = amounts.iter().filter(|(name, _)| extended(name)).cloned().collect();
        let mut resources = vec![("requests", Node::Map(amounts))];
        if !limits.is_empty() {
            resources.push(("limits", Node::Map(limits)));
        }
        let container = map([("name", text("main")), ("resources", map(resources))]);
        let mut spec = match self.pod {
            Some(Node::Map(entries)) => entries.clone(),
            _ => Vec::new(),
        };
        let has_own = spec.iter().any(|(key, _)| key == "containers");
        if !has_own || !is_empty {
            spec.retain(|(key, _)| key != "containers");
            spec.push(("containers".to_owned(), Node::List(vec![container])));
        }
        Node::Map(spec)
    }
}

/// Whether amounts stand beside containers that have their own.
pub fn contradicts(
    pod: Option<&Node>,
    cpu: Option<Amount>,
    memory: Option<Amount>,
    resources: &BTreeMap<String, Amount>,
) -> bool {
    let has_own = matches!(pod, Some(Node::Map(entries)) if entries.iter().any(|(key, _)| key == "containers"));
    has_own && (cpu.is_some() || memory.is_some() || !resources.is_empty())
}

fn metadata(namespace: &str, name: &str, labels: Node) -> Node {
    map([("name", text(name)), ("namespace", text(namespace)), ("labels", labels)])
}

impl DeployKind {
    /// Its name and API version.
    pub const fn names(self) -> (&'static str, &'static str) {
        match self {
            DeployKind::Deployment => ("Deployment", "apps/v1"),
            DeployKind::ReplicaSet => ("ReplicaSet", "apps/v1"),
            DeployKind::StatefulSet => ("StatefulSet", "apps/v1"),
            DeployKind::Job => ("Job", "batch/v1"),
            DeployKind::DaemonSet => ("DaemonSet", "apps/v1"),
        }
    }
}

/// The object that a `deploy` makes.
pub fn deployed(step: &Deploy) -> Node {
    let short = Short {
        name: &step.name,
        cpu: step.cpu,
        memory: step.memory,
        resources: &step.resources,
        labels: &step.labels,
        pod: step.pod.as_ref().map(|tree| &tree.0),
    };
    let labels = short.labels();
    let mut of_template = vec![("labels", labels.clone())];
    if let Some(runs_for) = step.runs_for {
        of_template.push(("annotations", Node::Map(vec![(super::RUNS_FOR.to_owned(), text(runs_for.to_string()))])));
    }
    let mut spec = vec![("template", map([("metadata", map(of_template)), ("spec", short.spec())]))];
    let count = |count: u32| Node::Unsigned(count.into());
    match step.kind {
        DeployKind::Job => {
            let pods = step.replicas.unwrap_or(1);
            spec.extend([("parallelism", count(pods)), ("completions", count(pods))]);
        }
        DeployKind::DaemonSet => spec.push(("selector", map([("matchLabels", labels)]))),
        _ => {
            spec.extend([("selector", map([("matchLabels", labels)])), ("replicas", count(step.replicas.unwrap_or(1)))])
        }
    }
    let (kind, version) = step.kind.names();
    let own = map([("app", text(&step.name))]);
    map([
        ("apiVersion", text(version)),
        ("kind", text(kind)),
        ("metadata", metadata(&step.namespace, &step.name, own)),
        ("spec", map(spec)),
    ])
}

/// A pod that an `arrive` makes.
pub fn arriving(step: &Arrive) -> Node {
    let short = Short {
        name: &step.name,
        cpu: step.cpu,
        memory: step.memory,
        resources: &step.resources,
        labels: &step.labels,
        pod: step.pod.as_ref().map(|tree| &tree.0),
    };
    map([
        ("apiVersion", text("v1")),
        ("kind", text("Pod")),
        ("metadata", metadata(&step.namespace, &step.name, short.labels())),
        ("spec", short.spec()),
    ])
}
