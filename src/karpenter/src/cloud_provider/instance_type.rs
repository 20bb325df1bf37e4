//! What can be had, and for how much.

use lkesim_kube::object::{NodeClaim, Resources, StringMap};
use std::rc::Rc;

/// A price per hour in millionths of a dollar.
pub type MicroDollars = u64;

/// An instance type: a Linode plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceType {
    /// Its name, such as `g6-standard-2`.
    pub name: Rc<str>,
    /// The labels that a node of this type has, `node.kubernetes.io/instance-type` included; zone and capacity type are
    /// the offering's.
    pub labels: StringMap,
    /// All that a machine of it has.
    pub capacity: Resources,
    /// What of it pods can use.
    pub allocatable: Resources,
    /// Where and how it can be had.
    pub offerings: Vec<Offering>,
}

/// One way to have an instance type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offering {
    /// The zone; on Linode the region.
    pub zone: Rc<str>,
    /// `on-demand`.
    pub capacity_type: &'static str,
    /// The price.
    pub price: MicroDollars,
    /// Whether it can be had at present, as far as the provider knows.
    pub available: bool,
}

impl InstanceType {
    /// Whether the labels meet all requirements of the claim that concern the type; those on labels that the type does
    /// not have (zone, capacity type, the user's own) are not judged.
    pub fn is_compatible(&self, node_claim: &NodeClaim) -> bool {
        node_claim.spec.requirements.iter().all(|requirement| match self.labels.get(&requirement.key) {
            Some(value) => requirement.allows(Some(value)),
            None => true,
        })
    }

    /// Whether the pods of the claim fit.
    pub fn fits(&self, node_claim: &NodeClaim) -> bool {
        self.allocatable.fits(&node_claim.spec.resources_requests)
    }

    /// Whether it can be had somewhere.
    pub fn is_available(&self) -> bool {
        self.offerings.iter().any(|offering| offering.available)
    }

    /// The lowest price of all offerings, of those that can't be had too: core v1.9.0 takes `Offerings.Cheapest` so.
    pub fn cheapest(&self) -> Option<MicroDollars> {
        self.offerings.iter().map(|offering| offering.price).min()
    }
}
