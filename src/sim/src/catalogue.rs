//! A catalogue of the scenario's own, and who has bought what of it.
//!
//! It is counterfactual: Linode sells by the hour alone, and has no zones. A provider of the design under study makes
//! the machines, with the calls that it always makes; this stands before it as a provider's own code would. It tells
//! Karpenter of the catalogue's types in place of Linode's plans, chooses an offering for each NodeClaim, and asks the
//! design for a machine of that type. The fake sells the types as plans ([`fake_linode::settings::Settings::more_plans`]).
//! Zone, capacity type and reservation are labels of the machine and nothing else: no machine is taken away because
//! somebody pays more.
//!
//! What is sold is the cloud's to know, not a process's, and outlives these.

mod sale;
mod types;

use lkesim_karpenter::cloud_provider::{CreateError, InstanceType, Machine, MachineType, Offering, ReservedOffering};
use lkesim_kube::object::node_claim::NodeClaimSpec;
use lkesim_kube::object::{NodeClaim, Requirement, Resources, StringMap, Uid, labels};
use lkesim_linode_api::InstanceId;
use lkesim_runtime::Time;
use lkesim_scenario::Scenario;
use lkesim_scenario::catalogue::FilledBy;
use lkesim_scheduling::instance_type::capacity_type;
use sale::{Buyer, Sale};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

pub(crate) use types::plans;
use types::{TypeOf, types};

/// How long an offering counts as unavailable that could not be had: 3 minutes, as providers remember insufficient
/// capacity.
const MARKED_FOR: Duration = Duration::from_secs(180);

/// The catalogue of one run.
pub(crate) struct Catalogue {
    types: Vec<TypeOf>,
    sold: RefCell<BTreeMap<Buyer, Sale>>,
    /// Until when each offering counts as unavailable: by the places of its type and of itself.
    marked: RefCell<BTreeMap<(usize, usize), Time>>,
}

impl Catalogue {
    /// That of a scenario, if it has one.
    pub fn of(scenario: &Scenario) -> Option<Catalogue> {
        let types = types(scenario);
        (!types.is_empty()).then(|| Catalogue { types, sold: RefCell::default(), marked: RefCell::default() })
    }

    /// What Karpenter is told of in place of Linode's plans.
    pub fn instance_types(&self, now: Time) -> Rc<[Rc<InstanceType>]> {
        let told = |(place, one): (usize, &TypeOf)| {
            let offering = |(at, offering): (usize, &Offering)| {
                let reservation = offering.reservation.as_ref();
                let left = reservation.map(|reservation| self.left(&reservation.id));
                let is_left = left.is_none_or(|left| left > 0);
                let reservation = reservation.zip(left).map(|(of, left)| ReservedOffering { left, ..of.clone() });
                let available = offering.available && is_left && !self.is_marked(place, at, now);
                Offering { available, reservation, ..offering.clone() }
            };
            let offerings = one.told.offerings.iter().enumerate().map(offering).collect();
            Rc::new(InstanceType { offerings, ..one.told.clone() })
        };
        self.types.iter().enumerate().map(told).collect()
    }

    /// The NodeClaim as the design is to launch it: of one type, without zone and capacity type, which Linode does not
    /// have. The cheapest offering that the claim allows is sold to it, of equally cheap ones the first; a claim that
    /// asks again gets what it has.
    pub fn sell(&self, place: usize, claim: &NodeClaim, now: Time) -> Result<NodeClaim, CreateError> {
        let buyer = (place, claim.metadata.uid);
        if let Some(sale) = self.sold.borrow().get(&buyer) {
            return Ok(NodeClaim { spec: sale.spec.clone(), ..claim.clone() });
        }
        let Some((of, at)) = self.cheapest(claim, now) else {
            let text = "all requested instance types were unavailable during launch";
            return Err(CreateError::InsufficientCapacity(text.into()));
        };
        let offering = &self.types[of].told.offerings[at];
        if !self.has_left(of, at) {
            self.marked.borrow_mut().insert((of, at), now + MARKED_FOR);
            let text =
                format!("{} of {} in {} is used up", offering.capacity_type, self.types[of].told.name, offering.zone);
            return Err(CreateError::InsufficientCapacity(text));
        }
        let only = Requirement::any_of(labels::INSTANCE_TYPE, [self.types[of].told.name.clone()]);
        let spec = NodeClaimSpec {
            requirements: vec![only],
            // That its pods fit is settled, by the catalogue's own sizes.
            resources_requests: Resources::NONE,
            ..NodeClaimSpec::clone(&claim.spec)
        };
        let sale = Sale { of, at, spec: Rc::new(spec), reservation: self.reservation(of, at), instance: None };
        let asked = NodeClaim { spec: sale.spec.clone(), ..claim.clone() };
        self.sold.borrow_mut().insert(buyer, sale);
        Ok(asked)
    }

    /// What came of the launch. A type that the cloud has none of is marked, and the sale undone.
    pub fn launched(
        &self,
        place: usize,
        claim: &NodeClaim,
        result: Result<Machine, CreateError>,
        now: Time,
    ) -> Result<Machine, CreateError> {
        let buyer = (place, claim.metadata.uid);
        match result {
            Ok(machine) => {
                if let (Some(sale), Some(id)) = (self.sold.borrow_mut().get_mut(&buyer), machine.provider_id.id()) {
                    sale.instance = Some(InstanceId(id));
                }
                Ok(self.dressed(machine))
            }
            Err(CreateError::InsufficientCapacity(text)) => {
                if let Some(sale) = self.sold.borrow_mut().remove(&buyer) {
                    self.marked.borrow_mut().insert((sale.of, sale.at), now + MARKED_FOR);
                }
                Err(CreateError::InsufficientCapacity(text))
            }
            failed => failed,
        }
    }

