//! What can be had: instance types, and where and how each is offered (core v1.9.0 `pkg/cloudprovider/types.go`).

use crate::go_sort;
use crate::requirement::Requirement;
use crate::requirements::{Requirements, WellKnownLabels};
use lkesim_kube::object::resource_list::names;
use lkesim_kube::object::{Quantity, ResourceList, labels};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A price per hour, in units of 10^-13 dollars: a millionth of a dollar divided by ten million is still whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Price(pub u64);

impl Price {
    /// Dearer than anything.
    pub const MAX: Price = Price(u64::MAX);

    /// So many millionths of a dollar.
    pub const fn from_micro_dollars(micro: u64) -> Price {
        Price(micro.saturating_mul(RESERVED_DIVISOR))
    }

    /// In millionths of a dollar, rounded up.
    pub const fn to_micro_dollars(self) -> u64 {
        self.0.div_ceil(RESERVED_DIVISOR)
    }

    /// What capacity costs that is paid for already: on-demand divided by ten million.
    #[must_use]
    pub const fn reserved(self) -> Price {
        Price(self.0 / RESERVED_DIVISOR)
    }
}

const RESERVED_DIVISOR: u64 = 10_000_000;

/// How capacity is paid for: the values of `karpenter.sh/capacity-type`.
pub mod capacity_type {
    /// By the hour.
    pub const ON_DEMAND: &str = "on-demand";
    /// At a market's price, until somebody pays more.
    pub const SPOT: &str = "spot";
    /// Already.
    pub const RESERVED: &str = "reserved";
}

/// A potential node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceType {
    /// Its name: the value of `node.kubernetes.io/instance-type`.
    pub name: Rc<str>,
    /// The labels that its nodes have or may have. Each well-known label has one, an empty one if need be.
    pub requirements: Requirements,
    /// Where and how it can be had.
    pub offerings: Vec<Offering>,
    /// All that a machine of it has.
    pub capacity: ResourceList,
    /// What pods can use of it.
    pub allocatable: ResourceList,
}

/// One way to have an instance type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offering {
    /// Zone and capacity type, and the reservation's id.
    pub requirements: Requirements,
    /// The price.
    pub price: Price,
    /// Whether it can be had at present, as far as the provider knows.
    pub available: bool,
    /// How many machines are left of the reservation.
    pub reservation_capacity: u32,
}

impl Offering {
    /// An offering of a zone.
    pub fn new(zone: &str, capacity_type: &str, price: Price, available: bool) -> Offering {
        Offering::at((labels::ZONE, zone), capacity_type, price, available)
    }

    /// An offering of a place: a label and its value.
    pub fn at(place: (&str, &str), capacity_type: &str, price: Price, available: bool) -> Offering {
        let requirements = [place, (labels::CAPACITY_TYPE, capacity_type)];
        let requirements = requirements.map(|(key, value)| Requirement::any_of(key, [Rc::from(value)]));
        Offering { requirements: requirements.into_iter().collect(), price, available, reservation_capacity: 0 }
    }

    /// A reservation of which `left` machines are left, under its provider's label.
    pub fn reserved(zone: &str, id_label: &str, id: &str, on_demand: Price, left: u32) -> Offering {
        let mut offering = Offering::new(zone, capacity_type::RESERVED, on_demand.reserved(), true);
        offering.requirements.add(Requirement::any_of(id_label, [Rc::from(id)]));
        Offering { reservation_capacity: left, ..offering }
    }

    /// The one value of a label.
    fn value(&self, key: &str) -> Option<&Rc<str>> {
        self.requirements.get(key)?.values().first()
    }

    /// The capacity type.
    pub fn capacity_type(&self) -> &str {
        self.value(labels::CAPACITY_TYPE).map_or("", |value| value)
    }

    /// The zone.
    pub fn zone(&self) -> &str {
        self.value(labels::ZONE).map_or("", |value| value)
    }

    /// The reservation's id, under its provider's label.
    pub fn reservation_id(&self, id_label: &str) -> &str {
        self.value(id_label).map_or("", |value| value)
    }
}

/// What pods can use of a capacity: without the overhead, and without the memory that huge pages take.
pub fn allocatable(capacity: &ResourceList, overhead: &ResourceList) -> ResourceList {
    let mut left = capacity.without(overhead);
    for (_, quantity) in capacity.iter().filter(|(name, _)| name.starts_with(names::HUGE_PAGES)) {
        let memory = left.amount(names::MEMORY) - *quantity;
        left.set(names::MEMORY, memory.max(Quantity::ZERO));
    }
    left
}

impl InstanceType {
    /// The offerings that can be had and suit the requirements.
    pub fn available<'a>(
        &'a self,
        requirements: &'a Requirements,
        well_known: &'a WellKnownLabels,
    ) -> impl Iterator<Item = &'a Offering> {
        let suits = |one: &&Offering| requirements.compatible(&one.requirements, Some(well_known)).is_ok();
        self.offerings.iter().filter(|one| one.available).filter(suits)
    }

    /// The lowest price at which it can be had; [`Price::MAX`] if it can't.
    pub fn lowest_price(&self, requirements: &Requirements, well_known: &WellKnownLabels) -> Price {
        self.available(requirements, well_known).map(|one| one.price).min().unwrap_or(Price::MAX)
    }
}

/// Sorts types by the lowest price at which each can be had. Equal prices come in the order that Go's `sort.Slice` gives
/// them, which decides what a cap cuts off.
pub fn order_by_price(types: &mut [Rc<InstanceType>], requirements: &Requirements, well_known: &WellKnownLabels) {
    let priced = types.iter().map(|one| (one.lowest_price(requirements, well_known), one.clone()));
    let mut priced: Vec<_> = priced.collect();
    go_sort::sort(&mut priced, |one, other| one.0 < other.0);
    for (place, (_, one)) in types.iter_mut().zip(priced) {
        *place = one;
    }
}

/// The labels of which the types have fewer values than `minValues` asks for, each with how many they have.
pub fn below_min_values<'a>(
    types: impl Iterator<Item = &'a InstanceType>,
    requirements: &Requirements,
) -> BTreeMap<Rc<str>, u32> {
    let wanted = requirements.iter().filter_map(|one| Some((&one.key, one.min_values?)));
    let mut found: Vec<_> = wanted.map(|(key, count)| (key, count, BTreeSet::new())).collect();
    let mut any = false;
    for one in types {
        any = true;
        for (key, _, values) in &mut found {
            values.extend(one.requirements.get(key).into_iter().flat_map(|requirement| requirement.values()));
        }
    }
    // Where no type is left, upstream finds nothing wrong with their number of values.
    let count = |values: &BTreeSet<&Rc<str>>| u32::try_from(values.len()).unwrap_or(u32::MAX);
    let below = found.iter().filter(|(_, wanted, values)| any && count(values) < *wanted);
    below.map(|(key, _, values)| ((*key).clone(), count(values))).collect()
}

/// Karpenter's sentence on labels with too few values.
pub fn min_values_refusal(below: &BTreeMap<Rc<str>, u32>) -> String {
    let keys: Vec<&str> = below.keys().map(|key| &**key).collect();
    format!("minValues requirement is not met for label(s) (label(s)=[{}])", keys.join(" "))
}

#[cfg(test)]
mod tests;
