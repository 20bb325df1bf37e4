//! Assembles, runs and judges one run.
//!
//! A [`Plan`] is a checked scenario turned into the settings of each part. A [`Simulator`] runs it: it puts cloud,
//! store, Karpenter's process and the workload on the kernel, plays two acts, and gives the [`Outcome`]. It prints
//! nothing.
//!
//! Only this crate sees both the truth and the code under test. What it tells the judge comes from the cloud, the store
//! and the border of the provider, never from the API.

mod acts;
mod around;
mod beliefs;
mod bridge;
mod by_hand;
mod carrier;
mod catalogue;
mod chaos;
mod clients;
mod clock;
mod cloud_at_start;
mod cluster;
mod cluster_events;
mod expectations;
mod gate;
mod judgement;
mod lease;
mod link;
mod observed;
mod order;
mod plan;
mod pods;
mod process;
mod provider_settings;
mod run;
mod start;
mod unmodelled;
mod workload;
mod world;

pub use carrier::{Carried, Carrier};
pub use judgement::{Follower, Recorded, Sink};
pub use order::{Late, Order, Rule};
pub use plan::{Plan, fault};
pub use run::{Ran, Request, RunError, Simulator, run_on, run_over};
