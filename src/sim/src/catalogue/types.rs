//! From a scenario's catalogue to what Karpenter and the fake are told of it.

use lkesim_karpenter::cloud_provider::{InstanceType, Offering, ReservedOffering};
use lkesim_kube::object::resource_list::names;
use lkesim_kube::object::{Quantity, ResourceList, Resources, StringMap, labels};
use lkesim_linode_api::{PlanPrice, PlanType};
use lkesim_scenario::Scenario;
use lkesim_scenario::catalogue::{self, CapacityType, FilledBy};
use std::rc::Rc;
use std::sync::Arc;

/// How many pods a machine runs where nothing is said.
const PODS: i64 = 110;

const MIB: u64 = 1 << 20;

/// A type of the catalogue.
pub struct TypeOf {
    /// What Karpenter is told of it before anything was sold.
    pub told: InstanceType,
    /// By offering, how many machines there are of it.
    pub machines: Vec<Option<u32>>,
    /// By offering, which launches its reservation takes.
    pub filled_by: Vec<Option<FilledBy>>,
}

/// The types of a scenario's catalogue, in its order.
pub fn types(scenario: &Scenario) -> Vec<TypeOf> {
    scenario.catalogue.iter().map(type_of).collect()
}

fn type_of(from: &catalogue::InstanceType) -> TypeOf {
    let mut all = StringMap::EMPTY;
    all.insert(labels::INSTANCE_TYPE, &*from.name);
    all.insert(labels::ARCH, "amd64");
    all.insert(labels::OS, "linux");
    from.labels.iter().for_each(|(key, value)| all.insert(&**key, &**value));
    let (capacity, allocatable) = sizes(from);
    let offerings = from.offerings.iter().map(offering).collect();
    TypeOf {
        told: InstanceType { name: (&*from.name).into(), labels: all, capacity, allocatable, offerings },
        machines: from.offerings.iter().map(|one| one.machines).collect(),
        filled_by: from.offerings.iter().map(|one| one.reservation.as_ref().map(|of| of.filled_by)).collect(),
    }
}

fn offering(from: &catalogue::Offering) -> Offering {
    let reservation = from.reservation.as_ref();
    Offering {
        zone: (&*from.zone).into(),
        capacity_type: from.capacity_type.name(),
        price: from.price.micro_dollars(),
        available: from.available,
        reservation: reservation.map(|of| ReservedOffering { id: (&*of.id).into(), left: of.count }),
    }
}

/// What a machine has, and what pods can use of it.
fn sizes(from: &catalogue::InstanceType) -> (Resources, Resources) {
    let mut capacity = ResourceList::from_iter([(names::PODS, Quantity::from_units(PODS))]);
    capacity.set(names::CPU, from.cpu.quantity());
    capacity.set(names::MEMORY, from.memory.quantity());
    from.resources.iter().for_each(|(name, amount)| capacity.set(&**name, amount.quantity()));
    let overhead: ResourceList =
        from.overhead.iter().map(|(name, amount)| (Rc::<str>::from(&**name), amount.quantity())).collect();
    let left = lkesim_scheduling::instance_type::allocatable(&capacity, &overhead);
    // The check refuses what nodes here don't have.
    (capacity.to_resources().unwrap_or_default(), left.to_resources().unwrap_or_default())
}

/// The types as plans that the fake sells beside Linode's. An hour costs what it costs on demand, without a month's cap:
/// the bill of a machine is that of its type, however it was sold.
pub fn plans(scenario: &Scenario) -> Vec<Arc<PlanType>> {
    scenario.catalogue.iter().map(plan).map(Arc::new).collect()
}

fn plan(from: &catalogue::InstanceType) -> PlanType {
    let (capacity, _) = sizes(from);
    let price = |kind: CapacityType| {
        let prices = from.offerings.iter().filter(|one| one.capacity_type == kind).map(|one| one.price.micro_dollars());
        prices.min()
    };
    let on_demand = price(CapacityType::OnDemand).or_else(|| price(CapacityType::Reserved));
    let hourly = on_demand.or_else(|| price(CapacityType::Spot)).unwrap_or(0);
    PlanType {
        id: (&*from.name).into(),
        class: "standard".into(),
        vcpus: u32::try_from(capacity.cpu_milli.div_ceil(1_000)).unwrap_or(u32::MAX),
        memory_mib: capacity.memory / MIB,
        disk_mib: (capacity.ephemeral_storage / MIB).max(81_920),
        gpus: u32::try_from(capacity.gpus).unwrap_or(u32::MAX),
        price: PlanPrice { hourly_micro_usd: hourly, monthly_micro_usd: u64::MAX },
        region_prices: Vec::new(),
    }
}
