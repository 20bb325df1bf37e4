//! YAML to a checked [`Scenario`], with every mistake named by file, line, column and path.
//!
//! A file goes through five steps, each in a module of its own:
//!
//! 1. `index` scans the text once: it bounds size, depth and the nodes that aliases expand to, and
//!    remembers where each path stands in the file. What it lets through is harmless to read.
//! 2. `parse` reads the text into a tree; it alone names the YAML crate.
//! 3. `set` lays the `--set PATH=VALUE` overrides over the tree.
//! 4. `decode` reads the tree into a [`Scenario`]. At a mistake it records it, takes the faulty node out and goes
//!    on, so that one run shows all mistakes.
//! 5. `check` says what types can't: known names, bounds, claims that exist. It speaks in paths, which the index
//!    turns into lines.
//!
//! Everything but `about` and a workload has a default. Delays come from a preset ([`presets`]) where the file leaves
//! them out; [`Scenario::resolved`] gives the filled-in values.

pub mod builtin;
pub mod by_hand;
pub mod catalogue;
pub mod chaos;
mod check;
pub mod client;
pub mod cloud;
pub mod cluster;
mod decode;
pub mod diagnostic;
pub mod expect;
pub mod fault;
mod files;
mod index;
pub mod karpenter;
pub mod kubernetes;
mod load;
pub mod manifest;
mod names;
mod parse;
mod path;
pub mod pods;
pub mod presets;
pub mod resolved;
mod schema;
mod set;
pub mod start;
mod suggest;
mod tree;
pub mod value;
pub mod workload;
mod write;

pub use by_hand::ByHand;
pub use chaos::Chaos;
pub use client::Client;
pub use cloud::Cloud;
pub use cluster::Cluster;
pub use diagnostic::{Diagnostic, Diagnostics};
pub use expect::Expect;
pub use fault::Fault;
pub use files::{Files, Given};
pub use karpenter::{Karpenter, NodePool, Provider};
pub use kubernetes::Kubernetes;
pub use load::{Input, Loaded, load, load_bytes, load_input};
pub use names::Names;
pub use path::{Path, Segment};
pub use presets::Preset;
pub use resolved::Resolved;
pub use schema::{SCHEMA, schema};
pub use start::Start;
pub use suggest::nearest;
pub use value::{Delay, Expected, Figure, Percent, Range, Rate, Span};
pub use workload::Step;
pub use write::to_yaml;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A situation to simulate: a cloud, a cluster, NodeClaims that come and go, what goes wrong, and what is expected
/// of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a scenario: a map with at least `about` and `workload`")]
pub struct Scenario {
    /// What the scenario shows, in a sentence or two.
    pub about: String,
    /// The design to run where the command line names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub design: Option<String>,
    /// Where the delays that are not named come from.
    #[serde(default)]
    pub preset: Preset,
    /// How long the trouble lasts: workload, faults and chaos happen in it.
    #[serde(default = "twenty_minutes")]
    pub duration: Span,
    /// How long at most the quiet after it lasts, in which everything must settle.
    #[serde(default = "forty_minutes")]
    pub calm: Span,
    /// The cloud: tier, region, lags, latency, limits.
    #[serde(default)]
    pub cloud: Cloud,
    /// The Kubernetes API and the nodes' way into the cluster.
    #[serde(default)]
    pub kubernetes: Kubernetes,
    /// Karpenter's core.
    #[serde(default)]
    pub karpenter: Karpenter,
    /// Settings of the provider's design. What is left out is the design's own.
    #[serde(default)]
    pub provider: Provider,
    /// The clusters of the account. Left out, there is one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clusters: Vec<Cluster>,
    /// Karpenter's NodePools. Left out, they follow from the workload.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub node_pools: Vec<NodePool>,
    /// What is there when the run begins, beside the base pool: LKE pools, their Linodes, NodeClaims.
    #[serde(default, skip_serializing_if = "Start::is_empty")]
    pub start: Start,
    /// Kubernetes objects that are there when the run begins: objects as Kubernetes writes them, or paths of files that
    /// have some, from the folder of the scenario on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub manifests: Vec<manifest::Tree>,
    /// The instance types that Karpenter chooses from. Left out, Linode's plans.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub catalogue: Vec<catalogue::InstanceType>,
    /// What happens, in any order; each step has its own time. It may be empty where `start` has something, and left
    /// out where `manifests` has.
    pub workload: Vec<Step>,
    /// What goes wrong. Faults are judged in this order; the first that matches a call decides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    /// What a person does in Linode's console, past Karpenter; each act has its own time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_hand: Vec<ByHand>,
    /// What happens to Karpenter's processes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chaos: Vec<Chaos>,
    /// Other clients of the account, which use up rate limits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clients: Vec<Client>,
    /// What must come out. Left out: no invariant breaks.
    #[serde(default, skip_serializing_if = "Expect::is_empty")]
    pub expect: Expect,
    /// How many digits numbered names have at least, by what they begin with. Set where this is one cluster's part.
    #[serde(skip)]
    digits: std::collections::BTreeMap<String, usize>,
}

impl Scenario {
    /// How many processes of Karpenter each cluster has.
    pub fn replicas(&self) -> u32 {
        self.karpenter.replicas.unwrap_or(match self.preset {
            Preset::Chart => 2,
            Preset::Document | Preset::Default | Preset::Zero => 1,
        })
    }

    /// After which time without another pod a batch ends.
    pub fn batch_idle_duration(&self) -> Span {
        self.karpenter.batch_idle_duration.unwrap_or(match self.preset {
            Preset::Chart => Span::mins(1),
            Preset::Document | Preset::Default | Preset::Zero => Span::secs(1),
        })
    }

    /// After which time a batch ends in any case.
    pub fn batch_max_duration(&self) -> Span {
        self.karpenter.batch_max_duration.unwrap_or(match self.preset {
            Preset::Chart => Span::mins(5),
            Preset::Document | Preset::Default | Preset::Zero => Span::secs(10),
        })
    }

    /// A scenario in which nothing is set and nothing happens: it becomes valid with a workload or a start.
    pub fn new(about: &str) -> Scenario {
        Scenario {
            about: about.to_owned(),
            design: None,
            preset: Preset::default(),
            duration: twenty_minutes(),
            calm: forty_minutes(),
            cloud: Cloud::default(),
            kubernetes: Kubernetes::default(),
            karpenter: Karpenter::default(),
            provider: Provider::default(),
            clusters: Vec::new(),
            node_pools: Vec::new(),
            start: Start::default(),
            manifests: Vec::new(),
            catalogue: Vec::new(),
            workload: Vec::new(),
            faults: Vec::new(),
            by_hand: Vec::new(),
            chaos: Vec::new(),
            clients: Vec::new(),
            expect: Expect::default(),
            digits: Default::default(),
        }
    }

    /// What the checks of a file say against a scenario that was made by a program, each with its path.
    pub fn mistakes(&self, names: &Names<'_>) -> Vec<String> {
        let found = check::check(self, names, &|_| false);
        let wrong = found.into_iter().filter(|finding| finding.severity == manifest::Severity::Error);
        wrong.map(|finding| format!("{}: {}", finding.path, finding.message)).collect()
    }
}

fn twenty_minutes() -> Span {
    Span::mins(20)
}

fn forty_minutes() -> Span {
    Span::mins(40)
}

#[cfg(test)]
mod tests;
