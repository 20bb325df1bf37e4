//! Instance types and offerings as the shipped providers keep them: two caches of 5 minutes over the last answers.
//!
//! The list of types is built from a map, so that its order is another one after each rebuild, and with it which of
//! equally cheap types is launched. Availability is asked for and hardly used: each type is offered in each region in
//! which any plan is to be had. Prices are those of the default region. Source: provider e1c5200
//! pkg/providers/instancetype.

use super::unavailable::Unavailable;
use crate::context::Context;
use crate::instance_types::{self, SDK_CACHE, sizes};
use crate::plan_labels;
use crate::run::Run;
use lkesim_karpenter::cloud_provider::{CreateError, InstanceType, MachineType, Offering, ProviderError};
use lkesim_kube::object::{NodeClaim, StringMap, labels};
use lkesim_kube::parallel;
use lkesim_linode_api::filter::Operator;
use lkesim_linode_api::{CallError, Cause, Filter, PlanType, RegionAvailability};
use lkesim_runtime::Time;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// How a release asks what can be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    /// The region's own, in one answer: provider e1c5200 instancetype.go:226.
    OfRegion,
    /// The list of all regions', 500 a page, of those whose id has the region's in it: provider v0.1.3
    /// instancetype.go:225.
    OfAllRegions,
}

/// The half of what is learnt about types that one call asks for.
#[derive(Clone, Copy)]
enum Half {
    Types,
    Availability,
}

/// The types of one process.
pub struct Types {
    cx: Rc<Context>,
    availability: Availability,
    unavailable: Unavailable,
    plans: RefCell<Arc<[Arc<PlanType>]>>,
    rows: RefCell<Arc<[RegionAvailability]>>,
    /// The regions in which any plan is to be had.
    regions: RefCell<BTreeSet<Arc<str>>>,
    /// Until when the SDK answers a half from memory.
    remembered: [Cell<Option<Time>>; 2],
    /// What machines of each plan have in common.
    of_machines: RefCell<BTreeMap<Arc<str>, Rc<MachineType>>>,
    /// The list, by NodeClass, and until when it is kept.
    lists: RefCell<BTreeMap<Rc<str>, (Time, List)>>,
    /// The offerings of each type.
    offerings: RefCell<BTreeMap<Rc<str>, Kept>>,
    /// Until when, and as of how many changes, the offerings of a whole list are kept.
    all_kept: Cell<(Time, u64)>,
    /// That list.
    all_kept_of: RefCell<List>,
}

/// Types, without offerings.
type List = Rc<[Rc<InstanceType>]>;

/// Offerings, as of a number of changes and until a time.
struct Kept {
    offerings: Vec<Offering>,
    changes: u64,
    until: Time,
}

impl Types {
    /// None yet.
    pub fn new(cx: Rc<Context>, availability: Availability) -> Types {
        Types {
            availability,
            unavailable: Unavailable::new(&cx),
            remembered: Default::default(),
            plans: RefCell::new(Arc::new([])),
            rows: RefCell::new(Arc::new([])),
            regions: RefCell::default(),
            of_machines: RefCell::default(),
            lists: RefCell::default(),
            offerings: RefCell::default(),
            all_kept: Cell::new((Time::ZERO, 0)),
            all_kept_of: RefCell::new(Rc::new([])),
            cx,
        }
    }

    /// Marks what an error of finding or making a LKE pool, or of making a Linode, speaks of.
    pub fn mark_by(&self, error: &CallError, code: Option<u16>, plan: &Rc<str>) {
        tracing::debug!(%error, plan = &**plan, "finding or making a pool or a Linode failed");
        self.unavailable.mark_by(code, plan);
    }

    /// Asks for both halves, one after the other, as the operator does before anything starts
    /// (pkg/operator/operator.go:137).
    pub async fn hydrate(&self, run: &Run) -> Result<(), CallError> {
        self.update(Half::Types, run, Cause::Boot).await?;
        self.update(Half::Availability, run, Cause::Boot).await
    }

    /// Asks for both halves at once. What the one call learns stays where the other fails
    /// (pkg/controllers/providers/instancetype/controller.go:46).
    pub async fn refresh(self: &Rc<Types>, run: Run) -> Result<(), CallError> {
        let (types, run) = (self.clone(), Rc::new(run));
        let ask = move |half| {
            let (types, run) = (types.clone(), run.clone());
            async move { types.update(half, &run, Cause::Offerings).await }
        };
        let halves = vec![Half::Types, Half::Availability];
        let both = parallel::map(&self.cx.runtime, "providers.instancetype", 2, halves, ask).await;
        both.into_iter().collect()
    }

