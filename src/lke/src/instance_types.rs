//! Which instance types there are, what they cost, what is left of them for pods, and which can be had.

use crate::cache::TtlCache;
use crate::context::Context;
use crate::plan_labels;
use crate::run::Run;
use lkesim_karpenter::cloud_provider::{CreateError, InstanceType, Machine, MachineType, Offering, ProviderError};
use lkesim_kube::object::node_claim::NodeClaimSpec;
use lkesim_kube::object::{NodeClaim, ProviderId, Resources, StringMap, labels};
use lkesim_linode_api::{CallError, Cause, Instance, PlanType, RegionAvailability};
use lkesim_runtime::Time;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// Pods that a node can run. Provider e1c5200 `pkg/providers/instancetype/types.go`.
const PODS: u64 = 110;

const MIB: u64 = 1 << 20;

/// How long linodego answers the calls for types and for availability from memory (v2.3.0 and v1.62.0 regions.go,
/// `cacheExpiryTime`).
pub const SDK_CACHE: Duration = Duration::from_secs(60);

/// The provider's instance types, as of their last refresh.
pub struct InstanceTypes {
    cx: Rc<Context>,
    /// Until when the SDK would answer from memory.
    remembered: Cell<Option<Time>>,
    learnt: RefCell<Rc<Learnt>>,
    /// The types for each of the NodeClaims' specs that were asked for, the cheapest first.
    suiting: RefCell<Vec<(Rc<NodeClaimSpec>, Suiting)>>,
    /// The plan that was asked for last: Linodes of one pool share it, and their lists are long.
    last: RefCell<Option<(Arc<str>, Rc<MachineType>)>>,
    unavailable: TtlCache<Rc<str>, ()>,
}

type Suiting = Rc<[Rc<InstanceType>]>;

/// A type, and what Karpenter is told of each of its machines.
struct Known {
    details: Rc<InstanceType>,
    of_machines: Rc<MachineType>,
}

/// What the API answered at the last refresh, and what it comes to.
#[derive(Default)]
struct Learnt {
    answers: Answers,
    types: BTreeMap<Rc<str>, Known>,
}

/// What the API answered.
#[derive(Default, PartialEq, Eq)]
struct Answers {
    types: Arc<[Arc<PlanType>]>,
    rows: Arc<[RegionAvailability]>,
    region: Arc<str>,
}

/// What the last answers came to, for whoever hears the same again: a process that starts anew, or the next run. The
/// types depend on the answers alone, so that to share them tells nobody anything.
#[derive(Clone, Default)]
pub struct Memory(Rc<RefCell<Rc<Learnt>>>);

impl Memory {
    fn learn(&self, answers: Answers) -> Rc<Learnt> {
        let last = self.0.borrow().clone();
        if last.answers == answers {
            return last;
        }
        let types = answers.known();
        let learnt = Rc::new(Learnt { answers, types });
        *self.0.borrow_mut() = learnt.clone();
        learnt
    }
}

impl InstanceTypes {
    /// No types yet; [`InstanceTypes::refresh`] learns them.
    pub fn new(cx: Rc<Context>) -> InstanceTypes {
        let unavailable = TtlCache::new(cx.runtime.clone(), cx.settings.unavailable_for);
        InstanceTypes {
            cx,
            remembered: Cell::default(),
            learnt: RefCell::default(),
            suiting: RefCell::default(),
            last: RefCell::default(),
            unavailable,
        }
    }

