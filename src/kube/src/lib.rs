//! Kubernetes in memory, as an autoscaler sees it.
//!
//! A [`store::Store`] keeps the objects with the rules of the API server: resource versions, conflicts, finalizers. A
//! [`client::Client`] reaches it with the latency of a call; an [`informer::Informer`] is a cache that lags behind
//! it; a [`controller::Controller`] is woken by informers through a work queue with client-go's rules. The
//! [`kubelet::Kubelet`] stands for the machines: it joins nodes and makes them ready.
//!
//! Objects are shared: every reader holds an `Rc` of the same committed version, and a change clones a few handles.

pub mod client;
pub mod controller;
mod error;
pub mod informer;
pub mod kubelet;
pub mod object;
pub mod parallel;
pub mod store;

pub use error::ApiError;
