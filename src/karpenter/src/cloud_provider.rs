//! What Karpenter's core asks of a provider.

mod instance_type;

pub use instance_type::{InstanceType, MicroDollars, Offering, ReservedOffering};
pub use lkesim_kube::object::ProviderId;

use async_trait::async_trait;
use lkesim_kube::object::{NodeClaim, NodePool, Resources, StringMap};
use std::rc::Rc;

/// Who asks. In Go the context carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Caller {
    /// The controller whose pass asks, such as `nodeclaim.lifecycle`.
    pub pass: &'static str,
    /// The n-th operation of the run, from 1, where whoever watches the provider's border numbers them; else 0.
    pub run: u64,
}

impl Caller {
    /// The pass of this controller, unnumbered.
    pub const fn named(pass: &'static str) -> Caller {
        Caller { pass, run: 0 }
    }
}

/// What machines of one type have in common. They share it, as lists of machines are made often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineType {
    /// The plan.
    pub name: Rc<str>,
    /// Labels that the provider resolved: instance type, zone, capacity type.
    pub labels: StringMap,
    /// All that a machine has.
    pub capacity: Resources,
    /// What of it pods can use.
    pub allocatable: Resources,
}

/// A machine as the provider reports it; upstream that is a NodeClaim with its status filled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Its name in the cluster.
    pub provider_id: ProviderId,
    /// What it is.
    pub machine_type: Rc<MachineType>,
    /// Annotations that the provider adds: hashes of the NodeClass.
    pub annotations: StringMap,
    /// When it was created, in seconds since 1970.
    pub creation_timestamp: u64,
}

/// Why a machine was not created. The kind decides what the core does with the NodeClaim (core v1.9.0
/// `nodeclaim/lifecycle/launch.go`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreateError {
    /// No type that the claim allows can be had. The core deletes the claim at once.
    #[error("insufficient capacity, {0}")]
    InsufficientCapacity(String),
    /// The NodeClass can't be used. The core deletes the claim at once.
    #[error("nodeclass not ready, {0}")]
    NodeClassNotReady(String),
    /// A named failure; it becomes reason and message of the condition Launched. The core retries with backoff.
    #[error("{message}")]
    Create {
        /// The condition's reason, one word.
        reason: &'static str,
        /// The condition's message.
        message: String,
    },
    /// Any other failure. The core retries with backoff.
    #[error("{0}")]
    Other(String),
}

/// Why the provider could not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// The machine does not exist. The core drops finalizers on this word, so nothing but knowledge may say it.
    #[error("nodeclaim not found, {0}")]
    NotFound(String),
    /// Anything else. The core retries with backoff.
    #[error("{0}")]
    Other(String),
}

impl ProviderError {
    /// Whether the machine does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self, ProviderError::NotFound(_))
    }
}

/// A provider. Karpenter's core calls it from many reconciles at once, though never twice at once for one NodeClaim
/// through one controller. The core has one Karpenter process at a time; after a restart a new provider serves the same
/// objects, so what only the old one knew is lost.
#[async_trait(?Send)]
pub trait CloudProvider {
    /// Makes a machine for the claim, or finds the one that it made before.
    ///
    /// The core calls again, with the same claim, after each failure, and after a success whose result was lost with
    /// the process: the provider has to be idempotent by the claim's name. Within one process, a success is
    /// remembered and not asked for again.
    async fn create(&self, caller: Caller, node_claim: &NodeClaim) -> Result<Machine, CreateError>;

    /// Asks for the deletion of the claim's machine, found by its stored providerID.
    ///
    /// Success means "asked for": the core calls every 5 s until it hears [`ProviderError::NotFound`], and only then
    /// lets the claim or node go. It must not say so while the machine exists.
    async fn delete(&self, caller: Caller, node_claim: &NodeClaim) -> Result<(), ProviderError>;

    /// Reads one machine.
    async fn get(&self, caller: Caller, provider_id: &ProviderId) -> Result<Machine, ProviderError>;

    /// Reads all machines of this cluster that the provider manages. The core's garbage collection deletes the
    /// NodeClaims of machines that are not in the list, so an incomplete one must be an error.
    async fn list(&self, caller: Caller) -> Result<Vec<Machine>, ProviderError>;

    /// The instance types that a NodePool may use, with their offerings. Shared, as the list is long and asked for
    /// often.
    async fn get_instance_types(
        &self,
        caller: Caller,
        node_pool: &NodePool,
    ) -> Result<Rc<[Rc<InstanceType>]>, ProviderError>;

    /// Why the claim's machine no longer is as its NodeClass wants it, if so.
    fn is_drifted(&self, caller: Caller, node_claim: &NodeClaim) -> Result<Option<&'static str>, ProviderError>;
}
