//! What came of all orders: the document that `explore --exhaustive --format json` prints.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name of this document's format.
pub const SCHEMA: &str = "lkesim.exhausted/1";

/// What came of all orders of one scenario with few departures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Exhausted {
    /// `lkesim.exhausted/1`.
    pub schema: String,
    /// The version of the program that tried them.
    pub version: String,
    /// The scenario.
    pub scenario: String,
    /// The design.
    pub design: String,
    /// The seed of all luck.
    pub seed: u64,
    /// How many departures from first-in-first-out an order has at most.
    pub departures: u32,
    /// At how many moments of the plain run, which departs from nothing, there was a choice.
    pub choices: u64,
    /// How many orders ran.
    pub runs: u64,
    /// How many of them have no departure, one, two, and so on.
    pub orders: Vec<u64>,
    /// Whether all orders with at most so many departures ran. Then nothing else can break within that bound.
    pub covered: bool,
    /// Whether all ran, nothing broke, and everything was modelled.
    pub verdict: Covering,
    /// How many orders broke something.
    pub failed_runs: u64,
    /// What broke: one for each mechanism, the one that needs the fewest departures first.
    pub findings: Vec<Proof>,
    /// What was asked for that is not modelled, and in how many orders.
    pub not_modelled: BTreeMap<String, u64>,
}

/// What all orders prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Covering {
    /// All ran, nothing broke, and everything was modelled.
    Pass,
    /// Something broke, or asked for what is not modelled.
    Fail,
    /// Nothing of either, among those that ran before it was stopped: this proves nothing.
    NotCovered,
}

/// Failures of one mechanism.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proof {
    /// The invariant.
    pub invariant: String,
    /// How it broke.
    pub mechanism: String,
    /// How many orders broke it so.
    pub count: u64,
    /// The departures of one of them that has the fewest.
    pub deviations: Vec<String>,
    /// When, in that run, in virtual milliseconds.
    pub at_ms: u64,
    /// What happened in that run, in words.
    pub text: String,
    /// The command that repeats that run.
    pub repro: String,
}
