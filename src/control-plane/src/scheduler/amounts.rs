//! Amounts of the resources that nodes have, as plain numbers: each pod is held against many nodes.

use lkesim_kube::object::resource_list::names;
use lkesim_kube::object::{PodSpec, Resources};
use std::rc::Rc;

/// The resources that nodes have.
pub const COUNT: usize = 5;

/// Where pods stand among them.
pub const PODS: usize = 3;

/// By resource, in the order in which upstream's check looks at them, pods aside.
const NAMES: [&str; COUNT] = [names::CPU, names::MEMORY, names::EPHEMERAL_STORAGE, names::PODS, names::GPU];

/// What a container counts as in the score where it asks for nothing: 100m and 200 Mi (Kubernetes v1.33
/// `pkg/scheduler/util/pod_resources.go`).
const SCORED: [i64; 2] = [100, 200 << 20];

/// An amount of each resource that nodes have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amounts([i64; COUNT]);

impl From<&Resources> for Amounts {
    fn from(from: &Resources) -> Amounts {
        let all = [from.cpu_milli, from.memory, from.ephemeral_storage, from.pods, from.gpus];
        Amounts(all.map(|amount| i64::try_from(amount).unwrap_or(i64::MAX)))
    }
}

/// What a pod asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Of what nodes have, itself as one of the pods.
    amounts: Amounts,
    /// Resources that no node has.
    unknown: Vec<Rc<str>>,
    /// CPU and memory as the score counts them.
    pub scored: [i64; 2],
}

impl Wanted {
    /// What pods with this spec ask for.
    pub fn of(spec: &PodSpec) -> Wanted {
        let mut wanted = Wanted::default();
        for (name, quantity) in spec.effective_requests().iter() {
            let place = NAMES.iter().position(|known| **known == **name);
            match place {
                Some(0) => wanted.amounts.0[0] = quantity.milli(),
                Some(place) => wanted.amounts.0[place] = quantity.value(),
                None if quantity.is_zero() => {}
                None => wanted.unknown.push(name.clone()),
            }
        }
        wanted.amounts.0[PODS] = 1;
        let missing = |name: &str| spec.containers.iter().filter(|one| one.requests.get(name).is_none()).count();
        for (place, name) in [names::CPU, names::MEMORY].into_iter().enumerate() {
            let missing = i64::try_from(missing(name)).unwrap_or(0);
            wanted.scored[place] = wanted.amounts.0[place] + SCORED[place] * missing;
        }
        wanted
    }

    /// Calls `short` with the place and the name of each resource of which too little is left, and whether nothing that
    /// runs on the node could change that. Resources that no node has have no place.
    pub fn shortages(&self, allocatable: &Amounts, taken: &Amounts, mut short: impl FnMut(Option<usize>, &str, bool)) {
        for place in [PODS, 0, 1, 2, 4] {
            let wanted = self.amounts.0[place];
            if wanted > 0 && wanted > allocatable.0[place] - taken.0[place] {
                short(Some(place), NAMES[place], wanted > allocatable.0[place]);
            }
        }
        self.unknown.iter().for_each(|name| short(None, name, true));
    }

    /// Whether it fits.
    pub fn fits(&self, allocatable: &Amounts, taken: &Amounts) -> bool {
        let each = self.amounts.0.iter().zip(&allocatable.0).zip(&taken.0);
        self.unknown.is_empty() && each.into_iter().all(|((wanted, all), taken)| *wanted <= 0 || *wanted <= all - taken)
    }
}

impl Amounts {
    /// With what a pod asks for.
    pub fn add(&mut self, wanted: &Wanted) {
        self.0.iter_mut().zip(&wanted.amounts.0).for_each(|(sum, amount)| *sum += amount);
    }

    /// Without it.
    pub fn remove(&mut self, wanted: &Wanted) {
        self.0.iter_mut().zip(&wanted.amounts.0).for_each(|(sum, amount)| *sum -= amount);
    }

    /// CPU and memory.
    pub fn scored(&self) -> [i64; 2] {
        [self.0[0], self.0[1]]
    }
}