    /// Asks for all types, and for what the region has of them. What it knew stays where a call fails.
    ///
    /// Design document, "Plan availability": an offering is available where the region's availability reports its plan
    /// so.
    pub async fn refresh(&self, run: &Run, cause: Cause) -> Result<(), ProviderError> {
        let failed = |error: CallError| ProviderError::Other(error.to_string());
        let purpose = run.purpose(cause);
        let types = self.cx.api.list_types(&purpose).await.map_err(failed)?;
        let region = self.cx.cluster.region.clone();
        let rows = self.cx.api.region_availability(&purpose, region.clone()).await.map_err(failed)?;
        self.remembered.set(Some(self.cx.runtime.now() + SDK_CACHE));
        let answers = Answers { types, rows, region };
        let learnt = self.cx.memory.learn(answers);
        if !Rc::ptr_eq(&*self.learnt.borrow(), &learnt) {
            self.suiting.borrow_mut().clear();
            *self.last.borrow_mut() = None;
            *self.learnt.borrow_mut() = learnt;
        }
        Ok(())
    }

    /// Whether the SDK would answer from memory what a refresh asks.
    pub fn are_remembered(&self) -> bool {
        self.remembered.get().is_some_and(|until| self.cx.runtime.now() <= until)
    }

    /// The cheapest type that the NodeClaim allows, that its requests fit, and that can be had; the first by name where
    /// several cost the same.
    pub fn cheapest_for(&self, claim: &NodeClaim) -> Result<Rc<str>, CreateError> {
        let suiting = self.suiting(claim);
        let can_be_had = |known: &&Rc<InstanceType>| !self.is_marked(&known.name);
        let cheapest = suiting.iter().find(can_be_had);
        cheapest.map(|known| known.name.clone()).ok_or_else(|| {
            CreateError::InsufficientCapacity("all requested instance types were unavailable during launch".into())
        })
    }

    /// The types that the NodeClaim allows and that its requests fit, as far as the region has them.
    fn suiting(&self, claim: &NodeClaim) -> Suiting {
        let mut known = self.suiting.borrow_mut();
        if let Some((_, suiting)) = known.iter().find(|(spec, _)| Rc::ptr_eq(spec, &claim.spec)) {
            return suiting.clone();
        }
        let learnt = self.learnt.borrow();
        let types = learnt.types.values().map(|known| &known.details);
        let suits = |known: &&Rc<InstanceType>| known.is_available() && known.is_compatible(claim) && known.fits(claim);
        let mut suiting: Vec<_> = types.filter(suits).cloned().collect();
        suiting.sort_by_key(|known| known.cheapest());
        let suiting = Suiting::from(suiting);
        known.push((claim.spec.clone(), suiting.clone()));
        suiting
    }

    /// Remembers for a while that LKE refused a plan.
    pub fn mark_unavailable(&self, plan: &Rc<str>) {
        self.unavailable.put(plan.clone(), ());
    }

    fn is_marked(&self, plan: &Rc<str>) -> bool {
        self.unavailable.get(plan).is_some()
    }

    /// Every type. One that LKE refused of late has no offering that can be had.
    pub fn all(&self) -> Rc<[Rc<InstanceType>]> {
        let learnt = self.learnt.borrow();
        let types = learnt.types.values();
        types.map(|known| self.as_offered(&known.details)).collect()
    }

    fn as_offered(&self, details: &Rc<InstanceType>) -> Rc<InstanceType> {
        if !self.is_marked(&details.name) {
            return details.clone();
        }
        let mut refused = InstanceType::clone(details);
        for offering in &mut refused.offerings {
            offering.available = false;
        }
        Rc::new(refused)
    }

    /// What Karpenter is told of a Linode.
    pub fn machine(&self, instance: &Instance) -> Machine {
        Machine {
            provider_id: ProviderId::linode(instance.id.0),
            machine_type: self.machine_type(&instance.plan),
            annotations: StringMap::EMPTY,
            creation_timestamp: instance.created.0,
        }
    }

    /// What machines of a plan are. Of one that the API does not list, the name is known.
    fn machine_type(&self, plan: &Arc<str>) -> Rc<MachineType> {
        let mut last = self.last.borrow_mut();
        if let Some((_, known)) = last.as_ref().filter(|(asked, _)| Arc::ptr_eq(asked, plan)) {
            return known.clone();
        }
        let learnt = self.learnt.borrow();
        let known = learnt.types.get(&**plan);
        let machine_type = known.map_or_else(|| unknown(plan), |known| known.of_machines.clone());
        *last = Some((plan.clone(), machine_type.clone()));
        machine_type
    }
}

