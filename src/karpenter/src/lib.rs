//! Karpenter's core: what it does with NodeClaims, whatever the provider.
//!
//! The shape is that of `kubernetes-sigs/karpenter` v1.9.0: the same controllers with the same queues, limits and
//! order of writes, because races between a provider and the core come from exactly those. [`Operator::start`] starts
//! them in one process.
//!
//! With [`Operator::start_with_pods`] it also provisions, drains nodes and counts what NodePools have; where
//! [`Settings::disruption`] says so, it takes empty nodes away.
//!
//! Left out: the health of NodePools by registrations, the root condition Ready, and waiting for volumes to be detached.

pub mod cloud_provider;
mod context;
pub mod disruption;
pub mod node;
pub mod node_claim;
pub mod node_pool;
pub mod operator;
pub mod provisioning;
mod settings;
pub mod state;

pub use cloud_provider::{Caller, CloudProvider, CreateError, Machine, MachineType, ProviderError, ProviderId};
pub use context::Context;
pub use operator::Operator;
pub use settings::{Disruption, Settings};

#[cfg(test)]
mod testing;
