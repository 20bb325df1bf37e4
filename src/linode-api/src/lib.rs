//! Linode's API as data: its objects, each call as a [`Request`] value, and the client that sends them.
//!
//! Every call passes through one method as a value. Tracing, latency, throttling, faults, retries, budgets and HTTP are
//! therefore written once each, and not once a call.
//!
//! The words are the API's own. A *LKE pool* is a Linode node pool ([`LkePool`]); Karpenter's NodePool is no object
//! here.

pub mod answering;
pub mod budget;
pub mod client;
pub mod design_facts;
pub mod error;
pub mod filter;
#[cfg(feature = "http")]
pub mod http;
pub mod object;
pub mod purpose;
pub mod request;
pub mod retry;
pub mod wire;

pub use answering::{Answerer, Answering, Watch, answering};
pub use client::{ApiClient, Wire};
pub use error::{ApiError, CallError, ErrorBody, FROM_ERROR, Reason};
pub use filter::{Filter, FilterError};
pub use object::{
    Acl, Alerts, Autoscaler, ClusterId, Instance, InstanceId, InstanceRest, InstanceStatus, LkeCluster, LkePool,
    LkePoolId, LkePoolRest, NodeStatus, PlanPrice, PlanType, PoolDisk, PoolNode, PoolNodeId, RegionAvailability, Tags,
    Taint, Tier, UnixSeconds, UpdateStrategy,
};
pub use purpose::{Cause, Joined, Operation, Purpose};
pub use request::{
    Answer, Backups, Call, CallNumber, ClusterCreate, ClusterUpdate, Endpoint, Headers, InstanceCreate,
    InstanceOptions, InstanceUpdate, LkePoolChange, LkePoolCreate, LkePoolOptions, LkePoolUpdate, Page, PageRequest,
    ROOT_PASS, Rarer, RarerReply, RateClass, Reply, Request, Tagged,
};
pub use retry::Sdk;
