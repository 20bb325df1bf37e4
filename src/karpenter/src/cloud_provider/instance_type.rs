//! What can be had, and for how much.

use lkesim_kube::object::{NodeClaim, Resources, StringMap};
use lkesim_scheduling::Price;
use lkesim_scheduling::instance_type::capacity_type;
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
    /// `on-demand`; of a catalogue of the scenario's own also `spot` and `reserved`.
    pub capacity_type: &'static str,
    /// The price. Of reserved capacity that on demand, see [`Offering::scheduling_price`].
    pub price: MicroDollars,
    /// Whether it can be had at present, as far as the provider knows.
    pub available: bool,
    /// The reservation that it is of.
    pub reservation: Option<ReservedOffering>,
}

/// A reservation, as far as scheduling looks at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReservedOffering {
    /// Its id.
    pub id: Rc<str>,
    /// How many machines are left of it.
    pub left: u32,
}

impl Offering {
    /// By the hour, of no reservation.
    pub fn on_demand(zone: impl Into<Rc<str>>, price: MicroDollars, available: bool) -> Offering {
        Offering { zone: zone.into(), capacity_type: capacity_type::ON_DEMAND, price, available, reservation: None }
    }

    /// What Karpenter compares: of reserved capacity the price on demand by ten million.
    pub fn scheduling_price(&self) -> Price {
        let price = Price::from_micro_dollars(self.price);
        if self.reservation.is_some() { price.reserved() } else { price }
    }
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
