//! Problems by seed, one for each kind of constraint in turn, with others mixed in.
//!
//! A problem is a JSON object whose members are the Kubernetes objects that Karpenter would see, and instance types as the
//! cloud provider gives them.

mod crowd;
mod nodes;
mod pods;
mod pools;
mod topology;
mod types;
mod volumes;

use crate::draw::Draw;
use serde_json::{Value, json};

pub use crowd::{Crowd, crowd};
pub use pods::APPS;

/// The zones.
pub const ZONES: [&str; 3] = ["zone-a", "zone-b", "zone-c"];
/// A label of instance types that the provider makes known.
pub const FAMILY: &str = "example.com/family";
/// One whose values are numbers.
pub const GENERATION: &str = "example.com/generation";
/// A label that only some NodePools have.
pub const TEAM: &str = "example.com/team";
/// The zone's label.
pub const ZONE: &str = "topology.kubernetes.io/zone";
/// The host name's label.
pub const HOSTNAME: &str = "kubernetes.io/hostname";
/// The capacity type's label.
pub const CAPACITY_TYPE: &str = "karpenter.sh/capacity-type";
/// The instance type's label.
pub const INSTANCE_TYPE: &str = "node.kubernetes.io/instance-type";
/// The NodePool's label.
pub const NODE_POOL: &str = "karpenter.sh/nodepool";
/// The processor's label.
pub const ARCH: &str = "kubernetes.io/arch";
/// The label of reservations.
pub const RESERVATION: &str = "karpenter.sh/reservation-id";

/// What a problem is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Pods of all sizes.
    Sizes,
    /// Node selectors and required node affinity.
    Requirements,
    /// `minValues` of NodePools.
    MinValues,
    /// Taints and tolerations.
    Taints,
    /// DaemonSets.
    Daemons,
    /// Host ports.
    Ports,
    /// Spread over zones, host names and other labels.
    Spread,
    /// Pod affinity.
    Affinity,
    /// Pod anti-affinity.
    AntiAffinity,
    /// All kinds of preferences.
    Preferences,
    /// Weights and limits of NodePools.
    Limits,
    /// Nodes and claims that are there.
    Nodes,
    /// Reservations.
    Reserved,
    /// Volumes.
    Volumes,
}

/// All of them.
pub const KINDS: [Kind; 14] = [
    Kind::Sizes,
    Kind::Requirements,
    Kind::MinValues,
    Kind::Taints,
    Kind::Daemons,
    Kind::Ports,
    Kind::Spread,
    Kind::Affinity,
    Kind::AntiAffinity,
    Kind::Preferences,
    Kind::Limits,
    Kind::Nodes,
    Kind::Reserved,
    Kind::Volumes,
];

/// What a problem is about: one kind for sure, others by chance.
#[derive(Clone, Debug)]
pub struct About(Vec<Kind>);

impl About {
    /// Whether it is about this.
    pub fn has(&self, kind: Kind) -> bool {
        self.0.contains(&kind)
    }
}

/// The problem of a seed and a number.
pub fn problem(seed: u64, number: u64) -> Value {
    let mut draw = Draw::new(seed, number);
    let main = KINDS[usize::try_from(number).expect("a small number") % KINDS.len()];
    let others = KINDS.into_iter().filter(|kind| *kind == main || draw.chance(14)).collect();
    problem_about(&mut draw, &About(others), format!("{number:04}-{main:?}"))
}

fn problem_about(draw: &mut Draw, about: &About, name: String) -> Value {
    let catalogue = types::catalogue(draw, about);
    let pools = pools::pools(draw, about);
    let names: Vec<&str> = pools.iter().map(|pool| pool["metadata"]["name"].as_str().expect("a name")).collect();
    let instance_types: serde_json::Map<String, Value> =
        names.iter().map(|pool| ((*pool).to_owned(), types::of_pool(draw, &catalogue))).collect();
    let there = nodes::there(draw, about, &catalogue, &names);
    let mut problem = json!({
        "name": name,
        "nodePools": pools,
        "instanceTypes": instance_types,
        "nodes": there.nodes,
        "nodeClaims": there.claims,
        "boundPods": there.pods,
        "csiNodes": there.csi_nodes,
        "deleting": there.deleting,
        "daemonSets": pods::daemon_sets(draw, about),
        "namespaces": [
            {"metadata": {"name": "default", "labels": {"tier": "front"}}},
            {"metadata": {"name": "other", "labels": {"tier": "back"}}},
        ],
        "pods": pods::pods(draw, about),
        "ignorePreferences": about.has(Kind::Preferences) && draw.chance(20),
        "bestEffortMinValues": about.has(Kind::MinValues) && draw.chance(30),
        "fallbackToOtherCapacity": draw.chance(30),
    });
    volumes::add(draw, about, &mut problem);
    problem
}
