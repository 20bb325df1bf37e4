//! Amounts by resource, of whatever name: what pods ask for and nodes have.

use super::{Quantity, Resources};
use std::fmt;
use std::rc::Rc;

/// Names of the resources that Kubernetes itself knows.
pub mod names {
    /// Processor time, in cores.
    pub const CPU: &str = "cpu";
    /// Memory in bytes.
    pub const MEMORY: &str = "memory";
    /// Local disk in bytes.
    pub const EPHEMERAL_STORAGE: &str = "ephemeral-storage";
    /// How many pods.
    pub const PODS: &str = "pods";
    /// NVIDIA's GPUs.
    pub const GPU: &str = "nvidia.com/gpu";
    /// What the names of huge pages begin with.
    pub const HUGE_PAGES: &str = "hugepages-";
}

/// `corev1.ResourceList`: amounts, sorted by name. A resource that is listed as 0 differs from one that is not listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ResourceList(Vec<(Rc<str>, Quantity)>);

impl ResourceList {
    /// Nothing listed.
    pub const EMPTY: ResourceList = ResourceList(Vec::new());

    /// The amount of a resource, if listed.
    pub fn get(&self, name: &str) -> Option<Quantity> {
        self.place(name).ok().map(|place| self.0[place].1)
    }

    /// The amount of a resource, 0 if it is not listed.
    pub fn amount(&self, name: &str) -> Quantity {
        self.get(name).unwrap_or_default()
    }

    /// Lists a resource.
    pub fn set(&mut self, name: impl Into<Rc<str>> + AsRef<str>, quantity: Quantity) {
        match self.place(name.as_ref()) {
            Ok(place) => self.0[place].1 = quantity,
            Err(place) => self.0.insert(place, (name.into(), quantity)),
        }
    }

    /// Takes a resource out.
    pub fn remove(&mut self, name: &str) {
        if let Ok(place) = self.place(name) {
            self.0.remove(place);
        }
    }

    /// Adds each amount of `other`.
    pub fn add(&mut self, other: &ResourceList) {
        for (name, quantity) in &other.0 {
            match self.place(name) {
                Ok(place) => self.0[place].1 += *quantity,
                Err(place) => self.0.insert(place, (name.clone(), *quantity)),
            }
        }
    }

    /// Adds each amount of `other` so many times.
    pub fn add_times(&mut self, other: &ResourceList, times: i64) {
        for (name, quantity) in &other.0 {
            let all = quantity.times(times);
            match self.place(name) {
                Ok(place) => self.0[place].1 += all,
                Err(place) => self.0.insert(place, (name.clone(), all)),
            }
        }
    }

    /// Takes each amount of `other` away; what is not listed becomes negative.
    pub fn subtract(&mut self, other: &ResourceList) {
        for (name, quantity) in &other.0 {
            match self.place(name) {
                Ok(place) => self.0[place].1 -= *quantity,
                Err(place) => self.0.insert(place, (name.clone(), Quantity::ZERO - *quantity)),
            }
        }
    }

    /// What is left of the listed resources without `other`; may be negative.
    #[must_use]
    pub fn without(&self, other: &ResourceList) -> ResourceList {
        let left = |(name, quantity): &(Rc<str>, Quantity)| (name.clone(), *quantity - other.amount(name));
        ResourceList(self.0.iter().map(left).collect())
    }

    /// Raises each amount to that of `other`, and lists what is not listed.
    pub fn raise_to(&mut self, other: &ResourceList) {
        for (name, quantity) in &other.0 {
            match self.place(name) {
                Ok(place) => self.0[place].1 = self.0[place].1.max(*quantity),
                Err(place) => self.0.insert(place, (name.clone(), *quantity)),
            }
        }
    }

    /// Whether these requests fit in `total`, of which no amount may be negative (core v1.9.0
    /// `pkg/utils/resources/resources.go`).
    pub fn fits(&self, total: &ResourceList) -> bool {
        let negative = total.0.iter().any(|(_, quantity)| *quantity < Quantity::ZERO);
        !negative && self.0.iter().all(|(name, quantity)| *quantity <= total.amount(name))
    }

    /// The entries in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &(Rc<str>, Quantity)> {
        self.0.iter()
    }

    /// Whether nothing is listed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The amounts that [`Resources`] has room for, and the name of the first above 0 that it has none for.
    pub fn to_resources(&self) -> Result<Resources, Rc<str>> {
        let mut found = Resources::NONE;
        for (name, quantity) in &self.0 {
            let units = u64::try_from(quantity.value()).unwrap_or(0);
            match &**name {
                names::CPU => found.cpu_milli = u64::try_from(quantity.milli()).unwrap_or(0),
                names::MEMORY => found.memory = units,
                names::EPHEMERAL_STORAGE => found.ephemeral_storage = units,
                names::PODS => found.pods = units,
                names::GPU => found.gpus = units,
                _ if units == 0 => {}
                _ => return Err(name.clone()),
            }
        }
        Ok(found)
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(present, _)| (**present).cmp(name))
    }
}

thread_local! {
    /// The names of what nodes have, sorted and shared: lists of them are made for each node of each pass.
    static SORTED: [Rc<str>; 5] =
        [names::CPU, names::EPHEMERAL_STORAGE, names::MEMORY, names::GPU, names::PODS].map(Rc::from);
}

impl From<&Resources> for ResourceList {
    /// Lists what is above 0.
    fn from(from: &Resources) -> ResourceList {
        let units = |units: u64| Quantity::from_units(i64::try_from(units).unwrap_or(i64::MAX));
        let bytes = |count: u64| units(count).written(super::quantity::Format::BinarySi);
        let cpu = Quantity::from_milli(i64::try_from(from.cpu_milli).unwrap_or(i64::MAX));
        // In the order of their names, see `SORTED`.
        let amounts = [cpu, bytes(from.ephemeral_storage), bytes(from.memory), units(from.gpus), units(from.pods)];
        SORTED.with(|names| {
            let all = names.iter().cloned().zip(amounts);
            ResourceList(all.filter(|(_, quantity)| !quantity.is_zero()).collect())
        })
    }
}

impl<N: Into<Rc<str>> + AsRef<str>> FromIterator<(N, Quantity)> for ResourceList {
    fn from_iter<I: IntoIterator<Item = (N, Quantity)>>(entries: I) -> ResourceList {
        let mut list = ResourceList::EMPTY;
        for (name, quantity) in entries {
            list.set(name, quantity);
        }
        list
    }
}

impl fmt::Display for ResourceList {
    /// As JSON, which is how Karpenter's messages show it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (place, (name, quantity)) in self.0.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma}\"{name}\":\"{quantity}\"")?;
        }
        f.write_str("}")
    }
}

#[cfg(test)]
mod tests;
