//! What a scheduler decided, in the form in which two are compared.

use lkesim_scheduling::Results;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A decision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// NodeClaims to be made, in the scheduler's order made comparable: by their first pod.
    pub claims: Vec<Claim>,
    /// Pods by the node that they were placed on.
    pub nodes: BTreeMap<String, Vec<String>>,
    /// Why pods fit nowhere.
    pub errors: BTreeMap<String, String>,
}

/// A NodeClaim to be made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Claim {
    /// Its NodePool.
    pub node_pool: String,
    /// Its pods, in the order in which they came.
    pub pods: Vec<String>,
    /// The types that are left, sorted by name.
    pub types: Vec<String>,
    /// Its requirements, as text.
    pub requirements: String,
    /// What it asks for, as text.
    pub requests: String,
}

impl Outcome {
    /// What our scheduler decided.
    pub fn of(results: &Results) -> Outcome {
        let names =
            |pods: &[std::rc::Rc<lkesim_kube::object::Pod>]| pods.iter().map(|pod| pod.name().to_string()).collect();
        let claims = results.new_node_claims.iter().map(|claim| {
            let mut types: Vec<String> = claim.instance_types.iter().map(|one| one.name.to_string()).collect();
            types.sort_unstable();
            Claim {
                node_pool: claim.node_pool.to_string(),
                pods: names(&claim.pods),
                types,
                requirements: claim.requirements.to_string(),
                requests: claim.requests.to_string(),
            }
        });
        let nodes = results.existing_nodes.iter().map(|(name, pods)| (name.to_string(), names(pods)));
        let errors = results.pod_errors.iter().map(|one| (one.pod.name().to_string(), one.message.clone()));
        Outcome { claims: claims.collect(), nodes: nodes.collect(), errors: errors.collect() }.comparable()
    }

    /// Without what is only told: the order of NodeClaims, and the numbers of their host names.
    #[must_use]
    pub fn comparable(mut self) -> Outcome {
        self.claims.sort_by(|one, other| one.pods.cmp(&other.pods));
        for message in self.errors.values_mut() {
            *message = normal(message);
        }
        self
    }

    /// A digest of what is decided, without what is told of failures.
    pub fn digest(&self) -> u64 {
        let mut told = self.clone();
        told.errors.values_mut().for_each(String::clear);
        let text = serde_json::to_string(&told).expect("an outcome is JSON");
        text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }

    /// The first difference, for a reader.
    pub fn differs(&self, ours: &Outcome) -> String {
        for (place, (theirs, ours)) in self.claims.iter().zip(&ours.claims).enumerate() {
            if theirs != ours {
                return format!("claim {place}\n  theirs {theirs:?}\n  ours   {ours:?}");
            }
        }
        if self.claims.len() != ours.claims.len() {
            return format!("{} claims, ours {}", self.claims.len(), ours.claims.len());
        }
        if self.nodes != ours.nodes {
            return format!("nodes\n  theirs {:?}\n  ours   {:?}", self.nodes, ours.nodes);
        }
        format!("failures\n  theirs {:?}\n  ours   {:?}", self.errors, ours.errors)
    }

    /// Whether both decide the same, whatever they tell of failures.
    pub fn decides_as(&self, other: &Outcome) -> bool {
        let failed = |one: &Outcome| one.errors.keys().cloned().collect::<Vec<_>>();
        self.claims == other.claims && self.nodes == other.nodes && failed(self) == failed(other)
    }
}

/// A sentence with its parts sorted, as upstream joins them in the order of a map, and without numbers of host names.
fn normal(message: &str) -> String {
    let mut text = String::new();
    let mut rest = message;
    while let Some(at) = rest.find("hostname-placeholder-") {
        let end = at + "hostname-placeholder-".len();
        text.push_str(&rest[..end]);
        rest = rest[end..].trim_start_matches(|digit: char| digit.is_ascii_digit());
    }
    text.push_str(rest);
    let mut parts: Vec<&str> = text.split("; ").collect();
    parts.sort_unstable();
    parts.join("; ")
}