fn unknown(plan: &str) -> Rc<MachineType> {
    Rc::new(MachineType {
        name: plan.into(),
        labels: StringMap::EMPTY,
        capacity: Resources::NONE,
        allocatable: Resources::NONE,
    })
}

impl Answers {
    fn known(&self) -> BTreeMap<Rc<str>, Known> {
        let region = &self.region;
        let available = |plan: &str| self.rows.iter().any(|row| *row.plan == *plan && row.available);
        let types = self.types.iter().map(|plan| instance_type(plan, region, available(&plan.id)));
        let known = types.map(|details| {
            let mut machine_labels = details.labels.clone();
            machine_labels.insert(labels::ZONE, &**region);
            machine_labels.insert(labels::CAPACITY_TYPE, ON_DEMAND);
            let of_machines = MachineType {
                name: details.name.clone(),
                labels: machine_labels,
                capacity: details.capacity,
                allocatable: details.allocatable,
            };
            (details.name.clone(), Known { details: Rc::new(details), of_machines: Rc::new(of_machines) })
        });
        known.collect()
    }
}

/// Linode sells no other capacity.
pub const ON_DEMAND: &str = "on-demand";

fn instance_type(plan: &PlanType, region: &Arc<str>, available: bool) -> InstanceType {
    let name: Rc<str> = (&*plan.id).into();
    let labels = plan_labels::of(plan, region);
    let (capacity, allocatable) = sizes(plan);
    // As shipped: the price where no region has its own (provider e1c5200 pkg/providers/instancetype/offering).
    let price = plan.price.hourly_micro_usd;
    let offering = Offering::on_demand(&**region, price, available);
    InstanceType { name, labels, capacity, allocatable, offerings: vec![offering] }
}

/// What the provider says that a machine of this plan has, and what of it pods can use: CPU, memory and pods, so that a
/// request for disk or a GPU fits no type. Provider e1c5200 `pkg/providers/instancetype/types.go:237`.
pub fn sizes(plan: &PlanType) -> (Resources, Resources) {
    let capacity = capacity(plan);
    (capacity, capacity.saturating_sub(reserved(plan.vcpus)))
}

/// The same as the kubelet of such a machine says it, with its disk and GPUs.
pub fn node_sizes(plan: &PlanType) -> (Resources, Resources) {
    let (capacity, allocatable) = sizes(plan);
    let whole = |of: Resources| Resources { ephemeral_storage: plan.disk_mib * MIB, gpus: plan.gpus.into(), ..of };
    (whole(capacity), whole(allocatable))
}

/// What a machine of the plan has. 7.5 % of its memory is the hypervisor's. Provider e1c5200 options.go:53.
fn capacity(plan: &PlanType) -> Resources {
    let overhead_mib = (plan.memory_mib * 75).div_ceil(1_000);
    Resources {
        cpu_milli: u64::from(plan.vcpus) * 1_000,
        memory: (plan.memory_mib - overhead_mib) * MIB,
        pods: PODS,
        ..Resources::NONE
    }
}

/// What the system keeps of it: kube-reserved and the eviction threshold. Provider e1c5200 `instancetype/types.go`:
/// 11 MiB a pod and 255 MiB; 6 % of the first core, 1 % of the second, 0.5 % of two more, 0.25 % of the rest; 100 MiB.
fn reserved(vcpus: u32) -> Resources {
    const HUNDREDTHS_OF_MILLI: [u64; 4] = [6_000, 1_000, 500, 500];
    let cpu: u64 = (0..vcpus as usize).map(|core| HUNDREDTHS_OF_MILLI.get(core).copied().unwrap_or(250)).sum();
    Resources::of(cpu / 100, (11 * PODS + 255 + 100) * MIB)
}

#[cfg(test)]
mod tests;
