//! Karpenter's core: what it does with NodeClaims, whatever the provider.
//!
//! The shape is that of `kubernetes-sigs/karpenter` v1.9.0: the same controllers with the same queues, limits and order of
//! writes, because races between a provider and the core come from exactly those.

pub mod cloud_provider;

pub use cloud_provider::{Caller, CloudProvider, CreateError, Machine, ProviderError, ProviderId};