    /// A Linode is gone: what it was of can be had again.
    pub fn gone(&self, instance: InstanceId) {
        self.sold.borrow_mut().retain(|_, sale| sale.instance != Some(instance));
    }

    /// A NodeClaim is gone. If it never had a machine, nothing was sold.
    pub fn claim_gone(&self, place: usize, uid: Uid) {
        let mut sold = self.sold.borrow_mut();
        if sold.get(&(place, uid)).is_some_and(|sale| sale.instance.is_none()) {
            sold.remove(&(place, uid));
        }
    }

    /// A machine with the labels of what it was sold as.
    pub fn dressed(&self, machine: Machine) -> Machine {
        let of = self.types.iter().find(|one| *one.told.name == *machine.machine_type.name);
        let (Some(of), Some(id)) = (of, machine.provider_id.id()) else { return machine };
        let mut all = of.told.labels.clone();
        all.extend(&self.labels_of(InstanceId(id)));
        let (name, capacity, allocatable) = (of.told.name.clone(), of.told.capacity, of.told.allocatable);
        Machine { machine_type: Rc::new(MachineType { name, labels: all, capacity, allocatable }), ..machine }
    }

    /// Zone, capacity type and reservation of a Linode, and its type's labels; none of one that nobody bought.
    pub fn labels_of(&self, instance: InstanceId) -> StringMap {
        let sold = self.sold.borrow();
        let Some(sale) = sold.values().find(|sale| sale.instance == Some(instance)) else {
            return StringMap::EMPTY;
        };
        let of = &self.types[sale.of].told;
        let offering = &of.offerings[sale.at];
        let mut all = of.labels.clone();
        all.insert(labels::ZONE, offering.zone.clone());
        all.insert(labels::CAPACITY_TYPE, offering.capacity_type);
        if let Some(reservation) = &offering.reservation {
            all.insert(labels::RESERVATION_ID, reservation.id.clone());
        }
        all
    }

    /// What a machine of this type has, and what of it pods can use.
    pub fn sizes(&self, name: &str) -> Option<(Resources, Resources)> {
        let of = self.types.iter().find(|one| *one.told.name == *name)?;
        Some((of.told.capacity, of.told.allocatable))
    }

    fn cheapest(&self, claim: &NodeClaim, now: Time) -> Option<(usize, usize)> {
        let allows = |key: &str, value: Option<&str>| claim.requirement(key).is_none_or(|one| one.allows(value));
        let suits = |of: &TypeOf| of.told.is_compatible(claim) && of.told.fits(claim);
        let is_sold = |(place, at): (usize, usize), offering: &Offering| {
            let reservation = offering.reservation.as_ref().map(|of| &*of.id);
            offering.available
                && !self.is_marked(place, at, now)
                && allows(labels::ZONE, Some(&offering.zone))
                && allows(labels::CAPACITY_TYPE, Some(offering.capacity_type))
                && allows(labels::RESERVATION_ID, reservation)
                && reservation.is_none_or(|id| self.left(id) > 0)
        };
        let types = self.types.iter().enumerate().filter(|(_, of)| suits(of));
        let offerings = types.flat_map(|(place, of)| {
            let all = of.told.offerings.iter().enumerate();
            all.map(move |(at, offering)| ((place, at), offering))
        });
        let sold = offerings.filter(|(places, offering)| is_sold(*places, offering));
        sold.min_by_key(|(_, offering)| offering.scheduling_price()).map(|(places, _)| places)
    }

    fn is_marked(&self, of: usize, at: usize, now: Time) -> bool {
        self.marked.borrow().get(&(of, at)).is_some_and(|until| now < *until)
    }

    /// Whether the cloud has one more of an offering: what nobody knows who has not asked.
    fn has_left(&self, of: usize, at: usize) -> bool {
        let machines = self.types[of].machines[at];
        machines.is_none_or(|most| self.count(|sale| (sale.of, sale.at) == (of, at)) < most)
    }

    /// How many machines are left of a reservation.
    fn left(&self, id: &str) -> u32 {
        let counts = self.types.iter().flat_map(|of| &of.told.offerings).filter_map(|one| one.reservation.as_ref());
        let count = counts.filter(|one| *one.id == *id).map(|one| one.left).min().unwrap_or(0);
        count.saturating_sub(self.count(|sale| sale.reservation.as_deref() == Some(id)))
    }

    fn count(&self, is_of: impl Fn(&Sale) -> bool) -> u32 {
        let count = self.sold.borrow().values().filter(|sale| is_of(sale)).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// The reservation that a launch uses up: the one that it names, or an open one of its type and zone, whatever was
    /// asked for.
    fn reservation(&self, of: usize, at: usize) -> Option<Rc<str>> {
        let offerings = &self.types[of].told.offerings;
        let own = &offerings[at];
        // Spot capacity is never of a reservation.
        if own.capacity_type == capacity_type::SPOT {
            return None;
        }
        let named = own.reservation.as_ref().map(|reservation| reservation.id.clone());
        let open = || {
            let here = offerings.iter().zip(&self.types[of].filled_by).filter(|(one, _)| one.zone == own.zone);
            let mut open =
                here.filter(|(_, by)| **by == Some(FilledBy::Open)).filter_map(|(one, _)| one.reservation.as_ref());
            open.find(|reservation| self.left(&reservation.id) > 0).map(|reservation| reservation.id.clone())
        };
        named.or_else(open)
    }
}

#[cfg(test)]
mod tests;
