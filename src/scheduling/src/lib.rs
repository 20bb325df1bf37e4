//! Karpenter's scheduling simulation, as a function of what it sees: which pods go to which nodes, and which NodeClaims
//! have to be made for those that fit nowhere.
//!
//! [`solve`] does what `Scheduler.Solve` of core Karpenter v1.9.0 does (`pkg/controllers/provisioning/scheduling`), its
//! mistakes included. Where upstream follows the order of a Go map, which is random, the first by name is taken; the
//! order that Go's unstable sort leaves is taken over. It places nothing: the result is what should be.

pub mod facts;
pub mod go_sort;
pub mod host_ports;
pub mod input;
pub mod instance_type;
pub mod preferences;
pub mod refusal;
pub mod requirement;
pub mod requirements;
pub mod results;
mod solver;
pub mod taints;
#[cfg(test)]
mod testing;
mod topology;
pub mod volumes;

pub use facts::ClusterFacts;
pub use input::{
    DaemonSetPod, MinValuesPolicy, NodePool, Options, PreferencePolicy, Problem, ReservedOfferingMode, StateNode,
};
pub use instance_type::{InstanceType, Offering, Price};
pub use requirement::Requirement;
pub use requirements::{Requirements, WellKnownLabels};
pub use results::{NewNodeClaim, PodError, Results, Step};
pub use solver::{SolveError, solve};
