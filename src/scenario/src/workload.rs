//! What happens in a run: NodeClaims and pods come and go.

use crate::pods::{Apply, Arrive, Deploy, Patch, Scale};
use crate::value::Span;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// One step of the workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// NodeClaims are made.
    Create(Create),
    /// NodeClaims are deleted, as a user or a disruption does it, or another object is.
    Delete(Delete),
    /// A Deployment, or another object that makes pods, is created.
    Deploy(Deploy),
    /// The number of pods of a Deployment and the like is changed.
    Scale(Scale),
    /// Kubernetes objects are created or replaced.
    Apply(Apply),
    /// A Kubernetes object is changed.
    Patch(Patch),
    /// Pods arrive one by one, run for a while and end.
    Arrive(Arrive),
}

/// NodeClaims are made: `name`-1, `name`-2, …, or `name`-01, `name`-02, … where there are ten and more. Steps with the
/// same
/// `name` go on counting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of `claims`, `at`, `types` and the like")]
pub struct Create {
    /// How many.
    pub claims: u32,
    /// When the first is made.
    pub at: Span,
    /// How long after one the next is made; zero makes all at once.
    pub every: Span,
    /// The NodePool that they belong to.
    pub node_pool: String,
    /// The instance types that they allow. Left out, `g6-standard-4`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    /// The same for one type alone.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// The cluster that they are made in. Left out, the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// What their names begin with.
    pub name: String,
    /// Labels that they have beside Karpenter's own, as their NodePool's template gives them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Taints that they want of their Nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub taints: Vec<Taint>,
}

/// A taint, as Kubernetes writes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map of `key`, `value` and `effect`")]
pub struct Taint {
    /// Its key.
    pub key: String,
    /// Its value.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// What it does to pods that do not tolerate it.
    pub effect: TaintEffect,
}

/// What a taint does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs, reason = "Kubernetes' own words")]
pub enum TaintEffect {
    NoSchedule,
    PreferNoSchedule,
    NoExecute,
}

/// Whether a label or taint of this key is not the scenario's to give: Kubernetes, Karpenter or the provider set it.
/// Source: karpenter v1.9.0 pkg/apis/v1/labels.go, `RestrictedLabelDomains`, without its exceptions.
pub fn is_reserved(key: &str) -> bool {
    const DOMAINS: [&str; 4] = ["kubernetes.io", "k8s.io", "karpenter.sh", "karpenter.k8s.linode"];
    let domain = key.split_once('/').map_or("", |(domain, _)| domain);
    let within = |of: &str| domain.strip_suffix(of).is_some_and(|above| above.is_empty() || above.ends_with('.'));
    DOMAINS.into_iter().any(within)
}

/// The type of claims whose step names none.
pub const DEFAULT_TYPE: &str = "g6-standard-4";

impl Default for Create {
    fn default() -> Create {
        Create {
            claims: 1,
            at: Span::ZERO,
            every: Span::ZERO,
            node_pool: "default".to_owned(),
            types: Vec::new(),
            plan: None,
            cluster: None,
            name: "claim".to_owned(),
            labels: BTreeMap::new(),
            taints: Vec::new(),
        }
    }
}

impl Create {
    /// The instance types that the claims allow; never empty.
    pub fn types(&self) -> Vec<&str> {
        match (&self.plan, &self.types[..]) {
            (Some(plan), _) => vec![plan],
            (None, []) => vec![DEFAULT_TYPE],
            (None, types) => types.iter().map(String::as_str).collect(),
        }
    }
}

/// NodeClaims are deleted, or one other object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map of `claims` or `of`, and `at`")]
pub struct Delete {
    /// Which NodeClaims: names, or how many of the first made that no earlier step deletes.
    #[serde(default, skip_serializing_if = "Which::is_none")]
    pub claims: Which,
    /// Which other object, as `Deployment/web`, `Deployment/namespace/web` or `NodePool/default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// When.
    pub at: Span,
    /// The cluster that they are of. Left out, the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
}

/// Which NodeClaims: by name, or so many of the first made.
#[derive(Clone, Debug, PartialEq)]
pub enum Which {
    /// So many of those that were made first and that no earlier step deletes.
    First(u32),
    /// These.
    Named(Vec<String>),
}

impl Default for Which {
    fn default() -> Which {
        Which::Named(Vec::new())
    }
}

impl Which {
    /// Whether it names none.
    pub fn is_none(&self) -> bool {
        matches!(self, Which::Named(names) if names.is_empty())
    }
}

struct WhichVisitor;

impl<'de> Visitor<'de> for WhichVisitor {
    type Value = Which;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of NodeClaims, such as `[claim-3]`, or how many of the first made")
    }

    fn visit_u64<E: Error>(self, count: u64) -> Result<Which, E> {
        let count = u32::try_from(count).map_err(|_| E::custom(format_args!("{count} is more than there can be")))?;
        Ok(Which::First(count))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Which, A::Error> {
        let mut names = Vec::new();
        while let Some(name) = seq.next_element()? {
            names.push(name);
        }
        Ok(Which::Named(names))
    }
}

impl<'de> Deserialize<'de> for Which {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Which, D::Error> {
        deserializer.deserialize_any(WhichVisitor)
    }
}

impl Serialize for Which {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Which::First(count) => serializer.serialize_u32(*count),
            Which::Named(names) => names.serialize(serializer),
        }
    }
}

impl JsonSchema for Which {
    fn schema_name() -> Cow<'static, str> {
        "Which".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A list of NodeClaims, or how many of the first made.",
            "anyOf": [
                { "type": "integer", "minimum": 1 },
                { "type": "array", "items": { "type": "string" } },
            ],
        })
    }
}