    /// Whether both halves would be answered from memory.
    pub fn are_remembered(&self) -> bool {
        let now = self.cx.runtime.now();
        self.remembered.iter().all(|half| half.get().is_some_and(|until| now <= until))
    }

    async fn update(&self, half: Half, run: &Run, cause: Cause) -> Result<(), CallError> {
        let remembered = &self.remembered[half as usize];
        if remembered.get().is_some_and(|until| self.cx.runtime.now() <= until) {
            return Ok(());
        }
        match half {
            Half::Types => self.update_types(run, cause).await?,
            Half::Availability => self.update_availability(run, cause).await?,
        }
        remembered.set(Some(self.cx.runtime.now() + SDK_CACHE));
        Ok(())
    }

    /// Asks for all types, 500 a page (instancetype.go:197). The lists are built anew only where the answer differs.
    async fn update_types(&self, run: &Run, cause: Cause) -> Result<(), CallError> {
        let plans = self.cx.api.list_types(&run.purpose(cause)).await?;
        if *self.plans.borrow() != plans {
            self.lists.borrow_mut().clear();
            *self.of_machines.borrow_mut() = self.machine_types(&plans);
        }
        *self.plans.borrow_mut() = plans;
        Ok(())
    }

    /// Asks what can be had. The lists are built anew only where the answer differs.
    async fn update_availability(&self, run: &Run, cause: Cause) -> Result<(), CallError> {
        let (api, region) = (&self.cx.api, &self.cx.cluster.region);
        let rows = match self.availability {
            Availability::OfRegion => api.region_availability(&run.purpose(cause), region.clone()).await?,
            Availability::OfAllRegions => {
                let filter = Filter::compare("region", Operator::Contains, &**region);
                api.list_region_availability(&run.purpose(cause), filter).await?
            }
        };
        if *self.rows.borrow() != rows {
            self.lists.borrow_mut().clear();
        }
        let available = rows.iter().filter(|row| row.available);
        *self.regions.borrow_mut() = available.map(|row| row.region.clone()).collect();
        *self.rows.borrow_mut() = rows;
        Ok(())
    }

