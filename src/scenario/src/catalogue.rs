//! A catalogue of instance types that Karpenter chooses from in place of Linode's plans.
//!
//! Linode sells by the hour alone. What is said of spot capacity and reservations can only be shown with a catalogue of
//! one's own.

use crate::value::{Amount, Price};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An instance type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map of `name`, `cpu`, `memory`, `offerings` and the like")]
pub struct InstanceType {
    /// Its name.
    pub name: String,
    /// Its processors.
    pub cpu: Amount,
    /// Its memory.
    pub memory: Amount,
    /// What else it has, such as `nvidia.com/gpu: 1`. Left out, 110 `pods`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, Amount>,
    /// What of all that pods can't use. Left out, nothing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub overhead: BTreeMap<String, Amount>,
    /// Labels of its nodes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Where and how it can be had.
    pub offerings: Vec<Offering>,
}

/// One way to have an instance type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map of `zone`, `price`, `capacity_type` and the like")]
pub struct Offering {
    /// The zone.
    pub zone: String,
    /// How it is paid for.
    #[serde(default, skip_serializing_if = "CapacityType::is_usual")]
    pub capacity_type: CapacityType,
    /// Dollars an hour. That of reserved capacity is the price on demand, which Karpenter divides by ten million.
    pub price: Price,
    /// Whether it can be had, as far as the provider knows.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub available: bool,
    /// How many machines there are of it in truth, which the provider learns from a refusal: for three minutes it then
    /// counts as one that can't be had. Left out, as many as are asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machines: Option<u32>,
    /// The reservation that it is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reservation: Option<Reservation>,
}

/// The values of `karpenter.sh/capacity-type`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CapacityType {
    /// By the hour.
    #[default]
    OnDemand,
    /// At a market's price, until somebody pays more.
    Spot,
    /// Already.
    Reserved,
}

impl CapacityType {
    fn is_usual(&self) -> bool {
        *self == CapacityType::default()
    }

    /// As Karpenter writes it.
    pub const fn name(self) -> &'static str {
        match self {
            CapacityType::OnDemand => "on-demand",
            CapacityType::Spot => "spot",
            CapacityType::Reserved => "reserved",
        }
    }
}

/// Capacity that is paid for already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map of `id`, `count` and `filled_by`")]
pub struct Reservation {
    /// Its id.
    pub id: String,
    /// How many machines it has.
    pub count: u32,
    /// Which launches it takes.
    #[serde(default, skip_serializing_if = "FilledBy::is_usual")]
    pub filled_by: FilledBy,
}

/// Which launches a reservation takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FilledBy {
    /// Any launch of its type and zone, whether it names the reservation or not.
    #[default]
    Open,
    /// Those alone that name it.
    Targeted,
}

impl FilledBy {
    fn is_usual(&self) -> bool {
        *self == FilledBy::default()
    }
}

fn yes() -> bool {
    true
}
