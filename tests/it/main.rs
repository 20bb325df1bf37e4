//! The whole program, from a scenario to its outcome: what no crate can show alone.
//!
//! One binary, one file a topic. Two processes are compared in `src/cli/tests`, where the built program is at hand.

mod acceptance;
mod chaos;
mod ci_examples;
mod clients;
mod clusters;
mod conformance;
mod determinism;
mod differences;
mod direct;
mod disruption;
mod docs;
mod exhaustive;
mod invariants;
mod knobs;
mod lags;
mod layers;
mod library;
mod offerings;
mod orphans;
mod parity;
mod parity_http;
mod planted;
mod properties;
mod recommended;
mod scenarios;
mod seeds;
mod start;
mod statistics;
mod support;