    /// Whether types are known at all, which every look at them asks first.
    pub fn known(&self) -> Result<(), &'static str> {
        match (self.plans.borrow().is_empty(), self.rows.borrow().is_empty()) {
            (true, _) => Err("no instance types found"),
            (_, true) => Err("no instance types offerings found"),
            _ => Ok(()),
        }
    }

    /// Whether this type is known.
    pub fn knows(&self, plan: &str) -> bool {
        self.of_machines.borrow().contains_key(plan)
    }

    /// The types for a NodeClass, in the order of the present list, with offerings as they stand (instancetype.go:104).
    pub fn list(&self, node_class: &Rc<str>) -> Result<Vec<InstanceType>, &'static str> {
        self.known()?;
        let list = self.kept_list(node_class);
        Ok(list.iter().map(|known| InstanceType { offerings: self.offerings_of(known), ..(**known).clone() }).collect())
    }

    /// Builds list and offerings anew where their time is over, as whoever looks at the types does: a look at one type
    /// is a look at all (pkg/cloudprovider/cloudprovider.go:379).
    pub fn touch(&self, node_class: &Rc<str>) -> Result<(), &'static str> {
        self.known()?;
        let list = self.kept_list(node_class);
        let changes = self.unavailable.changes();
        let (until, as_of) = self.all_kept.get();
        if self.cx.runtime.wall_clock() <= until && as_of == changes && Rc::ptr_eq(&list, &*self.all_kept_of.borrow()) {
            return Ok(());
        }
        list.iter().for_each(|known| _ = self.offerings_of(known));
        let kept = self.offerings.borrow();
        let earliest = list.iter().filter_map(|known| kept.get(&known.name)).map(|kept| kept.until).min();
        self.all_kept.set((earliest.unwrap_or(Time::ZERO), changes));
        *self.all_kept_of.borrow_mut() = list;
        Ok(())
    }

    fn kept_list(&self, node_class: &Rc<str>) -> List {
        let now = self.cx.runtime.wall_clock();
        let mut lists = self.lists.borrow_mut();
        if let Some((until, list)) = lists.get(node_class)
            && now <= *until
        {
            return list.clone();
        }
        let plans = self.plans.borrow();
        let mut list: Vec<_> = plans.iter().map(|plan| Rc::new(self.instance_type(plan))).collect();
        self.cx.ties.walk("instance types", &mut list, |known| &known.name);
        let list: Rc<[_]> = list.into();
        lists.insert(node_class.clone(), (now + self.cx.settings.types_cache, list.clone()));
        list
    }

    fn offerings_of(&self, known: &InstanceType) -> Vec<Offering> {
        let now = self.cx.runtime.wall_clock();
        let changes = self.unavailable.changes_of(&known.name);
        let mut all = self.offerings.borrow_mut();
        if let Some(kept) = all.get(&known.name)
            && now <= kept.until
            && kept.changes == changes
        {
            return kept.offerings.clone();
        }
        let price = self.price(&known.name);
        // Marks are of the cluster's own region.
        let (own, marked) = (&self.cx.cluster.region, self.unavailable.is_marked(&known.name));
        let in_region = |region: &Arc<str>| Offering::on_demand(&**region, price, !(marked && region == own));
        let offerings: Vec<Offering> = self.regions.borrow().iter().map(in_region).collect();
        let until = now + self.cx.settings.types_cache;
        all.insert(known.name.clone(), Kept { offerings: offerings.clone(), changes, until });
        offerings
    }

    /// The hourly price outside of the regions with prices of their own (offering.go:103-107).
    fn price(&self, name: &str) -> u64 {
        let plans = self.plans.borrow();
        plans.iter().find(|plan| *plan.id == *name).map_or(0, |plan| plan.price.hourly_micro_usd)
    }

    fn instance_type(&self, plan: &PlanType) -> InstanceType {
        let (capacity, allocatable) = sizes(plan);
        let labels = plan_labels::of(plan, &self.cx.cluster.region);
        InstanceType { name: (&*plan.id).into(), labels, capacity, allocatable, offerings: Vec::new() }
    }

    fn machine_types(&self, plans: &[Arc<PlanType>]) -> BTreeMap<Arc<str>, Rc<MachineType>> {
        let machine_type = |plan: &Arc<PlanType>| {
            let known = self.instance_type(plan);
            let mut labels = known.labels;
            labels.insert(labels::ZONE, &*self.cx.cluster.region);
            labels.insert(labels::CAPACITY_TYPE, instance_types::ON_DEMAND);
            let (name, capacity, allocatable) = (known.name, known.capacity, known.allocatable);
            (plan.id.clone(), Rc::new(MachineType { name, labels, capacity, allocatable }))
        };
        plans.iter().map(machine_type).collect()
    }

    /// What machines of a plan have in common; of one that the API does not list, zone and capacity type.
    pub fn machine_type(&self, plan: &Arc<str>) -> Rc<MachineType> {
        if let Some(known) = self.of_machines.borrow().get(plan) {
            return known.clone();
        }
        let mut labels = StringMap::EMPTY;
        labels.insert(labels::ZONE, &*self.cx.cluster.region);
        labels.insert(labels::CAPACITY_TYPE, instance_types::ON_DEMAND);
        let none = lkesim_kube::object::Resources::NONE;
        Rc::new(MachineType { name: (&**plan).into(), labels, capacity: none, allocatable: none })
    }
}

/// The cheapest of the types that the claim allows, that its requests fit, and that can be had; of several, the one
/// that comes first (pkg/utils/utils.go:275-308).
pub fn cheapest_for(types: &[InstanceType], claim: &NodeClaim) -> Result<Rc<str>, CreateError> {
    let region = claim.requirement(labels::REGION);
    let can_be_had = |known: &InstanceType| {
        let here = |offering: &&Offering| region.is_none_or(|region| region.allows(Some(&offering.zone)));
        known.offerings.iter().filter(here).any(|offering| offering.available)
    };
    let suits = |known: &&InstanceType| known.is_compatible(claim) && known.fits(claim) && can_be_had(known);
    let cheapest = types.iter().filter(suits).min_by_key(|known| known.cheapest());
    cheapest.map(|known| known.name.clone()).ok_or_else(|| {
        CreateError::InsufficientCapacity("all requested instance types were unavailable during launch".into())
    })
}

/// An error of the provider that no caller tells apart.
pub fn unknown_types(error: &'static str) -> ProviderError {
    ProviderError::Other(format!("resolving instance type, {error}"))
}
